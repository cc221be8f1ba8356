import type { FastifyInstance } from 'fastify';
import { send } from '../answers.js';
import { listUnits } from '../data/list-units.js';
import type { Query } from '../data/paging.js';
import { callerOf } from '../request-state.js';
import type { World } from '../world.js';

/** Only `limit` is known to the demo; one above the most that a page may hold is brought down to it. */
function demoQuery({ limit }: Query, world: World): Query {
  if (limit === undefined) return {};
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit)) return { limit };
  return { limit: String(Math.min(Number(limit), Number(world.behaviour.option('max-limit')))) };
}

/** Adds the demo list. */
export function demoRoutes(app: FastifyInstance, world: World): void {
  const { option, apply } = world.behaviour;
  app.get('/api/demo/units', { config: { operation: 'demoUnits' } }, (request, reply) => {
    const sent = request.query as Query;
    const query = apply('demoQuery', demoQuery(sent, world), sent);
    const { items } = listUnits(query, callerOf(request).tenant, world);
    const place = option('demo-place');
    return send(reply, world, 200, place === 'array' ? items : { [place]: items });
  });
}
