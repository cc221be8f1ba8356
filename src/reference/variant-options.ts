/** What leaves something open. */
const open = {
  statuses: '§7 states the statuses of planned paths and of a limit that is exceeded, and no other',
  credentials: '§5.7 leaves open how a missing or an invalid key is answered',
  scopes: '§5.7 leaves open which operation needs which scope',
  tenants: '§4.1 shows requests with X-Tenant and without it',
  replays: '§4.4 shows an idempotency key, and no answer to a key that was used',
  leadFields: '§2 leaves open which fields a lead needs and which values they take',
  bodies: '§4 shows no answer to a create, and no single lead or deal',
  cursors: '§4.1 names neither the parameter of a cursor nor its form',
  pages: '§8 leaves the limits of a list open',
  units: '§2 shows two fields of a unit and one status',
  operations: '§4 names no method of the second operations and of single records',
  writes: '§4 leaves open when a write shows',
  demo: '§4 leaves open how the demo holds its records',
  errors: '§7 leaves the error object open',
  planned: '§7 states the status of a planned path alone',
  http: 'HTTP (RFC 9110) leaves it to the server',
  document: 'OpenAPI 3.1 allows each',
  signature: '§5.6 leaves the form of the signature open',
  events: '§6 leaves the payload of events open',
  limits: '§8 states rates, and not how they are counted',
  headers: 'the draft that §8 names (RateLimit header fields) allows each',
} as const;

/** One freedom that the specification leaves; the first value is the most ordinary one. `protects` fails with none of them, for what `because` says. */
function option<const Name extends string, const Values extends readonly [string, string, ...string[]]>(
  name: Name,
  values: Values,
  description: string,
  protects: string,
  because: string,
) {
  return Object.freeze({ name, values, default: values[0], description, protects, because });
}

