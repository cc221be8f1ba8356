import { apiKeys, derived, mainTenant, otherTenant, sandboxTenant } from './api-keys.js';
import type { Behaviour, LimitNumbers, World } from './instance.js';
import { rememberKeys } from './idempotency/idempotency-keys.js';
import { makeLimits } from './limits.js';
import { TenantStore } from './data/tenant-store.js';
import { makeSender } from './webhooks/sender.js';

/** A fresh instance that does not listen yet. */
export function makeWorld(behaviour: Behaviour, numbers: LimitNumbers): World {
  const { seed } = behaviour;
  const secrets = new Map(
    [mainTenant, otherTenant, sandboxTenant].map((slug) => [slug, `whsec_${derived(seed, `secret/${slug}`, 40)}`]),
  );
  const tenants = new Map(
    [
      new TenantStore(behaviour, mainTenant, { units: 347, deals: 46 }),
      new TenantStore(behaviour, otherTenant, { units: 61, deals: 23 }),
      new TenantStore(behaviour, sandboxTenant, { units: 40, deals: 22 }),
    ].map((tenant) => [tenant.slug, tenant]),
  );
  return {
    ...behaviour,
    keys: apiKeys(seed),
    tenants,
    tenantOf: (slug) => {
      const found = tenants.get(slug);
      if (found === undefined) throw new Error(`there is no tenant "${slug}"`);
      return found;
    },
    behind: new Map(
      behaviour.option('new-records') === 'second-machine'
        ? Array.from(tenants.values(), (one) => [one.slug, one.secondMachine(3_000)])
        : [],
    ),
    limits: makeLimits(behaviour, numbers),
    remembered: rememberKeys(behaviour),
    sender: makeSender(behaviour, secrets),
    secrets,
    baseUrl: '',
    reads: 0,
  };
}
