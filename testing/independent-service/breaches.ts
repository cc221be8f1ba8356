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
  /** The flavours in which it shows; all unless given. */
  readonly needs?: (flavour: Flavour) => boolean;
}

/** `requirements` stand apart by a blank. */
function breach<const Id extends string>(
  id: Id,
  requirements: string,
  section: string,
  says: string,
  extras: Pick<Breach, 'warns' | 'missed' | 'needs'> = {},
): Breach<Id> {
  const [main = '', ...others] = requirements.split(' ');
  return { id, requirement: [main, ...others], section, says, ...extras };
}

const firmDoc = (f: Flavour): boolean => !f.doc.loose;
const echoesLead = (f: Flavour): boolean => f.leads.shape !== 'id-only';
const postsUnits = (f: Flavour): boolean => f.writes.form === 'post' || f.writes.form === 'post-bulk';
const postsOne = (f: Flavour): boolean => f.writes.form === 'post';
const manyUnits = (f: Flavour): boolean => f.units.count >= 8;
const listsLeads = (f: Flavour): boolean => f.leads.second === 'list';
const readsLeads = (f: Flavour): boolean => f.leads.second === 'list' || f.leads.second === 'lookup' || f.leads.item;
const hasDeals = (f: Flavour): boolean => f.deals.count > 0;
const noDefault = (f: Flavour): boolean => firmDoc(f) && (f.doc.errors === 'explicit' || f.doc.errors === '4XX');
const deletes = (f: Flavour): boolean => f.writes.one.includes('DELETE');
const patchesItem = (f: Flavour): boolean => f.writes.one.includes('PATCH') || f.writes.one.includes('PUT');
const enumerated = (f: Flavour): boolean =>
  firmDoc(f) && JSON.stringify([f.units.profile.schema, f.units.profile.parts]).includes('"enum":["available"');
const closed = (f: Flavour): boolean => f.units.profile.closed && firmDoc(f);

const emitsOnLead = (f: Flavour): boolean => f.hook.leadEmits;
const ownPlanTenants = (f: Flavour): boolean => f.tenants.planKeys === 'own';
const refusesTenant = (f: Flavour): boolean => f.tenants.mismatch === 'refuse';
const declaresHooks = (f: Flavour): boolean => f.doc.webhooks !== 'none' && firmDoc(f);

