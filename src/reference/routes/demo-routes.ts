import { send } from '../answers.js';
import { listUnits } from '../data/list-units.js';
import type { Query } from '../data/paging.js';
import { callerOf, type Exchange } from '../request-state.js';
import type { World } from '../world.js';
import type { Routes } from './routes.js';

/** Only `limit` is known to the demo; one above the most that a page may hold is brought down to it. */
function demoQuery({ limit }: Query, world: World): Query {
  if (limit === undefined) return {};
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit)) return { limit };
  return { limit: String(Math.min(Number(limit), Number(world.behaviour.option('max-limit')))) };
}

/** Adds the demo list. */
export function demoRoutes(routes: Routes, world: World): void {
  const { option, apply } = world.behaviour;
  const list = (exchange: Exchange): void => {
    const query = apply('demoQuery', demoQuery(exchange.query, world), exchange.query);
    const { items } = listUnits(query, callerOf(exchange).tenant, world);
    const place = option('demo-place');
    send(exchange, 200, place === 'array' ? items : { [place]: items });
  };
  routes.add('GET', '/api/demo/units', list, 'demoUnits');
}
