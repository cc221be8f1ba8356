import { createHash } from 'node:crypto';
import { canonical } from './body-reader.js';
import { failure } from './replies.js';
import type { Call, Json, Reply } from './types.js';
import type { World } from './world.js';

const anyUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const fourthVersion = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const afterwards = (world: World, kind: 'unit' | 'lead', reply: Reply): Reply => {
  if (kind === 'lead' && reply.status < 300) {
    if (world.broken('idem-replay-latest') && world.latestLead) return world.latestLead;
    if (world.broken('idem-replay-empty')) return { ...reply, json: { ok: true } };
  }
  const { replay } = world.flavour.idem;
  if (replay === 'same-with-header') return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
  if (replay === 'ok-status' && reply.status < 300) return { ...reply, status: 200 };
  return reply;
};

export const withIdempotency = async (
  world: World,
  call: Call,
  kind: 'unit' | 'lead',
  raw: string,
  body: Json,
  create: () => Promise<Reply>,
): Promise<Reply> => {
  const { flavour, broken, remembered } = world;
  const { idem } = flavour;
  const given = call.header('idempotency-key');
  if (given === undefined || given.trim() === '') {
    if (idem.required)
      return failure(flavour, 'bad_request', 'Idempotency-Key is required', [
        { field: 'Idempotency-Key', reason: 'required' },
      ]);
    return create();
  }
  const key = given.trim();
  const form = broken('idem-v4-only')
    ? fourthVersion
    : idem.format === 'uuid' || broken('idem-upper-refused')
      ? anyUuid
      : /^[\s\S]{1,255}$/;
  if (!form.test(key) || (broken('idem-upper-refused') && /[A-F]/.test(key)))
    return failure(flavour, 'bad_request', 'Idempotency-Key is not acceptable', [
      { field: 'Idempotency-Key', reason: 'format' },
    ]);

  const owner = broken('idem-cross-tenant')
    ? '*'
    : idem.per === 'key'
      ? `${call.tenant.name}:${call.key?.token ?? ''}`
      : call.tenant.name;
  const print = sha(idem.print === 'raw' ? raw : canonical(body));
  const parts = [owner, broken('idem-across-operations') ? '*' : kind, key];
  if (broken('idem-body-in-key')) parts.push(print);
  if (broken('idem-second-form')) parts.push(call.form);
  if (broken('idem-global-repeat')) parts.splice(2, 1, print);
  const slot = parts.join('|');

  const known = remembered.get(slot);
  const forgotten =
    known !== undefined &&
    ((broken('idem-evicted') && ![...remembered.keys()].slice(-3).includes(slot)) ||
      (broken('idem-once') && known.replays >= 1));
  const blind = broken('idem-cross-tenant') || broken('idem-across-operations');
  if (known && !forgotten) {
    if (known.print !== print && idem.otherBody === 'conflict' && !blind)
      return failure(flavour, 'conflict', 'this Idempotency-Key was used with another body');
    if (idem.inFlight === 'refuse' && !settled.has(known.reply))
      return failure(flavour, 'in_progress', 'a request with this Idempotency-Key is in progress');
    known.replays += 1;
    return afterwards(world, kind, await known.reply);
  }
  if (broken('idem-race')) {
    const reply = await create();
    const kept = Promise.resolve(reply);
    settled.add(kept);
    remembered.set(slot, { print, replays: 0, reply: kept });
    return reply;
  }
  const reply = create();
  remembered.delete(slot);
  remembered.set(slot, { print, replays: 0, reply });
  const result = await reply;
  settled.add(reply);
  if (result.status >= 400 && !idem.keepFailures) remembered.delete(slot);
  return result;
};

const settled = new WeakSet<Promise<Reply>>();
