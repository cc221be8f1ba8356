import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import parseSmall from 'libphonenumber-js/min';
import { failureKind, skeleton } from '../failure-kind.js';
import { leadBudget, withUniqueFields } from '../../api/leads/lead-session.js';
import { boundariesOf } from './leads.js';
import { leadFormOf } from './lead-schema.js';
import { arbitraryOf } from './lead-arbitrary.js';
import { isPersonName } from './names.js';
import {
  fictionalDigits,
  isFictionalPhone,
  isRealPhone,
  longestPhones,
  mobilePhones,
  samplePhones,
  shortestPhones,
} from './phones.js';
import { changes } from '../../api/leads/shown-changes.js';
import { isTame } from '../schema/text.js';
import { uuidFor } from '../../run/random.js';
import { usualSchema } from '../test-kit.js';
import { visibleJson } from '../visible-json.js';
import { isValid } from '../schema/validity.js';
import { bundle } from '../schema/bundle.js';
import { sampleExchange } from '../../reports/test-kit.js';
import { recordIn } from '../../service/records.js';

const root = {
  components: { schemas: { Source: { type: 'string', enum: ['website', 'phone', 'walk-in'] }, Lead: usualSchema } },
};
const units = ['unit-1', 'unit-2'];
const whole = bundle(usualSchema, root).schema;
const form = leadFormOf(usualSchema, root, units);

test('phones are numbers that exist, from seven to fifteen digits, for every national plan', () => {
  const all = [...mobilePhones(), ...samplePhones(), ...shortestPhones, ...longestPhones];
  expect(mobilePhones().length).toBeGreaterThan(200);
  for (const phone of all) {
    if (!/^\+[1-9]\d{6,14}$/.test(phone)) throw new Error(phone);
    if (!isRealPhone(phone) || parseSmall(phone)?.isPossible() !== true) throw new Error(phone);
  }
  for (const phone of longestPhones) expect(phone).toHaveLength(16);
});

test('boundary leads are valid, unlike each other, well-formed, and the same each time', () => {
  const found = boundariesOf(form);
  expect(found.length).toBeGreaterThan(40);
  for (const { lead, label } of found) expect(isValid(whole, lead), label).toBe(true);
  expect(new Set(found.map((one) => JSON.stringify(one.lead))).size).toBe(found.length);
  expect(boundariesOf(form)).toEqual(found);
  const must = found.filter((one) => one.strength !== 'open');
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
    const plain = leadFormOf(schema, {}, units);
    const found = boundariesOf(plain).filter((one) => 'source' in one.lead);
    expect(found.every((one) => one.strength === 'open')).toBe(true);
    for (const one of fc.sample(arbitraryOf(plain), { seed: 1, numRuns: 40 }))
      expect(one.lead).not.toHaveProperty('source');
  }
});

test('a made-up text is not demanded of a field that may refer to something', () => {
  const schema = {
    type: 'object',
    properties: { assigneeId: { type: 'string', maxLength: 9 }, campaign: { type: 'string', maxLength: 9 } },
  };
  const found = boundariesOf(leadFormOf(schema, {}, units)).filter(
    (one) => 'assigneeId' in one.lead || 'campaign' in one.lead,
  );
  expect(found.every((one) => one.strength === 'open')).toBe(true);
});

test('random leads are valid, tame and the same for a seed', () => {
  const sample = () => fc.sample(arbitraryOf(form), { seed: 9, numRuns: 120 });
  const leads = sample();
  for (const { lead } of leads) {
    expect(isValid(whole, lead)).toBe(true);
    const name = String(lead['name']);
    expect(isTame(name) && /\S/.test(name), visibleJson(name)).toBe(true);
    expect(Buffer.from(name, 'utf8').toString('utf8')).toBe(name);
    const phone = String(lead['phone']);
    expect(isRealPhone(phone)).toBe(true);
    const isFictional = isFictionalPhone(phone) || fictionalDigits(phone) !== null;
    expect(isFictional || [...shortestPhones, ...longestPhones].includes(phone), phone).toBe(true);
  }
  expect(sample()).toEqual(leads);
});

test('a lead with unique fields is valid still and keeps what it is there to try', () => {
  for (const [index, one] of boundariesOf(form).entries()) {
    const uuid = uuidFor('freshened', String(index));
    const lead = withUniqueFields(form, one, { name: 'Ana Fresh', phone: '+14152340123' }, uuid);
    expect(isValid(whole, lead), one.label).toBe(true);
    const [was, is] = [String(one.lead[one.field]), String(lead[one.field])];
    if (one.field === 'name') expect(is.startsWith(Array.from(was).slice(0, -8).join('')), one.label).toBe(true);
    else if (one.field === 'phone') expect(is).toHaveLength(was.length);
    else expect(lead[one.field]).toEqual(one.lead[one.field]);
    if (one.exact) expect(Array.from(is)).toHaveLength(Array.from(was).length);
    expect(lead, one.label).not.toEqual(one.lead);
  }
});

