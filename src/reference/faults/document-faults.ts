import { fault } from './fault.js';

const unread = 'nothing can be judged by a document that cannot be read';
const withoutDocument = {
  'DOC-02': unread,
  'DOC-03': unread,
  'DOC-04': unread,
  'DOC-05': unread,
  'DOC-06': unread,
  'DOC-07': unread,
  'DOC-08': unread,
  'DOC-09': unread,
  'DOC-10': unread,
  'ENV-04': unread,
  'ENV-05': unread,
  'ENV-08': unread,
  'UNIT-11': unread,
  'LEAD-04': unread,
  'LEAD-07': unread,
  'IDEM-02': unread,
};
const unresolved = {
  'DOC-05': 'a schema whose reference leads nowhere cannot be compiled',
  'DOC-06': 'a generator cannot follow the reference either',
  'DOC-02': 'a validator that follows references refuses it',
};
const misshapen = { 'DOC-06': 'a generator may refuse a document that is not valid' };

/** Faults of the served OpenAPI document. */
export const documentFaults = [
  fault('document-missing', 'DOC-01', 'the document answers 404', { also: withoutDocument }),
  fault('document-in-array', 'DOC-01', 'the document comes wrapped in an array', { also: withoutDocument }),
  fault('document-as-page', 'DOC-01', 'the document address answers 200 with an HTML page', { also: withoutDocument }),
  fault('document-cut-short', 'DOC-01', 'the last 40 characters of the document are missing', {
    also: withoutDocument,
  }),
  fault('document-as-part', 'DOC-01', 'the whole document answers 206'),
  fault('document-says-3-0', 'DOC-02', 'the document says openapi 3.0.3', { also: misshapen }),
  fault('document-without-title', 'DOC-02', 'info has no title', { also: misshapen }),
  fault('document-parameter-without-place', 'DOC-02', 'a query parameter does not say where it stands', {
    also: misshapen,
  }),
  fault('document-status-misspelt', 'DOC-02', 'a response is declared under the status 4O4, with a letter', {
    also: misshapen,
  }),
  fault('document-response-without-description', 'DOC-02', 'a response has no description', { also: misshapen }),
  fault('document-dangling-reference', 'DOC-03', 'a schema refers to a component that is not there', {
    also: unresolved,
  }),
  fault('document-external-reference', 'DOC-03', 'a schema refers to a document on another host', { also: unresolved }),
  fault('document-file-reference', 'DOC-03', 'a schema refers to a file beside the document', { also: unresolved }),
  fault('document-schema-file-missing', 'DOC-03', 'the file of the lead schema beside the document answers 404', {
    needs: { 'document-refs': 'files' },
    also: {
      ...unresolved,
      'ENV-04': 'a body cannot be judged by a schema that is not there',
      'HOOK-06': 'nor can an event',
    },
  }),
  fault('document-without-unit-list', 'DOC-04', 'GET units is not described'),
  fault('document-without-second-unit-operation', 'DOC-04', 'only one operation on units is described'),
  fault('document-without-unit', 'DOC-04', 'no operation on a single unit is described'),
  fault('document-without-lead-create', 'DOC-04', 'POST leads is not described'),
  fault('document-without-second-lead-operation', 'DOC-04', 'only one operation on leads is described', {
    needs: { 'lead-item': 'none' },
  }),
  fault('document-without-deals', 'DOC-04', 'no operation on deals is described'),
  fault('document-without-demo', 'DOC-04', 'the demo list is not described'),
  fault('document-misspells-type', 'DOC-05', 'a property is of the type "strng"', {
    also: { ...misshapen, 'DOC-02': 'the official schema may be asked with its dialect, which refuses the type too' },
  }),
  fault('document-length-as-text', 'DOC-05', 'a minLength is given as text', {
    also: { ...misshapen, 'DOC-02': 'the official schema may be asked with its dialect' },
  }),
  fault('document-broken-pattern', 'DOC-05', 'a pattern is no regular expression', {
    also: { 'DOC-02': 'a format-asserting validator refuses it' },
  }),
  fault('document-required-as-text', 'DOC-05', 'required is a string', {
    also: { ...misshapen, 'DOC-02': 'the official schema may be asked with its dialect' },
  }),
  fault(
    'document-schema-is-itself',
    'DOC-06',
    'a component schema is nothing but a reference to itself, so that its type never resolves',
    { also: { 'DOC-05': 'a schema that is nothing but itself cannot be compiled either' } },
  ),
  fault('document-declares-planned', 'DOC-07', 'a planned path is declared like a live one', {
    also: { 'DOC-09': 'what is planned answers 404' },
  }),
  fault('document-without-security', 'DOC-08', 'no bearer security is declared'),
  fault('document-demo-secured', 'DOC-08', 'the demo operation is declared to need a key'),
  fault('document-without-idempotency-key', 'DOC-08', 'creates do not declare the idempotency key'),
  fault('document-without-429', 'DOC-08', 'no operation declares 429', {
    also: { 'ENV-05': 'a throttled request is answered with a status that is not declared' },
  }),
  fault('document-without-limit-headers', 'DOC-08', 'the RateLimit headers are not declared'),
  fault('document-without-envelope', 'DOC-08', 'response schemas do not mention the envelope'),
  fault('document-without-webhooks', 'DOC-08', 'the webhooks are not described'),
  fault('declared-delete-not-served', 'DOC-09', 'DELETE on a unit is declared and answers 405'),
  fault('declared-unit-patch-not-served', 'DOC-09', 'PATCH on a unit is declared and answers 501', {
    also: { 'ENV-06': '501 is a 5xx', 'ENV-05': '501 is not declared' },
  }),
  fault('declared-list-not-served', 'DOC-09', 'a list of the service’s own is declared and answers 404'),
  fault('declared-lead-read-not-served', 'DOC-09', 'GET on a single lead is declared and answers 405', {
    also: { 'LEAD-07': 'a lead cannot be read back', 'ENV-05': '405 is not declared' },
  }),
  fault('contract-loses-operation', 'DOC-10', 'DELETE on a unit, which the pinned document promises, is gone', {
    setting: 'CONTRACT',
    also: { 'DOC-09': 'judged by the pinned document, a declared operation is absent' },
  }),
  fault('contract-loses-field', 'DOC-10', 'units no longer show their stock number', {
    setting: 'CONTRACT',
    also: {
      'HOOK-06': 'an event about a unit lacks the field, too',
      'ENV-04': 'judged by the pinned document, a required field is missing',
    },
  }),
  fault('contract-narrows-input', 'DOC-10', 'a lead name may hold 60 characters only', {
    setting: 'CONTRACT',
    also: { 'LEAD-03': 'judged by the pinned document, longer names have to be accepted' },
  }),
  fault('contract-new-required-input', 'DOC-10', 'a unit can no longer be created without a trim', {
    setting: 'CONTRACT',
    also: { 'UNIT-11': 'judged by the pinned document, a unit without a trim has to be accepted' },
  }),
] as const;
