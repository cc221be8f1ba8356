import { succeed } from '../answers.js';
import { cursorField, makeCursor, readPageRequest } from '../data/paging.js';
import { callerOf, type Exchange, type Handlers } from '../instance.js';
import { showDeal } from '../data/show-records.js';
import { noSuch } from './records.js';

function listDeals(exchange: Exchange): void {
  const { query, world } = exchange;
  const { behaviour } = world;
  const { tenant } = callerOf(exchange);
  const { limit, after } = readPageRequest(query, 'deals', tenant.slug, behaviour, 20);
  const page = Math.floor((after + 1) / limit) + 1;
  const needed = behaviour.option('required-parameters');
  const given = String(needed === 'unit' ? query['unitId'] : query[needed]);
  const deals = tenant.deals.filter(
    (deal) =>
      (needed !== 'year' || deal.openedAt.startsWith(given)) &&
      (needed !== 'from' || deal.openedAt >= given) &&
      (needed !== 'unit' || deal.unitId === given),
  );
  const shown = deals.map((deal, index) => showDeal(deal, index, page, behaviour)).slice(after + 1, after + 1 + limit);
  const end = after + shown.length;
  const next = end + 1 < deals.length ? makeCursor('deals', tenant.slug, end) : null;
  succeed(exchange, 200, { [behaviour.option('deal-place')]: shown, ...cursorField(next, behaviour) });
}

function getDeal(exchange: Exchange): void {
  const { deals } = callerOf(exchange).tenant;
  const index = deals.findIndex((deal) => deal.id === exchange.id);
  const deal = deals[index];
  if (deal === undefined) throw noSuch('deal', exchange.world);
  succeed(exchange, 200, showDeal(deal, index, 1, exchange.world.behaviour));
}

/** What answers the operations on deals. */
export const dealHandlers: Handlers = { listDeals, getDeal };
