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
  return slug && broken('auth-slug-as-key')
    ? { token, tenant: slug.name, scopes: ['admin:*'], plan: 'enterprise' }
    : keys.get(token);
};

/** Who calls; a Reply when the credentials do not do. */
export const identify = (world: World, call: Call, operation: Operation | null): ApiKey | Reply => {
  const { flavour, broken, keys, namedKeys } = world;
  const header = (call.header('authorization') ?? '').trim();
  if (header === '') {
    const isOpen =
      operation?.id === 'listUnits' &&
      broken('auth-tenant-instead') &&
      call.header('x-tenant') === flavour.tenants.main;
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
export const permit = (world: World, key: ApiKey, operation: Operation): Reply | null => {
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
