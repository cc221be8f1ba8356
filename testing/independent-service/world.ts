import { createHash } from 'node:crypto';
import type { Broken } from './breaches.js';
import type { Flavour } from './flavours.js';
import type { Json, JsonObject } from './json.js';
import { brokenPlans, createLimiter, policiesOf, type Limiter, type Plan, type Scale } from './limits.js';

const narrow = ['read:inventory', 'write:inventory', 'read:leads', 'write:leads', 'read:deals', 'read:calls'] as const;
export type Scope = (typeof narrow)[number] | 'admin:*';
export type ApiKey = {
  readonly token: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
};

/** A unit or a lead; `seq` is the order of creation. */
export type Stored = { readonly seq: number; record: JsonObject };

export type Tenant = {
  readonly name: string;
  readonly slug: string;
  readonly secret: string;
  readonly units: Map<string, Stored>;
  /** The records have id, name, phone, vehicleId, source (null where none was given) and createdAt. */
  readonly leads: Map<string, Stored>;
  readonly deals: JsonObject[];
  receiver: string | null;
};

export type Reply = { status: number; json?: Json; text?: string; type?: string; headers?: Record<string, string> };

export type AddressForm = 'first' | 'second' | 'sandbox';

export type Call = {
  readonly method: string;
  readonly form: AddressForm;
  /** The parts of the path below the version. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
  readonly tooLarge: boolean;
  tenant: Tenant;
  key: ApiKey | null;
};

type Remembered = { readonly print: string; readonly reply: Promise<Reply> };

export type World = {
  readonly flavour: Flavour;
  readonly broken: Broken;
  readonly tenants: ReadonlyMap<string, Tenant>;
  readonly keys: ReadonlyMap<string, ApiKey>;
  /** The tokens by the settings of the suite. */
  readonly namedKeys: Readonly<Record<string, string>>;
  readonly limiterOf: (key: ApiKey) => Limiter;
  readonly limiterNamed: (name: string, plan: Plan) => Limiter;
  readonly openLimiter: Limiter;
  readonly remembered: Map<string, Remembered>;
  readonly cursors: Map<string, { readonly seq: number; uses: number }>;
  /** The units of each tenant at the start. */
  readonly frozen: ReadonlyMap<string, readonly Stored[]>;
  readonly next: (kind: 'unit' | 'lead') => number;
  latestLead: Reply | null;
  /** The named schemas of what clients send. */
  readonly inputs: Readonly<Record<string, JsonObject>>;
  emit: (tenant: Tenant, kind: string) => void;
};

export const tenantNamed = (world: { tenants: ReadonlyMap<string, Tenant> }, name: string): Tenant => {
  const found = world.tenants.get(name);
  if (!found) throw new Error(`no tenant ${name}`);
  return found;
};

const digest = (text: string): string => createHash('sha256').update(`stranger:${text}`).digest('hex');

/** Two of three units are available, the others have the other statuses in turn; the last status has none. */
const seedStatus = ({ units }: Flavour, i: number): string => {
  const others = units.profile.statuses.slice(1, -1);
  return (i % 3 === 2 ? others[Math.floor(i / 3) % others.length] : undefined) ?? 'available';
};

/** The tenants with their units and deals, numbered on from tenant to tenant. */
const seedTenants = (flavour: Flavour, next: World['next']): Map<string, Tenant> => {
  const { units: many, deals: sold, ids, tenants: slugs } = flavour;
  const counts = { main: many.count, other: many.otherCount, indie: 5, fran: 6, sandbox: 4 };
  let dealNumber = 0;
  const seeded = Object.entries(counts).map(([name, count]): [string, Tenant] => {
    const units = new Map<string, Stored>();
    for (let i = 0; i < count; i += 1) {
      const seq = next('unit');
      const id = ids.of('unit', seq);
      units.set(id, { seq, record: many.profile.make(id, seq, seedStatus(flavour, i)) });
    }
    const unitIds = [...units.keys()];
    const deals = Array.from({ length: name === 'main' ? sold.count : Math.min(2, sold.count) }, (_, i) => {
      dealNumber += 1;
      return {
        id: ids.of('deal', dealNumber),
        stage: i % 2 === 0 ? 'signed' : 'funded',
        totalGross: 1250 + dealNumber * 318.75,
        unitId: unitIds[i % Math.max(1, unitIds.length)] ?? null,
      };
    });
    const slug = name === 'main' || name === 'other' ? slugs[name] : `${slugs.main}-${name}`;
    const secret = `shh_${digest(`${flavour.name}:${name}:secret`).slice(0, 40)}`;
    return [name, { name, slug, secret, units, leads: new Map(), deals, receiver: null }];
  });
  return new Map(seeded);
};

const makeKeys = ({ name, keys: { prefix }, tenants }: Flavour): Record<string, ApiKey> => {
  const [indie, fran] = tenants.planKeys === 'own' ? ['indie', 'fran'] : ['main', 'main'];
  const given: readonly (readonly [setting: string, tenant: string, scope?: Scope, plan?: Plan])[] = [
    ['API_KEY', 'main'],
    ...narrow.map((scope) => [`API_KEY_${scope.replace(':', '_').toUpperCase()}`, 'main', scope] as const),
    ['OTHER_API_KEY', 'other'],
    ['API_KEY_ENTERPRISE', 'main'],
    ['API_KEY_INDEPENDENT', indie, 'admin:*', 'independent'],
    ['API_KEY_FRANCHISE', fran, 'admin:*', 'franchise'],
  ];
  const keys = given.map(([setting, tenant, scope = 'admin:*', plan = 'enterprise']): [string, ApiKey] => {
    // mixed case and a letter at the end, so that neither case nor the tail is without meaning
    const raw = digest(`${name}:${setting}`);
    const token = `${prefix}${raw.slice(0, 12).toUpperCase()}${raw.slice(12, 34)}x`;
    return [setting, { token, tenant, scopes: [scope], plan }];
  });
  return Object.fromEntries(keys);
};

/** A service before its first request; it emits nothing yet. */
export const createWorld = (flavour: Flavour, broken: Broken, inputs: World['inputs'], scale: Scale): World => {
  const counters = { unit: 0, lead: 0 };
  const next: World['next'] = (kind) => (counters[kind] += 1);
  const tenants = seedTenants(flavour, next);
  const keys = makeKeys(flavour);
  const sold = brokenPlans(broken);
  const limiters = new Map<string, Limiter>();
  const limiterNamed: World['limiterNamed'] = (name, plan) => {
    const limiter = limiters.get(name) ?? createLimiter(policiesOf(scale, sold[plan]), broken('rate-never-recovers'));
    limiters.set(name, limiter);
    return limiter;
  };
  // Tenants with their own plan count per tenant; shared tenants count per key.
  const perTenant = flavour.tenants.planKeys === 'own';

  return {
    flavour,
    broken,
    tenants,
    keys: new Map(Object.values(keys).map((key) => [key.token, key])),
    namedKeys: Object.fromEntries(Object.entries(keys).map(([setting, { token }]) => [setting, token])),
    limiterOf: ({ tenant, plan, token }) => limiterNamed(perTenant ? `${tenant}:${plan}` : token, plan),
    limiterNamed,
    openLimiter: createLimiter([{ limit: 60_000, seconds: 60 }]),
    remembered: new Map(),
    cursors: new Map(),
    frozen: new Map([...tenants].map(([name, { units }]) => [name, [...units.values()].map((unit) => ({ ...unit }))])),
    next,
    latestLead: null,
    inputs,
    emit: () => undefined,
  };
};
