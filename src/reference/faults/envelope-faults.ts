import { contentType } from '../answers.js';
import { notFound } from '../api-failure.js';
import { mainTenant, type ApiKey } from '../api-keys.js';
import { readPageRequest } from '../data/paging.js';
import type { Deal } from '../data/records.js';
import type { Exchange, FaultHooks, Json } from '../instance.js';
import {
  anyStatus,
  bare,
  crash,
  crashes,
  errorWith,
  isPaged,
  items,
  numberOf,
  ownTenant,
  planned,
  records,
  refusal,
  refuses,
  seededUnit,
  status,
  success,
  vacuous,
} from './change.js';
import { fault, type Fault } from './fault.js';

const stack =
  '\n    at findUnit (/srv/app/dist/units/find-unit.js:41:13)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)';
const text = (code: string): FaultHooks =>
  refusal(code, (answer) => Object.assign(answer, { type: 'text/plain; charset=utf-8', body: 'Not Found' }));
/** Refuses with a page. */
export const page = (code: string, when: (exchange: Exchange) => boolean, status = 404): FaultHooks =>
  refusal(
    code,
    (answer, _, exchange) =>
      when(exchange) && Object.assign(answer, { status, type: 'text/html', body: '<h1>Sorry</h1>' }),
  );
const authorization = ({ headers }: Exchange): string | undefined => headers.authorization;
const named = ({ headers }: Exchange): string => String(headers['x-tenant']);
/** A list of units without part of its envelope, where its query is such. */
const unitList = (part: 'ok' | 'data', when: (query: Exchange['query']) => boolean): FaultHooks =>
  success('listUnits', ({ body }, { query }) => when(query) && delete (body as Json)[part]);

/** Whether the second page of deals is asked for. */
function isPageTwo(exchange: Exchange): boolean {
  const { query, world } = exchange;
  const { after, limit } = readPageRequest(query, 'deals', ownTenant(exchange).slug, world, 20);
  return Math.floor((after + 1) / limit) === 1;
}

/** Shows deals otherwise; what it gives is added. */
function deal(more: (deal: Deal, exchange: Exchange) => Json): FaultHooks {
  return records(/Deals?$/, (shown, exchange) => more(shown as unknown as Deal, exchange));
}

const by =
  (only: string) =>
  ({ method }: Exchange): boolean =>
    method === only;
const readsCalls = (_: Exchange, key: ApiKey | null): boolean => key?.scopes.includes('read:calls') === true;
const isKnownDeal = ({ path, world }: Exchange): boolean =>
  world.tenantOf(mainTenant).deals.some(({ id }) => path.startsWith(`/api/v1/deals/${encodeURIComponent(id)}/`));