/** Every breach, one a line. */
// prettier-ignore
export const breachList = [
  // document
  breach('doc-yaml', 'DOC-01', '1', 'A machine-readable OpenAPI 3.1 description is served at {base_url}/api/openapi.json (YAML is served, not JSON).'),
  breach('doc-trailing-comma', 'DOC-01', '4 Specification endpoint', 'GET /api/openapi.json returns the OpenAPI 3.1 description (the JSON has a trailing comma).'),
  breach('doc-dangling-ref', 'DOC-03 DOC-06', '9', 'Typed clients can be generated from the description (a $ref points at a component that does not exist).'),
  breach('doc-dangling-request-ref', 'DOC-03 DOC-06', '9', 'Typed clients can be generated from the description (the $ref of the lead request body has a typing error).'),
  breach('doc-no-unit-item', 'DOC-04', '1, 4.3', '/api/v1/units/{id} is stable (the description does not contain it).'),
  breach('doc-duplicate-operation-id', 'DOC-02', '9', 'OpenAPI 3.1: an operationId is unique among all operations (two share one).'),
  breach('doc-no-info-version', 'DOC-02', '1', 'OpenAPI 3.1: info.version is required (missing).'),
  breach('doc-path-param-undeclared', 'DOC-02', '1', 'OpenAPI 3.1: each template expression in a path has a path parameter ({id} has none).'),
  breach('doc-path-param-optional', 'DOC-02', '1', 'OpenAPI 3.1: a path parameter is required: true (declared false).'),
  breach('doc-security-undefined', 'DOC-02', '1', 'OpenAPI 3.1: a security requirement names a declared security scheme (it names one that is not declared).'),
  breach('doc-type-typo', 'DOC-05 DOC-02', '1', 'OpenAPI 3.1: schemas are JSON Schema 2020-12 (one type is "int").'),
  breach('doc-limit-string', 'DOC-04', '4.1', 'limit is an integer query parameter (declared as a boolean).'),
  breach('doc-planned-live', 'DOC-07 DOC-09', '4 Planned', 'Endpoints labelled planned are not live (the document declares GET /calls with 200, the service answers 404).'),
  // envelope
  breach('env-ok-number', 'ENV-01 ENV-03', '2 Envelope', 'ok is a boolean (failures carry 0).'),
  breach('env-ok-missing-on-404', 'ENV-01 ENV-03', '2 Envelope', 'ok is present in every production response (missing on 404).'),
  breach('env-error-array', 'ENV-03', '2 Envelope', 'error is an object (an array is sent for invalid bodies).'),
  breach('env-error-missing-on-scope', 'ENV-03', '2 Envelope', 'error is present on failure (missing when a scope is lacking).'),
  breach('env-flat-list', 'UNIT-01 ENV-02', '2 Envelope', 'data of a unit list has the shape { items, nextCursor } (data is the bare array).'),
  breach('env-cursor-outside', 'UNIT-01 UNIT-05', '2 Envelope', 'data of a unit list has the shape { items, nextCursor } (nextCursor stands beside data).'),
  breach('env-429-plain', 'LIMIT-04', '7', 'Any failure on a production endpoint: envelope (a 429 has an empty body).'),
  breach('env-too-large-plain', 'ENV-01 LEAD-05', '7', 'Any failure on a production endpoint: envelope (a large body gives an unenveloped 413).'),
  breach('env-create-data-string', 'ENV-02', '2 Envelope', 'data is an object (a created lead gives its id as a bare string).'),
  // unit list
  breach('list-status-object', 'UNIT-02', '2 Unit', 'status is a string (an object { code } in the list of units that are not available).'),
  breach('filter-ignored', 'UNIT-03', '4.1', 'available is a value accepted as a list filter (the filter has no effect).'),
  breach('filter-drops-one', 'UNIT-03 UNIT-05', '2 Unit', 'available is accepted as a list filter (the last available unit is missing).'),
  breach('filter-refused', 'UNIT-03', '4.1', 'status=available is accepted as a filter (it is refused together with limit).'),
  breach('filter-after-limit', 'UNIT-05 UNIT-03', '4.1', 'status filters the list (the page is cut first, filtered afterwards, and the cursor ends when a page comes out empty).', { needs: manyUnits }),
  breach('limit-50-refused', 'UNIT-04 UNIT-01', '4.1', 'The value 50 is shown for limit (it is refused, maximum 25).'),
  breach('cursor-refused', 'UNIT-05', '2 Envelope', 'nextCursor is a pagination cursor (the cursor handed out is refused).', { needs: manyUnits }),
  breach('cursor-lost-limit', 'UNIT-04', '4.1', 'limit limits the list (pages after the first ignore it).', { needs: manyUnits }),
  breach('cursor-single-use', 'UNIT-05', '2 Envelope', 'nextCursor is a pagination cursor (repeating the same request with the same cursor gives an empty page).', { needs: manyUnits }),
  breach('status-quote-crash', 'UNIT-08 ENV-01 ENV-06', '7', 'Any failure: envelope (a quote in status gives an SQL error page).'),
  breach('status-repeat-crash', 'UNIT-08 ENV-01 ENV-06', '7', 'Any failure: envelope (status given twice gives an unenveloped 500).'),
  breach('param-percent-crash', 'ENV-01 UNIT-08', '7', 'Any failure: envelope (a malformed percent escape in the query gives an unenveloped 400).'),
  // own document against units
  breach('own-unit-enum', 'ENV-04', 'its own OpenAPI document', 'A unit status outside the declared enum is sent.', { needs: enumerated }),
  breach('own-unit-extra', 'ENV-04', 'its own OpenAPI document', 'Units carry a property the closed schema forbids.', { needs: closed }),
  breach('own-undeclared-status', 'ENV-05', 'its own OpenAPI document', 'An unknown unit id is answered with an undeclared status (418).', { needs: (f) => firmDoc(f) && f.doc.errors === 'explicit' }),
  breach('own-deal-gross-string', 'DEAL-02 ENV-04', 'its own OpenAPI document', 'totalGross of a deal is declared a number but is a string.', { needs: (f) => hasDeals(f) && firmDoc(f) }),
  breach('own-deal-id-missing', 'DEAL-02 ENV-04', 'its own OpenAPI document', 'id of a deal is declared required but one deal lacks it.', { needs: (f) => hasDeals(f) && firmDoc(f) }),
  breach('own-demo-shape', 'ENV-04 DEMO-03', 'its own OpenAPI document', 'The demo list is declared in one shape and sent in another (array or { items }).', { needs: firmDoc }),
  breach('own-content-type', 'ENV-01 ENV-04', 'its own OpenAPI document', 'Declared application/json; the unit list is sent as text/html.'),
  // single unit
  breach('single-id-differs', 'UNIT-06', '2 Unit', 'id: string identifies the unit (the id in the body is upper-cased/prefixed against the one asked for).'),
  breach('single-not-found', 'UNIT-06', '4.3', '/api/v1/units/{id} is stable (the last listed unit answers 404).'),
  breach('single-prefix-match', 'UNIT-07 UNIT-06', '4.3', '{id} is a unit identifier (a known id with text behind it also finds the unit).'),
  breach('single-status-missing', 'UNIT-02 UNIT-06', '2 Unit', 'status: string (missing when fetched by id).'),
  breach('single-long-id-crash', 'UNIT-07 ENV-01 ENV-06', '7', 'Any failure: envelope (an id longer than 64 characters gives an unenveloped 500).'),
  breach('single-refused-read', 'AUTH-02', '5.5', 'read:inventory allows getting units (the key may list but not get).'),
  // personal data
  breach('pii-notes', 'UNIT-10', '5.5', 'read:inventory: without personal data (a free-text note of one unit holds a name, e-mail and telephone).', { warns: true }),
  breach('pii-lead-echo', 'UNIT-10', '5.5', 'read:inventory: without personal data (the unit shows name and phone of its latest lead).'),
  breach('pii-lead-echo-hidden-list', 'UNIT-10', '5.5', 'read:inventory: without personal data (the unit in the list names the interested person, no phone).', { warns: true }),
  // second unit operation
  breach('second-op-missing', 'DOC-09 UNIT-11', '4.2', 'A second operation on /api/v1/units is stable (declared, but answers as an unknown method).'),
  breach('second-op-status', 'ENV-05', 'its own OpenAPI document', 'The write operation on units answers with a status its document does not declare.', { needs: firmDoc }),
  breach('second-op-null-crash', 'ENV-06 ENV-01', '7', 'Any failure: envelope (a null body gives an unenveloped 500).'),
  breach('second-op-other-tenant', 'AUTH-04', '5.2', 'A tenant is selected (what one tenant creates shows up for the other).', { needs: postsUnits }),
  breach('unit-delete-kept', 'UNIT-11 AUTH-02', '5.5', 'write:inventory allows deleting units (success is reported, the unit stays listed).', { needs: deletes }),
  breach('unit-delete-empty', 'ENV-01', '2 Envelope', 'ok is present in every production response (deleting answers 204 without a body).', { needs: deletes }),
  breach('unit-change-not-kept', 'UNIT-11 AUTH-02', '5.5', 'write:inventory allows updating units (success is reported, nothing is kept).', { needs: patchesItem }),
  // leads
  breach('lead-source-required', 'LEAD-02', '2 Lead', 'source is optional (refused without).'),
  breach('lead-source-refused', 'LEAD-02', '2 Lead', 'source is an optional string (any body with it is refused as unknown).', { warns: true }),
  breach('lead-phone-one-country', 'LEAD-03', '2 Lead', 'phone is in international format with a leading plus (only +1 numbers are accepted).'),
  breach('lead-phone-reformatted', 'LEAD-07', '2 Lead', 'phone: the number sent is kept (it comes back with its last digit lost when longer than 12 characters).', { needs: echoesLead }),
  breach('lead-name-two-words', 'LEAD-03', '2 Lead', "name is a string, the person's name (a name of one word is refused)."),
  breach('lead-name-letters', 'LEAD-03', '2 Lead', 'name is a string (names with other than A–Z letters, blanks and hyphens are refused).'),
  breach('lead-name-mangled', 'LEAD-07', '2 Lead', 'name: string (UTF-8 is read as Latin-1).', { needs: echoesLead }),
  breach('lead-name-capitalised', 'LEAD-07', '2 Lead', 'name: string (re-capitalised word by word: McGregor becomes Mcgregor).', { warns: true, needs: echoesLead }),
  breach('lead-vehicle-sold-out', 'LEAD-03 LEAD-01', '2 Lead', 'vehicleId is the identifier of a unit (only ids seen on the first ten units are accepted).', { missed: 'which units take leads is not shown; LEAD-03 is blocked where plain leads are refused for some', needs: (f) => f.units.count > 10 }),
  breach('lead-last-name-kept', 'LEAD-07 IDEM-05', '2 Lead', "name: string (a second lead with the same phone takes the first one's name).", { missed: 'it shows only where two leads share a phone, and merging such leads is not forbidden', needs: echoesLead }),
  breach('lead-array-accepted', 'LEAD-04', '4.4', 'Body: JSON object (an array holding an object is accepted).'),
  breach('lead-object-phone-crash', 'LEAD-05 ENV-01 ENV-06 LEAD-04', '7', 'Any failure: envelope (an object as phone gives an unenveloped 500).'),
  breach('lead-hostile-500', 'ENV-06 ENV-05 LEAD-05', 'its own OpenAPI document', 'No 5xx is declared, but a field of the wrong type gives an (enveloped) 500.', { needs: noDefault }),
  breach('lead-bad-utf8-crash', 'LEAD-05 ENV-01 ENV-06', '7', 'Any failure: envelope (invalid UTF-8 gives an unenveloped 500).'),
  breach('lead-not-kept', 'LEAD-01 LEAD-07', '4.4', 'POST /api/v1/leads creates a lead (success is reported, no lead can be read).', { needs: readsLeads }),
  breach('lead-kept-twice', 'LEAD-01 IDEM-01 IDEM-03', '4.4', 'POST /api/v1/leads creates a lead (two are stored).', { needs: listsLeads }),
  breach('leads-tenant-leak', 'AUTH-04', '5.2', 'A tenant is selected (the leads of all tenants are listed).', { needs: listsLeads }),
  breach('leads-second-missing', 'DOC-09', '4.5', 'A second operation on /api/v1/leads is stable (declared, answers as an unknown method).'),
  breach('leads-deals-reads', 'AUTH-03', '5.5', 'read:deals grants deals and desking (it may read leads).', { needs: (f) => f.leads.second === 'list' || f.leads.second === 'lookup' }),
  // idempotency
  breach('idem-evicted', 'IDEM-02', '1', 'Create operations accept an idempotency key (only the last three keys are remembered).'),
  breach('idem-once', 'IDEM-01 IDEM-07', '1', 'Create operations accept an idempotency key (the first replay is recognised, the second creates again).'),
  breach('idem-cross-tenant', 'IDEM-06', '5.2', "A tenant is selected (a key used by one tenant replays that tenant's lead to another)."),
  breach('idem-body-in-key', 'IDEM-04', '1', 'Create operations accept an idempotency key (the same key with another body creates a second lead).'),
  breach('idem-race', 'IDEM-03', '1', 'Create operations accept an idempotency key (simultaneous replays both create).'),
  breach('idem-replay-latest', 'IDEM-01 IDEM-02', '1', 'Create operations accept an idempotency key (a replay returns the most recent lead, not its own).'),
  breach('idem-replay-empty', 'ENV-02 IDEM-01', '2 Envelope', 'data is present on success (a replay answers { ok: true } only).'),
  breach('idem-v4-only', 'IDEM-05 LEAD-03', '4.4', 'Idempotency-Key is a UUID (only version 4 is accepted).', { warns: true }),
  breach('idem-upper-refused', 'IDEM-05 LEAD-03', '4.4', 'Idempotency-Key is a UUID string (upper-case letters are refused).', { warns: true }),
  breach('idem-across-operations', 'IDEM-02 LEAD-01 IDEM-07', '4.4', 'POST /api/v1/leads creates a lead (a key used for units before replays the unit answer).', { needs: postsOne }),
  breach('idem-second-form', 'VER-01 IDEM-01', '4', 'The second address form reaches the same resources (idempotency keys are kept apart per form).'),
  breach('idem-global-repeat', 'IDEM-05', '4.4', 'POST creates a lead (the same body under a new key within seconds replays the old lead).', { warns: true }),
  // deals
  breach('deals-missing', 'DEAL-01 DOC-09', '4.6', '/api/v1/deals is stable (404).'),
  breach('deals-bare', 'DEAL-01 ENV-01', '1', 'Successful responses use the envelope (deals come bare).'),
  breach('deals-admin-refused', 'AUTH-05', '5.5', 'admin:* is full tenant access (refused for deals).'),
  // planned
  breach('planned-calls-live', 'PLAN-02', '4 Planned', 'Planned endpoints return 404 (GET /calls gives an empty list).'),
  breach('planned-dispatch-405', 'PLAN-04', '4 Planned', 'Planned endpoints return 404 (GET on dispatch gives 405, POST 202).'),
  breach('planned-dispatch-post', 'PLAN-04', '4 Planned', 'Planned endpoints return 404 (POST on dispatch is validated: 400).'),
  breach('planned-funnel-501', 'PLAN-05', '4 Planned', 'Planned endpoints return 404 (the funnel gives 501).'),
  breach('planned-funnel-query', 'PLAN-05', '4 Planned', 'Planned endpoints return 404 (the funnel with a query string gives 200).'),
  breach('planned-200-body-404', 'PLAN-01 PLAN-02 PLAN-03 PLAN-04 PLAN-05', '7', 'A planned endpoint: HTTP 404 (the status is 200, 404 stands in the body).'),
  breach('planned-second-form', 'PLAN-02 VER-01 PLAN-01 PLAN-03 PLAN-04 PLAN-05', '4 Planned', 'Planned endpoints return 404 (the second address form gives 503 for them).'),
  breach('planned-delete-405', 'PLAN-01 PLAN-02 PLAN-03 PLAN-04 PLAN-05', '4 Planned', 'Planned endpoints return 404 (DELETE gives 405).'),
  // demo
  breach('demo-envelope', 'DEMO-02', '4 Demo', 'Demo responses omit the { ok, data } envelope.'),
  breach('demo-auth', 'DEMO-01', '4 Demo', 'The demo lists units without authentication (401).'),
  breach('demo-other-records', 'DEMO-03', '1', 'The demo returns the same Unit records as production (made-up ids).', { missed: 'no demo id is a production id, and the demo may show units of another tenant' }),
  breach('demo-limit-ignored', 'DEMO-04', '4 Demo', 'limit is a query parameter of the demo (no effect).'),
  breach('demo-limit-plus-one', 'DEMO-04', '4 Demo', 'limit is a query parameter of the demo (one too many).'),
  breach('demo-writable', 'DEMO-05', '4 Demo', 'The demo is read-only (POST creates a unit).'),
  breach('demo-deletes', 'DEMO-05', '4 Demo', 'The demo is read-only (DELETE removes the first unit).'),
  breach('demo-personal', 'DEMO-03 UNIT-10', '4 Demo', "The shape is exactly that of production unit records (the seller's telephone is added)."),
  breach('demo-stale', 'DEMO-03', '1', 'The demo returns the same records as production (ids are the same, numbers inside are changed).', { needs: (f) => f.units.profile.probe !== null }),
  // authentication
  breach('auth-none-list', 'AUTH-01', '4', 'All production calls send Authorization (the unit list works without).'),
  breach('auth-folded', 'AUTH-06', '5.3', 'Keys are provisioned by the operator (letter case of keys is ignored).'),
  breach('auth-slug-as-key', 'AUTH-01', '5.1', 'Authorization: Bearer <API_KEY> (the tenant slug is accepted as key).'),
  breach('auth-tenant-instead', 'AUTH-01', '4', 'All production calls send Authorization (with X-Tenant of a known tenant the unit list needs no key).'),
  breach('scope-calls-reads-units', 'AUTH-03', '5.5', 'read:calls grants calls (it may list units).'),
  breach('scope-leads-reads-units-item', 'AUTH-03', '5.5', 'read:leads grants leads (it may get single units).', { needs: (f) => f.units.count > 0 }),
  breach('scope-inventory-refused', 'AUTH-02', '5.5', 'read:inventory grants listing units (refused; only admin:* may).'),
  breach('scope-admin-crosses', 'AUTH-04', '5.5', 'admin:* is full access to its tenant (with X-Tenant it reaches the other tenant).', { needs: refusesTenant }),
  breach('tenant-own-refused', 'UNIT-09', '5.2', "A tenant is selected with X-Tenant (the key's own tenant is refused on the first form).", { missed: 'a tenant that every operation refuses cannot be told from a wrong TENANT setting: everything is blocked' }),
  breach('tenant-header-required', 'UNIT-09', '4.1', 'X-Tenant is omitted in one example (refused without on the first form).'),
  breach('tenant-first-wins', 'AUTH-04 UNIT-09', '5.2', 'A tenant is selected by its key (without X-Tenant every key sees the main tenant).'),
  // webhooks
  breach('hook-wrong-tenant', 'HOOK-05 HOOK-02', '5.6', "A per-tenant webhook secret (everything is signed with the main tenant's)."),
  breach('hook-key-as-secret', 'HOOK-02', '5.6', "The webhook secret signs (the tenant's API key is used)."),
  breach('hook-stale-signature', 'HOOK-02', '5.6', 'The body is signed (the signature of the first event is sent with all later ones).'),
  breach('hook-service-unsigned', 'HOOK-01', '5.6', 'The body is signed (events of the Service group are not).'),
  breach('hook-large-body', 'HOOK-02', '5.6', 'HMAC over the raw body (only its first 64 bytes are signed).'),
  breach('hook-deal-no-id', 'HOOK-04', '6', 'deal.funded carries id (missing).'),
  breach('hook-deal-id-number', 'HOOK-04', '2 Deal', 'id of a deal is a string (a number in deal.funded).'),
  breach('hook-kind-renamed', 'HOOK-03', '6', 'The kind call.escalated exists (sent as call.escalate).'),
  breach('hook-kind-underscore', 'HOOK-03', '6', 'The kinds are written with a dot (service.opened is sent as service_opened).'),
  breach('hook-kind-silent', 'HOOK-07', '6', 'unit.aged is a kind of event (it is never delivered).', { warns: true }),
  breach('hook-tenant-leak', 'HOOK-05', '5.6', "Per-tenant webhooks (the other tenant's receiver also gets the main tenant's events)."),
  breach('hook-own-shape', 'HOOK-06 HOOK-03', 'its own OpenAPI document', 'The webhook body lacks all properties its declared schema requires.', { needs: declaresHooks }),
  breach('hook-lead-unsigned', 'HOOK-01', '5.6', 'The body is signed (lead.created raised by creating a lead is not).', { needs: emitsOnLead }),
  // limits
  breach('rate-minute-late', 'LIMIT-02 LIMIT-08', '8', 'Independent: 600 / min (refused only after 900).'),
  breach('rate-second-none', 'LIMIT-03', '8', 'Independent: 100 req/sec (only the minute is limited).'),
  breach('rate-second-early', 'LIMIT-01', '8', 'Independent: 100 req/sec (refused after 40 in a second).'),
  breach('rate-franchise-second-early', 'LIMIT-01 LIMIT-08', '8', 'Franchise: 500 req/sec (refused after 200 in a second).'),
  breach('rate-enterprise-as-independent', 'LIMIT-08 LIMIT-01', '8', 'Enterprise limits are custom as agreed (treated as Independent).'),
  breach('rate-503', 'LIMIT-04', '7', 'The rate limit is exceeded: HTTP 429 (503 is sent).'),
  breach('rate-never-recovers', 'LIMIT-07 LIMIT-01', '8', 'A rate per time (once refused, refused for good).'),
  breach('rate-global', 'LIMIT-08 LIMIT-01', '8', "Limits belong to a plan's customer (one tenant's use exhausts every other key).", { needs: ownPlanTenants }),
  breach('rate-second-form-free', 'LIMIT-02', '8', 'Independent: 600 / min (the second address form is never counted).', { missed: 'the limits are driven under the first address form only' }),
  breach('rate-item-free', 'LIMIT-02', '8', 'Independent: 600 / min (requests for single units are never counted).', { missed: 'the limits are driven with reads of lists and creates of leads only' }),
  breach('rate-demo-early', 'LIMIT-08 LIMIT-01', '8', 'Demo: 100 requests per minute (refused after 60).'),
  breach('rate-demo-key', 'LIMIT-08', '8', 'Demo: 100 requests per minute (a new X-Forwarded-For or User-Agent value starts anew).', { missed: 'the demo is driven as one client, and the specification does not say what the demo limit counts by' }),
  breach('rate-headers-demo-none', 'LIMIT-06', '8', 'Response headers RateLimit-* (missing on the demo).'),
  breach('rate-reset-ms', 'LIMIT-06 LIMIT-07', '8', 'RateLimit-Reset is delta seconds (milliseconds are sent).'),
  breach('rate-reset-date', 'LIMIT-06', '8', 'RateLimit-Reset is delta seconds (an HTTP date is sent).'),
  breach('rate-limit-wrong', 'LIMIT-07', '8', 'RateLimit-Limit is the limit that applies (1000 is reported for Independent).'),
  // versions and second form
  breach('second-form-item-missing', 'VER-01', '4', 'A second address form for the same resources (404 for single units).'),
  breach('second-form-stale', 'VER-01', '4', 'The second form shows the same resources (a copy made at start).', { needs: (f) => f.writes.form !== 'patch' }),
];

export type Broken = (id: (typeof breachList)[number]['id']) => boolean;

/** A breach in the flavour that is asked for, or in the first in which it shows. */
export const chooseVariant = (
  name: string | undefined,
  id: string | undefined,
): { flavour: Flavour; broken: Broken } => {
  const chosen: Breach | undefined = breachList.find((one) => one.id === id);
  const flavour = flavours.find((one) => (name ?? one.name) === one.name && (chosen?.needs?.(one) ?? true));
  if (!flavour || (id !== undefined && !chosen))
    throw new Error(`no flavour ${name ?? ''} with the breach ${id ?? ''}`);
  return { flavour, broken: (one) => one === id };
};
