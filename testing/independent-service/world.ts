import { createHash } from 'node:crypto';
import type { Broken } from './breaches/breaches.js';
import { createLimiter, type Limiter, type Policy } from './rate-limiter.js';
import type { ApiKey, Flavour, JsonObject, Plan, Reply, Scope, Tenant, UnitState } from './types.js';

export type Remembered = {
  readonly print: string;
  replays: number;
  readonly reply: Promise<Reply>;
};

export type World = {
  readonly flavour: Flavour;
  readonly broken: Broken;
  readonly tenants: ReadonlyMap<string, Tenant>;
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly namedKeys: Readonly<Record<string, string>>;
  readonly limiterOf: (key: ApiKey) => Limiter;
  readonly demoLimiter: (client: string) => Limiter;
  readonly sandboxLimiter: Limiter;
  readonly openLimiter: Limiter;
  readonly remembered: Map<string, Remembered>;
  readonly cursors: Map<string, { readonly tenant: string; readonly seq: number; uses: number }>;
  readonly frozen: ReadonlyMap<string, readonly JsonObject[]>;
  readonly next: (kind: 'unit' | 'lead') => number;
  latestLead: Reply | null;
};

/** What the limits are divided by, and the seconds that a minute and a second of them last: real ones take too long to judge. */
export type Scale = { readonly count: number; readonly minute: number; readonly second: number };

export const realScale: Scale = { count: 1, minute: 60, second: 1 };

const scaled = (scale: Scale, perMinute: number, perSecond: number): readonly [Policy, Policy] => [
  { limit: Math.floor(perMinute / scale.count), seconds: scale.minute },
  { limit: Math.floor(perSecond / scale.count), seconds: scale.second },
];

/** The limits that are sold, as settings of the suite. */
export const limitSettings = (scale: Scale): Record<string, string> => {
  const sold: Record<string, readonly Policy[]> = {
    LIMITS_INDEPENDENT: scaled(scale, 600, 100),
    LIMITS_FRANCHISE: scaled(scale, 3000, 500),
    LIMITS_ENTERPRISE: scaled(scale, 20_000, 5000),
    LIMITS_DEMO: scaled(scale, 100, 0).slice(0, 1),
    LIMITS_SANDBOX: scaled(scale, 100, 0).slice(0, 1),
  };
  return Object.fromEntries(
    Object.entries(sold).map(([name, limits]) => [name, limits.map((p) => `${p.limit}/${p.seconds}s`).join(',')]),
  );
};

const tenantNames = ['main', 'other', 'indie', 'fran', 'sandbox'] as const;

export const tenantNamed = (world: { tenants: ReadonlyMap<string, Tenant> }, name: string): Tenant => {
  const found = world.tenants.get(name);
  if (!found) throw new Error(`no tenant ${name}`);
  return found;
};

const digest = (text: string): string => createHash('sha256').update(`stranger:${text}`).digest('hex');

const seedStatus = (flavour: Flavour, i: number): string => {
  const populated = flavour.units.statuses.slice(0, -1);
  if (i % 3 === 2 && populated.length > 1)
    return populated[1 + (Math.floor(i / 3) % (populated.length - 1))] ?? 'available';
  return 'available';
};

