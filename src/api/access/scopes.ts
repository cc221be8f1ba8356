import type { Check, RequestOptions } from '../../run/index.js';
import type { KeyName } from '../../settings/index.js';
import type { ScopedOperation } from '../operations.js';

/** The scopes that a single key can be restricted to. */
const scopeByKey = {
  API_KEY_READ_INVENTORY: 'read:inventory',
  API_KEY_WRITE_INVENTORY: 'write:inventory',
  API_KEY_READ_LEADS: 'read:leads',
  API_KEY_WRITE_LEADS: 'write:leads',
  API_KEY_READ_DEALS: 'read:deals',
  API_KEY_READ_CALLS: 'read:calls',
} as const satisfies Partial<Record<KeyName, string>>;

/** A scope's name. */
export type Scope = (typeof scopeByKey)[keyof typeof scopeByKey] | 'admin:*';

/** The settings that hold a scoped key. */
export const scopedKeyNames = Object.keys(scopeByKey) as (keyof typeof scopeByKey)[];

/** Somebody who asks, and what to call them; without a scope, nothing is granted. */
export interface Caller {
  readonly label: string;
  readonly as: NonNullable<RequestOptions['as']> | null;
  /** The tenant that it names, unless the usual one. */
  readonly tenant?: string | null;
  readonly scope?: Scope;
}

/** A configured key and its scope. */
export interface Key extends Caller {
  readonly as: KeyName;
  readonly scope: Scope;
}

/** The configured keys of one scope each. */
export function scopedKeys({ target }: Pick<Check, 'target'>): readonly Key[] {
  return scopedKeyNames
    .filter((as) => target.keys[as] !== undefined)
    .map((as) => ({ as, scope: scopeByKey[as], label: `a ${scopeByKey[as]} key` }));
}

/** The key with full access. */
export const adminKeys = (): readonly Key[] => [{ as: 'API_KEY', scope: 'admin:*', label: 'the admin:* key' }];

/** The key with full access to the second tenant, where it is configured. */
export function otherAdminKeys({ target }: Pick<Check, 'target'>): readonly Key[] {
  const label = 'OTHER_API_KEY, with full access to its tenant,';
  return target.keys.OTHER_API_KEY === undefined
    ? []
    : [{ as: 'OTHER_API_KEY', tenant: target.otherTenant, scope: 'admin:*', label }];
}

/** What a scope gives the right to. The specification leaves open whether one that writes includes reading. */
export function rightOf(
  scope: Caller['scope'],
  { resource, writes }: Pick<ScopedOperation, 'resource' | 'writes'>,
): 'granted' | 'open' | 'refused' {
  if (scope === 'admin:*' || scope === `${writes ? 'write' : 'read'}:${resource}`) return 'granted';
  return scope === `write:${resource}` ? 'open' : 'refused';
}
