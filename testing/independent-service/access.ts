import { failure } from './replies.js';
import type { ApiKey, Call, Reply, Scope, Tenant } from './types.js';
import { tenantNamed, type World } from './world.js';

export type Action =
  | 'units:read'
  | 'units:write'
  | 'unit:read'
  | 'unit:write'
  | 'unit:delete'
  | 'leads:read'
  | 'leads:create'
  | 'leads:write'
  | 'deals:read';

const required: Readonly<Record<Action, Scope>> = {
  'units:read': 'read:inventory',
  'units:write': 'write:inventory',
  'unit:read': 'read:inventory',
  'unit:write': 'write:inventory',
  'unit:delete': 'write:inventory',
  'leads:read': 'read:leads',
  'leads:create': 'write:leads',
  'leads:write': 'write:leads',
  'deals:read': 'read:deals',
};

const lookUp = (world: World, token: string): ApiKey | null => {
  const { broken, keys } = world;
  const exact = keys.get(token);
  if (exact) return exact;
  for (const key of keys.values()) {
    if (broken('auth-folded') && token.toLowerCase() === key.token.toLowerCase()) return key;
  }
  if (broken('auth-slug-as-key'))
    for (const t of world.tenants.values())
      if (token === t.slug) return { token: t.slug, tenant: t.name, scopes: ['admin:*'], plan: 'enterprise' };
  return null;
};

/** Who calls; a Reply when the credentials do not do. */
export const identify = (world: World, call: Call, action: Action | null): ApiKey | Reply => {
  const { flavour, broken } = world;
  const header = call.header('authorization');
  const admin = world.keys.get(world.namedKeys['API_KEY'] ?? '');
  const open =
    (broken('auth-none-list') && action === 'units:read') ||
    (broken('auth-tenant-instead') && action === 'units:read' && call.header('x-tenant') === flavour.slugs.main);
  if (header === undefined || header.trim() === '') {
    if (open && admin) return admin;
    return failure(flavour, 'missing_key', 'send Authorization: Bearer <API_KEY>');
  }
  const match = (flavour.looseScheme ? /^Bearer(?: +([^ ].*))?$/i : /^Bearer(?: (.*))?$/).exec(header.trim());
  const key = match ? lookUp(world, match[1] ?? '') : null;
  if (key) return key;
  const refusal = failure(flavour, 'invalid_key', 'the API key is not valid');
  return refusal;
};

/** The tenant a call works on; a Reply when it may not. */
export const tenantOf = (world: World, call: Call, key: ApiKey): Tenant | Reply => {
  const { flavour, broken } = world;
  const own = tenantNamed(world, key.tenant);
  const slug = call.header('x-tenant');
  const admin = key.scopes.includes('admin:*');
  if (slug === undefined || slug === '') {
    if (broken('tenant-header-required') && call.form === 'first')
      return failure(flavour, 'bad_request', 'X-Tenant is required');
    if (broken('tenant-first-wins')) return tenantNamed(world, 'main');
    if (flavour.tenantRequiredOnSecond && call.form === 'second')
      return failure(flavour, 'bad_request', 'X-Tenant is required');
    return own;
  }
  if (slug === own.slug)
    return broken('tenant-own-refused') && call.form === 'first'
      ? failure(flavour, 'tenant', 'the key does not belong to this tenant')
      : own;
  if (broken('scope-admin-crosses') && admin) for (const t of world.tenants.values()) if (t.slug === slug) return t;
  return flavour.tenantMismatch === 'ignore'
    ? own
    : failure(flavour, 'tenant', 'the key does not belong to this tenant');
};

export const permit = (world: World, key: ApiKey, action: Action): Reply | null => {
  const { flavour, broken } = world;
  const scope = required[action];
  const has = (s: Scope): boolean => key.scopes.includes(s);
  const admin = has('admin:*');
  let allowed =
    admin ||
    has(scope) ||
    (flavour.writeImpliesRead &&
      scope.startsWith('read:') &&
      has(scope === 'read:leads' ? 'write:leads' : scope === 'read:inventory' ? 'write:inventory' : scope));
  const leadsRead = action === 'leads:read';
  if (broken('single-refused-read') && action === 'unit:read' && !admin) allowed = false;
  if (broken('leads-deals-reads') && leadsRead && has('read:deals')) allowed = true;
  if (broken('deals-admin-refused') && action === 'deals:read' && admin) allowed = false;
  if (broken('scope-calls-reads-units') && action === 'units:read' && has('read:calls')) allowed = true;
  if (broken('scope-leads-reads-units-item') && action === 'unit:read' && has('read:leads')) allowed = true;
  if (broken('scope-inventory-refused') && action === 'units:read' && !admin) allowed = false;
  if (allowed) return null;
  const reply = failure(flavour, 'forbidden', `the key lacks ${scope}`);
  if (broken('env-error-missing-on-scope')) reply.json = { ok: false };
  return reply;
};
