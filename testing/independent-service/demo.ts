import { isObject, type Json, type JsonObject } from './json.js';
import { pageOf } from './units.js';
import { failure, type Call, type Reply, type World } from './world.js';

const shaken = (value: Json | undefined): Json => {
  if (typeof value === 'number') return value + 1000;
  if (typeof value === 'string') return `${value} (demo)`;
  if (Array.isArray(value)) return [...(value as Json[]), 'demo'];
  return isObject(value) ? { ...value, demo: 1 } : 'demo';
};

const unitsOf = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  const { probe } = flavour.units.profile;
  if (call.method !== 'GET' && call.method !== 'HEAD') return failure(flavour, 'method', 'the demo is read-only');
  const page = pageOf(world, call, true);
  if ('status' in page) return page;
  const items = page.units.map(({ record }): JsonObject => ({
    ...record,
    ...(broken('demo-personal') ? { sellerPhone: '+31623451001' } : {}),
    ...(probe !== null && broken('demo-stale') ? { [probe]: shaken(record[probe]) } : {}),
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
