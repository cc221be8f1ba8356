import { integer, listOf, objectOf, ref, text } from './json.js';
import type { Flavour } from './flavours.js';
import type { Operation } from './operations.js';
import { success, type Call, type Reply, type World } from './world.js';

export const dealSchema = objectOf(
  {
    id: text,
    totalGross: { type: 'number' },
    stage: { type: 'string', enum: ['signed', 'funded'] },
    unitId: { type: ['string', 'null'] },
  },
  ['stage', 'unitId'],
);

const showDeals = ({ flavour }: World, { tenant: { deals } }: Call): Reply =>
  success(200, flavour.deals.key === 'items' ? { items: deals } : { deals, total: deals.length });

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