// prettier-ignore
const all = [
  option('create-status', ['201', '200'], 'status of a create', 'LEAD-01', open.statuses),
  option('invalid-status', ['422', '400'], 'status of invalid input', 'LEAD-04', open.statuses),
  option('missing-key-status', ['401', '403', '400'], 'status without credentials', 'AUTH-01', open.credentials),
  option('unknown-key-status', ['401', '403', '400'], 'status with an unknown key', 'AUTH-01', open.credentials),
  option('scope-status', ['403', '401', '404'], 'status for a missing scope', 'AUTH-03', open.scopes),
  option('foreign-tenant', ['403', '404', '400', 'ignored'], 'X-Tenant of another tenant: refused with a status, or ignored', 'AUTH-04', open.tenants),
  option('failure-status', ['own', '200'],
    'failures of production operations: statuses of their own, or 200 with ok: false (never planned paths and 429)', 'ENV-03', open.statuses),
  option('unknown-id-status', ['404', '400'], 'status for an unknown id', 'UNIT-07', open.statuses),
  option('method-status', ['405', '404'], 'status for a method that a path does not have', 'DOC-09', open.statuses),
  option('replay', ['first', 'now', '409', '422', '400'], 'a replay shows the first answer or the lead as it is now, or is refused with a status', 'IDEM-01', open.replays),
  option('in-progress', ['wait', '409'], 'a key in progress: wait for its answer, or 409', 'IDEM-03', open.replays),
  option('conflict', ['409', '422', '400', 'first'], 'the same key with another body: refused with a status, or answered with the first answer', 'IDEM-04', open.replays),
  option('key-format', ['uuid', 'any', 'uuid-v4'], 'whether an idempotency key has to be a UUID, or one of version 4', 'IDEM-08', open.replays),
  option('key-required', ['no', 'yes'], 'whether a create needs an idempotency key', 'IDEM-01', open.replays),
  option('refusal-burns-key', ['no', 'yes'], 'whether a refused create is remembered under its key', 'IDEM-07', open.replays),
  option('content-duplicates', ['made', 'joined', 'refused', 'phone-joined', 'phone-refused', 'name-joined', 'name-refused'],
    'leads with equal content, phone or name are made anew, give the earlier lead, or are refused with 409', 'IDEM-05', open.leadFields),
  option('vehicle-leads', ['any', 'one-open'],
    'leads that a unit has at a time: any, or one, where clients can create units; another is refused with 409', 'LEAD-03', open.leadFields),
  option('lead-texts', ['kept', 'normalised', 'masked', 'initials', 'capitals'],
    'names, phones and sources as sent, in normal form, or with names masked, as initials or in capitals in every read', 'LEAD-07', open.bodies),
  option('lead-names', ['any', 'people', 'letters', 'short'],
    'names: any text, only such as people have (undeclared), by a declared pattern of letters, or up to 24 characters', 'LEAD-03', open.leadFields),
  option('lead-channel', ['none', 'required'], 'whether a lead has to name its channel, one of a declared list', 'LEAD-01', open.leadFields),
  option('record-ids', ['opaque', 'numbered'], 'ids that nobody would give twice, or numbers that each tenant counts for itself', 'AUTH-04', open.units),
  option('last-cursor', ['null', 'absent', 'empty', 'false', 'never'], 'nextCursor on the last page; never: on no page, and no parameter takes one', 'UNIT-01', open.cursors),
  option('filtered-pages', ['full', 'sparse'],
    'a page of a filtered list holds units up to the limit, or (where a cursor names the place) those of a page of the whole list that match', 'UNIT-03', open.pages),
  option('cursor-parameter', ['cursor', 'after', 'pageToken', 'page', 'starting_after', 'c'], 'name of the cursor parameter', 'UNIT-05', open.cursors),
  option('cursor-value', ['place', 'handle'], 'a cursor of units names a place, or the whole walk, whose place the service keeps', 'UNIT-05', open.cursors),
  option('cursor-type', ['text', 'deep-object', 'json', 'pairs'],
    'a cursor is a text, or an object that a query carries as declared: by style deepObject, as JSON, or by style form without explode', 'UNIT-05', open.cursors),
  option('cursor-beside', ['anything', 'limit', 'nothing'], 'the parameters allowed beside a cursor of units; the cursor holds the others', 'UNIT-05', open.cursors),
  option('max-limit', ['100', '50', '200'], 'largest page of units', 'UNIT-04', open.pages),
  option('over-limit', ['refuse', 'clamp'], 'a limit above the largest', 'UNIT-04', open.pages),
  option('limit-values', ['any', 'tens'], 'limits that a list takes: any, or full tens only', 'UNIT-04', open.pages),
  option('zero-limit', ['refuse', 'clamp'], 'a limit of zero or less: refused, or taken as one', 'UNIT-08', open.pages),
  option('unknown-status', ['refuse', 'empty'], 'an unknown status as the filter', 'UNIT-08', open.units),
  option('unit-filters', ['status', 'status-year'], 'units are filtered by status only, or by their least year, too', 'UNIT-03', open.units),
  option('required-parameters', ['none', 'from', 'year', 'unit', 'everywhere'],
    'deals need a date, a year or a unit to be listed by, leads a unit as well, or every operation a header and a parameter of the query', 'DEAL-01', open.operations),
  option('tenant-header', ['optional', 'required', 'everywhere'],
    'X-Tenant may be left out, is declared as required, or has to be there on paths that do not exist as well', 'UNIT-09', open.tenants),
  option('unit-statuses', ['codes', 'labels'], 'units show their status as a code, or as a label ("In stock") while the filter takes codes', 'UNIT-03', open.units),
  option('list-fields', ['all', 'fewer'], 'whether a list shows every field of a unit', 'UNIT-06', open.units),
  option('unit-owner', ['none', 'full-access'], 'units have no owner, or one that only full access is shown: others, and the demo, see null in its place', 'UNIT-10', open.units),
  option('unit-create-body', ['declared', 'named'], 'fields of a new unit are declared, or only named as required, and some are kept', 'UNIT-11', open.operations),
  option('lead-vehicle', ['id', 'shown'], 'a lead names its unit, or shows it as well, where it is one of the tenant', 'LEAD-07', open.bodies),
  option('lead-place', ['flat', 'nested'], 'data is the lead, or holds it under lead', 'LEAD-07', open.bodies),
  option('lead-created', ['lead', 'receipt', 'related', 'job'],
    'a create answers with the lead, with a receipt of its own that names the lead, with the lead below the latest ones, or with a job that names none', 'LEAD-01', open.bodies),
  option('unit-place', ['flat', 'nested'], 'data is the unit, or holds it under unit', 'UNIT-06', open.operations),
  option('deal-place', ['items', 'deals'], 'deals stand under items or under deals', 'DEAL-02', open.bodies),
  option('deal-item', ['none', 'get'], 'whether a single deal can be read', 'DEAL-02', open.bodies),
  option('demo-data', ['tenant', 'own'], 'the demo shows the units of the first tenant, or vehicles of its own', 'DEMO-03', open.demo),
  option('demo-place', ['array', 'items', 'units'], 'the demo list is an array, or an object with one', 'DEMO-02', open.demo),
  option('extra-fields', ['none', 'some'], 'undeclared additional fields in answers', 'ENV-02', open.bodies),
  option('error-shape', ['code-message', 'type-title', 'message', 'issues'], 'shape of the error object', 'ENV-03', open.errors),
  option('planned-answer', ['envelope', 'bare', 'text', 'empty'], 'body of the 404 on planned paths', 'PLAN-01', open.planned),
  option('charset', ['utf-8', 'none', 'upper'], 'charset in the content type', 'ENV-01', open.http),
  option('http-server', ['lenient', 'strict'],
    'what refuses %00 in a path, a path of more than 2,000 characters, bytes above 0x7f in a header, a key of more than 4,096 characters and a body of more than 1 MiB: the application, or the HTTP server before it, without an envelope', 'ENV-03', open.http),
  option('media-type', ['json', 'vendor'], 'production answers are application/json, or application/vnd.dealer.v1+json and application/problem+json', 'ENV-01', open.http),
  option('head', ['answered', 'refused'], 'whether HEAD works where GET does', 'AUTH-01', open.http),
  option('options', ['refused', 'answered'], 'whether OPTIONS is answered', 'ENV-06', open.http),
  option('credentials-form', ['any-scheme-case', 'exact', 'bare-key', 'any-scheme', 'any-key-case', 'first-word', 'percent-decoded', 'decoded'],
    'leniency in how a valid key is sent; decoded: keys are compared by the bytes that they encode', 'AUTH-06', open.credentials),
  option('write-implies-read', ['no', 'yes'], 'whether a writing scope may read the same resource', 'AUTH-03', open.scopes),
  option('second-unit-operation', ['post', 'put', 'search'],
    'method of the second operation on units, which creates one; or a POST that lists those that its body asks for', 'UNIT-11', open.operations),
  option('unit-writes', ['patch-delete', 'none', 'put-delete', 'patch-delete-later'],
    'what may be done to a single unit besides reading it; later: taken on with 202 and done soon after', 'UNIT-11', open.operations),
  option('new-records', ['at-once', 'soon', 'second-machine'],
    'what was written is shown at once, units most of a second later, or by every second read three seconds later', 'UNIT-11', open.writes),
  option('second-lead-operation', ['list', 'patch'], 'GET on leads lists them, or PATCH on leads changes one named in the body', 'LEAD-07', open.operations),
  option('lead-item', ['get', 'none', 'get-patch', 'get-patch-later'],
    'operations on a single lead; later: a change is taken on with 202 and done seconds after', 'LEAD-07', open.operations),
  option('lead-extra-fields', ['accepted', 'refused'], 'unknown fields of a lead', 'LEAD-04', open.leadFields),
  option('undeclared-field', ['none', 'required'],
    'leads (where they may have such) and new units need declared fields only, or a drawn one besides, which LEAD_BODY and UNIT_BODY give', 'LEAD-01', open.leadFields),
  option('invalid-optional', ['refused', 'left-out'], 'an optional field of a lead or a unit that is not valid: refused, or left out', 'LEAD-04', open.leadFields),
  option('phone', ['declared', 'enforced', 'free', 'seven-digits', 'national'],
    'the form of a phone: declared, enforced only, free, declared from seven digits on, or declared as one of one country', 'LEAD-06', open.leadFields),
  option('source', ['listed', 'free', 'hidden'], 'sources: a declared list, any text, or a list that is not declared', 'LEAD-02', open.leadFields),
  option('lead-units', ['any', 'available', 'selling', 'reserving'],
    'units that a lead may be for: any, or those that are for sale; selling: one of those is sold whenever eight leads were made; reserving: any, and a lead reserves its unit', 'LEAD-03', open.leadFields),
  option('registers', ['none', 'some'],
    'refused for what they say: nothing, or one phone in 200 (a do-not-call register) and one new unit in 20 (a check digit)', 'LEAD-03', open.leadFields),
  option('unknown-vehicle', ['accepted', 'refused'], 'a lead for a unit that does not exist', 'LEAD-08', open.leadFields),
  option('document-access', ['open', 'key', 'moved'], 'whether the document needs a key, or is a redirect to another path of the service', 'DOC-01', open.document),
  option('document-schemas', ['full', 'vacuous'], 'whether response schemas say anything', 'ENV-04', open.document),
  option('document-refs', ['refs', 'inline', 'files', 'yaml-files'],
    'components by reference, everything in place, or each schema in a JSON or YAML file beside the document', 'DOC-03', open.document),
  option('document-paths', ['full', 'server', 'absolute', 'variable', 'parameter'],
    'full paths; below a server with a path of its own (relative, absolute, with a variable); or with the version as a parameter', 'DOC-04', open.document),
  option('document-statuses', ['listed', 'ranges', 'default'], 'failures declared one by one, as 4XX, or as default', 'ENV-05', open.document),
  option('document-details', ['usual', 'seldom'],
    'seldom: a licence of a name alone, members beside $ref, a callback with an extension, a link with a server, an empty enum, patterns of another language', 'DOC-02', open.document),
  option('document-webhooks', ['declared', 'absent'], 'whether the document describes webhooks', 'HOOK-06', open.document),
  option('signature-encoding', ['hex', 'hex-upper', 'base64', 'base64url', 'sha256=hex', 'v1=hex', 'timestamped'],
    'encoding of the webhook signature; always over the raw body', 'HOOK-02', open.signature),
  option('event-kind-field', ['type', 'event', 'kind'], 'the member of an event that holds its kind', 'HOOK-03', open.events),
  option('event-record', ['data', 'named'], 'data is the record, or holds it under its name', 'HOOK-04', open.events),
  option('limiter', ['fixed-first-request', 'fixed-clock', 'sliding-log', 'sliding-counter', 'token-bucket', 'token-bucket-slow', 'spill'],
    'how limits are kept', 'LIMIT-01', open.limits),
  option('limit-counters', ['shared', 'exchanged'],
    'servers count together, or each for itself: it tells the others every 50 ms what it accepted, and a client always meets the same one', 'LIMIT-02', open.limits),
  option('refused-counted', ['no', 'yes'], 'whether refused requests count', 'LIMIT-01', open.limits),
  option('limit-header', ['bare', 'policy', 'later-fields'], 'RateLimit-Limit alone, with its policies, or beside the fields of later drafts', 'LIMIT-06', open.headers),
  option('remaining-header', ['exact', 'lowered'],
    'RateLimit-Remaining is what is left, or is lowered in the last part of a window (draft 06, section 4)', 'LIMIT-07', open.headers),
  option('retry-after', ['seconds', 'date', 'absent'], 'form of Retry-After on a 429', 'LIMIT-10', open.headers),
] as const;

type AnyVariantOption = (typeof all)[number];

/** The name of an option. */
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
  /** The requirement that none of the values breaks. */
  readonly protects: string;
  /** The sentence that leaves it open. */
  readonly because: string;
}

/** Every option, each with its ordinary value first. */
export const variantOptions: readonly VariantOption[] = all;