/** Faults of the envelope around every production answer, of deals and of planned paths. */
// prettier-ignore
export const envelopeFaults: readonly Fault[] = [
  fault('ok-as-text', 'ENV-01', 'deals answer with ok as the text "true"', success('listDeals', ({ body }) => ((body as Json)['ok'] = 'true')), vacuous),
  fault('deals-with-member-twice', 'ENV-01', 'deals answer with ok twice in one object (warned of)',
    success('listDeals', (answer) => (answer.body = JSON.stringify(answer.body).replace('{', '{"ok":true,'))), { warns: true }),
  fault('deals-as-plain-text', 'ENV-01', 'deals answer as text/plain', success('listDeals', (answer) => (answer.type = 'text/plain; charset=utf-8'))),
  fault('deals-in-latin-1', 'ENV-01', 'the second page of deals is encoded in Latin-1', items('listDeals', (list, exchange, _, answer) => {
    if (!isPageTwo(exchange)) return;
    for (const one of list) one['lender'] = 'Crédit Agricole';
    Object.assign(answer, { type: contentType(exchange.world), body: Buffer.from(JSON.stringify(answer.body), 'latin1') });
  }), { ...vacuous, elsewhere: 'DEAL' }),
  fault('unit-list-without-ok', 'ENV-01', 'a filtered unit list lacks ok', unitList('ok', ({ status: filter }) => filter !== undefined), { ...vacuous, elsewhere: 'UNIT-03' }),
  fault('page-for-browsers', 'ENV-01', 'what prefers pages to JSON is refused with a page', {
    answer: (answer, { headers }, failure) => {
      if (failure !== null && headers.accept?.startsWith('text/html') === true)
        Object.assign(answer, { type: 'text/html', body: '<h1>Not found</h1>' });
    },
  }),
  fault('long-path-as-page', 'ENV-01', 'a unit id of more than 2,500 characters is refused with an HTML page',
    page('unit_not_found', ({ url }) => url.length > 2_500), { elsewhere: 'UNIT' }),
  fault('success-says-not-ok', 'ENV-03', 'the second page of deals says ok: false and has no error',
    success('listDeals', ({ body }, exchange) => isPageTwo(exchange) && ((body as Json)['ok'] = false)), { ...vacuous, elsewhere: 'DEAL' }),
  fault('text-for-unknown-lead', 'ENV-03', 'an unknown lead is refused with a line of text', text('lead_not_found'), { needs: { ...vacuous.needs, 'lead-item': 'get' } }),
  fault('text-for-unknown-deal', 'ENV-03', 'an unknown deal is refused with a line of text', text('deal_not_found'), { needs: { ...vacuous.needs, 'deal-item': 'get' } }),
  fault('second-form-bare-405', 'ENV-03', 'under the second address form, a method that a path does not have is refused without the envelope',
    refusal('method_not_allowed', (answer, _, { second }) => second && Object.assign(answer, { body: { message: 'Not allowed' } })), vacuous),
  fault('refusal-error-is-text', 'ENV-03', 'the error of an unknown unit is a text',
    refusal('unit_not_found', (answer, { message }) => (answer.body = { ok: false, error: message })), vacuous),
  fault('refusal-says-ok', 'ENV-03', 'the refusal for a missing scope says ok: true',
    refusal('scope_missing', ({ body }) => ((body as Json)['ok'] = true)), { ...vacuous, elsewhere: 'AUTH-03' }),
  fault('refusal-with-200', 'ENV-03', 'an unknown unit is refused with status 200', status('unit_not_found', 200), { ...vacuous, warns: true }),
  fault('bare-unknown-unit', 'ENV-03', 'an unknown unit is refused without the envelope', bare('unit_not_found'), vacuous),
  fault('bare-405', 'ENV-03', 'a method that a path does not have is refused without the envelope', bare('method_not_allowed'), vacuous),
  fault('bare-415', 'ENV-03', 'an unsupported content type is refused without the envelope', bare('unsupported_media_type'), vacuous),
  fault('bare-malformed', 'ENV-03', 'malformed JSON is refused without the envelope', bare('malformed_json'), vacuous),
  fault('bare-conflict', 'ENV-03', 'a used key with another body is refused without the envelope', bare('key_conflict'), { ...vacuous, elsewhere: 'IDEM-04' }),
  fault('bare-invalid-lead', 'ENV-03', 'an invalid lead is refused without the envelope', bare('invalid_lead'), vacuous),
  fault('success-data-array', 'ENV-02', 'data of the deals answer is an array', items('listDeals', (list, _, __, answer) => (answer.body = { ok: true, data: list })), vacuous),
  fault('success-without-data', 'ENV-02', 'a unit list of one unit has no data', unitList('data', ({ limit }) => limit === '1'), { ...vacuous, elsewhere: 'UNIT-04' }),
  fault('refusal-with-undeclared-200', 'ENV-04', 'an unknown unit is refused with status 200, declared for units only', status('unit_not_found', 200)),
  fault('deals-as-vendor-json', 'ENV-04', 'deals answer as application/hal+json, which is not declared', success('listDeals', (answer) => (answer.type = 'application/hal+json'))),
  fault('deal-breaks-schema', 'ENV-04', 'termMonths of every deal is a text', deal(({ termMonths }) => ({ termMonths: `${termMonths} months` }))),
  fault('deal-field-missing-on-page-two', 'ENV-04', 'deals on page two lack the required currency',
    deal((_, exchange) => (isPageTwo(exchange) ? { currency: undefined } : {})), { elsewhere: 'DEAL' }),
  fault('unit-breaks-schema-on-page-three', 'ENV-04', 'one unit far down the list has its latitude as text',
    seededUnit((unit, at) => (at === 23 ? { location: { ...unit.location, geo: { ...unit.location.geo, lat: String(unit.location.geo.lat) } } } : {}))),
  fault('lead-status-undeclared', 'ENV-04', 'a read lead has a status outside the declared ones',
    records(/^(list|get|update)Lead/, () => ({ status: 'lukewarm' })), { elsewhere: 'LEAD' }),
  fault('error-breaks-schema', 'ENV-04', 'the message of an unknown unit is a number', errorWith('unit_not_found', () => ({ message: 404 }))),
  fault('deals-answer-203', 'ENV-05', 'deals answer 203, which is not declared', success('listDeals', (answer) => (answer.status = 203))),
  fault('create-answers-202', 'ENV-05', 'a lead is created with 202, which is not declared', success('createLead', (answer) => (answer.status = 202))),
  fault('unknown-unit-410', 'ENV-05', 'an unknown unit answers 410, which is not declared', status('unit_not_found', 410)),
  fault('crash-on-unknown-unit', 'ENV-06', 'an unknown unit answers 500', status('unit_not_found', 500), anyStatus),
  fault('crash-on-empty-credentials', 'ENV-06', 'an empty Authorization value answers 500',
    crashes('key_missing', (exchange) => authorization(exchange) !== undefined), { ...anyStatus, elsewhere: 'AUTH-01' }),
  fault('crash-on-unknown-lead', 'ENV-06', 'reading or changing an unknown lead answers 500', status('lead_not_found', 500), { ...anyStatus, elsewhere: 'AUTH' }),
  fault('crash-on-deals-limit', 'ENV-06', 'deals with a limit above 20 answer 500', refuses('listDeals', crash, ({ query }) => Number(query['limit']) > 20), anyStatus),
  fault('deal-cursor-crash', 'ENV-06', 'a cursor that nobody issued answers 500 where deals are listed',
    refuses('listDeals', crash, ({ query }) => Object.values(query).includes('garbage'))),
  fault('options-crash', 'ENV-06', 'OPTIONS answers 500', refuses('', crash, ({ method }) => method === 'OPTIONS')),
  fault('odd-key-crash-on-units', 'ENV-06', 'an idempotency key that is no UUID answers 500 where a unit is created',
    refuses('createUnit', crash, ({ headers }) => /[^0-9a-f-]/i.test(String(headers['idempotency-key'] ?? ''))), { elsewhere: 'UNIT' }),
  fault('crash-on-unknown-tenant', 'ENV-06', 'X-Tenant that names no tenant answers 500',
    crashes('tenant_forbidden', (exchange) => !exchange.world.tenants.has(named(exchange))), anyStatus),
  fault('crash-on-latin-credential', 'ENV-06', 'a key with bytes above 0x7f answers 500',
    crashes('key_unknown', (exchange) => /[\x80-\xff]/.test(authorization(exchange) ?? '')), { ...anyStatus, elsewhere: 'AUTH' }),
  fault('crash-on-percent-in-key', 'ENV-06', 'a key with a percent sign that begins no escape answers 500',
    crashes('key_unknown', (exchange) => /%(?![0-9a-f]{2})./i.test(authorization(exchange) ?? '')), { ...anyStatus, elsewhere: 'AUTH' }),
  fault('crash-on-null-in-id', 'ENV-06', 'a unit id with %00 answers 500',
    crashes('unit_not_found', ({ id, operation }) => operation === 'getUnit' && id.includes('\0')), { ...anyStatus, elsewhere: 'UNIT' }),
  fault('crash-on-broken-escape', 'ENV-06', 'a path that cannot be decoded answers 500',
    { failure: (failure, { url }) => (/%(?![0-9a-f]{2})/i.test(url) ? crash() : failure) }, anyStatus),
  fault('crash-on-second-deletion', 'ENV-06', 'the deletion of a unit that was deleted before answers 500', () => {
    const deleted = new Set<string>();
    return {
      ...success('deleteUnit', (_, { id }) => void deleted.add(id)),
      ...crashes('unit_not_found', ({ id, operation }) => operation === 'deleteUnit' && deleted.has(id)),
    };
  }, { ...anyStatus, elsewhere: 'UNIT' }),
  fault('crash-on-empty-change', 'ENV-06', 'a change of a unit that names no field answers 500',
    refuses('updateUnit', crash, ({ body }) => String(body) === '{}'), { ...anyStatus, elsewhere: 'UNIT' }),
  fault('crash-on-long-key', 'ENV-06', 'an idempotency key of more than 255 characters answers 500',
    crashes('key_malformed', ({ headers }) => String(headers['idempotency-key']).length > 255), { ...anyStatus, elsewhere: 'IDEM' }),
  fault('error-with-stack', 'ENV-07', 'the error of an unknown unit holds a stack trace', errorWith('unit_not_found', ({ message }) => ({ stack: `Error: ${message}${stack}` }))),
  fault('error-with-sql', 'ENV-07', 'the error of an invalid lead holds an SQL statement',
    errorWith('invalid_lead', () => ({ cause: 'SELECT id, name FROM leads WHERE tenant_id = $1 AND phone = $2 -- 0 rows' }))),
  fault('error-with-path', 'ENV-07', 'the error of a malformed body holds a path of the server',
    errorWith('malformed_json', () => ({ cause: 'cannot parse body, see /srv/dealership/app/src/http/read-json.ts:22' })), { elsewhere: 'LEAD' }),
  fault('error-with-data', 'ENV-07', 'a refused unit has data beside its error', refusal('unit_not_found', ({ body }) => ((body as Json)['data'] = {}))),
  fault('header-missing', 'ENV-08', 'deals lack the declared request id header', success('listDeals', (_, { response }) => response.removeHeader('X-Request-Id'))),
  fault('header-breaks-schema', 'ENV-08', 'the request id of deals is no UUID as declared',
    success('listDeals', (_, { response, requestId }) => response.setHeader('X-Request-Id', `req-${requestId.slice(0, 8)}`))),
  fault('header-never-sent', 'ENV-08', 'a header that is declared for deals is never sent (warned of)', {
    document: ({ paths }) => {
      const { responses } = paths['/api/v1/deals']?.['get'] as { responses: Record<string, { headers: Json }> };
      Object.assign(responses['200']?.headers ?? {}, { 'X-Cache': { schema: { type: 'string' } } });
    },
  }, { warns: true }),
  fault('location-missing', 'ENV-08', 'a created lead lacks the declared Location', success('createLead', ({ headers }) => delete headers['Location'])),
  fault('deals-absent', 'DEAL-01', 'deals answer 404', refuses('listDeals', notFound)),
  fault('deals-bare', 'DEAL-01', 'deals answer with a bare array', items('listDeals', (list, _, __, answer) => (answer.body = list)), vacuous),
  fault('deals-refused', 'DEAL-01', 'deals answer 403 to full access',
    { allowed: (allowed, { scopes }, { operation }) => allowed && !(operation === 'listDeals' && scopes.includes('admin:*')) }),
  fault('deal-id-number', 'DEAL-02', 'ids of deals are numbers', deal(({ id }) => ({ id: numberOf(id) })), vacuous),
  fault('deal-total-text', 'DEAL-02', 'totalGross is a text', deal(({ totalGross }) => ({ totalGross: totalGross.toFixed(2) })), vacuous),
  fault('deal-id-number-on-short-pages', 'DEAL-02', 'ids of deals are numbers on further pages of at most ten',
    deal(({ id }, exchange) => (isPaged(exchange) && Number(exchange.query['limit']) <= 10 ? { id: numberOf(id) } : {})), vacuous),
  fault('deal-id-missing-on-page-three', 'DEAL-02', 'one deal far down the list has no id', deal(({ id }) => (id.endsWith('042') ? { id: undefined } : {})), vacuous),
  fault('deals-share-an-id', 'DEAL-02', 'all deals of a page after the first have one id',
    deal((_, exchange) => (isPaged(exchange) ? { id: `deal_page_${numberOf(exchange.url)}` } : {}))),
  fault('deal-total-null', 'DEAL-02', 'totalGross of an open deal is null', deal(({ status }) => (status === 'open' ? { totalGross: null } : {})), vacuous),
  fault('planned-desk-alive', 'PLAN-01', 'desking answers 200', planned(0, 200)),
  fault('planned-desk-alive-for-known-deal', 'PLAN-01', 'desking answers 200 for a deal that exists', planned(0, 200, isKnownDeal)),
  fault('planned-desk-put', 'PLAN-01', 'desking answers 202 to PUT only', planned(0, 202, by('PUT'))),
  fault('planned-calls-alive', 'PLAN-02', 'calls answer 200', planned(1, 200)),
  fault('planned-calls-post', 'PLAN-02', 'calls answer 201 to POST only', planned(1, 201, by('POST'))),
  fault('planned-calls-alive-for-their-scope', 'PLAN-02', 'calls answer 200 to a key with read:calls', planned(1, 200, readsCalls)),
  fault('planned-calls-403-for-their-scope', 'PLAN-02', 'calls answer 403 to a key with read:calls', planned(1, 403, readsCalls), { warns: true }),
  fault('calls-take-posts', 'PLAN-02', 'a POST of calls that has something to say is taken on with 202',
    planned(1, 202, ({ method, headers }) => method === 'POST' && Number(headers['content-length']) > 2)),
  fault('planned-calls-405', 'PLAN-02', 'calls answer 405', planned(1, 405)),
  fault('planned-transcript-alive', 'PLAN-03', 'a transcript answers 200', planned(2, 200)),
  fault('planned-transcript-403', 'PLAN-03', 'a transcript answers 403', planned(2, 403)),
  fault('planned-dispatch-alive', 'PLAN-04', 'dispatching answers 202 to POST only', planned(3, 202, by('POST'))),
  fault('planned-dispatch-405', 'PLAN-04', 'dispatching answers 405 to GET only', planned(3, 405, by('GET'))),
  fault('planned-funnel-alive', 'PLAN-05', 'the funnel answers 200', planned(4, 200)),
  fault('planned-funnel-501', 'PLAN-05', 'the funnel answers 501', planned(4, 501)),
  fault('planned-funnel-delete', 'PLAN-05', 'the funnel answers 200 to DELETE only', planned(4, 200, by('DELETE'))),
];
