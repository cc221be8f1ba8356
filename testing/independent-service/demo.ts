import { isObject, type JsonObject } from './json.js';
import { pageOf } from './units.js';
import { failure, type Call, type Reply, type World } from './world.js';

/** The record with other numbers. */
const stale = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? value + 1000 : value]),
  );

const unitsOf = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  if (call.method !== 'GET' && call.method !== 'HEAD') return failure(flavour, 'method', 'the demo is read-only');
  const page = pageOf(world, call, true);
  if ('status' in page) return page;
  const items = page.units.map(({ record }): JsonObject => ({
    ...(broken('demo-stale') ? stale(record) : record),
    ...(broken('demo-personal') ? { sellerPhone: '+31623451001' } : {}),
  }));
  const { shape } = flavour.demo;
  const spoiled = shape === 'array' ? 'items' : 'array';
  const bodies = { array: items, items: { items }, page: { items, nextCursor: null } };
  return { status: 200, json: bodies[broken('own-demo-shape') ? spoiled : shape] };
};

/** Failures of the demo are not production failures: some flavours leave the envelope out. */
const bare = (reply: Reply): Reply =>
  isObject(reply.json) && 'error' in reply.json ? { ...reply, json: reply.json['error'] ?? null } : reply;

/** Lists units within the limit of a client. */
export const answerDemo = (world: World, call: Call, isWithinLimit: boolean): Reply => {
  const { flavour } = world;
  const reply = isWithinLimit ? unitsOf(world, call) : failure(flavour, 'rate', 'too many requests');
  return flavour.demo.errors === 'bare' ? bare(reply) : reply;
};
