import { flavours, type Flavour } from './flavours.js';

/** A deliberate breach of the specification. */
export interface Breach<Id extends string = string> {
  readonly id: Id;
  /** The requirements that may report it, the one that says it best first. */
  readonly requirement: readonly [string, ...string[]];
  readonly section: string;
  /** What the section says, and in brackets what the service does instead. */
  readonly says: string;
  /** A warning is the right verdict. */
  readonly warns?: true;
  /** Why no requirement reports it yet. */
  readonly missed?: string;
  /** The flavour in which it shows; `plain` unless given. */
  readonly flavour?: string;
}

/** `requirements` stand apart by a blank. */
function breach<const Id extends string>(
  id: Id,
  requirements: string,
  section: string,
  says: string,
  extras: Pick<Breach, 'warns' | 'missed' | 'flavour'> = {},
): Breach<Id> {
  const [main = '', ...others] = requirements.split(' ');
  return { id, requirement: [main, ...others], section, says, ...extras };
}

/** Every breach, one a line. */
// prettier-ignore
export const breachList = [
  // document
  breach('doc-yaml', 'DOC-01', '1', 'A machine-readable OpenAPI 3.1 description is served at {base_url}/api/openapi.json (YAML is served, not JSON).'),
  breach('doc-dangling-ref', 'DOC-03 DOC-06', '9', 'Typed clients can be generated from the description (a $ref points at a component that does not exist).'),
  breach('doc-duplicate-operation-id', 'DOC-02', '9', 'OpenAPI 3.1: an operationId is unique among all operations (two share one).'),
  breach('doc-path-param-undeclared', 'DOC-02', '1', 'OpenAPI 3.1: each template expression in a path has a path parameter ({id} has none).'),
  breach('doc-path-param-optional', 'DOC-02', '1', 'OpenAPI 3.1: a path parameter is required: true (declared false).'),
  breach('doc-security-undefined', 'DOC-02', '1', 'OpenAPI 3.1: a security requirement names a declared security scheme (it names one that is not declared).'),
  breach('doc-limit-string', 'DOC-04', '4.1', 'limit is an integer query parameter (declared as a boolean).'),
  // envelope
  breach('env-ok-number', 'ENV-01 ENV-03', '2 Envelope', 'ok is a boolean (failures carry 0).'),
  breach('env-error-missing-on-scope', 'ENV-03', '2 Envelope', 'error is present on failure (missing when a scope is lacking).'),
  breach('env-cursor-outside', 'UNIT-01 UNIT-05', '2 Envelope', 'data of a unit list has the shape { items, nextCursor } (nextCursor stands beside data).'),
  breach('env-too-large-plain', 'ENV-01 LEAD-05', '7', 'Any failure on a production endpoint: envelope (a large body gives an unenveloped 413).'),
  breach('env-create-data-string', 'ENV-02', '2 Envelope', 'data is an object (a created lead gives its id as a bare string).'),
  // unit list
  breach('list-status-object', 'UNIT-02', '2 Unit', 'status is a string (an object { code } in the list of units that are not available).'),
  breach('filter-ignored', 'UNIT-03', '4.1', 'available is a value accepted as a list filter (the filter has no effect).'),
  breach('filter-drops-one', 'UNIT-03 UNIT-05', '2 Unit', 'available is accepted as a list filter (the last available unit is missing).'),
  breach('filter-refused', 'UNIT-03', '4.1', 'status=available is accepted as a filter (it is refused together with limit).'),
  breach('filter-after-limit', 'UNIT-05 UNIT-03', '4.1', 'status filters the list (the page is cut first, filtered afterwards, and the cursor ends when a page comes out empty).'),
  breach('cursor-refused', 'UNIT-05', '2 Envelope', 'nextCursor is a pagination cursor (the cursor handed out is refused).'),
  breach('cursor-single-use', 'UNIT-05', '2 Envelope', 'nextCursor is a pagination cursor (repeating the same request with the same cursor gives an empty page).'),
  breach('status-quote-crash', 'UNIT-08 ENV-01 ENV-06', '7', 'Any failure: envelope (a quote in status gives an SQL error page).'),
  breach('param-percent-crash', 'ENV-01 UNIT-08', '7', 'Any failure: envelope (a malformed percent escape in the query gives an unenveloped 400).'),
  // own document against units
  breach('own-unit-extra', 'ENV-04', 'its own OpenAPI document', 'Units carry a property the closed schema forbids.', { flavour: 'harbour' }),
  breach('own-demo-shape', 'ENV-04 DEMO-03', 'its own OpenAPI document', 'The demo list is declared in one shape and sent in another (array or { items }).'),
  // single unit
  breach('single-id-differs', 'UNIT-06', '2 Unit', 'id: string identifies the unit (the id in the body is upper-cased/prefixed against the one asked for).'),
  breach('single-prefix-match', 'UNIT-07 UNIT-06', '4.3', '{id} is a unit identifier (a known id with text behind it also finds the unit).'),
  // personal data
  breach('pii-notes', 'UNIT-10', '5.5', 'read:inventory: without personal data (a free-text note of one unit holds a name, e-mail and telephone).', { warns: true }),
  breach('pii-lead-echo', 'UNIT-10', '5.5', 'read:inventory: without personal data (the unit shows name and phone of its latest lead).'),
  // second unit operation
  breach('second-op-missing', 'DOC-09 UNIT-11', '4.2', 'A second operation on /api/v1/units is stable (declared, but answers as an unknown method).'),
  breach('second-op-null-crash', 'ENV-06 ENV-01', '7', 'Any failure: envelope (a null body gives an unenveloped 500).'),
  breach('second-op-other-tenant', 'AUTH-04', '5.2', 'A tenant is selected (what one tenant creates shows up for the other).'),
  breach('unit-delete-empty', 'ENV-01', '2 Envelope', 'ok is present in every production response (deleting answers 204 without a body).'),
  // leads
  breach('lead-source-refused', 'LEAD-02', '2 Lead', 'source is an optional string (any body with it is refused as unknown).', { warns: true }),
  breach('lead-phone-one-country', 'LEAD-03', '2 Lead', 'phone is in international format with a leading plus (only +1 numbers are accepted).'),
  breach('lead-name-two-words', 'LEAD-03', '2 Lead', "name is a string, the person's name (a name of one word is refused)."),
  breach('lead-name-letters', 'LEAD-03', '2 Lead', 'name is a string (names with other than A–Z letters, blanks and hyphens are refused).'),
  breach('lead-name-mangled', 'LEAD-07', '2 Lead', 'name: string (UTF-8 is read as Latin-1).'),
  breach('lead-array-accepted', 'LEAD-04', '4.4', 'Body: JSON object (an array holding an object is accepted).'),
  breach('lead-object-phone-crash', 'LEAD-05 ENV-01 ENV-06 LEAD-04', '7', 'Any failure: envelope (an object as phone gives an unenveloped 500).'),
  breach('lead-hostile-500', 'ENV-06 ENV-05 LEAD-05', 'its own OpenAPI document', 'No 5xx is declared, but a field of the wrong type gives an (enveloped) 500.'),
  breach('lead-bad-utf8-crash', 'LEAD-05 ENV-01 ENV-06', '7', 'Any failure: envelope (invalid UTF-8 gives an unenveloped 500).'),
  // idempotency
  breach('idem-replay-latest', 'IDEM-01 IDEM-02', '1', 'Create operations accept an idempotency key (a replay returns the most recent lead, not its own).'),
  breach('idem-v4-only', 'IDEM-05 LEAD-03', '4.4', 'Idempotency-Key is a UUID (only version 4 is accepted).', { warns: true }),
  breach('idem-upper-refused', 'IDEM-05 LEAD-03', '4.4', 'Idempotency-Key is a UUID string (upper-case letters are refused).', { warns: true }),
  breach('idem-second-form', 'VER-01 IDEM-01', '4', 'The second address form reaches the same resources (idempotency keys are kept apart per form).'),
  breach('idem-global-repeat', 'IDEM-05', '4.4', 'POST creates a lead (the same body under a new key within seconds replays the old lead).', { warns: true }),
  // planned
  breach('planned-dispatch-post', 'PLAN-04', '4 Planned', 'Planned endpoints return 404 (POST on dispatch is validated: 400).'),
  breach('planned-funnel-query', 'PLAN-05', '4 Planned', 'Planned endpoints return 404 (the funnel with a query string gives 200).'),
  breach('planned-200-body-404', 'PLAN-01 PLAN-02 PLAN-03 PLAN-04 PLAN-05', '7', 'A planned endpoint: HTTP 404 (the status is 200, 404 stands in the body).'),
  breach('planned-delete-405', 'PLAN-01 PLAN-02 PLAN-03 PLAN-04 PLAN-05', '4 Planned', 'Planned endpoints return 404 (DELETE gives 405).'),
  // demo
  breach('demo-personal', 'DEMO-03 UNIT-10', '4 Demo', "The shape is exactly that of production unit records (the seller's telephone is added)."),
  breach('demo-stale', 'DEMO-03', '1', 'The demo returns the same records as production (ids are the same, numbers inside are changed).'),
  // authentication
  breach('auth-slug-as-key', 'AUTH-01', '5.1', 'Authorization: Bearer <API_KEY> (the tenant slug is accepted as key).'),
  breach('auth-tenant-instead', 'AUTH-01', '4', 'All production calls send Authorization (with X-Tenant of a known tenant the unit list needs no key).'),
  breach('scope-calls-reads-units', 'AUTH-03', '5.5', 'read:calls grants calls (it may list units).'),
  breach('tenant-header-required', 'UNIT-09', '4.1', 'X-Tenant is omitted in one example (refused without on the first form).'),
  breach('tenant-first-wins', 'AUTH-04 UNIT-09', '5.2', 'A tenant is selected by its key (without X-Tenant every key sees the main tenant).'),
  // webhooks
  breach('hook-key-as-secret', 'HOOK-02', '5.6', "The webhook secret signs (the tenant's API key is used)."),
  breach('hook-stale-signature', 'HOOK-02', '5.6', 'The body is signed (the signature of the first event is sent with all later ones).'),
  breach('hook-large-body', 'HOOK-02', '5.6', 'HMAC over the raw body (only its first 64 bytes are signed).'),
  breach('hook-kind-silent', 'HOOK-07', '6', 'unit.aged is a kind of event (it is never delivered).', { warns: true }),
  breach('hook-own-shape', 'HOOK-06 HOOK-03', 'its own OpenAPI document', 'The webhook body lacks all properties its declared schema requires.'),
  breach('hook-lead-unsigned', 'HOOK-01', '5.6', 'The body is signed (lead.created raised by creating a lead is not).'),
  // limits
  breach('rate-franchise-second-early', 'LIMIT-01 LIMIT-08', '8', 'Franchise: 500 req/sec (refused after 200 in a second).'),
  breach('rate-enterprise-as-independent', 'LIMIT-08 LIMIT-01', '8', 'Enterprise limits are custom as agreed (treated as Independent).'),
  breach('rate-never-recovers', 'LIMIT-07 LIMIT-01', '8', 'A rate per time (once refused, refused for good).'),
  breach('rate-second-form-free', 'LIMIT-02', '8', 'Independent: 600 / min (the second address form is never counted).', { missed: 'the limits are driven under the first address form only' }),
  breach('rate-item-free', 'LIMIT-02', '8', 'Independent: 600 / min (requests for single units are never counted).', { missed: 'the limits are driven with reads of lists and creates of leads only' }),
  breach('rate-demo-early', 'LIMIT-08 LIMIT-01', '8', 'Demo: 100 requests per minute (refused after 60).'),
  breach('rate-headers-demo-none', 'LIMIT-06', '8', 'Response headers RateLimit-* (missing on the demo).'),
  breach('rate-reset-date', 'LIMIT-06', '8', 'RateLimit-Reset is delta seconds (an HTTP date is sent).'),
  // versions and second form
  breach('second-form-stale', 'VER-01', '4', 'The second form shows the same resources (a copy made at start).'),
];

export type Broken = (id: (typeof breachList)[number]['id']) => boolean;

/** A breach in the flavour that is asked for, or in one in which it shows. */
export const chooseVariant = (name?: string, id?: string): { flavour: Flavour; broken: Broken } => {
  const chosen: Breach | undefined = breachList.find((one) => one.id === id);
  const flavour = flavours.find((one) => one.name === (name ?? chosen?.flavour ?? 'plain'));
  if (!flavour || (id !== undefined && !chosen))
    throw new Error(`no flavour ${name ?? ''} with the breach ${id ?? ''}`);
  return { flavour, broken: (one) => one === id };
};
