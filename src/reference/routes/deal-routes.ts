import type { FastifyInstance } from 'fastify';
import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { cursorField, makeCursor, readPageRequest, type Query } from '../data/paging.js';
import { callerOf } from '../request-state.js';
import { showDeal } from '../data/show-records.js';
import type { World } from '../world.js';

/** Adds the list of deals and, where there are any, single ones. */
export function dealRoutes(app: FastifyInstance, world: World): void {
  const { behaviour } = world;
  const { option } = behaviour;
  app.get('/api/v1/deals', { config: { operation: 'listDeals', scope: 'read:deals' } }, (request, reply) => {
    const { tenant } = callerOf(request);
    const query = request.query as Query;
    const { limit, after } = readPageRequest(query, 'deals', tenant.slug, behaviour, 20);
    const page = Math.floor((after + 1) / limit) + 1;
    const needed = option('required-parameters');
    const given = String(needed === 'unit' ? query['unitId'] : query[needed]);
    const deals = tenant.deals.filter(
      (deal) =>
        (needed !== 'year' || deal.openedAt.startsWith(given)) &&
        (needed !== 'from' || deal.openedAt >= given) &&
        (needed !== 'unit' || deal.unitId === given),
    );
    const shown = deals
      .map((deal, index) => showDeal(deal, index, page, behaviour))
      .slice(after + 1, after + 1 + limit);
    const end = after + shown.length;
    const next = end + 1 < deals.length ? makeCursor('deals', tenant.slug, end) : null;
    return succeed(reply, world, 200, { [option('deal-place')]: shown, ...cursorField(next, behaviour) });
  });
  if (option('deal-item') === 'none') return;
  app.get<{ Params: { id: string } }>(
    '/api/v1/deals/:id',
    { config: { operation: 'getDeal', scope: 'read:deals' } },
    (request, reply) => {
      const { deals } = callerOf(request).tenant;
      const index = deals.findIndex((deal) => deal.id === request.params.id);
      const deal = deals[index];
      if (deal === undefined)
        throw new ApiFailure(Number(option('unknown-id-status')), 'deal_not_found', 'There is no such deal.');
      return succeed(reply, world, 200, showDeal(deal, index, 1, behaviour));
    },
  );
}
