import type { FastifyInstance } from 'fastify';
import { ApiFailure, crash } from '../api-failure.js';
import { contentType, sendJson, succeed } from '../answers.js';
import { cursorField, makeCursor, readPageWish } from '../paging.js';
import type { Query } from '../paging.js';
import { callerOf, originalPath, surfaceOf } from '../request-state.js';
import { showDeal } from '../show-records.js';
import type { World } from '../world.js';

/** Adds the list of deals and, where there are any, single ones. */
export function dealRoutes(app: FastifyInstance, world: World): void {
  const { behaviour } = world;
  const { has, dial } = behaviour;
  app.get('/api/v1/deals', { config: { operation: 'listDeals', scope: 'read:deals' } }, (request, reply) => {
    const { tenant } = callerOf(request);
    const query = request.query as Query;
    if (
      has('deals-absent') ||
      (has('second-form-without-deals') && surfaceOf(originalPath(request)) === 'second-form')
    ) {
      throw new ApiFailure(404, 'not_found', 'There is nothing here.');
    }
    const wish = readPageWish(query, 'deals', tenant.slug, behaviour, 20);
    if (has('crash-on-deals-limit') && wish.limit > 20) throw crash();
    const page = Math.floor((wish.after + 1) / wish.limit) + 1;
    const needed = dial('required-parameters');
    const asked = String(needed === 'unit' ? query['unitId'] : query[needed]);
    const deals = tenant.deals.filter(
      (deal) =>
        (needed !== 'year' || deal.openedAt.startsWith(asked)) &&
        (needed !== 'from' || deal.openedAt >= asked) &&
        (needed !== 'unit' || deal.unitId === asked),
    );
    const shown = deals
      .map((deal, index) => showDeal(deal, index, page, behaviour))
      .slice(wish.after + 1, wish.after + 1 + wish.limit);
    if (has('second-form-deals-empty') && surfaceOf(originalPath(request)) === 'second-form') shown.splice(0);
    const end = wish.after + shown.length;
    const next = end + 1 < deals.length ? makeCursor('deals', tenant.slug, end) : null;
    const data = { [dial('deal-place')]: shown, ...cursorField(next, behaviour) };
    if (has('deals-bare')) return sendJson(reply, world, 200, shown);
    if (has('success-data-array')) return sendJson(reply, world, 200, { ok: true, data: shown });
    if (has('ok-as-text')) return sendJson(reply, world, 200, { ok: 'true', data });
    if (has('success-says-not-ok') && page === 2) return sendJson(reply, world, 200, { ok: false, data });
    if (has('deals-as-plain-text'))
      return reply.header('Content-Type', 'text/plain; charset=utf-8').send(JSON.stringify({ ok: true, data }));
    if (has('deals-as-vendor-json'))
      return reply
        .header('Content-Type', 'application/hal+json')
        .serializer(String)
        .send(JSON.stringify({ ok: true, data }));
    if (has('deals-in-latin-1') && page === 2)
      return reply
        .header('Content-Type', contentType(world))
        .send(Buffer.from(JSON.stringify({ ok: true, data }), 'latin1'));
    return succeed(request, reply, world, has('deals-answer-203') ? 203 : 200, data);
  });
  if (dial('deal-item') === 'none') return;
  app.get<{ Params: { id: string } }>(
    '/api/v1/deals/:id',
    { config: { operation: 'getDeal', scope: 'read:deals' } },
    (request, reply) => {
      const { deals } = callerOf(request).tenant;
      const index = deals.findIndex((deal) => deal.id === request.params.id);
      const deal = deals[index];
      if (deal === undefined)
        throw new ApiFailure(Number(dial('unknown-id-status')), 'deal_not_found', 'There is no such deal.');
      const shown = showDeal(deal, index, 1, behaviour);
      if (has('deal-total-text-when-read')) shown['totalGross'] = deal.totalGross.toFixed(2);
      return succeed(request, reply, world, 200, shown);
    },
  );
}
