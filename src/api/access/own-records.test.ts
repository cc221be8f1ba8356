import { expect, test } from '@playwright/test';
import type { Exchange } from '../../http/exchange.js';
import type { Target } from '../../settings/target.js';
import { ownRecords } from './own-records.js';
import { sampleExchange } from '../../reports/test-kit.js';

const target = {
  keys: { API_KEY: 'a', API_KEY_WRITE_LEADS: 'w', OTHER_API_KEY: 'o' },
  tenant: 'main',
  otherTenant: 'other',
} as unknown as Target;
const about = { target, redactor: { text: (text: string) => text } as never, since: new Date('2030-01-01T12:00:00Z') };
const sent = { name: 'Conformance Test Abdeghiklmnop', phone: '+12015550123', vehicleId: 'u' };

let seq = 0;
function exchange(
  method: string,
  path: string,
  body: unknown,
  data: unknown,
  more: Partial<Exchange['request']> = {},
): Exchange {
  seq += 1;
  const sentBody = body === null ? null : Buffer.from(JSON.stringify(body));
  const request = { method, url: `http://x${path}`, headers: [['x-tenant', 'main']] as const, body: sentBody };
  return sampleExchange(seq, { ...request, ...more }, { body: Buffer.from(JSON.stringify({ ok: true, data })) });
}

const create = (data: unknown, more: Partial<Exchange['request']> = {}): Exchange =>
  exchange('POST', '/api/v1/leads', sent, data, more);
const idsOf = (...exchanges: Exchange[]): string[] => ownRecords(exchanges, about).records.map((one) => one.id);

const own: Readonly<Record<string, () => Exchange[]>> = {
  'flat in the answer': () => [create({ ...sent, id: '7' })],
  'nested beside its vehicle': () => [create({ lead: { ...sent, id: '7' }, vehicle: { id: '9' } })],
  'with a number for its id': () => [create({ ...sent, id: 7 })],
  'with its phone written otherwise': () => [create({ id: '7', phone: '+1 (201) 555-0123' })],
  'with its name hidden': () => [create({ id: '7', name: 'C. T. A.', phone: sent.phone })],
  'replayed, and listed later': () => [
    create({ ...sent, id: '7' }),
    create({ ...sent, id: '7' }),
    exchange('GET', '/api/v1/leads', null, { items: [{ ...sent, id: '7' }] }),
  ],
  'listed while its create was under way': () => {
    const [made, listed] = [
      create({ ...sent, id: '7' }),
      exchange('GET', '/api/v1/leads', null, { items: [{ id: '7' }] }),
    ];
    return [{ ...listed, receivedAtMs: made.sentAtMs + 1 }, made];
  },
  'made through the second address form, by a key that may not delete': () => [
    exchange('POST', '/gateway/v1/leads', sent, { ...sent, id: '7' }, { credential: 'API_KEY_WRITE_LEADS' }),
  ],
  'of the number of a unit': () => [
    exchange('GET', '/api/v1/units', null, { items: [{ id: '7' }] }),
    create({ ...sent, id: '7' }),
  ],
};
for (const [what, make] of Object.entries(own))
  test(`a lead ${what} is the run's own`, () => {
    expect(ownRecords(make(), about)).toEqual({
      records: [{ kind: 'lead', id: '7', key: 'API_KEY', tenant: 'main' }],
      unclear: { lead: 0, unit: 0 },
    });
  });

const foreign: Readonly<Record<string, () => Exchange[]>> = {
  'that a list showed before': () => [
    exchange('GET', '/api/v1/leads', null, { items: [{ id: '7', name: 'Ana' }] }),
    create({ ...sent, id: '7' }),
  ],
  'of another name with the same phone': () => [create({ id: '7', name: 'Ana Real', phone: sent.phone })],
  'of another phone with the same name': () => [create({ id: '7', name: sent.name, phone: '+12015550199' })],
  'of which the answer shows nothing but an id': () => [create({ id: '7' })],
  'that was created before the run': () => [create({ ...sent, id: '7', createdAt: '2029-12-31T00:00:00Z' })],
  'that was only read': () => [exchange('GET', '/api/v1/leads/7', null, { ...sent, id: '7' })],
  'that was deleted meanwhile': () => [
    create({ ...sent, id: '7' }),
    exchange('DELETE', '/api/v1/leads/7', null, {}),
    create({ ...sent, id: '7' }),
  ],
  'whose id would name the list itself': () => [create({ ...sent, id: '..' })],
  'of an unknown tenant': () => [create({ ...sent, id: '7' }, { headers: [['x-tenant', 'third']] })],
  'of a made-up key': () => [create({ ...sent, id: '7' }, { credential: 'a key that is none' })],
};
for (const [what, make] of Object.entries(foreign))
  test(`a lead ${what} is not the run's own`, () => expect(idsOf(...make())).toEqual([]));

test('what an answer does not tell is counted once for each key, and a record of the other tenant keeps its key', () => {
  const keyed = { headers: [['idempotency-key', 'k']] as const };
  expect(ownRecords([create({}, keyed), create({}, keyed), create({})], about).unclear).toEqual({ lead: 2, unit: 0 });
  const other = create({ ...sent, id: '7' }, { credential: 'OTHER_API_KEY', headers: [['x-tenant', 'other']] });
  expect(ownRecords([other], about).records).toEqual([
    { kind: 'lead', id: '7', key: 'OTHER_API_KEY', tenant: 'other' },
  ]);
});

test('a unit is the run’s own where its answer shows the fields that were sent', () => {
  const unit = { vin: '1HGHAPXTB6719K91B', price: 5, status: 'available' };
  const made = (data: unknown): Exchange => exchange('POST', '/api/v1/units', unit, data);
  expect(idsOf(made({ ...unit, id: '1', status: 'draft' }), made({ unit: { ...unit, id: '2' } }))).toEqual(['1', '2']);
  expect(
    idsOf(made({ id: '3' }), made({ ...unit, vin: '1HGCM82633A004350', id: '4' }), made({ id: '5', price: 5 })),
  ).toEqual([]);
});
