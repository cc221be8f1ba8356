import { notFound } from '../api-failure.js';
import { mainTenant, type ApiKey } from '../api-keys.js';
import type { Deal } from '../data/records.js';
import { readPageRequest } from '../data/paging.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { isPaged, items, numberOf, ownTenant, planned, records, refuses, vacuous, type Json } from './change.js';
import { fault, type Fault } from './fault.js';

/** Whether the second page of deals is asked for. */
export function isPageTwo(exchange: Exchange): boolean {
  const { query, world } = exchange;
  const { after, limit } = readPageRequest(query, 'deals', ownTenant(exchange).slug, world.behaviour, 20);
  return Math.floor((after + 1) / limit) === 1;
}

/** Shows deals otherwise; what it gives is added. */
export function deal(more: (deal: Deal, exchange: Exchange) => Json): FaultHooks {
  return records(/Deals?$/, (shown, exchange) => more(shown as unknown as Deal, exchange));
}

const by =
  (only: string) =>
  ({ method }: Exchange): boolean =>
    method === only;
const readsCalls = (_: Exchange, key: ApiKey | null): boolean => key?.scopes.includes('read:calls') === true;
const isKnownDeal = ({ path, world }: Exchange): boolean =>
  world.tenantOf(mainTenant).deals.some(({ id }) => path.startsWith(`/api/v1/deals/${encodeURIComponent(id)}/`));

/** Faults of deals and planned paths. */
// prettier-ignore
export const dealFaults: readonly Fault[] = [
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
