import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { growth } from '../../steps.test-kit.js';
import type { Delivery } from '../delivery.js';
import { eventKinds } from '../../openapi/event-kinds.js';
import type { JudgeSettings } from './hook-report.js';
import { judgeDeliveries } from './judge-deliveries.js';
import { delivery, header, hex, oneOfEach, otherSecret, payload, secret } from '../test-kit.js';

const record = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const document = {
  openapi: '3.1.0',
  webhooks: Object.fromEntries(
    eventKinds.map((kind) => [kind, { $ref: `#/components/pathItems/${kind.replace('.', '~1')}` }]),
  ),
  components: {
    pathItems: Object.fromEntries(
      eventKinds.map((kind) => [
        kind.replace('.', '/'),
        { post: { requestBody: { $ref: '#/components/requestBodies/Event' } } },
      ]),
    ),
    requestBodies: {
      Event: { content: { 'application/json; charset=utf-8': { schema: { $ref: '#/components/schemas/Event' } } } },
    },
    schemas: {
      Record: record,
      Event: {
        type: 'object',
        required: ['type', 'data'],
        properties: {
          type: { type: 'string', enum: [...eventKinds] },
          createdAt: { type: 'string', format: 'date-time' },
          data: { $ref: '#/components/schemas/Record' },
        },
      },
    },
  },
};
const settings: JudgeSettings = { secret, otherSecret, header, document };
const main = (all: readonly Delivery[], more: Partial<JudgeSettings> = {}) =>
  judgeDeliveries(all, { ...settings, ...more });
const ids = (all: readonly Delivery[], more: Partial<JudgeSettings> = {}) =>
  [
    ...new Set(
      main(all, more)
        .findings.filter((one) => one.severity === 'fail')
        .map((one) => one.id),
    ),
  ].sort();
const sign = (value: string) =>
  [
    ['content-type', 'application/json'],
    ['x-service-signature', value],
  ] as const;
const text = (kind: string): string => JSON.stringify(payload(kind));
const only = (expected: string, make: (kind: string, seq: number) => Delivery): Delivery[] =>
  oneOfEach((kind, seq) => (kind === expected ? make(kind, seq) : delivery(seq, payload(kind))));

/** One delivery of each kind; those of one kind, or of all, have another signature, or another payload. */
const signedAll = (value: (kind: string) => string): Delivery[] =>
  oneOfEach((kind, seq) => delivery(seq, payload(kind), { headers: sign(value(kind)) }));
const changed = (expected: string, body: (kind: string) => object): Delivery[] =>
  only(expected, (kind, seq) => delivery(seq, body(kind)));

const layouts: Record<string, (kind: string) => Record<string, unknown>> = {
  'type and data': (kind) => payload(kind),
  'event and a named record': (kind) => ({
    event: kind,
    data: { [kind.split('.')[0] ?? '']: { id: 'r', totalGross: 1 } },
  }),
  'kind and a flat record': (kind) => ({ kind, id: 'r', totalGross: 0 }),
  'name and payload': (kind) => ({ name: kind, payload: { id: 'r', totalGross: 12.5 }, type: 'event' }),
  'event object': (kind) => ({
    event: { id: 'e', type: kind },
    data: { object: { id: 'r', totalGross: 1e6 }, previous: { totalGross: null } },
  }),
  'a decoy of an older kind': (kind) => ({ type: kind, data: { id: 'r', totalGross: 2, lastEvent: 'lead.created' } }),
  'several in a list': (kind) => ({ events: [{ type: kind, data: { id: 'r', totalGross: 3 } }] }),
};
for (const [name, make] of Object.entries(layouts)) {
  test(`no layout is a violation: ${name}`, () => {
    expect(
      main(
        oneOfEach((kind, seq) => delivery(seq, make(kind))),
        { document: null },
      ).findings,
    ).toEqual([]);
  });
}

test('the kind in a header, and bodies compressed before signing, are no violations', () => {
  const all = oneOfEach((kind, seq) => {
    const body = Buffer.from(JSON.stringify({ data: { id: 'r', totalGross: 1 } }));
    const wire = gzipSync(body);
    return delivery(seq, body, {
      wire,
      headers: [['content-encoding', 'gzip'], ['x-service-event', kind], ...sign(hex(secret, wire))],
    });
  });
  expect(main(all, { document: null }).findings).toEqual([]);
});

test('a time stamp in the signed message fails, and one beside a signature of the body alone does not', () => {
  const all = oneOfEach((kind, seq) =>
    delivery(seq, text(kind), { headers: sign(`t=1767322800,v1=${hex(secret, `1767322800.${text(kind)}`)}`) }),
  );
  expect(main(all).findings).toEqual([expect.objectContaining({ id: 'HOOK-02', severity: 'fail' })]);
  expect(main(signedAll((kind) => `t=1767322800,v1=${hex(secret, text(kind))}`)).findings).toEqual([]);
});

const faults: Record<string, readonly [expected: string, all: Delivery[], more?: Partial<JudgeSettings>]> = {
  'a moving kind': ['HOOK-03', changed('unit.sold', (kind) => ({ ...payload(kind), type: undefined, event: kind }))],
  'an unknown kind beside a header that hides it': [
    'HOOK-03',
    oneOfEach((kind, seq) => {
      const body = JSON.stringify(payload(kind === 'lead.qualified' ? 'lead.scored' : kind));
      return delivery(seq, body, { headers: [...sign(hex(secret, body)), ['x-event', kind]] });
    }),
    { document: null },
  ],
  "main's own lead at the other's receiver, rightly signed for it": [
    'HOOK-05',
    [
      ...oneOfEach(),
      delivery(14, payload('lead.created', { data: { id: 'r', name: 'Conformance 1234' } }), { tenant: 'other' }),
    ],
    { writes: [{ operation: 'POST /api/v1/leads', tenant: 'main', markers: ['Conformance 1234'] }] },
  ],
  'a foreign slug': [
    'HOOK-05',
    changed('lead.created', (kind) => payload(kind, { tenant: { slug: 'hilltop' } })),
    { tenantSlugs: { main: 'riverside', other: 'hilltop' } },
  ],
};
for (const [name, [expected, all, more]] of Object.entries(faults))
  test(`a sender's fault is called by its id: ${name}`, () => expect(ids(all, more).join(' ')).toBe(expected));

test('both tenants in order pass, and kinds never seen are named', () => {
  const all = [
    delivery(1, payload('lead.created')),
    delivery(2, payload('lead.created', { data: { id: 'x' } }), { tenant: 'other' }),
  ];
  const judged = main(all);
  expect(judged.findings).toEqual([]);
  expect(judged.observations.find((one) => one.question === 'Which kinds were seen?')?.observed).toMatch(
    /^1 of 13; not applicable, as never seen: lead\.qualified, /,
  );
  expect(judged.observations.find((one) => one.question.includes('order of their time'))?.observed).toBe('yes');
  expect(judged.judged['HOOK-04']).toBe(0);
});

test('an event that was caused in every tenant, equal byte for byte, is no leak', () => {
  const all = [...oneOfEach(), delivery(14, payload('lead.created'), { tenant: 'other' })];
  expect(ids(all)).toEqual([]);
});

test('10,000 deliveries are judged in steps in proportion to their number', async () => {
  expect(await growth('webhooks/deliveries', 'judging', 2_500)).toBeLessThan(6);
});
