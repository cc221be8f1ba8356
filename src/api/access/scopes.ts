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

/** The scoped keys that are configured. */
export function scopedKeys(target: Target): { readonly name: KeyName; readonly scope: Scope }[] {
  return scopedKeyNames
    .filter((name) => target.keys[name] !== undefined)
    .map((name) => ({ name, scope: scopeByKey[name] }));
}

/** Whether a scope grants an operation. */
export function grants(scope: Scope, operation: Pick<ScopedOperation, 'resource' | 'writes'>): boolean {
  return scope === `${operation.writes ? 'write' : 'read'}:${operation.resource}`;
}

/** Whether the operation reads what the scope may write. The specification leaves open whether a write scope includes reading. */
export function isOwnReading(
  scope: Scope,
  { resource, writes }: Pick<ScopedOperation, 'resource' | 'writes'>,
): boolean {
  return scope === `write:${resource}` && !writes;
}
