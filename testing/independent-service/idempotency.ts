import { createHash } from 'node:crypto';
import { canonical, type Json } from './json.js';
import { failure } from './replies.js';
import type { Call, Reply, World } from './world.js';

const anyUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const fourthVersion = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const settled = new WeakSet<Promise<Reply>>();

const replayOf = (world: World, kind: 'unit' | 'lead', reply: Reply): Reply => {
  const done = reply.status < 300;
  if (done && kind === 'lead' && world.broken('idem-replay-latest') && world.latestLead) return world.latestLead;
  const { replay } = world.flavour.idem;
  if (replay === 'same-with-header') return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
  return replay === 'ok-status' && done ? { ...reply, status: 200 } : reply;
};

/** Does once what is asked under one key. `raw` is the body as it was sent. */
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
  const refused = (reason: string): Reply =>
    failure(flavour, 'bad_request', `Idempotency-Key: ${reason}`, [{ field: 'Idempotency-Key', reason }]);
  const key = (call.header('idempotency-key') ?? '').trim();
  if (key === '') return idem.required ? refused('required') : create();
  const isUuid = idem.format === 'uuid' || broken('idem-upper-refused');
  const form = broken('idem-v4-only') ? fourthVersion : isUuid ? anyUuid : /^[\s\S]{1,255}$/;
  if (!form.test(key) || (broken('idem-upper-refused') && /[A-F]/.test(key))) return refused('format');

  const print = createHash('sha256')
    .update(idem.print === 'raw' ? raw : canonical(body))
    .digest('hex');
  const owner = idem.per === 'key' ? `${call.tenant.name}:${call.key?.token ?? ''}` : call.tenant.name;
  const place = broken('idem-second-form') ? call.form : '';
  const slot = [owner, kind, broken('idem-global-repeat') ? print : key, place].join('|');

  const known = remembered.get(slot);
  if (known) {
    if (known.print !== print && idem.otherBody === 'conflict')
      return failure(flavour, 'conflict', 'this Idempotency-Key was used with another body');
    if (idem.inFlight === 'refuse' && !settled.has(known.reply))
      return failure(flavour, 'in_progress', 'a request with this Idempotency-Key is in progress');
    return replayOf(world, kind, await known.reply);
  }
  const reply = create();
  remembered.set(slot, { print, reply });
  const result = await reply;
  settled.add(reply);
  if (result.status >= 400 && !idem.keepFailures) remembered.delete(slot);
  return result;
};
