import { fault } from './fault.js';

const undeclaredKind = { 'HOOK-06': 'the declared payload names its kind' };
const floor = { 'HOOK-06': 'the declared payload says the same' };

/** Faults of the webhook sender. */
export const webhookFaults = [
  fault('signature-missing', 'HOOK-01', 'no delivery is signed'),
  fault('signature-missing-for-service-events', 'HOOK-01', 'service.completed is delivered without signature'),
  fault('signature-under-other-name', 'HOOK-01', 'the signature stands in X-Signature'),
  fault('signature-reserialised', 'HOOK-02', 'the signature is over the payload serialised with blanks'),
  fault('signature-of-ascii', 'HOOK-02', 'the signature is over the payload with escapes for non-ASCII characters'),
  fault('signature-sha1', 'HOOK-02', 'the signature is an HMAC with SHA-1'),
  fault('signature-unkeyed', 'HOOK-02', 'the signature is a plain SHA-256'),
  fault('signature-wrong-secret', 'HOOK-02', 'the signature is made with another secret'),
  fault('signature-truncated', 'HOOK-02', 'the signature is cut to half its length'),
  fault('signature-of-data-only', 'HOOK-02', 'the signature is over data alone'),
  fault('signature-with-newline', 'HOOK-02', 'the signature is over the body with a line end after it'),
  fault('signature-before-compression', 'HOOK-02', 'the body is compressed after it was signed'),
  fault('signature-encoding-changes', 'HOOK-02', 'the encoding of the signature changes from delivery to delivery'),
  fault('signature-wrong-for-deals', 'HOOK-02', 'events of deals are signed with another secret'),
  fault('event-kind-unknown', 'HOOK-03', 'lead.qualified is delivered as lead.scored', { also: undeclaredKind }),
  fault('event-kind-upper', 'HOOK-03', 'kinds are written in upper case', { also: undeclaredKind }),
  fault('event-kind-underscored', 'HOOK-03', 'kinds of units are written with an underscore', { also: undeclaredKind }),
  fault('event-kind-missing', 'HOOK-03', 'call.completed names no kind', { also: undeclaredKind }),
  fault('funded-total-text', 'HOOK-04', 'totalGross of a funded deal is a text', { also: floor }),
  fault('funded-total-missing', 'HOOK-04', 'a funded deal has no totalGross', { also: floor }),
  fault('funded-total-null', 'HOOK-04', 'totalGross of a funded deal is null', { also: floor }),
  fault('funded-without-id', 'HOOK-04', 'a funded deal has no id', { also: floor }),
  fault('funded-id-number', 'HOOK-04', 'the id of a funded deal is a number', { also: floor }),
  fault('event-with-other-secret', 'HOOK-05', 'events of the main tenant are signed with the other tenant’s secret', {
    also: { 'HOOK-02': 'they do not verify under the own secret' },
  }),
  fault(
    'event-at-other-receiver',
    'HOOK-05',
    'events of the main tenant arrive at the other tenant’s receiver as well',
    { also: { 'HOOK-02': 'there they do not verify under that receiver’s secret' } },
  ),
  fault(
    'event-moves-to-other-receiver',
    'HOOK-05',
    'lead events of the main tenant arrive at the other tenant’s receiver only',
    { also: { 'HOOK-02': 'there they do not verify under that receiver’s secret' } },
  ),
  fault(
    'event-of-other-units-at-first',
    'HOOK-05',
    'unit.created of the other tenant arrives at the main tenant’s receiver, signed with its secret',
  ),
  fault('event-created-at-number', 'HOOK-06', 'createdAt is a number where a date-time is declared'),
  fault('event-lead-score-text', 'HOOK-06', 'the score in lead events is a text where a number is declared'),
  fault('event-unit-without-status', 'HOOK-06', 'units in events lack the declared status'),
  fault('event-id-missing', 'HOOK-06', 'service events lack the declared id'),
] as const;
