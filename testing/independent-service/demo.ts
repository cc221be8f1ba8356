import { isObject, type Json, type JsonObject } from './json.js';
import { pageOf } from './units.js';
import { failure, type Call, type Reply, type World } from './world.js';

const shaken = (value: Json | undefined): Json => {
  if (typeof value === 'number') return value + 1000;
  if (typeof value === 'string') return `${value} (demo)`;
  if (Array.isArray(value)) return [...(value as Json[]), 'demo'];
  return isObject(value) ? { ...value, demo: 1 } : 'demo';
};

/** A breach in which the demo can be written; null where there is none. */
const written = ({ flavour, broken, next }: World, { method, tenant }: Call): Reply | null => {
  if (broken('demo-writable') && method === 'POST') {
    const seq = next('unit');
    const id = flavour.ids.of('unit', seq);
    const record = flavour.units.profile.make(id, seq, 'available');
    tenant.units.set(id, { seq, record });
    return { status: 201, json: record };
  }
  if (broken('demo-deletes') && method === 'DELETE') {
    const [first = ''] = tenant.units.keys();
    tenant.units.delete(first);
    return { status: 200, json: { deleted: first } };
  }
  return null;
};

const unitsOf = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  const { probe } = flavour.units.profile;
  if (call.method !== 'GET' && call.method !== 'HEAD') return failure(flavour, 'method', 'the demo is read-only');
  const page = pageOf(world, call, true);
  if ('status' in page) return page;
  const items = page.units.map(({ record }, i): JsonObject => ({
    ...record,
    ...(broken('demo-other-records') ? { id: flavour.ids.of('unit', 70_000 + i) } : {}),
    ...(broken('demo-personal') ? { sellerPhone: '+31623451001' } : {}),
    ...(probe !== null && broken('demo-stale') ? { [probe]: shaken(record[probe]) } : {}),
  }));
  const { shape } = flavour.demo;
  const spoiled = shape === 'array' ? 'items' : 'array';
  const json = { array: items, items: { items }, page: { items, nextCursor: null } }[
    broken('own-demo-shape') ? spoiled : shape
  ];
  const data = Array.isArray(json) ? { items } : json;
  return { status: 200, json: broken('demo-envelope') ? { ok: true, data } : json };
};

/** Failures of the demo are not production failures: some flavours leave the envelope out. */
const bare = (reply: Reply): Reply =>
  isObject(reply.json) && 'error' in reply.json ? { ...reply, json: reply.json['error'] ?? null } : reply;

/** Lists units within the limit of a client. */
export const answerDemo = (world: World, call: Call, isWithinLimit: boolean): Reply => {
  const { flavour, broken } = world;
  if (isWithinLimit && broken('demo-auth') && call.header('authorization') === undefined)
    return failure(flavour, 'missing_key', 'send a key');
  const reply = isWithinLimit
    ? (written(world, call) ?? unitsOf(world, call))
    : failure(flavour, 'rate', 'too many requests');
  return flavour.demo.errors === 'bare' ? bare(reply) : reply;
};
