import { identify, permit, tenantOf, type Action } from './access.js';
import { showDeals } from './deals-routes.js';
import { createLead, getLead, listLeads, lookUpLeads, updateLead } from './leads-routes.js';
import { plannedReply } from './planned.js';
import type { Decision, Limiter } from './rate-limiter.js';
import { failure } from './replies.js';
import type { Call, Flavour, Reply } from './types.js';
import { changeUnit, getUnit, listUnits, removeUnit, writeUnits } from './units/units-routes.js';
import type { Courier } from './webhooks.js';
import type { World } from './world.js';

type Route = { readonly action: Action; readonly run: () => Reply | Promise<Reply> };
type Match = { readonly routes: ReadonlyMap<string, Route> } | null;

const writeMethod = (flavour: Flavour): string =>
  flavour.unitsWrite === 'patch' ? 'PATCH' : flavour.unitsWrite === 'put-bulk' ? 'PUT' : 'POST';

const matchRoute = (world: World, call: Call, courier: Courier): Match => {
  const { flavour, broken } = world;
  const [head, id, more] = call.rest;
  const routes = new Map<string, Route>();
  if (more !== undefined || head === undefined) return null;
  const second = call.form === 'second';
  if (head === 'units' && id === undefined) {
    routes.set('GET', { action: 'units:read', run: () => listUnits(world, call) });
    if (!broken('second-op-missing'))
      routes.set(writeMethod(flavour), { action: 'units:write', run: () => writeUnits(world, call, courier) });
    return { routes };
  }
  if (head === 'units' && id !== undefined) {
    if (id === '' || (second && broken('second-form-item-missing'))) return null;
    routes.set('GET', { action: 'unit:read', run: () => getUnit(world, call, id) });
    for (const method of flavour.unitMethods) {
      if (method === 'PATCH' || method === 'PUT')
        routes.set(method, { action: 'unit:write', run: () => changeUnit(world, call, id) });
      if (method === 'DELETE') routes.set(method, { action: 'unit:delete', run: () => removeUnit(world, call, id) });
    }
    return { routes };
  }
  if (head === 'leads' && id === undefined) {
    routes.set('POST', { action: 'leads:create', run: () => createLead(world, call, courier) });
    if (broken('leads-second-missing')) return { routes };
    if (flavour.leadsSecond === 'list') routes.set('GET', { action: 'leads:read', run: () => listLeads(world, call) });
    if (flavour.leadsSecond === 'lookup')
      routes.set('GET', { action: 'leads:read', run: () => lookUpLeads(world, call) });
    if (flavour.leadsSecond === 'put') routes.set('PUT', { action: 'leads:write', run: () => updateLead(world, call) });
    if (flavour.leadsSecond === 'patch')
      routes.set('PATCH', { action: 'leads:write', run: () => updateLead(world, call) });
    return { routes };
  }
  if (head === 'leads' && id !== undefined && id !== '' && flavour.leadItem) {
    routes.set('GET', { action: 'leads:read', run: () => getLead(world, call, id) });
    return { routes };
  }
  if (head === 'deals' && id === undefined) {
    routes.set(flavour.deals.method, { action: 'deals:read', run: () => showDeals(world, call) });
    return { routes };
  }
  return null;
};

export const withRateHeaders = (
  world: World,
  reply: Reply,
  decision: Decision,
  limiter: Limiter,
  demo: boolean,
  independent: boolean,
): Reply => {
  const { flavour, broken } = world;
  if (demo && broken('rate-headers-demo-none')) return reply;
  const view = flavour.rateHeader === 'minute' ? decision.long : decision;
  const limit = broken('rate-limit-wrong') && independent ? 1000 : view.policy.limit;
  const reset = broken('rate-reset-ms')
    ? String(view.reset * 1000)
    : broken('rate-reset-date')
      ? new Date(Date.now() + view.reset * 1000).toUTCString()
      : String(view.reset);
  const headers: Record<string, string> = {
    'RateLimit-Limit':
      flavour.rateHeader === 'policies'
        ? `${limit}, ${limiter.policies.map((p) => `${p.limit};w=${Math.ceil(p.seconds)}`).join(', ')}`
        : String(limit),
    'RateLimit-Remaining': String(view.remaining),
    'RateLimit-Reset': reset,
  };
  return { ...reply, headers: { ...reply.headers, ...headers } };
};

const methodRefusal = (world: World, routes: ReadonlyMap<string, Route>): Reply => {
  const { flavour } = world;
  const reply = failure(flavour, 'method', 'this method is not offered here');
  return flavour.otherMethods === 405 ? { ...reply, headers: { Allow: [...routes.keys()].join(', ') } } : reply;
};

const rateRefusal = (world: World, decision: Decision): Reply => {
  const { flavour, broken } = world;
  const reply: Reply = broken('env-429-plain') ? { status: 429 } : failure(flavour, 'rate', 'too many requests');
  if (broken('rate-503')) reply.status = 503;
  return flavour.retryAfter ? { ...reply, headers: { 'Retry-After': String(Math.max(1, decision.reset)) } } : reply;
};

/** Anything below /api/v1, /v1 of the second form, or the sandbox. */
export const answerVersioned = async (world: World, call: Call, courier: Courier): Promise<Reply> => {
  const { flavour, broken } = world;
  const open = (reply: Reply): Reply => {
    if (!flavour.rateOnRefused) return reply;
    return withRateHeaders(world, reply, world.openLimiter.take(), world.openLimiter, false, false);
  };
  const planned = plannedReply(world, call);
  if (planned) return open(planned);
  const match = matchRoute(world, call, courier);
  const method = call.method === 'HEAD' && flavour.allowHead ? 'GET' : call.method;
  const route = match?.routes.get(method);

  if (call.form === 'sandbox') {
    const limiter = world.sandboxLimiter;
    const decision = limiter.take();
    const reply = !decision.allowed
      ? rateRefusal(world, decision)
      : route
        ? await route.run()
        : match
          ? methodRefusal(world, match.routes)
          : failure(flavour, 'not_found', 'no such path');
    return withRateHeaders(world, reply, decision, limiter, false, false);
  }

  const key = identify(world, call, route?.action ?? null);
  if ('status' in key) return open(key);
  call.key = key;
  const limiter = world.limiterOf(key);
  const free =
    (broken('rate-second-form-free') && call.form === 'second') ||
    (broken('rate-item-free') && route?.action === 'unit:read');
  const decision = limiter.take(!free);
  const finish = (reply: Reply): Reply => {
    return withRateHeaders(world, reply, decision, limiter, false, key.plan === 'independent');
  };
  if (!decision.allowed && !free) return finish(rateRefusal(world, decision));
  if (!match) return finish(failure(flavour, 'not_found', 'no such path'));
  if (!route) return finish(methodRefusal(world, match.routes));
  const tenant = tenantOf(world, call, key);
  if ('status' in tenant) return finish(tenant);
  call.tenant = tenant;
  const refusal = permit(world, key, route.action);
  if (refusal) return finish(refusal);
  return finish(await route.run());
};
