import type { Flavour } from './types.js';

export type BreachEntry = {
  readonly id: string;
  readonly section: string;
  readonly says: string;
  readonly needs?: (flavour: Flavour) => boolean;
};

const openapi = 'its own OpenAPI document';
const echoesLead = (f: Flavour): boolean => f.leadShape !== 'id-only';
const postsUnits = (f: Flavour): boolean => f.unitsWrite === 'post' || f.unitsWrite === 'post-bulk';
const postsOne = (f: Flavour): boolean => f.unitsWrite === 'post';
const manyUnits = (f: Flavour): boolean => f.unitCount >= 8;
const listsLeads = (f: Flavour): boolean => f.leadsSecond === 'list';
const readsLeads = (f: Flavour): boolean => f.leadsSecond === 'list' || f.leadsSecond === 'lookup' || f.leadItem;
const hasDeals = (f: Flavour): boolean => f.deals.count > 0;
const firmDoc = (f: Flavour): boolean => !f.doc.loose;
const noDefault = (f: Flavour): boolean => firmDoc(f) && (f.doc.errors === 'explicit' || f.doc.errors === '4XX');
const declaresDemo = (f: Flavour): boolean => f.doc.demo && firmDoc(f);
const deletes = (f: Flavour): boolean => f.unitMethods.includes('DELETE');
const patchesItem = (f: Flavour): boolean => f.unitMethods.includes('PATCH') || f.unitMethods.includes('PUT');
const emptiesStatus = (f: Flavour): boolean => f.unitCount > 0;
const emitsOnLead = (f: Flavour): boolean => f.hook.leadEmits;
const ownPlanTenants = (f: Flavour): boolean => f.planKeys === 'own';
const refusesTenant = (f: Flavour): boolean => f.tenantMismatch === 'refuse';
const refusesCursor = (f: Flavour): boolean => f.cursor.invalid === 'refuse';
const probed = (f: Flavour): boolean => f.units.probe !== undefined && firmDoc(f);
const enumerated = (f: Flavour): boolean =>
  firmDoc(f) && JSON.stringify([f.units.schema, f.units.parts]).includes('"enum":["available"');
const closed = (f: Flavour): boolean => f.units.closed && firmDoc(f);
const nullEnd = (f: Flavour): boolean => f.cursor.end === 'null' && firmDoc(f);
const declaresHooks = (f: Flavour): boolean => f.doc.webhooks !== 'none' && firmDoc(f);

