import { notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import type { Deal } from '../data/records.js';
import { readPageRequest } from '../data/paging.js';
import type { Answer, Exchange, FaultHooks } from '../instance.js';
import { isPaged, numberOf, ownTenant, success, unreachable, vacuous, type Json } from './change.js';
import { fault, type Fault } from './fault.js';

/** Changes the list of deals. */
export function deals(change: (answer: Answer, list: Json[], exchange: Exchange) => void): FaultHooks {
  return success('listDeals', (answer, exchange) => {
    const list = (answer.body as { data: Json }).data[exchange.world.behaviour.option('deal-place')];
    change(answer, list as Json[], exchange);
  });
}

/** Changes the list of deals on its second page. */
export function dealsOnPageTwo(change: (answer: Answer, exchange: Exchange) => void): FaultHooks {
  return deals((answer, _, exchange) => {
    const { query, world } = exchange;
    const { after, limit } = readPageRequest(query, 'deals', ownTenant(exchange).slug, world.behaviour, 20);
    if (Math.floor((after + 1) / limit) === 1) change(answer, exchange);
  });
}

/** Shows deals otherwise; what it gives is added. */
export function deal(change: (deal: Deal, index: number, page: number) => Json): FaultHooks {
  return { shownDeal: (shown, record, index, page) => ({ ...shown, ...change(record, index, page) }) };
}

/** Has a planned path alive, for these methods or for all. */
const planned = (at: number, status: number, ...methods: readonly string[]): FaultHooks => ({
  plannedStatus: (usual, index, { method }) =>
    index === at && (methods.length === 0 || methods.includes(method)) ? status : usual,
});
const isKnownDeal = ({ path, world }: Exchange): boolean =>
  world.tenantOf(mainTenant).deals.some(({ id }) => path.startsWith(`/api/v1/deals/${encodeURIComponent(id)}/`));

/** Faults of deals and planned paths. */
// prettier-ignore
export const dealFaults: readonly Fault[] = [
  fault('deals-absent', 'DEAL-01', 'deals answer 404', unreachable('listDeals', notFound)),
  fault('deals-bare', 'DEAL-01', 'deals answer with a bare array',
    deals((answer, list) => (answer.body = list)),
    { needs: vacuous }),
  fault('deals-refused', 'DEAL-01', 'deals answer 403 to full access',
    { allowed: (allowed, { scopes }, { operation }) => allowed && !(operation === 'listDeals' && scopes.includes('admin:*')) }),
  fault('deal-id-number', 'DEAL-02', 'ids of deals are numbers',
    deal(({ id }) => ({ id: numberOf(id) })), { needs: vacuous }),
  fault('deal-total-text', 'DEAL-02', 'totalGross is a text',
    deal(({ totalGross }) => ({ totalGross: totalGross.toFixed(2) })), { needs: vacuous }),
  fault('deal-total-text-on-page-two', 'DEAL-02', 'totalGross is a text on the second page',
    deal(({ totalGross }, _, page) => (page === 2 ? { totalGross: totalGross.toFixed(2) } : {})), { needs: vacuous }),
  fault('deal-id-number-on-short-pages', 'DEAL-02', 'ids of deals are numbers on further pages of at most ten',
    deals((_, list, exchange) => {
      if (isPaged(exchange) && Number(exchange.query['limit']) <= 10) for (const one of list) one['id'] = numberOf(String(one['id']));
    }), { needs: vacuous }),
  fault('deal-id-missing-on-page-three', 'DEAL-02', 'one deal far down the list has no id',
    deal((_, index) => (index === 42 ? { id: undefined } : {})), { needs: vacuous }),
  fault('deals-share-an-id', 'DEAL-02', 'all deals of a page after the first have one id',
    deal((_, __, page) => (page > 1 ? { id: `deal_page_${String(page)}` } : {}))),
  fault('deal-total-null', 'DEAL-02', 'totalGross of an open deal is null',
    deal(({ status }) => (status === 'open' ? { totalGross: null } : {})), { needs: vacuous }),
  fault('planned-desk-alive', 'PLAN-01', 'desking answers 200', planned(0, 200)),
  fault('planned-desk-alive-for-known-deal', 'PLAN-01', 'desking answers 200 for a deal that exists',
    { plannedStatus: (status, index, exchange) => (index === 0 && isKnownDeal(exchange) ? 200 : status) }),
  fault('planned-desk-put', 'PLAN-01', 'desking answers 202 to PUT only', planned(0, 202, 'PUT')),
  fault('planned-calls-alive', 'PLAN-02', 'calls answer 200', planned(1, 200)),
  fault('planned-calls-post', 'PLAN-02', 'calls answer 201 to POST only', planned(1, 201, 'POST')),
  fault('planned-calls-alive-for-their-scope', 'PLAN-02', 'calls answer 200 to a key with read:calls',
    { plannedStatus: (status, index, _, key) => (index === 1 && key?.scopes.includes('read:calls') ? 200 : status) }),
  fault('planned-calls-403-for-their-scope', 'PLAN-02', 'calls answer 403 to a key with read:calls',
    { plannedStatus: (status, index, _, key) => (index === 1 && key?.scopes.includes('read:calls') ? 403 : status) },
    { warns: true }),
  fault('planned-calls-405', 'PLAN-02', 'calls answer 405', planned(1, 405)),
  fault('planned-transcript-alive', 'PLAN-03', 'a transcript answers 200', planned(2, 200)),
  fault('planned-transcript-403', 'PLAN-03', 'a transcript answers 403', planned(2, 403)),
  fault('planned-dispatch-alive', 'PLAN-04', 'dispatching answers 202 to POST only', planned(3, 202, 'POST')),
  fault('planned-dispatch-405', 'PLAN-04', 'dispatching answers 405 to GET only', planned(3, 405, 'GET')),
  fault('planned-funnel-alive', 'PLAN-05', 'the funnel answers 200', planned(4, 200)),
  fault('planned-funnel-501', 'PLAN-05', 'the funnel answers 501', planned(4, 501)),
  fault('planned-funnel-delete', 'PLAN-05', 'the funnel answers 200 to DELETE only', planned(4, 200, 'DELETE')),
];
