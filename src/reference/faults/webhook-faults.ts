import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { mainTenant, otherTenant } from '../api-keys.js';
import type { EventKind } from '../webhooks/kinds.js';
import type { Delivery, FaultHooks, SignedBody } from '../instance.js';
import { encode, signatureOf } from '../webhooks/sign.js';
import type { Json } from './change.js';
import { faultsOf, type Fault } from './fault.js';

const unsigned = (when: (kind: EventKind) => boolean): FaultHooks => ({
  sent: ({ headers }, { kind }) => {
    if (when(kind)) delete headers['X-Service-Signature'];
  },
});
/** Writes another signature. */
const signature = (write: (signed: SignedBody, usual: string) => string): FaultHooks => ({
  sent: ({ headers }, signed) => {
    headers['X-Service-Signature'] = write(signed, headers['X-Service-Signature'] ?? '');
  },
});
/** Signs other bytes than those of the body, with another secret or in another encoding. */
const signs = (instead: (signed: SignedBody) => Partial<SignedBody>): FaultHooks =>
  signature((signed) => signatureOf({ ...signed, ...instead(signed) }));
const kindShown = (change: (kind: string) => string | undefined): FaultHooks => ({
  event: (event, kind, field) => ({ ...event, [field]: change(kind) }),
});
/** Adds to the record of events whose kind begins so. */
export const record = (kinds: string, more: (record: Json) => Json): FaultHooks => ({
  event: (event, kind) => {
    const shown = event['data'] as Json;
    return kind.startsWith(kinds) ? { ...event, data: { ...shown, ...more(shown) } } : event;
  },
});
const delivered = (to: (usual: Delivery, kind: EventKind) => readonly Delivery[]): FaultHooks => ({
  deliveries: (usual, kind) => usual.flatMap((one) => to(one, kind)),
});
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Faults of the webhook sender. */
// prettier-ignore
export const webhookFaults: readonly Fault[] = [
  ...faultsOf('HOOK-01')([
    ['signature-missing', 'no delivery is signed', unsigned(() => true)],
    ['signature-missing-for-service-events', 'service.completed is delivered without signature', unsigned((kind) => kind === 'service.completed')],
    ['signature-under-other-name', 'the signature is in X-Signature',
      { sent: ({ headers: { 'X-Service-Signature': usual = '', ...headers }, body }) => ({ headers: { ...headers, 'X-Signature': usual }, body }) }],
  ]),
  ...faultsOf('HOOK-02', signs)([
    ['signature-reserialised', 'the signature is over the payload serialised with blanks', ({ payload }) => ({ body: JSON.stringify(payload, null, 1) })],
    ['signature-of-ascii', 'the signature is over the payload with escapes for non-ASCII characters', ({ body }) => ({ body: String(body).replace(/[^\0-\x7f]/g, escaped) })],
    ['signature-encoding-changes', 'the encoding of the signature changes from delivery to delivery',
      ({ nth, encoding }) => (nth % 2 === 1 ? { encoding: encoding === 'base64' ? 'hex' : 'base64' } : {})],
    ['signature-wrong-for-deals', 'events of deals are signed with another secret', ({ kind, secret }) => (kind.startsWith('deal.') ? { secret: `${secret}-rotated` } : {})],
  ]),
  ...faultsOf('HOOK-02')([
    ['signature-sha1', 'the signature is an HMAC with SHA-1', signature(({ body, secret, encoding }) => encode(createHmac('sha1', secret).update(body).digest(), encoding))],
    ['signature-truncated', 'the signature is cut to half its length', signature((_, usual) => usual.slice(0, Math.ceil(usual.length / 2)))],
    ['signature-of-time-and-body', 'the signature is over a time stamp, a dot and the body', signature(({ body, secret }) => {
      const time = String(Math.floor(Date.now() / 1_000));
      return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
    })],
    ['signature-before-compression', 'the body is compressed after it was signed',
      { sent: ({ headers, body }) => ({ headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(body) }) }],
  ]),
  ...faultsOf('HOOK-03', kindShown)([
    ['event-kind-unknown', 'lead.qualified is delivered as lead.scored', (kind) => (kind === 'lead.qualified' ? 'lead.scored' : kind)],
    ['event-kind-upper', 'kinds are written in upper case', (kind) => kind.toUpperCase()],
    ['event-kind-underscored', 'kinds of units are written with an underscore', (kind) => (kind.startsWith('unit.') ? kind.replace('.', '_') : kind)],
    ['event-kind-missing', 'call.completed names no kind', (kind) => (kind === 'call.completed' ? undefined : kind)],
  ]),
  ...faultsOf('HOOK-04')([
    ['funded-total-text', 'totalGross of a funded deal is a text', record('deal.funded', ({ totalGross }) => ({ totalGross: String(totalGross) }))],
    ['funded-total-missing', 'a funded deal has no totalGross', record('deal.funded', () => ({ totalGross: undefined }))],
    ['funded-total-null', 'totalGross of a funded deal is null', record('deal.funded', () => ({ totalGross: null }))],
    ['funded-without-id', 'a funded deal has no id', record('deal.funded', () => ({ id: undefined }))],
    ['funded-id-number', 'the id of a funded deal is a number', record('deal.funded', () => ({ id: 4_711 }))],
  ]),
  ...faultsOf('HOOK-05')([
    ['event-with-other-secret', 'events of the main tenant are signed with the other tenant’s secret',
      signs(({ tenant, secrets }) => (tenant === mainTenant ? { secret: secrets.get(otherTenant) ?? '' } : {}))],
    ['event-at-other-receiver', 'events of the main tenant arrive at the other tenant’s receiver as well',
      delivered((one) => (one.tenant === mainTenant ? [one, { ...one, receiver: otherTenant }] : [one]))],
    ['event-moves-to-other-receiver', 'lead events of the main tenant arrive at the other tenant’s receiver only',
      delivered((one, kind) => [one.tenant === mainTenant && kind.startsWith('lead.') ? { ...one, receiver: otherTenant } : one])],
    ['event-of-other-units-at-first', 'unit.created of the other tenant arrives at the main tenant’s receiver, signed with its secret',
      delivered((one, kind) => [one.tenant !== mainTenant && kind === 'unit.created' ? { tenant: mainTenant, receiver: mainTenant } : one])],
  ]),
  ...faultsOf('HOOK-06')([
    ['event-created-at-number', 'createdAt is a number where a date-time is declared', { event: (event) => ({ ...event, createdAt: Date.parse(String(event['createdAt'])) }) }],
    ['event-lead-score-text', 'the score in lead events is a text where a number is declared', record('lead.', ({ score }) => ({ score: String(score) }))],
    ['event-unit-without-status', 'units in events lack the declared status', record('unit.', () => ({ status: undefined }))],
    ['event-id-missing', 'service events lack the declared id', { event: (event, kind) => (kind.startsWith('service.') ? { ...event, id: undefined } : event) }],
  ]),
];