export const createWorld = (flavour: Flavour, broken: Broken, scale: Scale = realScale): World => {
  const counters = { unit: 0, lead: 0 };
  const next = (kind: 'unit' | 'lead'): number => {
    counters[kind] += 1;
    return counters[kind];
  };
  const tenants = new Map<string, Tenant>();
  const counts: Record<string, number> = {
    main: flavour.unitCount,
    other: flavour.otherCount,
    indie: 5,
    fran: 6,
    sandbox: 4,
  };
  const slugs: Record<string, string> = { main: flavour.slugs.main, other: flavour.slugs.other };
  let dealNumber = 0;
  for (const name of tenantNames) {
    const units = new Map<string, UnitState>();
    for (let i = 0; i < (counts[name] ?? 0); i += 1) {
      const n = next('unit');
      const id = flavour.id('unit', n);
      units.set(id, { seq: n, record: flavour.units.make(id, n, seedStatus(flavour, i)) });
    }
    const ids = [...units.keys()];
    const deals: JsonObject[] = [];
    const dealCount = name === 'main' ? flavour.deals.count : Math.min(2, flavour.deals.count);
    for (let i = 0; i < dealCount; i += 1) {
      dealNumber += 1;
      deals.push({
        id: flavour.id('deal', dealNumber),
        stage: i % 2 === 0 ? 'signed' : 'funded',
        totalGross: 1250 + dealNumber * 318.75,
        unitId: ids[i % Math.max(1, ids.length)] ?? null,
      });
    }
    tenants.set(name, {
      name,
      slug: slugs[name] ?? `${flavour.slugs.main}-${name}`,
      secret: `shh_${digest(`${flavour.name}:${name}:secret`).slice(0, 40)}`,
      units,
      leads: new Map(),
      deals,
      receiver: null,
    });
  }

  const keys = new Map<string, ApiKey>();
  const namedKeys: Record<string, string> = {};
  const addKey = (setting: string, tenant: string, scopes: readonly Scope[], plan: Plan): void => {
    // mixed case and a letter at the end, so that neither case nor the tail is without meaning
    const raw = digest(`${flavour.name}:${setting}`);
    const token = `${flavour.keyPrefix}${raw.slice(0, 12).toUpperCase()}${raw.slice(12, 34)}x`;
    keys.set(token, { token, tenant, scopes, plan });
    namedKeys[setting] = token;
  };
  addKey('API_KEY', 'main', ['admin:*'], 'enterprise');
  addKey('API_KEY_READ_INVENTORY', 'main', ['read:inventory'], 'enterprise');
  addKey('API_KEY_WRITE_INVENTORY', 'main', ['write:inventory'], 'enterprise');
  addKey('API_KEY_READ_LEADS', 'main', ['read:leads'], 'enterprise');
  addKey('API_KEY_WRITE_LEADS', 'main', ['write:leads'], 'enterprise');
  addKey('API_KEY_READ_DEALS', 'main', ['read:deals'], 'enterprise');
  addKey('API_KEY_READ_CALLS', 'main', ['read:calls'], 'enterprise');
  addKey('OTHER_API_KEY', 'other', ['admin:*'], 'enterprise');
  addKey('API_KEY_ENTERPRISE', 'main', ['admin:*'], 'enterprise');
  addKey('API_KEY_INDEPENDENT', flavour.planKeys === 'own' ? 'indie' : 'main', ['admin:*'], 'independent');
  addKey('API_KEY_FRANCHISE', flavour.planKeys === 'own' ? 'fran' : 'main', ['admin:*'], 'franchise');

  const policiesOf = (plan: Plan): readonly [Policy, Policy] => {
    const independent = scaled(
      scale,
      broken('rate-minute-late') ? 900 : 600,
      broken('rate-second-none') ? 1_000_000 : broken('rate-second-early') ? 40 : 100,
    );
    if (plan === 'independent') return independent;
    if (plan === 'franchise') return scaled(scale, 3000, broken('rate-franchise-second-early') ? 200 : 500);
    return broken('rate-enterprise-as-independent') ? independent : scaled(scale, 20_000, 5000);
  };
  const sticky = broken('rate-never-recovers');
  const limiters = new Map<string, Limiter>();
  const limiterOf = (key: ApiKey): Limiter => {
    // Tenants with their own plan count per tenant; shared tenants count per key.
    const perTenant = flavour.planKeys === 'own' && flavour.limiter !== 'clock-window';
    const name = broken('rate-global') ? 'all' : perTenant ? `${key.tenant}:${key.plan}` : key.token;
    const found = limiters.get(name);
    if (found) return found;
    const made = createLimiter(
      flavour.limiter,
      broken('rate-global') ? policiesOf('independent') : policiesOf(key.plan),
      sticky,
    );
    limiters.set(name, made);
    return made;
  };

  const demoLimit = broken('rate-demo-early') ? 60 : 100;
  const demoLimiters = new Map<string, Limiter>();
  const demoLimiter = (client: string): Limiter => {
    const found = demoLimiters.get(client);
    if (found) return found;
    const made = createLimiter(flavour.limiter, [scaled(scale, demoLimit, 0)[0]]);
    demoLimiters.set(client, made);
    return made;
  };

  return {
    flavour,
    broken,
    tenants,
    keys,
    namedKeys,
    limiterOf,
    demoLimiter,
    sandboxLimiter: createLimiter(flavour.limiter, [scaled(scale, 100, 0)[0]]),
    openLimiter: createLimiter(flavour.limiter, [{ limit: 60_000, seconds: 60 }]),
    remembered: new Map(),
    cursors: new Map(),
    frozen: new Map([...tenants].map(([name, t]) => [name, [...t.units.values()].map((u) => u.record)])),
    next,
    latestLead: null,
  };
};
