import { type Exchange, ownWords } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { type KeyName, toSet } from '../../settings/index.js';
import { liveOperations, type ScopedOperation } from '../operations.js';

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

/** Why a key seems to be a wrong setting: each of these operations, the live ones unless said, answers it 401, in the words that a key that nobody has gets. Null where not. */
export function whyUnknown(
  check: Check,
  name: KeyName,
  operations?: readonly ScopedOperation[],
): Promise<string | null> {
  return check.once(`why ${name} is unknown`, async () => {
    const unknown = { name: 'an unknown key', authorization: `Bearer ${check.fresh('unknown key')}` };
    let words = '';
    for (const operation of operations ?? (await liveOperations(check))) {
      const own = await operation.attempt({ as: name });
      words = ownWords(own);
      if (own.response?.status !== 401 || ownWords(await operation.attempt({ as: unknown })) !== words) return null;
    }
    return `the service does not know ${name}: it answers "${words}" to every operation, as to a key that nobody has`;
  });
}

/** Blocks a check that judges by keys of which the service does not know one. */
export async function blockUnknown(
  check: Check,
  names: readonly KeyName[],
  operations?: readonly ScopedOperation[],
): Promise<void> {
  const unknown: { readonly name: KeyName; readonly why: string }[] = [];
  for (const name of names) {
    const why = await whyUnknown(check, name, operations);
    if (why !== null) unknown.push({ name, why });
  }
  if (unknown.length === 0) return;
  const keys = toSet(...unknown.map(({ name }) => name));
  check.blocked(unknown.map(({ why }) => why).join('; '), keys, ' to a key of this service and tenant');
}

/** Blocks a check of two tenants where the answer refuses the second key, for one reason whatever was asked. */
export function blockRefusedKey(check: Check, exchange: Exchange): void {
  if (![401, 403].includes(exchange.response?.status ?? 0)) return;
  const { otherTenant } = check.target;
  check.blocked(
    `OTHER_API_KEY${otherTenant === null ? '' : ' with OTHER_TENANT'} is refused with "${ownWords(exchange)}": is it a full-access key of this service${otherTenant === null ? '' : ' and of that tenant'}?`,
  );
}
