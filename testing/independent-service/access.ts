import { scopeOf, type Operation } from './operations.js';
import {
  failure,
  tenantNamed,
  type ApiKey,
  type Call,
  type Reply,
  type Scope,
  type Tenant,
  type World,
} from './world.js';

const lookUp = ({ broken, keys, tenants }: World, token: string): ApiKey | undefined => {
  const slug = [...tenants.values()].find((tenant) => tenant.slug === token);
  if (slug && broken('auth-slug-as-key')) return { token, tenant: slug.name, scopes: ['admin:*'], plan: 'enterprise' };
  return broken('auth-folded')
    ? [...keys.values()].find((key) => key.token.toLowerCase() === token.toLowerCase())
    : keys.get(token);
};

/** Who calls; a Reply when the credentials do not do. */
export const identify = (world: World, call: Call, operation: Operation | null): ApiKey | Reply => {
  const { flavour, broken, keys, namedKeys } = world;
  const header = (call.header('authorization') ?? '').trim();
  if (header === '') {
    const isOpen =
      operation?.id === 'listUnits' &&
      (broken('auth-none-list') || (broken('auth-tenant-instead') && call.header('x-tenant') === flavour.tenants.main));
    const admin = isOpen ? keys.get(namedKeys['API_KEY'] ?? '') : undefined;
    return admin ?? failure(flavour, 'missing_key', 'send Authorization: Bearer <API_KEY>');
  }
  const match = (flavour.keys.looseScheme ? /^Bearer(?: +([^ ].*))?$/i : /^Bearer(?: (.*))?$/).exec(header);
  const key = match ? lookUp(world, match[1] ?? '') : undefined;
  return key ?? failure(flavour, 'invalid_key', 'the API key is not valid');
};

/** The tenant a call works on; a Reply when it may not. */
export const tenantOf = (world: World, call: Call, key: ApiKey): Tenant | Reply => {
  const { flavour, broken } = world;
  const own = tenantNamed(world, key.tenant);
  const slug = call.header('x-tenant') ?? '';
  const refusal = failure(flavour, 'tenant', 'the key does not belong to this tenant');
  if (slug === '') {
    const isRequired =
      (broken('tenant-header-required') && call.form === 'first') ||
      (flavour.tenants.requiredOnSecond && call.form === 'second' && !broken('tenant-first-wins'));
    if (isRequired) return failure(flavour, 'bad_request', 'X-Tenant is required');
    return broken('tenant-first-wins') ? tenantNamed(world, 'main') : own;
  }
  if (slug === own.slug) return broken('tenant-own-refused') && call.form === 'first' ? refusal : own;
  const named = [...world.tenants.values()].find((tenant) => tenant.slug === slug);
  if (named && broken('scope-admin-crosses') && key.scopes.includes('admin:*')) return named;
  return flavour.tenants.mismatch === 'ignore' ? own : refusal;
};

/** Whether the scopes of a key allow an operation; a Reply when they do not. */
export const permit = (world: World, key: ApiKey, operation: Operation): Reply | null => {
  const { flavour, broken } = world;
  const { id } = operation;
  const scope = scopeOf(operation);
  const has = (s: Scope): boolean => key.scopes.includes(s);
  const admin = has('admin:*');
  const isImplied =
    flavour.keys.writeImpliesRead && scope.startsWith('read:') && has(scope.replace('read', 'write') as Scope);
  const isUnjustlyGranted =
    (broken('leads-deals-reads') && scope === 'read:leads' && has('read:deals')) ||
    (broken('scope-calls-reads-units') && id === 'listUnits' && has('read:calls')) ||
    (broken('scope-leads-reads-units-item') && id === 'getUnit' && has('read:leads'));
  const isUnjustlyRefused =
    (broken('single-refused-read') && id === 'getUnit' && !admin) ||
    (broken('deals-admin-refused') && scope === 'read:deals' && admin) ||
    (broken('scope-inventory-refused') && id === 'listUnits' && !admin);
  if ((admin || has(scope) || isImplied || isUnjustlyGranted) && !isUnjustlyRefused) return null;
  const reply = failure(flavour, 'forbidden', `the key lacks ${scope}`);
  return broken('env-error-missing-on-scope') ? { ...reply, json: { ok: false } } : reply;
};
