import { createHash } from 'node:crypto';

/** The plan whose limits apply to a key. */
export type KeyPlan = 'functional' | 'independent' | 'franchise' | 'enterprise';

/** A key that the operator gave out. `setting` is the name of the setting that holds it. */
export interface ApiKey {
  readonly setting: string;
  readonly value: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly plan: KeyPlan;
}

/** Slugs of the two tenants that have keys, and of the sandbox's own. */
export const mainTenant = 'riverside-motors';
export const otherTenant = 'hilltop-autos';
export const sandboxTenant = 'sandbox';

const given: readonly (readonly [string, string, string, KeyPlan])[] = [
  ['API_KEY', mainTenant, 'admin:*', 'functional'],
  ['API_KEY_READ_INVENTORY', mainTenant, 'read:inventory', 'functional'],
  ['API_KEY_WRITE_INVENTORY', mainTenant, 'write:inventory', 'functional'],
  ['API_KEY_READ_LEADS', mainTenant, 'read:leads', 'functional'],
  ['API_KEY_WRITE_LEADS', mainTenant, 'write:leads', 'functional'],
  ['API_KEY_READ_DEALS', mainTenant, 'read:deals', 'functional'],
  ['API_KEY_READ_CALLS', mainTenant, 'read:calls', 'functional'],
  ['OTHER_API_KEY', otherTenant, 'admin:*', 'functional'],
  ['API_KEY_INDEPENDENT', mainTenant, 'admin:*', 'independent'],
  ['API_KEY_FRANCHISE', mainTenant, 'admin:*', 'franchise'],
  ['API_KEY_ENTERPRISE', mainTenant, 'admin:*', 'enterprise'],
];

/** Text that looks random and is the same for the same seed and label. */
export function derived(seed: number, label: string, length: number): string {
  return createHash('sha512').update(`${seed}/${label}`).digest('base64url').replace(/[-_]/g, 'x').slice(0, length);
}

/** The keys of an instance. */
export function apiKeys(seed: number): readonly ApiKey[] {
  return given.map(([setting, tenant, scope, plan]) => ({
    setting,
    tenant,
    scopes: [scope],
    plan,
    // 32 bytes in base64url, whose last character has two bits to spare.
    value: `dk_${derived(seed, setting, 43)}`,
  }));
}
