import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiFailure, crash } from './api-failure.js';
import { mainTenant, sandboxTenant } from './api-keys.js';
import type { ApiKey } from './api-keys.js';
import type { Behaviour } from './behaviour.js';
import { readCredentials } from './credentials.js';
import { neededParameters } from './document/operations.js';
import { limitHeaders } from './limit-headers.js';
import type { LimitedBy } from './limits.js';
import { originalPath, surfaceOf } from './request-state.js';
import { allowed } from './scopes.js';
import type { TenantStore } from './tenant-store.js';
import { violations } from './validate.js';
import type { World } from './world.js';

/** Milliseconds on the clock that the limiters go by: the wall's at the start, then even. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The status of what exceeds a limit. */
export function refusalStatus({ has }: Behaviour): number {
  return has('refusal-503') ? 503 : has('refusal-403') ? 403 : has('refusal-redirect') ? 302 : 429;
}

/** Counts the request, sets the RateLimit headers, and refuses what exceeds a limit. */
function limit(by: LimitedBy, subject: string, request: FastifyRequest, reply: FastifyReply, world: World): void {
  const ruling = world.limits.rule(by, subject, `${request.method} ${request.originalUrl}`, nowMs());
  reply.headers(limitHeaders(ruling, world.behaviour));
  if (ruling.allowed) return;
  const status = refusalStatus(world.behaviour);
  throw new ApiFailure(status, 'rate_limited', `At most ${ruling.limit} requests in ${ruling.windowSeconds} s.`);
}

function credentialFailure(status: number, code: string, message: string, world: World): ApiFailure {
  const challenge =
    status === 401 && !world.behaviour.has('no-www-authenticate')
      ? { 'WWW-Authenticate': 'Bearer realm="dealership"' }
      : {};
  return new ApiFailure(status, code, message, { headers: challenge });
}

/** The refusal for a missing key. */
export function missingKey(world: World): ApiFailure {
  const status = world.behaviour.has('missing-key-403') ? 403 : Number(world.behaviour.dial('missing-key-status'));
  return credentialFailure(status, 'key_missing', 'Send the API key as Authorization: Bearer KEY.', world);
}

/** The refusal for the name of another tenant. */
export function foreignTenantFailure(world: World): ApiFailure {
  const answer = world.behaviour.dial('foreign-tenant');
  return new ApiFailure(
    answer === 'ignored' ? 403 : Number(answer),
    'tenant_forbidden',
    'The key does not belong to that tenant.',
  );
}

function tenantMissing(world: World): ApiFailure {
  return new ApiFailure(Number(world.behaviour.dial('invalid-status')), 'tenant_missing', 'X-Tenant is needed.');
}

/** Refuses a request without a parameter that its operation needs, or with one that is no good. */
function demandParameters(request: FastifyRequest, tenant: TenantStore, world: World): void {
  const { operation = '' } = request.routeOptions.config;
  for (const { name, in: place, schema } of neededParameters(operation, world.behaviour)) {
    const given =
      place === 'query'
        ? (request.query as Record<string, unknown>)[String(name)]
        : request.headers[String(name).toLowerCase()];
    const value = (schema as { type?: string }).type === 'integer' ? Number(given) : given;
    const known =
      name === 'unitId'
        ? tenant.units.get(String(given)) !== undefined
        : name === 'from'
          ? /^\d{4}-\d\d-\d\d$/.test(String(given))
          : name !== 'year' || (Number(given) >= 1990 && Number(given) <= 2100);
    const { format: _, ...plain } = schema as Record<string, unknown>;
    if (given !== undefined && known && violations(plain, value).length === 0) continue;
    throw new ApiFailure(
      Number(world.behaviour.dial('invalid-status')),
      'invalid_parameter',
      `${String(name)} is needed.`,
    );
  }
}

function tenantFor(key: ApiKey, request: FastifyRequest, world: World): TenantStore {
  const { has, dial } = world.behaviour;
  const own = world.tenants.get(key.tenant);
  if (own === undefined) throw crash();
  const named = request.headers['x-tenant'];
  const operation = request.routeOptions.config.operation;
  const second = surfaceOf(originalPath(request)) === 'second-form';
  if (named === undefined) {
    if (has('second-form-shows-first-tenant') && second) return world.tenants.get(mainTenant) ?? own;
    if (dial('tenant-header') !== 'optional') throw tenantMissing(world);
    if (has('tenant-header-required') && operation === 'listUnits')
      throw new ApiFailure(400, 'tenant_missing', 'X-Tenant is needed.');
    return own;
  }
  if (named === key.tenant) {
    if (has('tenant-header-refused') && operation === 'listUnits')
      throw new ApiFailure(403, 'tenant_forbidden', 'X-Tenant is not allowed here.');
    return own;
  }
  const foreign = typeof named === 'string' ? world.tenants.get(named) : undefined;
  if (foreign === undefined && has('crash-on-unknown-tenant')) throw crash();
  const followed =
    has('foreign-tenant-followed') ||
    (has('foreign-tenant-followed-by-head') && request.method === 'HEAD') ||
    (has('second-form-follows-foreign-tenant') && second) ||
    (has('second-form-unit-follows-foreign-tenant') && second && operation === 'getUnit') ||
    (has('foreign-tenant-followed-when-reading-one') && operation === 'getUnit') ||
    (has('foreign-tenant-followed-under-filter') &&
      (request.query as Record<string, unknown>)['status'] !== undefined) ||
    (has('foreign-tenant-followed-for-one-lead') && operation === 'getLead') ||
    (has('foreign-tenant-unit-created') && operation === 'createUnit') ||
    (has('foreign-tenant-followed-by-writing-key') && operation === 'createLead' && !key.scopes.includes('admin:*')) ||
    (has('foreign-tenant-written-by-second') && operation === 'createLead' && key.tenant !== mainTenant) ||
    ((has('foreign-tenant-written') || has('foreign-tenant-written-though-refused')) && operation === 'createLead');
  if (followed && foreign) return foreign;
  if (dial('foreign-tenant') === 'ignored') return own;
  throw foreignTenantFailure(world);
}

