import { send } from '../answers.js';
import { listUnits } from '../data/list-units.js';
import { callerOf, type AddRoute, type Exchange, type Query, type World } from '../instance.js';

/** Only `limit` is known to the demo; one above the most that a page may hold is brought down to it. */
function demoQuery({ limit }: Query, world: World): Query {
  if (limit === undefined) return {};
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit)) return { limit };
  return { limit: String(Math.min(Number(limit), Number(world.option('max-limit')))) };
}

/** Adds the demo list. */
export function demoRoutes(add: AddRoute, world: World): void {
  const { option } = world;
  const list = (exchange: Exchange): void => {
    const found = listUnits(demoQuery(exchange.query, world), callerOf(exchange).tenant, world).items;
    const address = (href: unknown): string => String(href).replace('/v1/', '/demo/');
    const items = found.map((item) => ('href' in item ? { ...item, href: address(item['href']) } : item));
    const place = option('demo-place');
    send(exchange, 200, place === 'array' ? items : { [place]: items });
  };
  add('GET', '/api/demo/units', list, 'demoUnits');
}
