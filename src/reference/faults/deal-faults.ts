import { notFound } from '../api-failure.js';
import { mainTenant, type ApiKey } from '../api-keys.js';
import type { Deal } from '../data/records.js';
import { readPageRequest } from '../data/paging.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { isPaged, items, numberOf, ownTenant, planned, records, refuses, vacuous, type Json } from './change.js';
import { faultsOf, type Fault } from './fault.js';

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
  ...faultsOf('DEAL-01')([
    ['deals-absent', 'deals answer 404', refuses('listDeals', notFound)],
    ['deals-bare', 'deals answer with a bare array', items('listDeals', (list, _, __, answer) => (answer.body = list)), { needs: vacuous }],
    ['deals-refused', 'deals answer 403 to full access', { allowed: (allowed, { scopes }, { operation }) => allowed && !(operation === 'listDeals' && scopes.includes('admin:*')) }],
  ]),
  ...faultsOf('DEAL-02', deal)([
    ['deal-id-number', 'ids of deals are numbers', ({ id }) => ({ id: numberOf(id) }), { needs: vacuous }],
    ['deal-total-text', 'totalGross is a text', ({ totalGross }) => ({ totalGross: totalGross.toFixed(2) }), { needs: vacuous }],
    ['deal-id-number-on-short-pages', 'ids of deals are numbers on further pages of at most ten',
      ({ id }, exchange) => (isPaged(exchange) && Number(exchange.query['limit']) <= 10 ? { id: numberOf(id) } : {}), { needs: vacuous }],
    ['deal-id-missing-on-page-three', 'one deal far down the list has no id', ({ id }) => (id.endsWith('042') ? { id: undefined } : {}), { needs: vacuous }],
    ['deals-share-an-id', 'all deals of a page after the first have one id', (_, exchange) => (isPaged(exchange) ? { id: `deal_page_${numberOf(exchange.url)}` } : {})],
    ['deal-total-null', 'totalGross of an open deal is null', ({ status }) => (status === 'open' ? { totalGross: null } : {}), { needs: vacuous }],
  ]),
  ...faultsOf('PLAN-01')([
    ['planned-desk-alive', 'desking answers 200', planned(0, 200)],
    ['planned-desk-alive-for-known-deal', 'desking answers 200 for a deal that exists', planned(0, 200, isKnownDeal)],
    ['planned-desk-put', 'desking answers 202 to PUT only', planned(0, 202, by('PUT'))],
  ]),
  ...faultsOf('PLAN-02')([
    ['planned-calls-alive', 'calls answer 200', planned(1, 200)],
    ['planned-calls-post', 'calls answer 201 to POST only', planned(1, 201, by('POST'))],
    ['planned-calls-alive-for-their-scope', 'calls answer 200 to a key with read:calls', planned(1, 200, readsCalls)],
    ['planned-calls-403-for-their-scope', 'calls answer 403 to a key with read:calls', planned(1, 403, readsCalls), { warns: true }],
    ['calls-take-posts', 'a POST of calls that has something to say is taken on with 202',
      planned(1, 202, ({ method, headers }) => method === 'POST' && Number(headers['content-length']) > 2)],
    ['planned-calls-405', 'calls answer 405', planned(1, 405)],
  ]),
  ...faultsOf('PLAN-03')([
    ['planned-transcript-alive', 'a transcript answers 200', planned(2, 200)],
    ['planned-transcript-403', 'a transcript answers 403', planned(2, 403)],
  ]),
  ...faultsOf('PLAN-04')([
    ['planned-dispatch-alive', 'dispatching answers 202 to POST only', planned(3, 202, by('POST'))],
    ['planned-dispatch-405', 'dispatching answers 405 to GET only', planned(3, 405, by('GET'))],
  ]),
  ...faultsOf('PLAN-05')([
    ['planned-funnel-alive', 'the funnel answers 200', planned(4, 200)],
    ['planned-funnel-501', 'the funnel answers 501', planned(4, 501)],
    ['planned-funnel-delete', 'the funnel answers 200 to DELETE only', planned(4, 200, by('DELETE'))],
  ]),
];
