import { succeed } from '../answers.js';
import { cursorField, makeCursor, readPageRequest } from '../data/paging.js';
import { callerOf, type Exchange, type Handlers } from '../instance.js';
import { showDeal } from '../data/show-records.js';
import { noSuch } from './records.js';

function listDeals(exchange: Exchange): void {
  const { query, world } = exchange;
  const { tenant } = callerOf(exchange);
  const { limit, after } = readPageRequest(query, 'deals', tenant.slug, world, 20);
  const needed = world.option('required-parameters');
  const given = String(needed === 'unit' ? query['unitId'] : query[needed]);
  const deals = tenant.deals.filter(
    (deal) =>
      (needed !== 'year' || deal.openedAt.startsWith(given)) &&
      (needed !== 'from' || deal.openedAt >= given) &&
      (needed !== 'unit' || deal.unitId === given),
  );
  const shown = deals.slice(after + 1, after + 1 + limit).map((deal) => showDeal(deal, world));
  const end = after + shown.length;
  const next = end + 1 < deals.length ? makeCursor('deals', tenant.slug, end) : null;
  succeed(exchange, 200, { [world.option('deal-place')]: shown, ...cursorField(next, world) });
}

function getDeal(exchange: Exchange): void {
  const { deals } = callerOf(exchange).tenant;
  const deal = deals.find(({ id }) => id === exchange.id);
  if (deal === undefined) throw noSuch('deal', exchange.world);
  succeed(exchange, 200, showDeal(deal, exchange.world));
}

/** What answers the operations on deals. */
export const dealHandlers: Handlers = { listDeals, getDeal };
