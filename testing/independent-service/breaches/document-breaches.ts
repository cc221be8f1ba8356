import { breach } from './breach.js';

/** Breaches of the document and of the envelope, one a line. */
// prettier-ignore
export const documentBreaches = [
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
];
