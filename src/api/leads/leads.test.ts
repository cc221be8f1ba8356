import { expect, test } from '@playwright/test';
import { leadFormOf, type LeadForm } from '../../generators/leads/lead-schema.js';
import { isFictionalPhone, isRealPhone } from '../../generators/leads/phones.js';
import type { Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import { vehiclesFor } from './lead-factory.js';
import { uniquePhone } from './phone-book.js';

interface Service {
  /** The data that answers a lead; null refuses it. */
  readonly create?: (lead: { readonly phone: string }, at: number) => object | null;
  readonly shows?: readonly object[];
}

/** As much of a check as a phone needs, before a service of units and leads. */
function checkOf(
  nonce: string,
  { create = (_, at) => ({ id: String(at) }), shows = [] }: Service = {},
  id = 'IDEM-01',
) {
  const known = new Map<string, Promise<unknown>>();
  const sent: string[] = [];
  const once = (name: string, make: () => Promise<unknown>): Promise<unknown> => {
    const value = known.get(name) ?? make();
    known.set(name, value);
    return value;
  };
  const send = ({ method = 'GET', json }: RequestOptions): Promise<unknown> => {
    const lead = json as { readonly phone: string };
    if (method === 'POST') sent.push(lead.phone);
    const data = method === 'POST' ? create(lead, sent.length) : { items: shows, nextCursor: null };
    const answer = data === null ? { ok: false, error: {} } : { ok: true, data };
    const response = { status: data === null ? 409 : 200, headers: [], json: answer, text: JSON.stringify(answer) };
    return Promise.resolve({ request: { method, path: '/' }, response, failure: null });
  };
  const check = {
    entry: { id, section: id.split('-')[0] },
    // No unit is created where the list has none.
    run: { nonce, seed: 7, redactor: { text: (text: string) => text }, once: () => Promise.resolve(0) },
    target: { readOnly: false, keys: { API_KEY: 'k' } },
    contract: () =>
      Promise.resolve({
        contract: {
          operation: (method: string) => (method === 'GET' ? { parameters: [] } : null),
          cursorParameter: () => 'cursor',
        },
      }),
    need: () => 'API_KEY',
    fresh: (label: string) => `${label}-0123456789abcdef`.slice(-16),
    once,
    send,
    ask: send,
  } as unknown as Check;
  return { check, sent };
}

function formOf(pattern: string): LeadForm {
  const declared = {
    type: 'object',
    required: ['name', 'phone', 'vehicleId'],
    properties: { name: { type: 'string' }, phone: { type: 'string', pattern }, vehicleId: { type: 'string' } },
  };
  return leadFormOf(declared, { openapi: '3.1.0' }, ['unit-1']);
}

const international = formOf('^\\+[1-9]\\d{6,14}$');

async function draw(check: Check, form: LeadForm, count: number): Promise<string[]> {
  const phones: string[] = [];
  while (phones.length < count) phones.push(await uniquePhone(check, form));
  expect(new Set(phones).size).toBe(count);
  return phones;
}

test('every lead has a phone of its own, whatever pattern the document declares', async () => {
  for (const pattern of [
    '^\\+[1-9]\\d{6,14}$',
    '^\\+46[1-9]\\d{6,8}$',
    '^\\+46\\d{9}$',
    '^\\+(?:46|47|45)\\d{8,10}$',
    '^\\+1415\\d{7}$',
  ]) {
    const form = formOf(pattern);
    for (const nonce of ['a', 'b', 'c']) {
      const phones = await draw(checkOf(nonce).check, form, 150);
      expect(
        phones.filter((phone) => !new RegExp(pattern).test(phone)),
        pattern,
      ).toEqual([]);
    }
  }
});

test('phones are reserved for fiction, as many as a run needs, and sections in processes of their own share none', async () => {
  const [one, other] = ['LEAD-03', 'IDEM-01'].map((id) => checkOf('a', {}, id));
  const phones = [
    ...(await draw(one?.check as Check, international, 2_000)),
    ...(await draw(other?.check as Check, international, 2_000)),
  ];
  expect(new Set(phones).size).toBe(4_000);
  expect(phones.filter((phone) => !isFictionalPhone(phone) || !isRealPhone(phone))).toEqual([]);
  expect(one?.sent.every(isFictionalPhone)).toBe(true);
});

test('a pattern of one area code has its hundred fictional phones, then others that nobody has', async () => {
  const phones = await draw(checkOf('a').check, formOf('^\\+1415\\d{7}$'), 120);
  // One found out how the service takes a phone that another lead has.
  expect(phones.filter(isFictionalPhone)).toHaveLength(99);
  expect(phones.filter((phone) => !phone.startsWith('+1415555'))).toEqual([]);
});

test('a phone that the service shows, of a lead of another run or of a unit, is left out', async () => {
  const shown = Array.from({ length: 98 }, (_, at) => ({ contact: `+1 (415) 555-01${String(at).padStart(2, '0')}` }));
  const [first = ''] = await draw(checkOf('a', { shows: shown }).check, formOf('^\\+1415\\d{7}$'), 1);
  expect(shown.some(({ contact }) => contact.endsWith(first.slice(-4)) && isFictionalPhone(first))).toBe(false);
});

const byPhone: Readonly<Record<string, Service['create']>> = {
  'merges leads by phone': ({ phone }) => ({ id: phone }),
  'refuses the second lead of a phone': (_, at) => (at === 1 ? { id: 'a' } : null),
  'knows the phone from an earlier run': () => null,
  'shows no id': () => ({ name: 'somebody' }),
};

for (const [what, create] of Object.entries(byPhone)) {
  test(`where a service ${what}, phones are too many to meet those of another run, and nobody's`, async () => {
    const made = await Promise.all(
      ['a', 'b', 'c'].map((nonce) =>
        draw(checkOf(nonce, create === undefined ? {} : { create }).check, international, 400),
      ),
    );
    expect(new Set(made.flat()).size).toBe(1_200);
    expect(made.flat().filter((phone) => !/^\+1\d{3}555(?!01)\d{4}$/.test(phone))).toEqual([]);
  });
}

test('the vehicles that load takes do not decide which vehicles the checks after it get', async () => {
  const units = Array.from({ length: 9 }, (_, at) => ({ id: `unit-${at}`, status: 'available' }));
  const drawn: string[][] = [];
  for (const loads of [0, 5]) {
    const once = (name: string, make: () => Promise<unknown>): Promise<unknown> =>
      name.startsWith('list ') ? Promise.resolve({ items: units }) : make();
    const of = (section: string): Check =>
      ({
        entry: { section },
        run: { seed: 1 },
        target: { readOnly: true },
        once,
      }) as unknown as Check;
    const vehicles = await vehiclesFor(of('LEAD'));
    for (let at = 0; at < loads; at += 1) await vehicles.next(of('LIMIT'));
    drawn.push([await vehicles.next(of('ENV')), await vehicles.next(of('ENV'))].map(String));
  }
  expect(drawn[1]).toEqual(drawn[0]);
});