function admitWithKey(request: FastifyRequest, reply: FastifyReply, world: World): void {
  const { has, dial } = world.behaviour;
  const { presented, key } = readCredentials(request, world);
  const { operation, scope } = request.routeOptions.config;
  if (key === null) {
    limit('functional', 'nobody', request, reply, world);
    // What is not there is not there, whoever asks.
    if (operation === undefined || scope === undefined) return;
    const own = world.tenants.get(mainTenant);
    const late =
      ((has('lead-stored-without-key') || has('replay-needs-no-key')) && operation === 'createLead') ||
      (has('unit-stored-without-key') && operation === 'createUnit') ||
      (has('unit-deleted-without-key') && operation === 'deleteUnit') ||
      (has('second-form-unit-needs-no-key') &&
        operation === 'getUnit' &&
        surfaceOf(originalPath(request)) === 'second-form');
    if (late && presented === null && own !== undefined) {
      request.caller = { key: null, tenant: own, scopes: ['admin:*'] };
      return;
    }
    if (presented === null) {
      if (has('crash-on-empty-credentials') && request.headers.authorization !== undefined) throw crash();
      throw missingKey(world);
    }
    if (has('crash-on-latin-credential') && /[\x80-\xff]/.test(request.headers.authorization ?? '')) throw crash();
    const echo = has('key-echoed') ? ` (${presented})` : '';
    throw credentialFailure(
      Number(dial('unknown-key-status')),
      'key_unknown',
      `The API key is not known${echo}.`,
      world,
    );
  }
  const together = dial('limit-subject') === 'tenant' || has('keys-counted-together');
  const subject = together && !has('tenant-counted-by-key') ? key.tenant : key.setting;
  limit(key.plan, subject, request, reply, world);
  if (dial('tenant-header') === 'everywhere' && request.headers['x-tenant'] === undefined) throw tenantMissing(world);
  if (operation === undefined || scope === undefined) return;
  const tenant = tenantFor(key, request, world);
  const paged = (request.query as Record<string, unknown>)[dial('cursor-parameter')] !== undefined;
  if (has('read-inventory-refused-page-two') && paged && key.scopes.includes('read:inventory'))
    throw scopeFailure(world);
  const open =
    (has('cursor-needs-no-scope') && paged && operation === 'listUnits') ||
    (has('head-needs-no-scope') && request.method === 'HEAD') ||
    (has('second-form-needs-no-scope') && surfaceOf(originalPath(request)) === 'second-form') ||
    (has('second-form-leads-need-no-scope') &&
      operation === 'listLeads' &&
      surfaceOf(originalPath(request)) === 'second-form');
  if (!open && !allowed(key, operation, scope, world)) {
    const late =
      (has('refusal-after-effect') && operation === 'createLead') ||
      (has('unit-stored-then-refused') && operation === 'createUnit') ||
      (has('unit-changed-then-refused') && operation === 'updateUnit') ||
      (has('unit-deleted-then-refused') && operation === 'deleteUnit');
    if (!late) throw scopeFailure(world);
  }
  demandParameters(request, tenant, world);
  const second = request.method === 'GET' && (world.reads += 1) % 2 === 0 ? world.behind.get(tenant.slug) : undefined;
  request.caller = { key, tenant: second ?? tenant, scopes: key.scopes };
}

/** The refusal for a missing scope. */
export function scopeFailure(world: World): ApiFailure {
  const status = world.behaviour.has('scope-missing-401') ? 401 : Number(world.behaviour.dial('scope-status'));
  return credentialFailure(status, 'scope_missing', 'The API key lacks the scope for this.', world);
}

/** Lets a request in, or throws the refusal; runs before anything of the body is read. */
export function admit(request: FastifyRequest, reply: FastifyReply, world: World): void {
  const surface = surfaceOf(originalPath(request));
  if (!(world.behaviour.has('header-missing') && request.routeOptions.config.operation === 'listDeals')) {
    const broken = world.behaviour.has('header-breaks-schema') && request.routeOptions.config.operation === 'listDeals';
    reply.header('X-Request-Id', broken ? `req-${request.id.slice(0, 8)}` : request.id);
  }
  if (surface === 'production' || surface === 'second-form') {
    admitWithKey(request, reply, world);
    return;
  }
  if (surface === 'other') return;
  limit(surface, 'everybody', request, reply, world);
  const tenant = world.tenants.get(
    surface === 'demo' && world.behaviour.dial('demo-data') === 'tenant' ? mainTenant : sandboxTenant,
  );
  if (tenant) request.caller = { key: null, tenant, scopes: ['admin:*'] };
}
