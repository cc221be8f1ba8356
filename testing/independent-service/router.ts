import { perform, placeOf, scopeOf, type Operation } from './operations.js';
import type { Decision, Limiter } from './limits.js';
import { failure, notFoundPage, success } from './replies.js';
import { tenantNamed, type ApiKey, type Call, type Reply, type Scope, type Tenant, type World } from './world.js';

const lookUp = ({ broken, keys, tenants }: World, token: string): ApiKey | undefined => {
  const slug = [...tenants.values()].find((tenant) => tenant.slug === token);
  return slug && broken('auth-slug-as-key')
    ? { token, tenant: slug.name, scopes: ['admin:*'], plan: 'enterprise' }
    : keys.get(token);
};

/** Who calls; a Reply when the credentials do not do. */
const identify = (world: World, call: Call, operation: Operation | null): ApiKey | Reply => {
  const { flavour, broken, keys, namedKeys } = world;
  const header = (call.header('authorization') ?? '').trim();
  if (header === '') {
    const isList = operation?.id === 'listUnits' && call.header('x-tenant') === flavour.tenants.main;
    const admin = isList && broken('auth-tenant-instead') ? keys.get(namedKeys['API_KEY'] ?? '') : undefined;
    return admin ?? failure(flavour, 'missing_key', 'send Authorization: Bearer <API_KEY>');
  }
  const match = (flavour.keys.looseScheme ? /^Bearer(?: +([^ ].*))?$/i : /^Bearer(?: (.*))?$/).exec(header);
  const key = match ? lookUp(world, match[1] ?? '') : undefined;
  return key ?? failure(flavour, 'invalid_key', 'the API key is not valid');
};

/** The tenant a call works on; a Reply when it may not. */
const tenantOf = (world: World, call: Call, key: ApiKey): Tenant | Reply => {
  const { flavour, broken } = world;
  const own = tenantNamed(world, key.tenant);
  const slug = call.header('x-tenant') ?? '';
  if (slug === '') {
    const isRequired =
      (broken('tenant-header-required') && call.form === 'first') ||
      (flavour.tenants.requiredOnSecond && call.form === 'second' && !broken('tenant-first-wins'));
    if (isRequired) return failure(flavour, 'bad_request', 'X-Tenant is required');
    return broken('tenant-first-wins') ? tenantNamed(world, 'main') : own;
  }
  return slug === own.slug || flavour.tenants.mismatch === 'ignore'
    ? own
    : failure(flavour, 'tenant', 'the key does not belong to this tenant');
};

/** Whether the scopes of a key allow an operation; a Reply when they do not. */
const permit = (world: World, key: ApiKey, operation: Operation): Reply | null => {
  const { flavour, broken } = world;
  const scope = scopeOf(operation);
  const has = (s: Scope): boolean => key.scopes.includes(s);
  const isImplied =
    flavour.keys.writeImpliesRead && scope.startsWith('read:') && has(scope.replace('read', 'write') as Scope);
  const isUnjust = broken('scope-calls-reads-units') && operation.id === 'listUnits' && has('read:calls');
  if (has('admin:*') || has(scope) || isImplied || isUnjust) return null;
  const reply = failure(flavour, 'forbidden', `the key lacks ${scope}`);
  return broken('env-error-missing-on-scope') ? { ...reply, json: { ok: false } } : reply;
};

/** What a planned path answers; null where a call is for none. */
const plannedReply = ({ flavour, broken }: World, { method, query, rest }: Call): Reply | null => {
  const path = rest.map(encodeURIComponent).join('/');
  const dispatch = `(?:assistant|${flavour.assistant})/dispatch`;
  const paths = `^(?:deals/[^/]*/desk|calls(?:/[^/]*/transcript)?|${dispatch}|reports/funnel)$`;
  if (!new RegExp(paths).test(path)) return null;
  const at = (status: number): Reply => ({ ...failure(flavour, 'not_found', 'planned for Q3 2026'), status });

  if (broken('planned-200-body-404')) return at(200);
  if (broken('planned-delete-405') && method === 'DELETE') return at(405);
  if (broken('planned-dispatch-post') && path.endsWith('/dispatch') && method === 'POST') return at(400);
  if (broken('planned-funnel-query') && path === 'reports/funnel' && method === 'GET' && query.size > 0)
    return success(200, { steps: [] });

  return { html: notFoundPage(), empty: { status: 404 }, envelope: at(404) }[flavour.errors.planned];
};

/** The operations of the path of a call, by method; null where there is no such path. */
const operationsAt = (world: World, operations: readonly Operation[], call: Call): Map<string, Operation> | null => {
  const { broken, flavour } = world;
  const [head, id, more] = call.rest;
  if (more !== undefined || head === undefined || id === '') return null;
  const path = `/${head}${id === undefined ? '' : '/{id}'}`;
  const isMissing = (name: string): boolean => broken('second-op-missing') && path === '/units' && name !== 'listUnits';
  const found = operations.filter((operation) => placeOf(operation).path === path && !isMissing(operation.id));
  const methods = new Map(found.map((operation) => [placeOf(operation).method, operation]));
  const get = methods.get('GET');
  if (get && flavour.addresses.head) methods.set('HEAD', get);
  return methods.size === 0 ? null : methods;
};

export const withRateHeaders = (world: World, reply: Reply, decision: Decision, { policies }: Limiter): Reply => {
  const { header } = world.flavour.rate;
  const { policy, remaining, reset } = header === 'minute' ? decision.long : decision;
  const listed = policies.map(({ limit, seconds }) => `${limit};w=${Math.ceil(seconds)}`);
  const date = new Date(Date.now() + reset * 1000).toUTCString();
  const headers = {
    'RateLimit-Limit': [String(policy.limit), ...(header === 'policies' ? listed : [])].join(', '),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': world.broken('rate-reset-date') ? date : String(reset),
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
