import { isObject, readJson } from './body-reader.js';
import { failure, success } from './replies.js';
import { objectOf, text } from './schemas.js';
import type { Call, JsonObject, Reply } from './types.js';
import type { World } from './world.js';

export const dealSchema = objectOf(
  {
    id: text,
    totalGross: { type: 'number' },
    stage: { type: 'string', enum: ['signed', 'funded'] },
    unitId: { type: ['string', 'null'] },
  },
  ['stage', 'unitId'],
);

export const showDeals = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  if (broken('deals-missing')) return failure(flavour, 'not_found', 'no such resource');
  if (flavour.deals.method === 'POST') {
    const read = readJson(flavour, call);
    if ('refusal' in read) return read.refusal;
    if (!isObject(read.value)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  }
  const source = call.tenant.deals;
  const deals = source.map((d, i) => {
    const deal: JsonObject = { ...d };
    if (broken('own-deal-gross-string')) deal['totalGross'] = String(deal['totalGross']);
    if (broken('own-deal-id-missing') && i === source.length - 1) delete deal['id'];
    return deal;
  });
  const data: JsonObject = flavour.deals.key === 'items' ? { items: deals } : { deals, total: deals.length };
  return broken('deals-bare') ? { status: 200, json: data } : success(200, data);
};
