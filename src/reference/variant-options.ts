/** One freedom that the specification leaves; the first value is the most ordinary one. */
function option<const Name extends string, const Values extends readonly [string, string, ...string[]]>(
  name: Name,
  values: Values,
  description: string,
) {
  return Object.freeze({ name, values, default: values[0], description });
}

// prettier-ignore
const all = [
  option('create-status', ['201', '200'], 'status of a create'),
  option('invalid-status', ['422', '400'], 'status of invalid input'),
  option('missing-key-status', ['401', '403', '400'], 'status without credentials'),
  option('unknown-key-status', ['401', '403', '400'], 'status with an unknown key'),
  option('scope-status', ['403', '401', '404'], 'status for a missing scope'),
  option('foreign-tenant', ['403', '404', '400', 'ignored'],
    'X-Tenant of another tenant: refused with a status, or ignored'),
  option('failure-status', ['own', '200'],
    'failures of production operations: statuses of their own, or 200 with ok: false (never planned paths and 429)'),
  option('unknown-id-status', ['404', '400'], 'status for an unknown id'),
  option('method-status', ['405', '404'], 'status for a method that a path does not have'),
  option('replay', ['first', 'now'], 'a replay shows the first answer, or the lead as it is now'),
  option('in-progress', ['wait', '409'], 'a key in progress: wait for its answer, or 409'),
  option('conflict', ['409', '422', '400', 'first'],
    'the same key with another body: refused with a status, or answered with the first answer'),
  option('key-format', ['uuid', 'any', 'uuid-v4'], 'whether an idempotency key has to be a UUID, or one of version 4'),
  option('key-required', ['no', 'yes'], 'whether a create needs an idempotency key'),
  option('refusal-burns-key', ['no', 'yes'], 'whether a refused create is remembered under its key'),
  option('content-duplicates', ['made', 'joined', 'refused', 'phone-joined', 'phone-refused', 'name-joined', 'name-refused'],
    'leads with equal content, phone or name are made anew, give the earlier lead, or are refused with 409'),
  option('vehicle-leads', ['any', 'one-open'],
    'leads that a unit has at a time: any, or one, where clients can create units; another is refused with 409'),
  option('lead-texts', ['kept', 'normalised', 'masked', 'initials', 'capitals'],
    'names and phones as sent, in normal form, or with names masked, as initials or in capitals in every read'),
  option('lead-names', ['any', 'people', 'letters', 'short'],
    'names: any text, only such as people have (undeclared), by a declared pattern of letters, or up to 24 characters'),
  option('lead-channel', ['none', 'required'], 'whether a lead has to name its channel, one of a declared list'),
  option('record-ids', ['opaque', 'numbered'],
    'ids that nobody would give twice, or numbers that each tenant counts for itself'),
  option('last-cursor', ['null', 'absent', 'empty', 'false', 'never'],
    'nextCursor on the last page; never: on no page, and no parameter takes one'),
  option('filtered-pages', ['full', 'sparse'],
    'a page of a filtered list holds units up to the limit, or (where a cursor names the place) those of a page of the whole list that match'),
  option('cursor-parameter', ['cursor', 'after', 'pageToken', 'page', 'starting_after', 'c'],
    'name of the cursor parameter'),
  option('cursor-value', ['place', 'handle'],
    'a cursor of units names a place, or the whole walk, whose place the service keeps'),
  option('cursor-beside', ['anything', 'limit', 'nothing'],
    'the parameters allowed beside a cursor of units; the cursor holds the others'),
  option('max-limit', ['100', '50', '200'], 'largest page of units'),
  option('over-limit', ['refuse', 'clamp'], 'a limit above the largest'),
  option('limit-values', ['any', 'tens'], 'limits that a list takes: any, or full tens only'),
  option('zero-limit', ['refuse', 'clamp'], 'a limit of zero or less: refused, or taken as one'),
  option('unknown-status', ['refuse', 'empty'], 'an unknown status as the filter'),
  option('unit-filters', ['status', 'status-year'], 'units are filtered by status only, or by their least year, too'),
  option('required-parameters', ['none', 'from', 'year', 'unit', 'everywhere'],
    'deals need a date, a year or a unit to be listed by, leads a unit as well, or every operation a header and a parameter of the query'),
  option('tenant-header', ['optional', 'required', 'everywhere'],
    'X-Tenant may be left out, is declared as required, or has to be there on paths that do not exist as well'),
  option('unit-statuses', ['codes', 'labels'],
    'units show their status as a code, or as a label ("In stock") while the filter takes codes'),
  option('list-fields', ['all', 'fewer'], 'whether a list shows every field of a unit'),
  option('unit-owner', ['none', 'full-access'],
    'units have no owner, or one that only full access is shown: others, and the demo, see null in its place'),
  option('unit-create-body', ['declared', 'named'],
    'fields of a new unit are declared, or only named as required, and some are kept'),
  option('lead-vehicle', ['id', 'shown'], 'a lead names its unit, or shows it as well, where it is one of the tenant'),
  option('lead-place', ['flat', 'nested'], 'data is the lead, or holds it under lead'),
  option('lead-created', ['lead', 'receipt', 'related'],
    'a create answers with the lead, with a receipt of its own that names the lead, or with the lead below the latest ones'),
  option('unit-place', ['flat', 'nested'], 'data is the unit, or holds it under unit'),
  option('deal-place', ['items', 'deals'], 'deals stand under items or under deals'),
  option('deal-item', ['none', 'get'], 'whether a single deal can be read'),
  option('demo-data', ['tenant', 'own'], 'the demo shows the units of the first tenant, or vehicles of its own'),
  option('demo-place', ['array', 'items', 'units'], 'the demo list is an array, or an object with one'),
  option('extra-fields', ['none', 'some'], 'undeclared additional fields in answers'),
  option('error-shape', ['code-message', 'type-title', 'message', 'issues'], 'shape of the error object'),
  option('planned-answer', ['envelope', 'bare', 'text', 'empty'], 'body of the 404 on planned paths'),
  option('charset', ['utf-8', 'none', 'upper'], 'charset in the content type'),
  option('http-server', ['lenient', 'strict'],
    'what refuses %00 in a path, a path of more than 2,000 characters and bytes above 0x7f in a header: the application, or the HTTP server before it, without an envelope'),
  option('media-type', ['json', 'vendor'],
    'production answers are application/json, or application/vnd.dealer.v1+json and application/problem+json'),
  option('head', ['answered', 'refused'], 'whether HEAD works where GET does'),
  option('options', ['refused', 'answered'], 'whether OPTIONS is answered'),
  option('credentials-form', ['any-scheme-case', 'exact', 'bare-key', 'any-scheme', 'any-key-case', 'first-word', 'percent-decoded', 'decoded'],
    'leniency in how a valid key is sent; decoded: keys are compared by the bytes that they encode'),
  option('write-implies-read', ['no', 'yes'], 'whether a writing scope may read the same resource'),
  option('second-unit-operation', ['post', 'put', 'search'],
    'method of the second operation on units, which creates one; or a POST that lists those that its body asks for'),
  option('unit-writes', ['patch-delete', 'none', 'put-delete', 'patch-delete-later'],
    'what may be done to a single unit besides reading it; later: taken on with 202 and done soon after'),
  option('new-records', ['at-once', 'soon', 'second-machine'],
    'what was written is shown at once, units most of a second later, or by every second read three seconds later'),
  option('second-lead-operation', ['list', 'patch'],
    'GET on leads lists them, or PATCH on leads changes one named in the body'),
  option('lead-item', ['get', 'none', 'get-patch', 'get-patch-later'],
    'operations on a single lead; later: a change is taken on with 202 and done seconds after'),
  option('lead-extra-fields', ['accepted', 'refused'], 'unknown fields of a lead'),
  option('phone', ['declared', 'enforced', 'free', 'seven-digits', 'national'],
    'the form of a phone: declared, enforced only, free, declared from seven digits on, or declared as one of one country'),
  option('source', ['listed', 'free', 'hidden'], 'sources: a declared list, any text, or a list that is not declared'),
  option('lead-units', ['any', 'available', 'selling', 'reserving'],
    'units that a lead may be for: any, or those that are for sale; selling: one of those is sold whenever eight leads were made; reserving: any, and a lead reserves its unit'),
  option('registers', ['none', 'some'],
    'refused for what they say: nothing, or one phone in 200 (a do-not-call register) and one new unit in 20 (a check digit)'),
  option('unknown-vehicle', ['accepted', 'refused'], 'a lead for a unit that does not exist'),
  option('document-access', ['open', 'key', 'moved'],
    'whether the document needs a key, or is a redirect to another path of the service'),
  option('document-schemas', ['full', 'vacuous'], 'whether response schemas say anything'),
  option('document-refs', ['refs', 'inline', 'files', 'yaml-files'],
    'components by reference, everything in place, or each schema in a JSON or YAML file beside the document'),
  option('document-paths', ['full', 'server', 'absolute', 'variable', 'parameter'],
    'full paths; below a server with a path of its own (relative, absolute, with a variable); or with the version as a parameter'),
  option('document-statuses', ['listed', 'ranges', 'default'], 'failures declared one by one, as 4XX, or as default'),
  option('document-webhooks', ['declared', 'absent'], 'whether the document describes webhooks'),
  option('signature-encoding', ['hex', 'hex-upper', 'base64', 'base64url', 'sha256=hex', 'v1=hex', 'timestamped'],
    'encoding of the webhook signature; always over the raw body'),
  option('event-kind-field', ['type', 'event', 'kind'], 'the member of an event that holds its kind'),
  option('event-record', ['data', 'named'], 'data is the record, or holds it under its name'),
  option('limiter', ['fixed-first-request', 'fixed-clock', 'sliding-log', 'sliding-counter', 'token-bucket', 'token-bucket-slow', 'spill'],
    'how limits are kept'),
  option('limit-counters', ['shared', 'exchanged'],
    'servers count together, or each for itself: it tells the others every 50 ms what it accepted, and a client always meets the same one'),
  option('refused-counted', ['no', 'yes'], 'whether refused requests count'),
  option('limit-header', ['bare', 'policy', 'later-fields'],
    'RateLimit-Limit alone, with its policies, or beside the fields of later drafts'),
  option('remaining-header', ['exact', 'lowered'],
    'RateLimit-Remaining is what is left, or is lowered in the last part of a window (draft 06, section 4)'),
  option('retry-after', ['seconds', 'date', 'absent'], 'form of Retry-After on a 429'),
] as const;

type AnyVariantOption = (typeof all)[number];

/** The name of a option. */
export type VariantOptionName = AnyVariantOption['name'];

/** A value of the option of that name. */
export type VariantOptionValue<Name extends VariantOptionName> = Extract<
  AnyVariantOption,
  { name: Name }
>['values'][number];

/** A freedom as listed to users. */
export interface VariantOption {
  readonly name: VariantOptionName;
  readonly values: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** Every option, each with its ordinary value first. */
export const variantOptions: readonly VariantOption[] = all;
