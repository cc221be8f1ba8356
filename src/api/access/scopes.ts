import type { RequestOptions } from '../../run/index.js';
import type { KeyName, Target } from '../../settings/index.js';
import type { ScopedOperation } from '../operations.js';

/** The scopes that a single key can be restricted to. */
export const scopeByKey = {
  API_KEY_READ_INVENTORY: 'read:inventory',
  API_KEY_WRITE_INVENTORY: 'write:inventory',
  API_KEY_READ_LEADS: 'read:leads',
  API_KEY_WRITE_LEADS: 'write:leads',
  API_KEY_READ_DEALS: 'read:deals',
  API_KEY_READ_CALLS: 'read:calls',
} as const satisfies Partial<Record<KeyName, string>>;

/** A scope's name. */
export type Scope = (typeof scopeByKey)[keyof typeof scopeByKey];

/** The settings that hold a scoped key. */
export const scopedKeyNames = Object.keys(scopeByKey) as (keyof typeof scopeByKey)[];

/** The scope of a key. */
export function scopeOf(name: KeyName): Scope | 'admin:*' {
  return (scopeByKey as Partial<Record<KeyName, Scope>>)[name] ?? 'admin:*';
}

/** The scoped keys that are configured. */
export function scopedKeys(target: Target): { readonly name: KeyName; readonly scope: Scope }[] {
  return scopedKeyNames
    .filter((name) => target.keys[name] !== undefined)
    .map((name) => ({ name, scope: scopeByKey[name] }));
}

/** Somebody who asks, and what to call them; without a scope, nothing is granted. */
export interface Caller {
  readonly label: string;
  readonly as: NonNullable<RequestOptions['as']> | null;
  readonly scope?: Scope | 'admin:*';
}

/** What a scope gives the right to. The specification leaves open whether one that writes includes reading. */
export function rightOf(
  scope: Caller['scope'],
  { resource, writes }: Pick<ScopedOperation, 'resource' | 'writes'>,
): 'granted' | 'open' | 'refused' {
  if (scope === 'admin:*' || scope === `${writes ? 'write' : 'read'}:${resource}`) return 'granted';
  return scope === `write:${resource}` ? 'open' : 'refused';
}
