import { identify, permit, tenantOf } from './access.js';
import { perform, placeOf, type Operation } from './operations.js';
import { plannedReply } from './planned.js';
import type { Decision, Limiter } from './rate-limiter.js';
import { failure, type Call, type Reply, type World } from './world.js';

/** The operations of the path of a call, by method; null where there is no such path. */
const operationsAt = (
  { broken, flavour }: World,
  operations: readonly Operation[],
  { rest: [head, id, more] }: Call,
): ReadonlyMap<string, Operation> | null => {
  if (more !== undefined || head === undefined || id === '') return null;
  const path = `/${head}${id === undefined ? '' : '/{id}'}`;
  const isMissing = (name: string): boolean => broken('second-op-missing') && path === '/units' && name !== 'listUnits';
  const found = operations.filter((operation) => placeOf(operation).path === path && !isMissing(operation.id));
  const methods = new Map(found.map((operation) => [placeOf(operation).method, operation]));
  const get = methods.get('GET');
  if (get && flavour.addresses.head) methods.set('HEAD', get);
  return methods.size === 0 ? null : methods;
};

export const withRateHeaders = (
  { flavour, broken }: World,
  reply: Reply,
  decision: Decision,
  limiter: Limiter,
): Reply => {
  const view = flavour.rate.header === 'minute' ? decision.long : decision;
  const limit = String(view.policy.limit);
  const policies = limiter.policies.map((p) => `${p.limit};w=${Math.ceil(p.seconds)}`);
  const headers = {
    'RateLimit-Limit': flavour.rate.header === 'policies' ? [limit, ...policies].join(', ') : limit,
    'RateLimit-Remaining': String(view.remaining),
    'RateLimit-Reset': broken('rate-reset-date')
      ? new Date(Date.now() + view.reset * 1000).toUTCString()
      : String(view.reset),
  };
  return { ...reply, headers: { ...reply.headers, ...headers } };
};

const methodRefusal = ({ flavour }: World, methods: Iterable<string>): Reply => {
  const reply = failure(flavour, 'method', 'this method is not offered here');
  const offered = [...methods].filter((method) => method !== 'HEAD').join(', ');
  return reply.status === 405 ? { ...reply, headers: { Allow: offered } } : reply;
};

const rateRefusal = ({ flavour }: World, { reset }: Decision): Reply => {
  const reply = failure(flavour, 'rate', 'too many requests');
  return flavour.rate.retryAfter ? { ...reply, headers: { 'Retry-After': String(Math.max(1, reset)) } } : reply;
};

/** Anything below /api/v1, /v1 of the second form, or the sandbox, which needs no key. */
export const answerVersioned = async (world: World, operations: readonly Operation[], call: Call): Promise<Reply> => {
  const { flavour, broken, openLimiter } = world;
  const open = (reply: Reply): Reply =>
    flavour.rate.onRefused ? withRateHeaders(world, reply, openLimiter.take(), openLimiter) : reply;
  const planned = plannedReply(world, call);
  if (planned) return open(planned);
  const found = operationsAt(world, operations, call);
  const operation = found?.get(call.method) ?? null;

  const key = call.form === 'sandbox' ? null : identify(world, call, operation);
  if (key !== null && 'status' in key) return open(key);
  call.key = key;
  const isFree =
    (broken('rate-second-form-free') && call.form === 'second') ||
    (broken('rate-item-free') && operation?.id === 'getUnit');
  const limiter = key ? world.limiterOf(key) : world.limiterNamed('sandbox', 'sandbox');
  const decision = limiter.take(!isFree);
  const answer = (): Reply | Promise<Reply> => {
    if (!decision.allowed && !isFree) return rateRefusal(world, decision);
    if (!found) return failure(flavour, 'not_found', 'no such path');
    if (!operation) return methodRefusal(world, found.keys());
    if (!key) return perform(world, call, operation);
    const tenant = tenantOf(world, call, key);
    if ('status' in tenant) return tenant;
    call.tenant = tenant;
    return permit(world, key, operation) ?? perform(world, call, operation);
  };
  return withRateHeaders(world, await answer(), decision, limiter);
};
