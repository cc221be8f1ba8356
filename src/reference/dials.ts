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
  dial(
    'failure-status',
    ['own', '200'],
    'failures of production operations: statuses of their own, or 200 with ok: false (never planned paths and 429)',
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
  dial(
    'content-duplicates',
    ['made', 'joined', 'refused', 'phone-joined', 'phone-refused', 'name-joined', 'name-refused'],
    'leads with equal content, phone or name are made anew, give the earlier lead, or are refused with 409',
  ),
  dial(
    'vehicle-leads',
    ['any', 'one-open'],
    'leads that a unit has at a time: any, or one, where clients can create units; another is refused with 409',
  ),
  dial(
    'lead-texts',
    ['kept', 'normalised', 'masked', 'initials', 'capitals'],
    'names and phones as sent, in normal form, or with names masked, as initials or in capitals in every read',
  ),
  dial(
    'lead-names',
    ['any', 'people', 'letters', 'short'],
    'names: any text, only such as people have (undeclared), by a declared pattern of letters, or up to 24 characters',
  ),
  dial('lead-channel', ['none', 'required'], 'whether a lead has to name its channel, one of a declared list'),
  dial(
    'record-ids',
    ['opaque', 'numbered'],
    'ids that nobody would give twice, or numbers that each tenant counts for itself',
  ),
  dial('last-cursor', ['null', 'absent', 'empty'], 'nextCursor on the last page'),
  dial(
    'cursor-parameter',
    ['cursor', 'after', 'pageToken', 'page', 'starting_after', 'c'],
    'name of the cursor parameter',
  ),
  dial(
    'cursor-value',
    ['place', 'handle'],
    'a cursor of units names a place, or the whole walk, whose place the service keeps',
  ),
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
  dial(
    'required-parameters',
    ['none', 'from', 'year', 'unit', 'everywhere'],
    'deals need a date, a year or a unit to be listed by, or every operation a header and a parameter of the query',
  ),
  dial(
    'tenant-header',
    ['optional', 'required', 'everywhere'],
    'X-Tenant may be left out, is declared as required, or has to be there on paths that do not exist as well',
  ),
  dial('list-fields', ['all', 'fewer'], 'whether a list shows every field of a unit'),
  dial(
    'unit-owner',
    ['none', 'full-access'],
    'units have no owner, or one that only full access is shown: others, and the demo, see null in its place',
  ),
  dial(
    'unit-create-body',
    ['declared', 'named'],
    'fields of a new unit are declared, or only named as required, and some are kept',
  ),
  dial('lead-vehicle', ['id', 'shown'], 'a lead names its unit, or shows it as well, where it is one of the tenant'),
  dial('lead-place', ['flat', 'nested'], 'data is the lead, or holds it under lead'),
  dial('unit-place', ['flat', 'nested'], 'data is the unit, or holds it under unit'),
  dial('deal-place', ['items', 'deals'], 'deals stand under items or under deals'),
  dial('deal-item', ['none', 'get'], 'whether a single deal can be read'),
  dial('demo-data', ['tenant', 'own'], 'the demo shows the units of the first tenant, or vehicles of its own'),
  dial('demo-place', ['array', 'items', 'units'], 'the demo list is an array, or an object with one'),
  dial('extra-fields', ['none', 'some'], 'undeclared additional fields in answers'),
  dial('error-shape', ['code-message', 'type-title', 'message', 'issues'], 'shape of the error object'),
  dial('planned-answer', ['envelope', 'bare', 'text', 'empty'], 'body of the 404 on planned paths'),
  dial('charset', ['utf-8', 'none', 'upper'], 'charset in the content type'),
  dial(
    'http-server',
    ['lenient', 'strict'],
    'what refuses %00 in a path, a path of more than 2,000 characters and bytes above 0x7f in a header: the application, or the HTTP server before it, without an envelope',
  ),
  dial(
    'media-type',
    ['json', 'vendor'],
    'production answers are application/json, or application/vnd.dealer.v1+json and application/problem+json',
  ),
  dial('head', ['answered', 'refused'], 'whether HEAD works where GET does'),
  dial('options', ['refused', 'answered'], 'whether OPTIONS is answered'),
  dial(
    'credentials-form',
    ['any-scheme-case', 'exact', 'bare-key', 'any-scheme', 'any-key-case', 'first-word', 'percent-decoded', 'decoded'],
    'leniency in how a valid key is sent; decoded: keys are compared by the bytes that they encode',
  ),
  dial('write-implies-read', ['no', 'yes'], 'whether a writing scope may read the same resource'),
  dial(
    'second-unit-operation',
    ['post', 'put', 'search'],
    'method of the second operation on units, which creates one; or a POST that lists those that its body asks for',
  ),
  dial(
    'unit-writes',
    ['patch-delete', 'none', 'put-delete', 'patch-delete-later'],
    'what may be done to a single unit besides reading it; later: taken on with 202 and done soon after',
  ),
  dial(
    'new-records',
    ['at-once', 'soon', 'second-machine'],
    'what was written is shown at once, units most of a second later, or by every second read three seconds later',
  ),
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
  dial(
    'phone',
    ['declared', 'enforced', 'free', 'seven-digits', 'national'],
    'the form of a phone: declared, enforced only, free, declared from seven digits on, or declared as one of one country',
  ),
  dial('source', ['listed', 'free', 'hidden'], 'sources: a declared list, any text, or a list that is not declared'),
  dial('lead-units', ['any', 'available'], 'units that a lead may be for: any, or those that are for sale'),
  dial('unknown-vehicle', ['accepted', 'refused'], 'a lead for a unit that does not exist'),
  dial(
    'document-access',
    ['open', 'key', 'moved'],
    'whether the document needs a key, or is a redirect to another path of the service',
  ),
  dial('document-schemas', ['full', 'vacuous'], 'whether response schemas say anything'),
  dial(
    'document-refs',
    ['refs', 'inline', 'files', 'yaml-files'],
    'components by reference, everything in place, or each schema in a JSON or YAML file beside the document',
  ),
  dial(
    'document-paths',
    ['full', 'server', 'absolute', 'variable', 'parameter'],
    'full paths; below a server with a path of its own (relative, absolute, with a variable); or with the version as a parameter',
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
  dial(
    'remaining-header',
    ['exact', 'lowered'],
    'RateLimit-Remaining is what is left, or is lowered in the last part of a window (draft 06, section 4)',
  ),
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
