import { ApiFailure, invalidInput } from './api-failure.js';
import { mainTenant, sandboxTenant, type ApiKey } from './api-keys.js';
import { grants, readCredentials } from './credentials.js';
import { neededParameters } from './document/operations.js';
import { limitHeaders } from './limit-headers.js';
import type { Exchange, LimitedBy, World } from './instance.js';
import type { TenantStore } from './data/tenant-store.js';
import { violations } from './validate.js';

/** Milliseconds on the clock that the limiters go by: the wall's at the start, then even. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts the request, sets the RateLimit headers, and refuses what exceeds a limit. */
function limit(by: LimitedBy, subject: string, { method, url, source, response, world }: Exchange): void {
  const ruling = world.limits.rule(by, subject, `${method} ${url}`, nowMs(), source);
  for (const [name, value] of Object.entries(limitHeaders(ruling, world))) response.setHeader(name, value);
  if (ruling.allowed) return;
  throw new ApiFailure(429, 'rate_limited', `At most ${ruling.limit} requests in ${ruling.windowSeconds} s.`);
}

function credentialFailure(status: number, code: string, message: string): ApiFailure {
  const headers = status === 401 ? { 'WWW-Authenticate': 'Bearer realm="dealership"' } : {};
  return new ApiFailure(status, code, message, { headers });
}

/** The refusal for a missing key. */
export function missingKey(world: World): ApiFailure {
  const status = Number(world.option('missing-key-status'));
  return credentialFailure(status, 'key_missing', 'Send the API key as Authorization: Bearer KEY.');
}

/** The refusal for the name of another tenant. */
export function foreignTenantFailure(world: World): ApiFailure {
  const answer = world.option('foreign-tenant');
  const status = answer === 'ignored' ? 403 : Number(answer);
  return new ApiFailure(status, 'tenant_forbidden', 'The key does not belong to that tenant.');
}

/** The refusal for a missing scope. */
export function scopeFailure(world: World): ApiFailure {
  const status = Number(world.option('scope-status'));
  return credentialFailure(status, 'scope_missing', 'The API key lacks the scope for this.');
}

function tenantMissing(world: World): ApiFailure {
  return invalidInput(world, 'tenant_missing', 'X-Tenant is needed.');
}

/** Refuses a request without a parameter that its operation needs, or with one that is no good. */
function demandParameters({ headers, query, operation, world }: Exchange, tenant: TenantStore): void {
  for (const { name, in: place, schema } of neededParameters(operation, world)) {
    const given = place === 'query' ? query[String(name)] : headers[String(name).toLowerCase()];
    const value = (schema as { type?: string }).type === 'integer' ? Number(given) : given;
    const known =
      name === 'unitId'
        ? tenant.units.get(String(given)) !== undefined
        : name === 'from'
          ? /^\d{4}-\d\d-\d\d$/.test(String(given))
          : name !== 'year' || (Number(given) >= 1990 && Number(given) <= 2100);
    const { format: _, ...plain } = schema as Record<string, unknown>;
    if (given !== undefined && known && violations(plain, value).length === 0) continue;
    throw invalidInput(world, 'invalid_parameter', `${String(name)} is needed.`);
  }
}

function tenantFor(key: ApiKey, exchange: Exchange): TenantStore {
  const { headers, world } = exchange;
  const { option, apply } = world;
  const own = world.tenantOf(key.tenant);
  const named = headers['x-tenant'];
  if (named === undefined && option('tenant-header') !== 'optional') throw tenantMissing(world);
  const isOwn = named === undefined || named === key.tenant || option('foreign-tenant') === 'ignored';
  const tenant = apply('tenant', isOwn ? own : null, exchange, key, world.tenants.get(String(named)));
  if (tenant === null) throw foreignTenantFailure(world);
  return tenant;
}

function admitWithKey(exchange: Exchange): void {
  const { headers, method, operation, scope, world } = exchange;
  const { option, apply } = world;
  const { presented, key } = readCredentials(exchange);
  // An absent operation answers 404 to every caller.
  const isAbsent = operation === '' || scope === undefined;
  if (key === null) {
    limit('functional', 'nobody', exchange);
    if (isAbsent) return;
    if (presented !== null)
      throw credentialFailure(Number(option('unknown-key-status')), 'key_unknown', 'The API key is not known.');
    throw missingKey(world);
  }
  limit(key.plan, key.setting, exchange);
  if (option('tenant-header') === 'everywhere' && headers['x-tenant'] === undefined) throw tenantMissing(world);
  if (isAbsent) return;
  const tenant = tenantFor(key, exchange);
  if (!apply('allowed', grants(key, scope, world), key, exchange)) throw scopeFailure(world);
  demandParameters(exchange, tenant);
  const second = method === 'GET' && (world.reads += 1) % 2 === 0 ? world.behind.get(tenant.slug) : undefined;
  exchange.caller = { key, tenant: second ?? tenant, scopes: key.scopes };
}

/** Lets a request in, or throws the refusal; runs before anything of the body is read. */
export function admit(exchange: Exchange): void {
  const { requestId, response, surface, world } = exchange;
  response.setHeader('X-Request-Id', requestId);
  if (surface === 'production' || surface === 'second-form') {
    admitWithKey(exchange);
    return;
  }
  if (surface === 'other') return;
  limit(surface, 'everybody', exchange);
  const isMain = surface === 'demo' && world.option('demo-data') === 'tenant';
  exchange.caller = { key: null, tenant: world.tenantOf(isMain ? mainTenant : sandboxTenant), scopes: ['admin:*'] };
}
