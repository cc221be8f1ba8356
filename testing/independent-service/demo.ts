import { isObject, readJson } from './body-reader.js';
import { failure } from './replies.js';
import type { Call, Flavour, Json, JsonObject, Reply } from './types.js';
import { pageOf, seenBy } from './units/unit-pages.js';
import type { World } from './world.js';

/** Failures of the demo are not production failures: some flavours leave the envelope out. */
export const demoFailure = (flavour: Flavour, reply: Reply): Reply => {
  if (flavour.demo.errors === 'envelope') return reply;
  const { json } = reply;
  return typeof json === 'object' && json !== null && 'error' in json ? { ...reply, json: json.error } : reply;
};

const shaken = (value: Json | undefined): Json => {
  if (typeof value === 'number') return value + 1000;
  if (typeof value === 'string') return `${value} (demo)`;
  if (Array.isArray(value)) return [...(value as Json[]), 'demo'];
  return isObject(value) ? { ...value, demo: 1 } : 'demo';
};

export const demoUnits = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  const auth = call.header('authorization');
  const token = auth?.replace(/^Bearer +/i, '');
  if (broken('demo-auth') && token === undefined) return failure(flavour, 'missing_key', 'send a key');
  if (broken('demo-writable') && call.method === 'POST') {
    const read = readJson(flavour, call);
    if ('refusal' in read) return demoFailure(flavour, read.refusal);
    const n = world.next('unit');
    const id = flavour.id('unit', n);
    const record = flavour.units.make(id, n, 'available');
    call.tenant.units.set(id, { seq: n, record });
    return { status: 201, json: record };
  }
  if (broken('demo-deletes') && call.method === 'DELETE') {
    const first = [...call.tenant.units.keys()][0];
    if (first !== undefined) call.tenant.units.delete(first);
    return { status: 200, json: { deleted: first ?? null } };
  }
  if (call.method !== 'GET' && call.method !== 'HEAD')
    return demoFailure(flavour, failure(flavour, 'method', 'the demo is read-only'));
  const page = pageOf(world, call, true);
  if ('status' in page) return demoFailure(flavour, page);
  const records = page.units.map((u, i) => {
    const record: JsonObject = seenBy(world, null, call.tenant, u, false);
    const { probe } = flavour.units;
    if (broken('demo-other-records')) record['id'] = flavour.id('unit', 70_000 + i);
    if (broken('demo-personal')) record['sellerPhone'] = '+31623451001';
    if (probe !== undefined && broken('demo-stale')) record[probe] = shaken(record[probe]);
    return record;
  });
  const shape = broken('own-demo-shape') ? (flavour.demo.shape === 'array' ? 'items' : 'array') : flavour.demo.shape;
  const json: Json =
    shape === 'array' ? records : shape === 'items' ? { items: records } : { items: records, nextCursor: null };
  return {
    status: 200,
    json: broken('demo-envelope') ? { ok: true, data: Array.isArray(json) ? { items: json } : json } : json,
  };
};