const shownIn = (data: object) =>
  recordIn(sampleExchange(1, { url: 'http://x/v1/leads' }, { body: Buffer.from(JSON.stringify({ ok: true, data })) }));

test('only the lead itself is compared, and another form of a value or a mask is no loss', () => {
  const sent = { name: 'Ana', phone: '+12015550123', vehicleId: 'u' };
  expect(changes(sent, shownIn({ id: '1', vehicle: { id: 'u', name: 'Golf' } }))).toEqual([]);
  const losses = (name: string, shown: Record<string, unknown>): boolean[] =>
    changes({ ...sent, name }, shownIn(shown)).map((change) => change.loses);
  expect(losses('Ana', { lead: { name: 'Ana ' } })).toEqual([false]);
  for (const name of [
    'A…',
    'A.',
    'Ana E.',
    'A*** E***',
    'A. E.',
    'A.E.',
    ' Ana  Example',
    'ANA EXAMPLE',
    'ana example',
  ])
    expect(losses('Ana Example', { name }), name).toEqual([false]);
  for (const name of ['Ana Exam', 'Bea…', 'E. A.', 'E.A.', 'Example Ana', 'Ana ? Example', '+12015550123', ''])
    expect(losses('Ana Example', { name }), name).toEqual([true]);
  for (const name of ['St. J. Smith', 'S. John Smith', 'St. John S.', 'St. J. S.', 'St. ***', 'S. J. S.', 'St. John…'])
    expect(losses('St. John Smith', { name }), name).toEqual([false]);
  for (const name of ['St.', 'St. John', 'St. John.', 'St'])
    expect(losses('St. John Smith', { name }), name).toEqual([true]);
  for (const phone of ['+1201*****23', '+1 (201) 555-0123', 'tel:+1-201-555-0123'])
    expect(losses('Ana', { phone }), phone).toEqual([false]);
  for (const phone of ['12015550123', '+1201555012', '+12015550132', '0012015550123'])
    expect(losses('Ana', { phone }), phone).toEqual([true]);
  expect(changes(sent, shownIn({ name: { first: 'Ana' } }))).toEqual([]);
  expect(losses('e\u0301', { name: '\u00e9' })).toEqual([false]);
  const nested = (contact: object, interest: object): unknown[] =>
    changes(sent, shownIn({ leadId: '1', contact, interest, agent: { name: 'Bo', phone: '+1' } })).map(
      ({ field }) => field,
    );
  expect(nested({ name: 'Ana', phone: sent.phone }, { vehicleId: 'u' })).toEqual([]);
  expect(nested({ name: 'An', phone: sent.phone }, { vehicleId: 'v' })).toEqual(['name', 'vehicleId']);
  const more = { ...sent, email: 'Ana@x.org', wantsFinance: true, status: 'qualified' };
  expect(changes(more, { email: 'ana@x.org', wantsFinance: false, status: 'new' }).map(({ loses }) => loses)).toEqual([
    false,
    true,
    false,
  ]);
});

test('names of people are letters, marks, apostrophes, hyphens and single blanks', () => {
  for (const name of ["Siobhán O'Neill", 'नरेन्द्र', '𠮷野 愛', 'Ana-Maria d’Arc', 'נועה', 'Rene\u0301e', 'X'])
    expect(isPersonName(name), name).toBe(true);
  for (const name of ['Ana 2', '<b>Ana</b>', 'Ana 😀', 'Ana  Example', ' Ana', 'Ａｎａ', 'A'.repeat(101), '-1', ''])
    expect(isPersonName(name), name).toBe(false);
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

test('--requests scales the requests of a requirement', () => {
  const own = { gate: 76, certify: 380 };
  expect(leadBudget(own, { depth: 'gate', requestBudget: null })).toBe(76);
  expect(leadBudget(own, { depth: 'certify', requestBudget: 100 })).toBe(13);
  expect(leadBudget(own, { depth: 'gate', requestBudget: 1 })).toBe(4);
});

test('values are printed in printable ASCII', () => {
  expect(visibleJson({ a: 'é\u0000😀' })).toBe('{"a":"\\u00e9\\u0000\\ud83d\\ude00"}');
});
