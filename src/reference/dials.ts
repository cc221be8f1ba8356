/** One freedom that the specification leaves; the first value is the most ordinary one. */
function dial<const Name extends string, const Values extends readonly [string, string, ...string[]]>(
  name: Name,
  values: Values,
  description: string,
) {
  return Object.freeze({ name, values, default: values[0], description });
}

const all = [
  dial('create-status', ['201', '200'], 'status of a create'),
  dial('invalid-status', ['422', '400'], 'status of invalid input'),
  dial('missing-key-status', ['401', '403', '400'], 'status without credentials'),
  dial('unknown-key-status', ['401', '403', '400'], 'status with an unknown key'),
  dial('scope-status', ['403', '401', '404'], 'status for a missing scope'),
  dial(
    'foreign-tenant',
    ['403', '404', '400', 'ignored'],
    'X-Tenant of another tenant: refused with a status, or ignored',
  ),
  dial('unknown-id-status', ['404', '400'], 'status for an unknown id'),
  dial('method-status', ['405', '404'], 'status for a method that a path does not have'),
  dial('replay', ['first', 'now'], 'a replay shows the first answer, or the lead as it is now'),
  dial('in-progress', ['wait', '409'], 'a key in progress: wait for its answer, or 409'),
  dial(
    'conflict',
    ['409', '422', '400', 'first'],
    'the same key with another body: refused with a status, or answered with the first answer',
  ),
  dial('key-format', ['uuid', 'any', 'uuid-v4'], 'whether an idempotency key has to be a UUID, or one of version 4'),
  dial('key-required', ['no', 'yes'], 'whether a create needs an idempotency key'),
  dial('refusal-burns-key', ['no', 'yes'], 'whether a refused create is remembered under its key'),
  dial('content-duplicates', ['made', 'joined'], 'leads with equal content are made anew, or give the earlier lead'),
  dial(
    'record-ids',
    ['opaque', 'numbered'],
    'ids that nobody would give twice, or numbers that each tenant counts for itself',
  ),
  dial('last-cursor', ['null', 'absent', 'empty'], 'nextCursor on the last page'),
  dial('cursor-parameter', ['cursor', 'after', 'pageToken', 'page', 'starting_after'], 'name of the cursor parameter'),
  dial(
    'cursor-beside',
    ['anything', 'limit', 'nothing'],
    'what may be sent beside a cursor of units: what is not stands in the cursor itself',
  ),
  dial('max-limit', ['100', '50', '200'], 'largest page of units'),
  dial('over-limit', ['refuse', 'clamp'], 'a limit above the largest'),
  dial('limit-values', ['any', 'tens'], 'limits that a list takes: any, or full tens only'),
  dial('zero-limit', ['refuse', 'clamp'], 'a limit of zero or less: refused, or taken as one'),
  dial('unknown-status', ['refuse', 'empty'], 'an unknown status as the filter'),
  dial('unit-filters', ['status', 'status-year'], 'units are filtered by status only, or by their least year, too'),
  dial('list-fields', ['all', 'fewer'], 'whether a list shows every field of a unit'),
  dial(
    'unit-owner',
    ['none', 'full-access'],
    'units have no owner, or one that only full access is shown: others, and the demo, see null in its place',
  ),
  dial('lead-place', ['flat', 'nested'], 'data is the lead, or holds it under lead'),
  dial('unit-place', ['flat', 'nested'], 'data is the unit, or holds it under unit'),
  dial('deal-place', ['items', 'deals'], 'deals stand under items or under deals'),
  dial('deal-item', ['none', 'get'], 'whether a single deal can be read'),
  dial('demo-place', ['array', 'items', 'units'], 'the demo list is an array, or an object with one'),
  dial('extra-fields', ['none', 'some'], 'undeclared additional fields in answers'),
  dial('error-shape', ['code-message', 'type-title', 'message', 'issues'], 'shape of the error object'),
  dial('planned-answer', ['envelope', 'bare', 'text', 'empty'], 'body of the 404 on planned paths'),
  dial('charset', ['utf-8', 'none', 'upper'], 'charset in the content type'),
  dial('head', ['answered', 'refused'], 'whether HEAD works where GET does'),
  dial('options', ['refused', 'answered'], 'whether OPTIONS is answered'),
  dial(
    'credentials-form',
    ['any-scheme-case', 'exact', 'bare-key', 'any-scheme', 'any-key-case', 'first-word', 'percent-decoded', 'decoded'],
    'leniency in how a valid key is sent; decoded: keys are compared by the bytes that they encode',
  ),
  dial('write-implies-read', ['no', 'yes'], 'whether a writing scope may read the same resource'),
  dial('second-unit-operation', ['post', 'put'], 'method of the second operation on units, which creates one'),
  dial(
    'unit-writes',
    ['patch-delete', 'none', 'put-delete', 'patch-delete-later'],
    'what may be done to a single unit besides reading it; later: taken on with 202 and done soon after',
  ),
  dial('new-units', ['at-once', 'soon'], 'a unit is shown as soon as it is created, or most of a second later'),
  dial(
    'second-lead-operation',
    ['list', 'patch'],
    'GET on leads lists them, or PATCH on leads changes one named in the body',
  ),
  dial(
    'lead-item',
    ['get', 'none', 'get-patch', 'get-patch-later'],
    'operations on a single lead; later: a change is taken on with 202 and done seconds after',
  ),
  dial('lead-extra-fields', ['accepted', 'refused'], 'unknown fields of a lead'),
  dial('phone', ['declared', 'enforced', 'free'], 'the form of a phone: declared, enforced only, or free'),
  dial('source', ['listed', 'free'], 'sources: a closed list, or any text'),
  dial('lead-units', ['any', 'available'], 'units that a lead may be for: any, or those that are for sale'),
  dial('unknown-vehicle', ['accepted', 'refused'], 'a lead for a unit that does not exist'),
  dial('document-access', ['open', 'key'], 'whether the document needs a key'),
  dial('document-schemas', ['full', 'vacuous'], 'whether response schemas say anything'),
  dial('document-refs', ['refs', 'inline'], 'components by reference, or everything in place'),
  dial(
    'document-paths',
    ['full', 'server', 'absolute'],
    'full paths, or paths below a server with a path of its own (relative or absolute)',
  ),
  dial('document-statuses', ['listed', 'ranges', 'default'], 'failures declared one by one, as 4XX, or as default'),
  dial('document-webhooks', ['declared', 'absent'], 'whether the document describes webhooks'),
  dial(
    'signature-encoding',
    ['hex', 'hex-upper', 'base64', 'base64url', 'sha256=hex', 'v1=hex', 'timestamped'],
    'encoding of the webhook signature; always over the raw body',
  ),
  dial('event-kind-field', ['type', 'event', 'kind'], 'where the kind stands in an event'),
  dial('event-record', ['data', 'named'], 'data is the record, or holds it under its name'),
  dial(
    'limiter',
    [
      'fixed-first-request',
      'fixed-clock',
      'sliding-log',
      'sliding-counter',
      'token-bucket',
      'token-bucket-slow',
      'spill',
    ],
    'how limits are kept',
  ),
  dial('limit-subject', ['key', 'tenant'], 'whether limits count by key or by tenant'),
  dial('refused-counted', ['no', 'yes'], 'whether refused requests count'),
  dial('limit-header', ['bare', 'policy'], 'RateLimit-Limit alone, or with its policies'),
  dial('retry-after', ['seconds', 'date', 'absent'], 'form of Retry-After on a 429'),
] as const;

type AnyDial = (typeof all)[number];

/** The name of a dial. */
export type DialName = AnyDial['name'];

/** A value of the dial of that name. */
export type DialValue<Name extends DialName> = Extract<AnyDial, { name: Name }>['values'][number];

/** A freedom as listed to users. */
export interface Dial {
  readonly name: DialName;
  readonly values: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** Every dial, each with its ordinary value first. */
export const dials: readonly Dial[] = all;
