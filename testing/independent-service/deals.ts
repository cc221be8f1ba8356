import { integer, listOf, objectOf, ref, text, type JsonObject } from './json.js';
import type { Flavour } from './flavours.js';
import type { Operation } from './operations.js';
import { failure, success, type Call, type Reply, type World } from './world.js';

export const dealSchema = objectOf(
  {
    id: text,
    totalGross: { type: 'number' },
    stage: { type: 'string', enum: ['signed', 'funded'] },
    unitId: { type: ['string', 'null'] },
  },
  ['stage', 'unitId'],
);

const showDeals = ({ flavour, broken }: World, { tenant }: Call): Reply => {
  if (broken('deals-missing')) return failure(flavour, 'not_found', 'no such resource');
  const deals = tenant.deals.map(({ id = null, ...deal }, i): JsonObject => ({
    ...(broken('own-deal-id-missing') && i === tenant.deals.length - 1 ? {} : { id }),
    ...deal,
    ...(broken('own-deal-gross-string') ? { totalGross: String(deal['totalGross']) } : {}),
  }));
  const data: JsonObject = flavour.deals.key === 'items' ? { items: deals } : { deals, total: deals.length };
  return broken('deals-bare') ? { status: 200, json: data } : success(200, data);
};

export const dealOperations = ({ deals }: Flavour): Operation[] => {
  const list = listOf(ref('Deal'));
  const data = deals.key === 'items' ? objectOf({ items: list }) : objectOf({ deals: list, total: integer });
  const search = { type: 'object', description: 'Search terms; none are evaluated yet.' };
  return [
    {
      at: `${deals.method} /deals`,
      id: 'deals',
      ...(deals.method === 'POST' ? { body: search } : {}),
      data,
      run: showDeals,
    },
  ];
};
