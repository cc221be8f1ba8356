import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { mainTenant, otherTenant } from '../api-keys.js';
import type { EventKind } from '../webhooks/kinds.js';
import type { FaultHooks, SignedBody } from '../instance.js';
import { encode } from '../webhooks/sign.js';
import type { Json } from './change.js';
import { fault, type Fault } from './fault.js';

const unsigned = (when: (kind: EventKind) => boolean): FaultHooks => ({
  sent: ({ headers }, kind) => {
    if (when(kind)) delete headers['X-Service-Signature'];
  },
});
/** Signs other bytes than those of the body. */
const signs = (bytes: (signed: SignedBody) => string | Buffer): FaultHooks => ({
  signature: (_, signed) => encode(createHmac('sha256', signed.secret).update(bytes(signed)).digest(), signed.encoding),
});
const kindShown = (change: (kind: string) => string | undefined): FaultHooks => ({
  event: (event, kind, field) => ({ ...event, [field]: change(kind) }),
});
/** Adds to the record of events whose kind begins so. */
const record = (kinds: string, more: (record: Json) => Json): FaultHooks => ({
  eventRecord: (shown, kind) => (kind.startsWith(kinds) ? { ...shown, ...more(shown) } : shown),
});
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Faults of the webhook sender. */
// prettier-ignore
export const webhookFaults: readonly Fault[] = [
  fault('signature-missing', 'HOOK-01', 'no delivery is signed', unsigned(() => true)),
  fault('signature-missing-for-service-events', 'HOOK-01', 'service.completed is delivered without signature',
    unsigned((kind) => kind === 'service.completed')),
  fault('signature-under-other-name', 'HOOK-01', 'the signature is in X-Signature',
    {
      sent: ({ headers: { 'X-Service-Signature': signature = '', ...headers }, body }) => ({ headers: { ...headers, 'X-Signature': signature }, body }),
    }),
  fault('signature-reserialised', 'HOOK-02', 'the signature is over the payload serialised with blanks',
    signs(({ payload }) => JSON.stringify(payload, null, 1))),
  fault('signature-of-ascii', 'HOOK-02', 'the signature is over the payload with escapes for non-ASCII characters',
    signs(({ body }) => body.toString('utf8').replace(/[^\0-\x7f]/g, escaped))),
  fault('signature-sha1', 'HOOK-02', 'the signature is an HMAC with SHA-1',
    { signature: (_, { body, secret, encoding }) => encode(createHmac('sha1', secret).update(body).digest(), encoding) }),
  fault('signature-unkeyed', 'HOOK-02', 'the signature is a plain SHA-256',
    { signature: (_, { body, encoding }) => encode(createHash('sha256').update(body).digest(), encoding) }),
  fault('signature-wrong-secret', 'HOOK-02', 'the signature is made with another secret',
    { secret: (secret) => `${secret}-rotated` }),
  fault('signature-truncated', 'HOOK-02', 'the signature is cut to half its length',
    { signature: (value) => value.slice(0, Math.ceil(value.length / 2)) }),
  fault('signature-of-data-only', 'HOOK-02', 'the signature is over data alone',
    signs(({ payload }) => JSON.stringify(payload['data']))),
  fault('signature-with-newline', 'HOOK-02', 'the signature is over the body with a line end after it',
    signs(({ body }) => Buffer.concat([body, Buffer.from('\n')]))),
  fault('signature-of-time-and-body', 'HOOK-02', 'the signature is over a time stamp, a dot and the body',
    {
      signature: (_, { body, secret }) => {
        const time = String(Math.floor(Date.now() / 1_000));
        return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
      },
    }),
  fault('signature-before-compression', 'HOOK-02', 'the body is compressed after it was signed',
    { sent: ({ headers, body }) => ({ headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(body) }) }),
  fault('signature-encoding-changes', 'HOOK-02', 'the encoding of the signature changes from delivery to delivery',
    {
      signature: (value, { body, secret, nth, encoding }) =>
        nth % 2 === 1
          ? encode(createHmac('sha256', secret).update(body).digest(), encoding === 'base64' ? 'hex' : 'base64')
          : value,
    }),
  fault('signature-wrong-for-deals', 'HOOK-02', 'events of deals are signed with another secret',
    { secret: (secret, _, kind) => (kind.startsWith('deal.') ? `${secret}-rotated` : secret) }),
  fault('event-kind-unknown', 'HOOK-03', 'lead.qualified is delivered as lead.scored',
    kindShown((kind) => (kind === 'lead.qualified' ? 'lead.scored' : kind))),
  fault('event-kind-upper', 'HOOK-03', 'kinds are written in upper case', kindShown((kind) => kind.toUpperCase())),
  fault('event-kind-underscored', 'HOOK-03', 'kinds of units are written with an underscore',
    kindShown((kind) => (kind.startsWith('unit.') ? kind.replace('.', '_') : kind))),
  fault('event-kind-missing', 'HOOK-03', 'call.completed names no kind',
    kindShown((kind) => (kind === 'call.completed' ? undefined : kind))),
  fault('funded-total-text', 'HOOK-04', 'totalGross of a funded deal is a text',
    record('deal.funded', ({ totalGross }) => ({ totalGross: String(totalGross) }))),
  fault('funded-total-missing', 'HOOK-04', 'a funded deal has no totalGross',
    record('deal.funded', () => ({ totalGross: undefined }))),
  fault('funded-total-null', 'HOOK-04', 'totalGross of a funded deal is null',
    record('deal.funded', () => ({ totalGross: null }))),
  fault('funded-without-id', 'HOOK-04', 'a funded deal has no id', record('deal.funded', () => ({ id: undefined }))),
  fault('funded-id-number', 'HOOK-04', 'the id of a funded deal is a number',
    record('deal.funded', () => ({ id: 4_711 }))),
  fault('event-with-other-secret', 'HOOK-05', 'events of the main tenant are signed with the other tenant’s secret',
    { secret: (secret, tenant, _, secrets) => (tenant === mainTenant ? (secrets.get(otherTenant) ?? '') : secret) }),
  fault('event-at-other-receiver', 'HOOK-05', 'events of the main tenant arrive at the other tenant’s receiver as well',
    {
      deliveries: (usual) => usual.flatMap((one) => (one.tenant === mainTenant ? [one, { ...one, receiver: otherTenant }] : [one])),
    }),
  fault('event-moves-to-other-receiver', 'HOOK-05', 'lead events of the main tenant arrive at the other tenant’s receiver only',
    {
      deliveries: (usual, kind) =>
        usual.map((one) => (one.tenant === mainTenant && kind.startsWith('lead.') ? { ...one, receiver: otherTenant } : one)),
    }),
  fault('event-of-other-units-at-first', 'HOOK-05', 'unit.created of the other tenant arrives at the main tenant’s receiver, signed with its secret',
    {
      deliveries: (usual, kind) =>
        usual.map((one) => (one.tenant !== mainTenant && kind === 'unit.created' ? { tenant: mainTenant, receiver: mainTenant } : one)),
    }),
  fault('event-created-at-number', 'HOOK-06', 'createdAt is a number where a date-time is declared',
    { event: (event) => ({ ...event, createdAt: Date.parse(String(event['createdAt'])) }) }),
  fault('event-lead-score-text', 'HOOK-06', 'the score in lead events is a text where a number is declared',
    record('lead.', ({ score }) => ({ score: String(score) }))),
  fault('event-unit-without-status', 'HOOK-06', 'units in events lack the declared status',
    record('unit.', () => ({ status: undefined }))),
  fault('event-id-missing', 'HOOK-06', 'service events lack the declared id',
    { event: (event, kind) => (kind.startsWith('service.') ? { ...event, id: undefined } : event) }),
];
