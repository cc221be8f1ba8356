import { integer, listOf, objectOf, ref, text } from './json.js';
import type { Flavour } from './flavours.js';
import type { Operation } from './operations.js';
import { success } from './replies.js';
import type { Call, Reply, World } from './world.js';

const stage = { type: 'string', enum: ['signed', 'funded'] };
const totalGross = { type: 'number' };
export const dealSchema = objectOf({ id: text, totalGross, 'stage?': stage, 'unitId?': { type: ['string', 'null'] } });

const showDeals = ({ flavour }: World, { tenant: { deals } }: Call): Reply =>
  success(200, flavour.deals.key === 'items' ? { items: deals } : { deals, total: deals.length });

export const dealOperations = ({ deals }: Flavour): Operation[] => {
  const list = listOf(ref('Deal'));
  const data = deals.key === 'items' ? objectOf({ items: list }) : objectOf({ deals: list, total: integer });
  const search = { type: 'object', description: 'Search terms; none are evaluated yet.' };
  const body = deals.method === 'POST' ? { body: search } : {};
  return [{ at: `${deals.method} /deals`, id: 'deals', ...body, data, run: showDeals }];
};
