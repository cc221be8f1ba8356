import type { Flavour } from '../types.js';
import { breach, firmDoc } from './breach.js';

const nullEnd = (f: Flavour): boolean => f.cursor.end === 'null' && firmDoc(f);

/** Breaches of the document and of the envelope, one a line. */
// prettier-ignore
export const documentBreaches = [
  // document
  breach('doc-version-30', 'DOC-02', '1, 9', 'The OpenAPI description is version 3.1 (the document says 3.0.3).'),
  breach('doc-yaml', 'DOC-01', '1', 'A machine-readable OpenAPI 3.1 description is served at {base_url}/api/openapi.json (YAML is served, not JSON).'),
  breach('doc-trailing-comma', 'DOC-01', '4 Specification endpoint', 'GET /api/openapi.json returns the OpenAPI 3.1 description (the JSON has a trailing comma).'),
  breach('doc-elsewhere', 'DOC-01', '4 Specification endpoint', 'GET {base_url}/api/openapi.json returns the description (it is only at /openapi.json).'),
  breach('doc-dangling-ref', 'DOC-03 DOC-06', '9', 'Typed clients can be generated from the description (a $ref points at a component that does not exist).'),
  breach('doc-dangling-request-ref', 'DOC-03 DOC-06', '9', 'Typed clients can be generated from the description (the $ref of the lead request body has a typing error).'),
  breach('doc-no-leads', 'DOC-04', '1, 4.4', 'POST /api/v1/leads is live and stable (the description has no such operation).'),
  breach('doc-no-unit-item', 'DOC-04', '1, 4.3', '/api/v1/units/{id} is stable (the description does not contain it).'),
  breach('doc-duplicate-operation-id', 'DOC-02', '9', 'OpenAPI 3.1: an operationId is unique among all operations (two share one).'),
  breach('doc-no-info-version', 'DOC-02', '1', 'OpenAPI 3.1: info.version is required (missing).'),
  breach('doc-response-no-description', 'DOC-02', '1', 'OpenAPI 3.1: a Response Object requires description (one lacks it).'),
  breach('doc-path-param-undeclared', 'DOC-02', '1', 'OpenAPI 3.1: each template expression in a path has a path parameter ({id} has none).'),
  breach('doc-path-param-optional', 'DOC-02', '1', 'OpenAPI 3.1: a path parameter is required: true (declared false).'),
  breach('doc-security-undefined', 'DOC-02', '1', 'OpenAPI 3.1: a security requirement names a declared security scheme (it names one that is not declared).'),
  breach('doc-type-typo', 'DOC-05 DOC-02', '1', 'OpenAPI 3.1: schemas are JSON Schema 2020-12 (one type is "int").'),
  breach('doc-limit-string', 'DOC-04', '4.1', 'limit is an integer query parameter (declared as a boolean).'),
  breach('doc-planned-live', 'DOC-07 DOC-09', '4 Planned', 'Endpoints labelled planned are not live (the document declares GET /calls with 200, the service answers 404).'),
  breach('doc-nullable-lost', 'ENV-04', 'its own OpenAPI document', 'nextCursor is declared a plain string but is null on the last page.', { needs: nullEnd }),
  breach('doc-status-code-lost', 'ENV-05', 'its own OpenAPI document', 'The status of a created lead is not among the declared responses.', { needs: firmDoc }),
  breach('doc-media-type', 'ENV-04', 'its own OpenAPI document', 'The unit list is declared as application/vnd.units+json but sent as application/json.'),
  // envelope
  breach('env-ok-string', 'ENV-01', '2 Envelope', 'ok is a boolean (it is the string "true" on the unit list).'),
  breach('env-ok-number', 'ENV-01 ENV-03', '2 Envelope', 'ok is a boolean (failures carry 0).'),
  breach('env-ok-missing-on-404', 'ENV-01 ENV-03', '2 Envelope', 'ok is present in every production response (missing on 404).'),
  breach('env-ok-true-on-error', 'ENV-03', '2 Envelope', 'ok is the outcome flag (true on a 400-type failure).'),
  breach('env-error-string', 'ENV-03', '2 Envelope', 'error is an object (a string is sent).'),
  breach('env-error-array', 'ENV-03', '2 Envelope', 'error is an object (an array is sent for invalid bodies).'),
  breach('env-error-missing-on-scope', 'ENV-03', '2 Envelope', 'error is present on failure (missing when a scope is lacking).'),
  breach('env-single-bare', 'ENV-01 UNIT-06', '1', 'Successful responses use the envelope { ok, data } (a single unit comes bare).'),
  breach('env-flat-list', 'UNIT-01 ENV-02', '2 Envelope', 'data of a unit list has the shape { items, nextCursor } (data is the bare array).'),
  breach('env-cursor-outside', 'UNIT-01 UNIT-05', '2 Envelope', 'data of a unit list has the shape { items, nextCursor } (nextCursor stands beside data).'),
  breach('env-404-html', 'ENV-01 UNIT-07', '7', 'Any failure on a production endpoint: envelope (an unknown unit gives an HTML page).'),
  breach('env-method-plain', 'ENV-01', '7', 'Any failure on a production endpoint: envelope (an unsupported method gives plain text).'),
  breach('env-bad-json-plain', 'ENV-01 LEAD-05', '7', "Any failure on a production endpoint: envelope (malformed JSON gives the framework's HTML error page)."),
  breach('env-401-plain', 'ENV-01 AUTH-01', '7', 'Any failure on a production endpoint: envelope (a missing key gives plain text).'),
  breach('env-401-bare-error', 'ENV-01 AUTH-01', '7', 'Any failure on a production endpoint: envelope (an invalid key gives the bare error object).'),
  breach('env-429-plain', 'LIMIT-04', '7', 'Any failure on a production endpoint: envelope (a 429 has an empty body).'),
  breach('env-too-large-plain', 'ENV-01 LEAD-05', '7', 'Any failure on a production endpoint: envelope (a large body gives an unenveloped 413).'),
  breach('env-create-no-data', 'ENV-02 LEAD-01', '2 Envelope', 'data is present on success (a created lead gives { ok: true } only).'),
  breach('env-create-data-string', 'ENV-02', '2 Envelope', 'data is an object (a created lead gives its id as a bare string).'),
  breach('env-deals-array', 'ENV-02', '2 Envelope', 'data is an object (deals give a bare array).'),
];
