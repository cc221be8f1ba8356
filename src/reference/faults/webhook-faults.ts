import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { mainTenant, otherTenant } from '../api-keys.js';
import type { EventKind } from '../webhooks/kinds.js';
import type { Delivery, FaultHooks, Json, SignedBody } from '../instance.js';
import { encode, signatureOf } from '../webhooks/sign.js';
import { fault, type Fault } from './fault.js';

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
  fault('signature-missing', 'HOOK-01', 'no delivery is signed', unsigned(() => true)),
  fault('signature-missing-for-service-events', 'HOOK-01', 'service.completed is delivered without signature', unsigned((kind) => kind === 'service.completed')),
  fault('signature-under-other-name', 'HOOK-01', 'the signature is in X-Signature',
    { sent: ({ headers: { 'X-Service-Signature': usual = '', ...headers }, body }) => ({ headers: { ...headers, 'X-Signature': usual }, body }) }),
  fault('signature-reserialised', 'HOOK-02', 'the signature is over the payload serialised with blanks', signs(({ payload }) => ({ body: JSON.stringify(payload, null, 1) }))),
  fault('signature-of-ascii', 'HOOK-02', 'the signature is over the payload with escapes for non-ASCII characters',
    signs(({ body }) => ({ body: String(body).replace(/[^\0-\x7f]/g, escaped) }))),
  fault('signature-encoding-changes', 'HOOK-02', 'the encoding of the signature changes from delivery to delivery',
    signs(({ nth, encoding }) => (nth % 2 === 1 ? { encoding: encoding === 'base64' ? 'hex' : 'base64' } : {}))),
  fault('signature-wrong-for-deals', 'HOOK-02', 'events of deals are signed with another secret',
    signs(({ kind, secret }) => (kind.startsWith('deal.') ? { secret: `${secret}-rotated` } : {}))),
  fault('signature-sha1', 'HOOK-02', 'the signature is an HMAC with SHA-1',
    signature(({ body, secret, encoding }) => encode(createHmac('sha1', secret).update(body).digest(), encoding))),
  fault('signature-truncated', 'HOOK-02', 'the signature is cut to half its length', signature((_, usual) => usual.slice(0, Math.ceil(usual.length / 2)))),
  fault('signature-of-time-and-body', 'HOOK-02', 'the signature is over a time stamp, a dot and the body', signature(({ body, secret }) => {
    const time = String(Math.floor(Date.now() / 1_000));
    return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
  })),
  fault('signature-before-compression', 'HOOK-02', 'the body is compressed after it was signed',
    { sent: ({ headers, body }) => ({ headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(body) }) }),
  fault('event-kind-unknown', 'HOOK-03', 'lead.qualified is delivered as lead.scored', kindShown((kind) => (kind === 'lead.qualified' ? 'lead.scored' : kind))),
  fault('event-kind-upper', 'HOOK-03', 'kinds are written in upper case', kindShown((kind) => kind.toUpperCase())),
  fault('event-kind-underscored', 'HOOK-03', 'kinds of units are written with an underscore', kindShown((kind) => (kind.startsWith('unit.') ? kind.replace('.', '_') : kind))),
  fault('event-kinds-disagree', 'HOOK-03', 'a second field names the kind as well, but lead.qualified as lead.scored',
    { event: (event, kind, field) => ({ ...event, [field === 'type' ? 'event' : 'type']: kind === 'lead.qualified' ? 'lead.scored' : kind }) }),
  fault('event-kind-missing', 'HOOK-03', 'call.completed names no kind', kindShown((kind) => (kind === 'call.completed' ? undefined : kind))),
  fault('funded-total-text', 'HOOK-04', 'totalGross of a funded deal is a text', record('deal.funded', ({ totalGross }) => ({ totalGross: String(totalGross) }))),
  fault('funded-total-missing', 'HOOK-04', 'a funded deal has no totalGross', record('deal.funded', () => ({ totalGross: undefined }))),
  fault('funded-total-null', 'HOOK-04', 'totalGross of a funded deal is null', record('deal.funded', () => ({ totalGross: null }))),
  fault('funded-without-id', 'HOOK-04', 'a funded deal has no id', record('deal.funded', () => ({ id: undefined }))),
  fault('funded-id-number', 'HOOK-04', 'the id of a funded deal is a number', record('deal.funded', () => ({ id: 4_711 }))),
  fault('event-with-other-secret', 'HOOK-05', 'events of the main tenant are signed with the other tenant’s secret',
    signs(({ tenant, secrets }) => (tenant === mainTenant ? { secret: secrets.get(otherTenant) ?? '' } : {}))),
  fault('event-at-other-receiver', 'HOOK-05', 'events of the main tenant arrive at the other tenant’s receiver as well',
    delivered((one) => (one.tenant === mainTenant ? [one, { ...one, receiver: otherTenant }] : [one]))),
  fault('event-moves-to-other-receiver', 'HOOK-05', 'lead events of the main tenant arrive at the other tenant’s receiver only',
    delivered((one, kind) => [one.tenant === mainTenant && kind.startsWith('lead.') ? { ...one, receiver: otherTenant } : one])),
  fault('event-of-other-units-at-first', 'HOOK-05', 'unit.created of the other tenant arrives at the main tenant’s receiver, signed with its secret',
    delivered((one, kind) => [one.tenant !== mainTenant && kind === 'unit.created' ? { tenant: mainTenant, receiver: mainTenant } : one])),
  fault('event-created-at-number', 'HOOK-06', 'createdAt is a number where a date-time is declared',
    { event: (event) => ({ ...event, createdAt: Date.parse(String(event['createdAt'])) }) }),
  fault('event-lead-score-text', 'HOOK-06', 'the score in lead events is a text where a number is declared', record('lead.', ({ score }) => ({ score: String(score) }))),
  fault('event-unit-without-status', 'HOOK-06', 'units in events lack the declared status', record('unit.', () => ({ status: undefined }))),
  fault('event-id-missing', 'HOOK-06', 'service events lack the declared id', { event: (event, kind) => (kind.startsWith('service.') ? { ...event, id: undefined } : event) }),
];
