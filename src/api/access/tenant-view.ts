import type { KeyName } from '../../settings/index.js';

/** One tenant, as one key sees it. */
export interface TenantView {
  readonly key: KeyName;
  readonly tenant: string | null;
  /** The units that its list shows, by their ids. */
  readonly units: ReadonlyMap<string, unknown>;
  /** Whether that is its whole list. */
  readonly complete: boolean;
}

/** Tenant headers worth trying with a key: its own, none, the other's. */
export function headersFor(side: TenantView, foreign: TenantView): (string | null)[] {
  return [...new Set([side.tenant, null, foreign.tenant])];
}
