import { fault } from './fault.js';

const vacuous = { 'document-schemas': 'vacuous' } as const;
const anyStatus = { 'document-statuses': 'default' } as const;
const dealAnswer = {
  'DEAL-01': 'the answer of the deals operation is no envelope any more',
  'DEAL-02': 'deals cannot be read from it',
};

/** Faults of the envelope around every production answer. */
export const envelopeFaults = [
  fault('ok-as-text', 'ENV-01', 'deals answer with ok as the text "true"', { needs: vacuous, also: dealAnswer }),
  fault('deals-as-plain-text', 'ENV-01', 'deals answer as text/plain', {
    also: { ...dealAnswer, 'ENV-04': 'the content type is not the declared one' },
  }),
  fault('deals-in-latin-1', 'ENV-01', 'the second page of deals is encoded in Latin-1', {
    needs: vacuous,
    also: dealAnswer,
  }),
  fault('unit-list-without-ok', 'ENV-01', 'a filtered unit list lacks ok', {
    needs: vacuous,
    also: {
      'UNIT-03': 'a filtered list cannot be read',
      'UNIT-05': 'nor walked',
      'ENV-02': 'a success has to say ok: true',
    },
  }),
  fault('success-says-not-ok', 'ENV-03', 'the second page of deals says ok: false and has no error', {
    needs: vacuous,
    also: dealAnswer,
  }),
  fault('success-data-array', 'ENV-02', 'data of the deals answer is an array', { needs: vacuous, also: dealAnswer }),
  fault('success-without-data', 'ENV-02', 'a unit list of one unit has no data', {
    needs: vacuous,
    also: {
      'UNIT-01': 'a unit list without data',
      'UNIT-05': 'pages of one unit cannot be walked',
      'UNIT-04': 'pages of one unit cannot be counted',
    },
  }),
  fault('bare-unknown-unit', 'ENV-03', 'an unknown unit is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-01': 'there is no ok', 'UNIT-07': 'the refusal of an unknown unit has to be an envelope' },
  }),
  fault('bare-405', 'ENV-03', 'a method that a path does not have is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-01': 'there is no ok' },
  }),
  fault('bare-415', 'ENV-03', 'an unsupported content type is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-01': 'there is no ok', 'LEAD-05': 'hostile input has to be answered with an envelope' },
  }),
  fault('bare-malformed', 'ENV-03', 'malformed JSON is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-01': 'there is no ok', 'LEAD-05': 'hostile input has to be answered with an envelope' },
  }),
  fault('bare-conflict', 'ENV-03', 'a used key with another body is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-01': 'there is no ok', 'IDEM-04': 'a refusal is an envelope', 'IDEM-07': 'so in every sequence' },
  }),
  fault('bare-invalid-lead', 'ENV-03', 'an invalid lead is refused without the envelope', {
    needs: vacuous,
    also: {
      'LEAD-05': 'hostile input has to be answered with an envelope',
      'ENV-01': 'there is no ok',
      'LEAD-04': 'a refusal is an envelope',
    },
  }),
  fault('refusal-error-is-text', 'ENV-03', 'the error of an unknown unit is a text', {
    needs: vacuous,
    also: { 'UNIT-07': 'the refusal of an unknown unit has to be an envelope' },
  }),
  fault('refusal-says-ok', 'ENV-03', 'the refusal for a missing scope says ok: true', {
    needs: vacuous,
    also: { 'AUTH-03': 'a refusal is an envelope' },
  }),
  fault('refusal-with-200', 'ENV-03', 'an unknown unit is refused with status 200', { needs: vacuous, warns: true }),
  fault('refusal-with-undeclared-200', 'ENV-04', 'an unknown unit is refused with status 200, declared for units only'),
  fault('deals-as-vendor-json', 'ENV-04', 'deals answer as application/hal+json, which is not declared'),
  fault('deal-breaks-schema', 'ENV-04', 'termMonths of every deal is a text'),
  fault('deal-field-missing-on-page-two', 'ENV-04', 'deals on page two lack the required currency', {
    elsewhere: 'DEAL',
  }),
  fault('unit-breaks-schema-on-page-three', 'ENV-04', 'one unit far down the list has its latitude as text', {
    also: { 'DEMO-03': 'demo records are judged by the same schema' },
  }),
  fault('lead-status-undeclared', 'ENV-04', 'a read lead has a status outside the declared ones', {
    elsewhere: 'LEAD',
  }),
  fault('error-breaks-schema', 'ENV-04', 'the message of an unknown unit is a number'),
  fault('deals-answer-203', 'ENV-05', 'deals answer 203, which is not declared'),
  fault('create-answers-202', 'ENV-05', 'a lead is created with 202, which is not declared'),
  fault('unknown-unit-410', 'ENV-05', 'an unknown unit answers 410, which is not declared', {
    also: { 'UNIT-07': 'a 404 is recommended' },
  }),
  fault('crash-on-unknown-unit', 'ENV-06', 'an unknown unit answers 500', {
    needs: anyStatus,
    also: { 'UNIT-07': 'an unknown unit has to be refused properly', 'DOC-09': 'a declared operation fails' },
  }),
  fault('crash-on-empty-credentials', 'ENV-06', 'an empty Authorization value answers 500', {
    needs: anyStatus,
    also: { 'AUTH-01': 'credentials have to be refused', 'AUTH-06': '401 is recommended' },
  }),
  fault('crash-on-unknown-lead', 'ENV-06', 'reading or changing an unknown lead answers 500', {
    needs: anyStatus,
    elsewhere: 'AUTH',
  }),
  fault('crash-on-deals-limit', 'ENV-06', 'deals with a limit above 20 answer 500', {
    needs: anyStatus,
    also: dealAnswer,
  }),
  fault('crash-on-unknown-tenant', 'ENV-06', 'X-Tenant that names no tenant answers 500', { needs: anyStatus }),
  fault('crash-on-latin-credential', 'ENV-06', 'a key with bytes above 0x7f answers 500', {
    needs: anyStatus,
    elsewhere: 'AUTH',
  }),
  fault('crash-on-null-in-id', 'ENV-06', 'a unit id with %00 answers 500', { needs: anyStatus, elsewhere: 'UNIT' }),
  fault('crash-on-long-key', 'ENV-06', 'an idempotency key of more than 255 characters answers 500', {
    needs: anyStatus,
    elsewhere: 'IDEM',
  }),
  fault('long-path-as-page', 'ENV-01', 'a unit id of more than 2,500 characters is refused with an HTML page', {
    elsewhere: 'UNIT',
    also: { 'ENV-03': 'a page is no failure envelope', 'ENV-04': 'the content type is not the declared one' },
  }),
  fault('error-with-stack', 'ENV-07', 'the error of an unknown unit holds a stack trace'),
  fault('error-with-sql', 'ENV-07', 'the error of an invalid lead holds an SQL statement'),
  fault('error-with-path', 'ENV-07', 'the error of a malformed body holds a path of the server', { elsewhere: 'LEAD' }),
  fault('error-with-data', 'ENV-07', 'a refused unit has data beside its error'),
  fault('demo-crash-on-unusable-limit', 'ENV-06', 'the demo list answers 500 where its limit is no number', {
    elsewhere: 'DEMO',
  }),
  fault('demo-post-crashes', 'ENV-06', 'a POST to the demo list answers 500', { elsewhere: 'DEMO' }),
  fault('header-missing', 'ENV-08', 'deals lack the declared request id header'),
  fault('header-breaks-schema', 'ENV-08', 'the request id of deals is no UUID as declared'),
  fault('location-missing', 'ENV-08', 'a created lead lacks the declared Location'),
] as const;
