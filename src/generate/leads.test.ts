import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import parseSmall from 'libphonenumber-js/min';
import { budgetFor } from './budget.js';
import { failureKind, skeleton } from './failure-kind.js';
import { freshen } from './lead-desk.js';
import { leadArbitrary, leadBoundaries, leadMaker } from './leads.js';
import { isRealPhone, longestPhones, planPhones, shortestPhones } from './phones.js';
import { changes, shownLead } from './round-trip.js';
import { isTame } from './text.js';
import { usualSchema } from './test-kit.js';
import { visibleJson } from './visible-json.js';
import { isValid } from './validity.js';
import { bundle } from './bundle.js';

const root = { components: { schemas: { Source: { type: 'string', enum: ['website', 'phone', 'walk-in'] } } } };
const units = ['unit-1', 'unit-2'];
const whole = bundle(usualSchema, root).schema;

test('phones are numbers that exist, from seven to fifteen digits, for every national plan', () => {
  const all = [...planPhones(), ...shortestPhones, ...longestPhones];
  expect(planPhones().length).toBeGreaterThan(200);
  for (const phone of all) {
    expect(phone).toMatch(/^\+[1-9]\d{6,14}$/);
    expect(isRealPhone(phone), phone).toBe(true);
    expect(parseSmall(phone)?.isPossible(), phone).toBe(true);
  }
  for (const phone of longestPhones) expect(phone).toHaveLength(16);
});

test('boundary leads are valid, unlike each other, well-formed, and the same each time', () => {
  const found = leadBoundaries(usualSchema, root, units);
  expect(found.length).toBeGreaterThan(40);
  for (const { lead, label } of found) expect(isValid(whole, lead), label).toBe(true);
  expect(new Set(found.map((one) => JSON.stringify(one.lead))).size).toBe(found.length);
  expect(leadBoundaries(usualSchema, root, units)).toEqual(found);
  const must = found.filter((one) => one.strength === 'must');
  for (const { lead, label } of must) expect(isTame(String(lead['name'])) && lead['name'] !== '', label).toBe(true);
  for (const source of ['website', 'phone', 'walk-in'])
    expect(must.some((one) => one.lead['source'] === source)).toBe(true);
  for (const part of [
    /[\u{10000}-\u{10ffff}]/u,
    /'/,
    /\p{M}/u,
    /\p{Script=Hebrew}/u,
    /\p{Script=Arabic}/u,
    /\u200d/,
    /</,
    /"/,
    / {2}/,
  ]) {
    expect(
      must.some((one) => part.test(String(one.lead['name']))),
      String(part),
    ).toBe(true);
  }
  expect(must.some((one) => String(one.lead['name']).length === 120)).toBe(true);
  for (const length of [8, 16]) expect(must.some((one) => String(one.lead['phone']).length === length)).toBe(true);
});

test('without a declared list, a source is never demanded', () => {
  for (const schema of [null, { type: 'object', properties: { source: { type: 'string' } } }]) {
    const found = leadBoundaries(schema, {}, units).filter((one) => 'source' in one.lead);
    expect(found.every((one) => one.strength === 'open')).toBe(true);
    for (const one of fc.sample(leadArbitrary(schema, {}, units), { seed: 1, numRuns: 40 }))
      expect(one.lead).not.toHaveProperty('source');
  }
});

test('a made-up text is not demanded of a field that may refer to something', () => {
  const schema = {
    type: 'object',
    properties: { assigneeId: { type: 'string', maxLength: 9 }, campaign: { type: 'string', maxLength: 9 } },
  };
  const found = leadBoundaries(schema, {}, units).filter((one) => 'assigneeId' in one.lead || 'campaign' in one.lead);
  expect(found.every((one) => one.strength === 'open')).toBe(true);
});

test('random leads are valid, tame and the same for a seed', () => {
  const sample = (): unknown[] => fc.sample(leadArbitrary(usualSchema, root, units), { seed: 9, numRuns: 120 });
  const leads = fc.sample(leadArbitrary(usualSchema, root, units), { seed: 9, numRuns: 120 });
  for (const { lead } of leads) {
    expect(isValid(whole, lead)).toBe(true);
    const name = String(lead['name']);
    expect(isTame(name) && /\S/.test(name), visibleJson(name)).toBe(true);
    expect(Buffer.from(name, 'utf8').toString('utf8')).toBe(name);
    expect(isRealPhone(String(lead['phone']))).toBe(true);
  }
  expect(sample()).toEqual(leads);
});

test('a freshened lead is valid still and keeps what it is there to try', () => {
  const maker = leadMaker(usualSchema, root, units);
  if (maker === null) throw new Error('no maker');
  for (const [index, one] of leadBoundaries(usualSchema, root, units).entries()) {
    const lead = freshen(maker, one, String(7_391_846_205_173_842 + index * 7919));
    expect(isValid(whole, lead), one.label).toBe(true);
    expect(lead[one.field]).toEqual(one.lead[one.field]);
    expect(lead, one.label).not.toEqual(one.lead);
  }
});

test('only the lead itself is compared, and a mask shows nothing', () => {
  const sent = { name: 'Ana', phone: '+12015550123', vehicleId: 'u' };
  expect(changes(sent, shownLead({ id: '1', vehicle: { id: 'u', name: 'Golf' } }))).toEqual([]);
  expect(changes(sent, shownLead({ lead: { name: 'Ana ' } }))).toHaveLength(1);
  expect(changes(sent, shownLead({ name: 'Ana', phone: '+1201*****23' }))).toEqual([]);
  expect(changes(sent, shownLead({ name: { first: 'Ana' } }))).toEqual([]);
  expect(changes({ ...sent, name: 'e\u0301' }, { name: '\u00e9' })).toHaveLength(1);
});

test('failures of one kind differ in what they quote, not in kind', () => {
  expect(skeleton('name "Ana" is 12 too long')).toBe(skeleton("name 'Bea' is 99 too long"));
  const answer = (status: number, message: string): Parameters<typeof failureKind>[0] => ({
    seq: 1, asker: 'x', surface: 'production', failure: null, sentAtMs: 0, receivedAtMs: 0, throttled: 0,
    request: { method: 'POST', url: '', path: '', headers: [], body: null, credential: null },
    response: { status, headers: [], body: Buffer.alloc(0), text: '', json: { ok: false, error: { message } } },
  }); // prettier-ignore
  expect(failureKind(answer(500, 'at line 7'))).toBe(failureKind(answer(503, 'at line 99')));
  expect(failureKind(answer(500, 'x'))).not.toBe(failureKind(answer(422, 'x')));
});

test('the budgets are within their sums, and scale', () => {
  const sum = (budget: ReturnType<typeof budgetFor>): number =>
    Object.values(budget).reduce((total, one) => total + one, 0);
  expect(sum(budgetFor('gate'))).toBeLessThanOrEqual(265);
  expect(sum(budgetFor('certify'))).toBeLessThanOrEqual(1000);
  expect(sum(budgetFor('certify', 100))).toBeLessThanOrEqual(120);
});

test('values are printed in printable ASCII', () => {
  expect(visibleJson({ a: 'é\u0000😀' })).toBe('{"a":"\\u00e9\\u0000\\ud83d\\ude00"}');
});