export const breachList = [
  // --- document -------------------------------------------------------------
  { id: 'doc-version-30', section: '1, 9', says: 'The OpenAPI description is version 3.1 (the document says 3.0.3).' },
  {
    id: 'doc-yaml',
    section: '1',
    says: 'A machine-readable OpenAPI 3.1 description is served at {base_url}/api/openapi.json (YAML is served, not JSON).',
  },
  {
    id: 'doc-trailing-comma',
    section: '4 Specification endpoint',
    says: 'GET /api/openapi.json returns the OpenAPI 3.1 description (the JSON has a trailing comma).',
  },
  {
    id: 'doc-elsewhere',
    section: '4 Specification endpoint',
    says: 'GET {base_url}/api/openapi.json returns the description (it is only at /openapi.json).',
  },
  {
    id: 'doc-dangling-ref',
    section: '9',
    says: 'Typed clients can be generated from the description (a $ref points at a component that does not exist).',
  },
  {
    id: 'doc-dangling-request-ref',
    section: '9',
    says: 'Typed clients can be generated from the description (the $ref of the lead request body has a typing error).',
  },
  {
    id: 'doc-no-leads',
    section: '1, 4.4',
    says: 'POST /api/v1/leads is live and stable (the description has no such operation).',
  },
  {
    id: 'doc-no-unit-item',
    section: '1, 4.3',
    says: '/api/v1/units/{id} is stable (the description does not contain it).',
  },
  {
    id: 'doc-duplicate-operation-id',
    section: '9',
    says: 'OpenAPI 3.1: an operationId is unique among all operations (two share one).',
  },
  { id: 'doc-no-info-version', section: '1', says: 'OpenAPI 3.1: info.version is required (missing).' },
  {
    id: 'doc-response-no-description',
    section: '1',
    says: 'OpenAPI 3.1: a Response Object requires description (one lacks it).',
  },
  {
    id: 'doc-path-param-undeclared',
    section: '1',
    says: 'OpenAPI 3.1: each template expression in a path has a path parameter ({id} has none).',
  },
  {
    id: 'doc-path-param-optional',
    section: '1',
    says: 'OpenAPI 3.1: a path parameter is required: true (declared false).',
  },
  {
    id: 'doc-security-undefined',
    section: '1',
    says: 'OpenAPI 3.1: a security requirement names a declared security scheme (it names one that is not declared).',
  },
  { id: 'doc-type-typo', section: '1', says: 'OpenAPI 3.1: schemas are JSON Schema 2020-12 (one type is "int").' },
  { id: 'doc-limit-string', section: '4.1', says: 'limit is an integer query parameter (declared as a boolean).' },
  {
    id: 'doc-planned-live',
    section: '4 Planned',
    says: 'Endpoints labelled planned are not live (the document declares GET /calls with 200, the service answers 404).',
  },
  {
    id: 'doc-nullable-lost',
    section: openapi,
    says: 'nextCursor is declared a plain string but is null on the last page.',
    needs: nullEnd,
  },
  {
    id: 'doc-status-code-lost',
    section: openapi,
    says: 'The status of a created lead is not among the declared responses.',
    needs: firmDoc,
  },
  {
    id: 'doc-media-type',
    section: openapi,
    says: 'The unit list is declared as application/vnd.units+json but sent as application/json.',
  },

  // --- envelope -------------------------------------------------------------
  { id: 'env-ok-string', section: '2 Envelope', says: 'ok is a boolean (it is the string "true" on the unit list).' },
  { id: 'env-ok-number', section: '2 Envelope', says: 'ok is a boolean (failures carry 0).' },
  {
    id: 'env-ok-missing-on-404',
    section: '2 Envelope',
    says: 'ok is present in every production response (missing on 404).',
  },
  { id: 'env-ok-true-on-error', section: '2 Envelope', says: 'ok is the outcome flag (true on a 400-type failure).' },
  { id: 'env-error-string', section: '2 Envelope', says: 'error is an object (a string is sent).' },
  { id: 'env-error-array', section: '2 Envelope', says: 'error is an object (an array is sent for invalid bodies).' },
  {
    id: 'env-error-missing-on-scope',
    section: '2 Envelope',
    says: 'error is present on failure (missing when a scope is lacking).',
  },
  {
    id: 'env-single-bare',
    section: '1',
    says: 'Successful responses use the envelope { ok, data } (a single unit comes bare).',
  },
  {
    id: 'env-flat-list',
    section: '2 Envelope',
    says: 'data of a unit list has the shape { items, nextCursor } (data is the bare array).',
  },
  {
    id: 'env-cursor-outside',
    section: '2 Envelope',
    says: 'data of a unit list has the shape { items, nextCursor } (nextCursor stands beside data).',
  },
  {
    id: 'env-404-html',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (an unknown unit gives an HTML page).',
  },
  {
    id: 'env-method-plain',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (an unsupported method gives plain text).',
  },
  {
    id: 'env-bad-json-plain',
    section: '7',
    says: "Any failure on a production endpoint: envelope (malformed JSON gives the framework's HTML error page).",
  },
  {
    id: 'env-401-plain',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (a missing key gives plain text).',
  },
  {
    id: 'env-401-bare-error',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (an invalid key gives the bare error object).',
  },
  {
    id: 'env-429-plain',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (a 429 has an empty body).',
  },
  {
    id: 'env-too-large-plain',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (a large body gives an unenveloped 413).',
  },
  {
    id: 'env-create-no-data',
    section: '2 Envelope',
    says: 'data is present on success (a created lead gives { ok: true } only).',
  },
  {
    id: 'env-create-data-string',
    section: '2 Envelope',
    says: 'data is an object (a created lead gives its id as a bare string).',
  },
  { id: 'env-deals-array', section: '2 Envelope', says: 'data is an object (deals give a bare array).' },
  {
    id: 'env-unknown-path-html',
    section: '7',
    says: 'Any failure on a production endpoint: envelope (a failing sub-path of a unit gives HTML).',
  },

  // --- unit list --------------------------------------------------------------
  {
    id: 'list-cursor-never',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (it is never filled although more units exist).',
    needs: manyUnits,
  },
  {
    id: 'list-single-item-object',
    section: '2 Envelope',
    says: 'items is an array (a list of exactly one unit is given as the object itself).',
  },
  {
    id: 'list-empty-null',
    section: '2 Envelope',
    says: 'items is an array (an empty list is given as null).',
    needs: emptiesStatus,
  },
  {
    id: 'list-id-number',
    section: '2 Unit',
    says: 'id is a string (numbers in the list).',
    needs: (f) => /^[0-9]+$/.test(f.id('unit', 1)),
  },
  { id: 'list-status-null', section: '2 Unit', says: 'status is a string (null for the third unit).' },
  {
    id: 'list-status-object',
    section: '2 Unit',
    says: 'status is a string (an object { code } in the list of units that are not available).',
  },
  {
    id: 'list-id-missing-last',
    section: '2 Unit',
    says: 'id: string (the last unit of the tenant has none in the list).',
  },
  {
    id: 'filter-ignored',
    section: '4.1',
    says: 'available is a value accepted as a list filter (the filter has no effect).',
  },
  {
    id: 'filter-leaks-one',
    section: '2 Unit',
    says: 'available is accepted as a list filter (units of the second status slip through).',
  },
  {
    id: 'filter-drops-one',
    section: '2 Unit',
    says: 'available is accepted as a list filter (the last available unit is missing).',
  },
  {
    id: 'filter-refused',
    section: '4.1',
    says: 'status=available is accepted as a filter (it is refused together with limit).',
  },
  {
    id: 'filter-lost-on-page-two',
    section: '4.1',
    says: 'status filters the list (later pages are unfiltered).',
    needs: manyUnits,
  },
  {
    id: 'filter-after-limit',
    section: '4.1',
    says: 'status filters the list (the page is cut first, filtered afterwards, and the cursor ends when a page comes out empty).',
    needs: manyUnits,
  },
  { id: 'limit-ignored', section: '4.1', says: 'limit limits the list (no effect).' },
  { id: 'limit-plus-one', section: '4.1', says: 'limit limits the list (one unit too many).' },
  { id: 'limit-50-refused', section: '4.1', says: 'The value 50 is shown for limit (it is refused, maximum 25).' },
  { id: 'limit-odd-crash', section: '7', says: 'Any failure: envelope (limit=abc gives an unenveloped 500).' },
  { id: 'limit-negative-crash', section: '7', says: 'Any failure: envelope (limit=-1 gives an unenveloped 500).' },
  {
    id: 'limit-huge-crash',
    section: '7',
    says: 'Any failure: envelope (a limit beyond 32 bits gives an unenveloped 500).',
  },
  {
    id: 'cursor-skips-one',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (one unit is lost at each page boundary).',
    needs: manyUnits,
  },
  {
    id: 'cursor-repeats-one',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (the boundary unit is given twice).',
    needs: manyUnits,
  },
  {
    id: 'cursor-loops',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (the last page leads to the first again).',
    needs: manyUnits,
  },
  {
    id: 'cursor-ignored',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (the cursor parameter is ignored: the first page again and again).',
    needs: manyUnits,
  },
  {
    id: 'cursor-refused',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (the cursor handed out is refused).',
    needs: manyUnits,
  },
  {
    id: 'cursor-last-page-lost',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (the last, partial page is never offered).',
    needs: manyUnits,
  },
  {
    id: 'cursor-lost-limit',
    section: '4.1',
    says: 'limit limits the list (pages after the first ignore it).',
    needs: manyUnits,
  },
  {
    id: 'cursor-single-use',
    section: '2 Envelope',
    says: 'nextCursor is a pagination cursor (repeating the same request with the same cursor gives an empty page).',
    needs: manyUnits,
  },
  {
    id: 'cursor-tenant-leak',
    section: '5.2',
    says: "A tenant is selected by key/header (a cursor obtained by another tenant brings that tenant's units).",
    needs: manyUnits,
  },
  {
    id: 'cursor-bad-crash',
    section: '7',
    says: 'Any failure: envelope (a garbage cursor gives an unenveloped 500).',
    needs: refusesCursor,
  },
  {
    id: 'list-cross-tenant',
    section: '5.2',
    says: 'A tenant is selected (one unit of the other tenant appears in the list).',
  },
  {
    id: 'list-duplicate',
    section: '2 Envelope',
    says: 'items is an array of Unit records of the list (the first unit of a page of three or more appears twice in it).',
  },
  {
    id: 'status-quote-crash',
    section: '7',
    says: 'Any failure: envelope (a quote in status gives an SQL error page).',
  },
  {
    id: 'status-repeat-crash',
    section: '7',
    says: 'Any failure: envelope (status given twice gives an unenveloped 500).',
  },
  {
    id: 'param-percent-crash',
    section: '7',
    says: 'Any failure: envelope (a malformed percent escape in the query gives an unenveloped 400).',
  },

  // --- own document against units --------------------------------------------
  {
    id: 'own-unit-missing',
    section: openapi,
    says: 'A required unit property is missing in the second listed unit.',
    needs: probed,
  },
  {
    id: 'own-unit-type',
    section: openapi,
    says: 'A unit property has another type than declared (second listed unit).',
    needs: probed,
  },
  {
    id: 'own-unit-missing-single',
    section: openapi,
    says: 'A required unit property is missing when a unit is fetched by id.',
    needs: probed,
  },
  {
    id: 'own-unit-enum',
    section: openapi,
    says: 'A unit status outside the declared enum is sent.',
    needs: enumerated,
  },
  { id: 'own-unit-extra', section: openapi, says: 'Units carry a property the closed schema forbids.', needs: closed },
  {
    id: 'own-error-shape',
    section: openapi,
    says: 'The error object of a missing unit lacks all declared required properties.',
    needs: firmDoc,
  },
  {
    id: 'own-undeclared-status',
    section: openapi,
    says: 'An unknown unit id is answered with an undeclared status (418).',
    needs: (f) => firmDoc(f) && f.doc.errors === 'explicit',
  },
  {
    id: 'own-lead-id-number',
    section: openapi,
    says: 'The id of a created lead is declared a string but is a number.',
    needs: firmDoc,
  },
  {
    id: 'own-lead-missing',
    section: openapi,
    says: 'A required property of the created lead is missing.',
    needs: (f) => firmDoc(f) && echoesLead(f),
  },
  {
    id: 'own-deal-gross-string',
    section: openapi,
    says: 'totalGross of a deal is declared a number but is a string.',
    needs: (f) => hasDeals(f) && firmDoc(f),
  },
  {
    id: 'own-deal-id-missing',
    section: openapi,
    says: 'id of a deal is declared required but one deal lacks it.',
    needs: (f) => hasDeals(f) && firmDoc(f),
  },
  {
    id: 'own-demo-shape',
    section: openapi,
    says: 'The demo list is declared in one shape and sent in another (array or { items }).',
    needs: declaresDemo,
  },
  { id: 'own-content-type', section: openapi, says: 'Declared application/json; the unit list is sent as text/html.' },

  // --- single unit ------------------------------------------------------------
  {
    id: 'single-neighbour',
    section: '4.3',
    says: '{id} is a unit identifier (another unit than the one asked for is returned).',
  },
  {
    id: 'single-id-differs',
    section: '2 Unit',
    says: 'id: string identifies the unit (the id in the body is upper-cased/prefixed against the one asked for).',
  },
  { id: 'single-not-found', section: '4.3', says: '/api/v1/units/{id} is stable (the last listed unit answers 404).' },
  {
    id: 'single-prefix-match',
    section: '4.3',
    says: '{id} is a unit identifier (a known id with text behind it also finds the unit).',
  },
  { id: 'single-status-missing', section: '2 Unit', says: 'status: string (missing when fetched by id).' },
  {
    id: 'single-unknown-ok',
    section: '2 Envelope',
    says: 'data is an object, present on success (an unknown id gives ok: true with data null).',
  },
  { id: 'single-unknown-500', section: '7', says: 'Any failure: envelope (an unknown id gives an unenveloped 500).' },
  {
    id: 'single-odd-id-crash',
    section: '7',
    says: 'Any failure: envelope (an id with a quote or percent sign gives an unenveloped 500).',
  },
  {
    id: 'single-long-id-crash',
    section: '7',
    says: 'Any failure: envelope (an id longer than 64 characters gives an unenveloped 500).',
  },
  {
    id: 'single-tenant-leak',
    section: '5.2',
    says: 'A tenant is selected (a unit of another tenant can be fetched by id).',
  },
  {
    id: 'single-refused-read',
    section: '5.5',
    says: 'read:inventory allows getting units (the key may list but not get).',
  },

  // --- personal data ----------------------------------------------------------
  {
    id: 'pii-list',
    section: '5.5',
    says: 'read:inventory: without personal data (the list shows the private seller with telephone).',
  },
  {
    id: 'pii-single',
    section: '5.5',
    says: 'read:inventory: without personal data (the single unit shows the private seller).',
  },
  {
    id: 'pii-notes',
    section: '5.5',
    says: 'read:inventory: without personal data (a free-text note of one unit holds a name, e-mail and telephone).',
  },
  {
    id: 'pii-lead-echo',
    section: '5.5',
    says: 'read:inventory: without personal data (the unit shows name and phone of its latest lead).',
  },
  {
    id: 'pii-lead-echo-hidden-list',
    section: '5.5',
    says: 'read:inventory: without personal data (the unit in the list names the interested person, no phone).',
  },

  // --- second unit operation ---------------------------------------------------
  {
    id: 'second-op-missing',
    section: '4.2',
    says: 'A second operation on /api/v1/units is stable (declared, but answers as an unknown method).',
  },
  {
    id: 'second-op-read-scope',
    section: '5.5',
    says: 'read:inventory grants list and get only (the key may also write).',
  },
  {
    id: 'second-op-write-refused',
    section: '5.5',
    says: 'write:inventory allows creating, updating and deleting units (refused).',
  },
  {
    id: 'second-op-open',
    section: '4',
    says: 'All production calls send Authorization (writing units works without).',
  },
  {
    id: 'second-op-not-kept',
    section: '4.2',
    says: 'write:inventory allows creating and updating units (success is reported, nothing is kept).',
  },
  {
    id: 'second-op-status',
    section: openapi,
    says: 'The write operation on units answers with a status its document does not declare.',
    needs: firmDoc,
  },
  {
    id: 'second-op-bare',
    section: '1',
    says: 'Successful responses use the envelope (the write on units answers bare).',
  },
  { id: 'second-op-null-crash', section: '7', says: 'Any failure: envelope (a null body gives an unenveloped 500).' },
  {
    id: 'second-op-other-tenant',
    section: '5.2',
    says: 'A tenant is selected (what one tenant creates shows up for the other).',
    needs: postsUnits,
  },
  {
    id: 'unit-delete-kept',
    section: '5.5',
    says: 'write:inventory allows deleting units (success is reported, the unit stays listed).',
    needs: deletes,
  },
  {
    id: 'unit-delete-read-scope',
    section: '5.5',
    says: 'read:inventory grants list and get only (the key may delete).',
    needs: deletes,
  },
  {
    id: 'unit-delete-empty',
    section: '2 Envelope',
    says: 'ok is present in every production response (deleting answers 204 without a body).',
    needs: deletes,
  },
  {
    id: 'unit-delete-crosses',
    section: '5.2',
    says: 'A tenant is selected (a unit of another tenant can be deleted).',
    needs: deletes,
  },
  {
    id: 'unit-change-crosses',
    section: '5.2',
    says: 'A tenant is selected (a unit of another tenant can be changed).',
    needs: patchesItem,
  },
  {
    id: 'unit-change-not-kept',
    section: '5.5',
    says: 'write:inventory allows updating units (success is reported, nothing is kept).',
    needs: patchesItem,
  },
  {
    id: 'idem-units-ignored',
    section: '1',
    says: 'Create operations accept an idempotency key (creating units ignores it).',
    needs: postsUnits,
  },

  // --- leads -------------------------------------------------------------------
  { id: 'lead-source-required', section: '2 Lead', says: 'source is optional (refused without).' },
  {
    id: 'lead-source-refused',
    section: '2 Lead',
    says: 'source is an optional string (any body with it is refused as unknown).',
  },
  {
    id: 'lead-phone-one-country',
    section: '2 Lead',
    says: 'phone is in international format with a leading plus (only +1 numbers are accepted).',
  },
  {
    id: 'lead-phone-short',
    section: '2 Lead',
    says: 'phone is in international format (numbers of more than 12 digits are refused).',
  },
  {
    id: 'lead-phone-plus-lost',
    section: '2 Lead',
    says: 'phone has a leading plus (it is stored without).',
    needs: echoesLead,
  },
  {
    id: 'lead-phone-reformatted',
    section: '2 Lead',
    says: 'phone: the number sent is kept (it comes back with its last digit lost when longer than 12 characters).',
    needs: echoesLead,
  },
  {
    id: 'lead-name-two-words',
    section: '2 Lead',
    says: "name is a string, the person's name (a name of one word is refused).",
  },
  {
    id: 'lead-name-letters',
    section: '2 Lead',
    says: 'name is a string (names with other than A–Z letters, blanks and hyphens are refused).',
  },
  {
    id: 'lead-name-apostrophe-crash',
    section: '7',
    says: 'name is a string (an apostrophe gives an unenveloped 500).',
  },
  {
    id: 'lead-name-astral-crash',
    section: '7',
    says: 'name is a string (a character outside the basic plane gives an unenveloped 500).',
  },
  { id: 'lead-name-mangled', section: '2 Lead', says: 'name: string (UTF-8 is read as Latin-1).', needs: echoesLead },
  { id: 'lead-name-escaped', section: '2 Lead', says: 'name: string (HTML-escaped when stored).', needs: echoesLead },
  { id: 'lead-name-cut', section: '2 Lead', says: 'name: string (cut after 20 characters).', needs: echoesLead },
  {
    id: 'lead-name-capitalised',
    section: '2 Lead',
    says: 'name: string (re-capitalised word by word: McGregor becomes Mcgregor).',
    needs: echoesLead,
  },
  {
    id: 'lead-vehicle-other',
    section: '2 Lead',
    says: "vehicleId is the identifier of a unit (the created lead carries the tenant's first unit instead).",
    needs: echoesLead,
  },
  {
    id: 'lead-vehicle-sold-out',
    section: '2 Lead',
    says: 'vehicleId is the identifier of a unit (only ids seen on the first ten units are accepted).',
    needs: (f) => f.unitCount > 10,
  },
  {
    id: 'lead-source-lost',
    section: '2 Lead',
    says: 'source: origin of the lead (replaced by a default).',
    needs: echoesLead,
  },
  {
    id: 'lead-last-name-kept',
    section: '2 Lead',
    says: "name: string (a second lead with the same phone takes the first one's name).",
    needs: echoesLead,
  },
  { id: 'lead-null-crash', section: '7', says: 'Any failure: envelope (the body null gives an unenveloped 500).' },
  { id: 'lead-array-crash', section: '7', says: 'Any failure: envelope (an array body gives an unenveloped 500).' },
  { id: 'lead-array-accepted', section: '4.4', says: 'Body: JSON object (an array holding an object is accepted).' },
  { id: 'lead-number-crash', section: '7', says: 'Any failure: envelope (a number as name gives an unenveloped 500).' },
  {
    id: 'lead-object-phone-crash',
    section: '7',
    says: 'Any failure: envelope (an object as phone gives an unenveloped 500).',
  },
  { id: 'lead-empty-crash', section: '7', says: 'Any failure: envelope (an empty body gives an unenveloped 500).' },
  { id: 'lead-proto-crash', section: '7', says: 'Any failure: envelope (a key __proto__ gives an unenveloped 500).' },
  { id: 'lead-deep-crash', section: '7', says: 'Any failure: envelope (deep nesting breaks the connection).' },
  {
    id: 'lead-hostile-500',
    section: openapi,
    says: 'No 5xx is declared, but a field of the wrong type gives an (enveloped) 500.',
    needs: noDefault,
  },
  {
    id: 'lead-unknown-vehicle-500',
    section: openapi,
    says: 'No 5xx is declared, but an unknown vehicleId gives an (enveloped) 500.',
    needs: noDefault,
  },
  { id: 'lead-bad-utf8-crash', section: '7', says: 'Any failure: envelope (invalid UTF-8 gives an unenveloped 500).' },
  {
    id: 'lead-not-kept',
    section: '4.4',
    says: 'POST /api/v1/leads creates a lead (success is reported, no lead can be read).',
    needs: readsLeads,
  },
  {
    id: 'lead-kept-twice',
    section: '4.4',
    says: 'POST /api/v1/leads creates a lead (two are stored).',
    needs: listsLeads,
  },
  {
    id: 'lead-same-id',
    section: '4.4',
    says: 'POST creates a lead (two leads with the same phone but different keys get one id).',
  },
  {
    id: 'lead-other-tenant',
    section: '5.2',
    says: 'A tenant is selected (leads of a tenant are stored with the other).',
    needs: listsLeads,
  },
  {
    id: 'leads-tenant-leak',
    section: '5.2',
    says: 'A tenant is selected (the leads of all tenants are listed).',
    needs: listsLeads,
  },
  {
    id: 'leads-second-missing',
    section: '4.5',
    says: 'A second operation on /api/v1/leads is stable (declared, answers as an unknown method).',
  },
  { id: 'lead-read-scope-writes', section: '5.5', says: 'write:leads grants creating leads (read:leads suffices).' },
  { id: 'lead-write-refused', section: '5.5', says: 'write:leads grants creating leads (refused; only admin:* may).' },
  { id: 'lead-inventory-writes', section: '5.5', says: 'write:inventory grants units only (it may create leads).' },
  {
    id: 'leads-inventory-reads',
    section: '5.5',
    says: 'read:inventory grants units only (it may read leads).',
    needs: (f) => f.leadsSecond === 'list' || f.leadsSecond === 'lookup',
  },
  {
    id: 'leads-deals-reads',
    section: '5.5',
    says: 'read:deals grants deals and desking (it may read leads).',
    needs: (f) => f.leadsSecond === 'list' || f.leadsSecond === 'lookup',
  },

  // --- idempotency -------------------------------------------------------------
  {
    id: 'idem-ignored',
    section: '1',
    says: 'Create operations accept an idempotency key (a replay creates a second lead).',
  },
  { id: 'idem-late', section: '1', says: 'Create operations accept an idempotency key (forgotten after a second).' },
  {
    id: 'idem-evicted',
    section: '1',
    says: 'Create operations accept an idempotency key (only the last three keys are remembered).',
  },
  {
    id: 'idem-once',
    section: '1',
    says: 'Create operations accept an idempotency key (the first replay is recognised, the second creates again).',
  },
  {
    id: 'idem-prefix',
    section: '1',
    says: 'Create operations accept an idempotency key (only its first 18 characters count: another key replays).',
  },
  {
    id: 'idem-suffix',
    section: '1',
    says: 'Create operations accept an idempotency key (only its last 12 characters count).',
  },
  {
    id: 'idem-letters-folded',
    section: '1',
    says: 'Create operations accept an idempotency key (hyphens and letters are dropped before comparing: only digits count).',
  },
  {
    id: 'idem-cross-tenant',
    section: '5.2',
    says: "A tenant is selected (a key used by one tenant replays that tenant's lead to another).",
  },
  {
    id: 'idem-body-in-key',
    section: '1',
    says: 'Create operations accept an idempotency key (the same key with another body creates a second lead).',
  },
  {
    id: 'idem-race',
    section: '1',
    says: 'Create operations accept an idempotency key (simultaneous replays both create).',
  },
  {
    id: 'idem-replay-latest',
    section: '1',
    says: 'Create operations accept an idempotency key (a replay returns the most recent lead, not its own).',
  },
  {
    id: 'idem-replay-empty',
    section: '2 Envelope',
    says: 'data is present on success (a replay answers { ok: true } only).',
  },
  {
    id: 'idem-replay-bare',
    section: '1',
    says: 'Successful responses use the envelope (a replay answers without it).',
  },
  { id: 'idem-v4-only', section: '4.4', says: 'Idempotency-Key is a UUID (only version 4 is accepted).' },
  {
    id: 'idem-upper-refused',
    section: '4.4',
    says: 'Idempotency-Key is a UUID string (upper-case letters are refused).',
  },
  {
    id: 'idem-across-operations',
    section: '4.4',
    says: 'POST /api/v1/leads creates a lead (a key used for units before replays the unit answer).',
    needs: postsOne,
  },
  {
    id: 'idem-second-form',
    section: '4',
    says: 'The second address form reaches the same resources (idempotency keys are kept apart per form).',
  },
  {
    id: 'idem-global-repeat',
    section: '4.4',
    says: 'POST creates a lead (the same body under a new key within seconds replays the old lead).',
  },

  // --- deals ---------------------------------------------------------------------
  { id: 'deals-missing', section: '4.6', says: '/api/v1/deals is stable (404).' },
  { id: 'deals-read-refused', section: '5.5', says: 'read:deals covers deals (refused).' },
  { id: 'deals-inventory-reads', section: '5.5', says: 'read:inventory grants units only (it may read deals).' },
  { id: 'deals-calls-reads', section: '5.5', says: 'read:calls grants calls only (it may read deals).' },
  { id: 'deals-open', section: '4', says: 'All production calls send Authorization (deals are open).' },
  {
    id: 'deals-tenant-leak',
    section: '5.2',
    says: 'A tenant is selected (deals of other tenants are shown).',
    needs: hasDeals,
  },
  { id: 'deals-bare', section: '1', says: 'Successful responses use the envelope (deals come bare).' },
  { id: 'deals-admin-refused', section: '5.5', says: 'admin:* is full tenant access (refused for deals).' },

  // --- planned ---------------------------------------------------------------------
  {
    id: 'planned-calls-live',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (GET /calls gives an empty list).',
  },
  {
    id: 'planned-desk-live',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (the desk of an existing deal answers 200).',
    needs: hasDeals,
  },
  {
    id: 'planned-transcript-401',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (the transcript answers 401 without a key).',
  },
  {
    id: 'planned-transcript-403',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (the transcript answers 403 to keys without read:calls).',
  },
  {
    id: 'planned-dispatch-405',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (GET on dispatch gives 405, POST 202).',
  },
  {
    id: 'planned-dispatch-post',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (POST on dispatch is validated: 400).',
  },
  { id: 'planned-funnel-501', section: '4 Planned', says: 'Planned endpoints return 404 (the funnel gives 501).' },
  {
    id: 'planned-funnel-query',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (the funnel with a query string gives 200).',
  },
  {
    id: 'planned-200-body-404',
    section: '7',
    says: 'A planned endpoint: HTTP 404 (the status is 200, 404 stands in the body).',
  },
  {
    id: 'planned-second-form',
    section: '4 Planned',
    says: 'Planned endpoints return 404 (the second address form gives 503 for them).',
  },
  { id: 'planned-delete-405', section: '4 Planned', says: 'Planned endpoints return 404 (DELETE gives 405).' },

  // --- demo -------------------------------------------------------------------------
  { id: 'demo-envelope', section: '4 Demo', says: 'Demo responses omit the { ok, data } envelope.' },
  { id: 'demo-auth', section: '4 Demo', says: 'The demo lists units without authentication (401).' },
  {
    id: 'demo-token-refused',
    section: '5.4',
    says: 'The demo needs no token (an unknown or outdated token leads to 401).',
  },
  {
    id: 'demo-other-records',
    section: '1',
    says: 'The demo returns the same Unit records as production (made-up ids).',
  },
  {
    id: 'demo-status-wrong',
    section: '1',
    says: 'The demo returns the same Unit records as production (the status of each is wrong: always available).',
  },
  {
    id: 'demo-field-renamed',
    section: '4 Demo',
    says: 'The shape is the same as production unit records (id is called unitId).',
  },
  {
    id: 'demo-field-extra',
    section: '4 Demo',
    says: 'The shape is exactly that of production unit records (a field demo: true is added).',
  },
  {
    id: 'demo-field-missing',
    section: '4 Demo',
    says: 'The shape is exactly that of production unit records (a field is left out).',
    needs: (f) => f.units.probe !== undefined,
  },
  { id: 'demo-limit-ignored', section: '4 Demo', says: 'limit is a query parameter of the demo (no effect).' },
  { id: 'demo-limit-plus-one', section: '4 Demo', says: 'limit is a query parameter of the demo (one too many).' },
  { id: 'demo-writable', section: '4 Demo', says: 'The demo is read-only (POST creates a unit).' },
  { id: 'demo-deletes', section: '4 Demo', says: 'The demo is read-only (DELETE removes the first unit).' },
  {
    id: 'demo-personal',
    section: '4 Demo',
    says: "The shape is exactly that of production unit records (the seller's telephone is added).",
  },
  {
    id: 'demo-stale',
    section: '1',
    says: 'The demo returns the same records as production (ids are the same, numbers inside are changed).',
    needs: (f) => f.units.probe !== undefined,
  },

  // --- authentication -----------------------------------------------------------------
  {
    id: 'auth-none-list',
    section: '4',
    says: 'All production calls send Authorization (the unit list works without).',
  },
  {
    id: 'auth-none-single',
    section: '4',
    says: 'All production calls send Authorization (the single unit works without).',
  },
  {
    id: 'auth-none-second-form',
    section: '4',
    says: 'All production calls send Authorization (the second address form works without).',
  },
  {
    id: 'auth-none-lead',
    section: '4',
    says: 'All production calls send Authorization (creating leads works without).',
  },
  { id: 'auth-any-key', section: '5.3', says: 'Keys are provisioned by the operator (any bearer token is accepted).' },
  {
    id: 'auth-prefix',
    section: '5.3',
    says: 'Keys are provisioned by the operator (a known key followed by anything is accepted).',
  },
  {
    id: 'auth-shortened',
    section: '5.3',
    says: 'Keys are provisioned by the operator (a known key lacking its last character is accepted).',
  },
  { id: 'auth-folded', section: '5.3', says: 'Keys are provisioned by the operator (letter case of keys is ignored).' },
  {
    id: 'auth-empty',
    section: '5.1',
    says: 'Production calls send Authorization: Bearer <API_KEY> (an empty token is accepted).',
  },
  {
    id: 'auth-slug-as-key',
    section: '5.1',
    says: 'Authorization: Bearer <API_KEY> (the tenant slug is accepted as key).',
  },
  {
    id: 'auth-tenant-instead',
    section: '4',
    says: 'All production calls send Authorization (with X-Tenant of a known tenant the unit list needs no key).',
  },
  { id: 'scope-calls-reads-units', section: '5.5', says: 'read:calls grants calls (it may list units).' },
  {
    id: 'scope-leads-reads-units-item',
    section: '5.5',
    says: 'read:leads grants leads (it may get single units).',
    needs: (f) => f.unitCount > 0,
  },
  {
    id: 'scope-inventory-refused',
    section: '5.5',
    says: 'read:inventory grants listing units (refused; only admin:* may).',
  },
  { id: 'scope-write-any', section: '5.5', says: 'write:leads grants leads (it may write units).' },
  {
    id: 'scope-admin-crosses',
    section: '5.5',
    says: 'admin:* is full access to its tenant (with X-Tenant it reaches the other tenant).',
    needs: refusesTenant,
  },
  {
    id: 'tenant-header-leak',
    section: '5.2',
    says: 'A tenant is selected by header within what the key may reach (any key reads any tenant).',
  },
  {
    id: 'tenant-own-refused',
    section: '5.2',
    says: "A tenant is selected with X-Tenant (the key's own tenant is refused on the first form).",
  },
  {
    id: 'tenant-header-required',
    section: '4.1',
    says: 'X-Tenant is omitted in one example (refused without on the first form).',
  },
  {
    id: 'tenant-first-wins',
    section: '5.2',
    says: 'A tenant is selected by its key (without X-Tenant every key sees the main tenant).',
  },

  // --- webhooks -----------------------------------------------------------------------
  { id: 'hook-unsigned', section: '5.6', says: 'The signature is sent in a header (missing).' },
  { id: 'hook-sha1', section: '5.6', says: 'HMAC using SHA-256 (SHA-1 is used).' },
  { id: 'hook-plain-hash', section: '5.6', says: 'HMAC using SHA-256 (a plain SHA-256 over secret and body).' },
  {
    id: 'hook-reserialised',
    section: '5.6',
    says: 'HMAC over the raw body (signed before the body is pretty-printed).',
  },
  { id: 'hook-newline', section: '5.6', says: 'HMAC over the raw body (a final newline is sent but not signed).' },
  {
    id: 'hook-ascii',
    section: '5.6',
    says: 'HMAC over the raw body (signed over the Latin-1 reading of it: wrong only outside ASCII).',
  },
  {
    id: 'hook-timestamped',
    section: '5.6',
    says: 'HMAC over the raw body (a timestamp is put in front before signing).',
  },
  {
    id: 'hook-wrong-tenant',
    section: '5.6',
    says: "A per-tenant webhook secret (everything is signed with the main tenant's).",
  },
  { id: 'hook-key-as-secret', section: '5.6', says: "The webhook secret signs (the tenant's API key is used)." },
  {
    id: 'hook-stale-signature',
    section: '5.6',
    says: 'The body is signed (the signature of the first event is sent with all later ones).',
  },
  { id: 'hook-truncated', section: '5.6', says: 'HMAC using SHA-256 (only the first 16 bytes are sent).' },
  { id: 'hook-service-unsigned', section: '5.6', says: 'The body is signed (events of the Service group are not).' },
  { id: 'hook-large-body', section: '5.6', says: 'HMAC over the raw body (only its first 64 bytes are signed).' },
  { id: 'hook-deal-no-gross', section: '6', says: 'deal.funded carries id and totalGross (totalGross is missing).' },
  { id: 'hook-deal-gross-string', section: '2 Deal', says: 'totalGross is a number (a string in deal.funded).' },
  { id: 'hook-deal-no-id', section: '6', says: 'deal.funded carries id (missing).' },
  { id: 'hook-deal-id-number', section: '2 Deal', says: 'id of a deal is a string (a number in deal.funded).' },
  { id: 'hook-kind-renamed', section: '6', says: 'The kind call.escalated exists (sent as call.escalate).' },
  {
    id: 'hook-kind-underscore',
    section: '6',
    says: 'The kinds are written with a dot (service.opened is sent as service_opened).',
  },
  { id: 'hook-kind-silent', section: '6', says: 'unit.aged is a kind of event (it is never delivered).' },
  {
    id: 'hook-tenant-leak',
    section: '5.6',
    says: "Per-tenant webhooks (the other tenant's receiver also gets the main tenant's events).",
  },
  {
    id: 'hook-own-shape',
    section: openapi,
    says: 'The webhook body lacks all properties its declared schema requires.',
    needs: declaresHooks,
  },
  {
    id: 'hook-lead-unsigned',
    section: '5.6',
    says: 'The body is signed (lead.created raised by creating a lead is not).',
    needs: emitsOnLead,
  },

  // --- limits ----------------------------------------------------------------------------
  { id: 'rate-none', section: '8', says: 'Independent: 600 / min, 100 / s (never refused).' },
  { id: 'rate-minute-late', section: '8', says: 'Independent: 600 / min (refused only after 900).' },
  { id: 'rate-minute-early', section: '8', says: 'Independent: 600 / min (refused after 300).' },
  {
    id: 'rate-minute-off-by-one',
    section: '8',
    says: 'Independent: 600 / min (the 600th is refused).',
    needs: (f) => f.limiter !== 'token-bucket',
  },
  { id: 'rate-second-none', section: '8', says: 'Independent: 100 req/sec (only the minute is limited).' },
  { id: 'rate-second-early', section: '8', says: 'Independent: 100 req/sec (refused after 40 in a second).' },
  {
    id: 'rate-franchise-as-independent',
    section: '8',
    says: 'Franchise: 3,000 / min, 500 req/sec (treated as Independent).',
  },
  { id: 'rate-franchise-second-early', section: '8', says: 'Franchise: 500 req/sec (refused after 200 in a second).' },
  {
    id: 'rate-enterprise-as-independent',
    section: '8',
    says: 'Enterprise limits are custom as agreed (treated as Independent).',
  },
  { id: 'rate-503', section: '7', says: 'The rate limit is exceeded: HTTP 429 (503 is sent).' },
  { id: 'rate-403', section: '7', says: 'The rate limit is exceeded: HTTP 429 (403 is sent).' },
  { id: 'rate-never-recovers', section: '8', says: 'A rate per time (once refused, refused for good).' },
  {
    id: 'rate-global',
    section: '8',
    says: "Limits belong to a plan's customer (one tenant's use exhausts every other key).",
    needs: ownPlanTenants,
  },
  { id: 'rate-writes-free', section: '8', says: 'Independent: 600 / min (POST requests are never counted).' },
  {
    id: 'rate-second-form-free',
    section: '8',
    says: 'Independent: 600 / min (the second address form is never counted).',
  },
  { id: 'rate-item-free', section: '8', says: 'Independent: 600 / min (requests for single units are never counted).' },
  { id: 'rate-demo-none', section: '8', says: 'Demo: 100 requests per minute (never refused).' },
  { id: 'rate-demo-late', section: '8', says: 'Demo: 100 requests per minute (refused after 250).' },
  { id: 'rate-demo-early', section: '8', says: 'Demo: 100 requests per minute (refused after 60).' },
  {
    id: 'rate-demo-key',
    section: '8',
    says: 'Demo: 100 requests per minute (a new X-Forwarded-For or User-Agent value starts anew).',
  },
  { id: 'rate-headers-none', section: '8', says: 'Response headers RateLimit-Limit, -Remaining, -Reset (none).' },
  { id: 'rate-headers-prefixed', section: '8', says: 'Response headers RateLimit-* (sent as X-RateLimit-*).' },
  { id: 'rate-headers-not-on-429', section: '8', says: 'Response headers RateLimit-* (missing on the 429).' },
  { id: 'rate-headers-not-on-post', section: '8', says: 'Response headers RateLimit-* (missing on created leads).' },
  { id: 'rate-headers-demo-none', section: '8', says: 'Response headers RateLimit-* (missing on the demo).' },
  { id: 'rate-reset-missing', section: '8', says: 'Response headers RateLimit-Reset (missing).' },
  { id: 'rate-remaining-still', section: '8', says: 'RateLimit-Remaining counts down (it always equals the limit).' },
  {
    id: 'rate-remaining-negative',
    section: '8',
    says: 'RateLimit-Remaining is a non-negative integer (it goes below zero on 429).',
  },
  {
    id: 'rate-remaining-up',
    section: '8',
    says: 'RateLimit-Remaining is what remains (it reports what has been used).',
  },
  { id: 'rate-reset-epoch', section: '8', says: 'RateLimit-Reset is delta seconds (a Unix time is sent).' },
  { id: 'rate-reset-ms', section: '8', says: 'RateLimit-Reset is delta seconds (milliseconds are sent).' },
  { id: 'rate-reset-date', section: '8', says: 'RateLimit-Reset is delta seconds (an HTTP date is sent).' },
  {
    id: 'rate-limit-wrong',
    section: '8',
    says: 'RateLimit-Limit is the limit that applies (1000 is reported for Independent).',
  },

  // --- versions and second form --------------------------------------------------------------
  { id: 'second-form-missing', section: '4', says: 'A second address form is shown for the same resources (404).' },
  {
    id: 'second-form-leads-missing',
    section: '4',
    says: 'A second address form for the same resources, e.g. /v1/leads (404 for leads).',
  },
  {
    id: 'second-form-item-missing',
    section: '4',
    says: 'A second address form for the same resources (404 for single units).',
  },
  {
    id: 'second-form-bare',
    section: '2 Envelope',
    says: 'Every production response has the envelope (not on the second form).',
  },
  {
    id: 'second-form-stale',
    section: '4',
    says: 'The second form shows the same resources (a copy made at start).',
    needs: (f) => f.unitsWrite !== 'patch',
  },
  {
    id: 'second-form-main-tenant',
    section: '5.2',
    says: 'A tenant is selected with X-Tenant (the second form always serves the main tenant).',
  },
  { id: 'second-form-filter', section: '4.1', says: 'status filters the list (not on the second form).' },
  { id: 'second-form-limit', section: '4.1', says: 'limit limits the list (not on the second form).' },
  {
    id: 'version-any',
    section: '9',
    says: 'The API version is in the path: /api/v1 (v0, v2, v99 answer just the same).',
  },
] as const satisfies readonly BreachEntry[];

export type BreachId = (typeof breachList)[number]['id'];
