import {
  keyedPlans,
  type KeyName,
  type Limit,
  type LimitModel,
  planKeys,
  type PlanName,
  SettingsError,
  type Target,
  tenantsOf,
} from '../../settings/index.js';
import { keyedLists, probeTarget, type Run } from '../../run/index.js';
import { allowedToLoad, loadHeaders, type MixOperation, placeOf, usualMix } from '../../traffic/index.js';
import { version } from '../../version.js';

/** The plan, key and address that a soak sends load to. */
export interface LoadTarget {
  readonly plan: PlanName;
  /** The plan, or API_KEY, whose plan is unknown and whose rate is that of `plan`. */
  readonly name: string;
  readonly keyName: KeyName | null;
  readonly baseUrl: string;
  /** Values of X-Tenant to try, the likeliest first. */
  readonly tenants: readonly (string | null)[];
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: readonly Limit[] | null;
  readonly mix: readonly MixOperation[];
}

/** How requests of a soak name their sender. */
export const userAgent = `dealership-conformance/${version}`;

const demoMix: readonly MixOperation[] = [
  { name: 'list demo units', method: 'GET', path: '/api/demo/units?limit=50', weight: 1, envelope: false },
];
const sandboxMix: readonly MixOperation[] = [
  { name: 'list sandbox units', method: 'GET', path: '/api/v1/units?limit=50', weight: 1, envelope: false },
];

/** Throws SettingsError, in one sentence, where load may not go to a URL's host. */
export function assertMayLoad(url: string, allowLoad: readonly string[]): void {
  if (allowedToLoad(url, allowLoad)) return;
  throw new SettingsError(
    `load may not be sent to ${new URL(url).hostname}: name it in ALLOW_LOAD (or --allow-load), if it is yours to load.`,
  );
}

/** Requests a second that a plan bears for hours under a reading: the slowest of its numbers, or what refills the bucket. */
function bearableRate(limits: readonly Limit[], model: LimitModel): number {
  const rates = limits.map((limit) => limit.count / limit.windowSeconds);
  return model === 'bucket' || model === 'spill' ? Math.max(...rates) : Math.min(...rates);
}

/** Requests a second: as given, or 80 % of what the plan's limits bear. Throws SettingsError where the plan has no numbers. */
export function rateOf(
  { plan, limits }: Pick<LoadTarget, 'plan' | 'limits'>,
  model: LimitModel,
  given: number | undefined,
): number {
  const rate = given ?? (limits === null ? null : 0.8 * bearableRate(limits, model));
  if (rate !== null) return rate;
  throw new SettingsError(
    `the ${plan} plan has no numbers to take a rate from: set LIMITS_${plan.toUpperCase()}, or give --rate.`,
  );
}

/** That a rate is above the limits of a plan, in one sentence; null if it is within them, or the plan has none. */
export function moreThanBearable(rate: number, limits: readonly Limit[] | null, model: LimitModel): string | null {
  const bears = limits === null ? Infinity : bearableRate(limits, model);
  return rate <= bears
    ? null
    : `That is more than the ${bears.toLocaleString('en')} a second that the plan bears for long: expect refusals.`;
}

/** Asks with one tenant after another until the service accepts one: what came of it, and the last one tried. */
export async function probeTenants(
  run: Run,
  { keyName, baseUrl, tenants }: Pick<LoadTarget, 'keyName' | 'baseUrl' | 'tenants'>,
  paths: readonly string[] = keyedLists,
): Promise<Awaited<ReturnType<typeof probeTarget>> & { readonly tenant: string | null }> {
  const [tenant = null, ...others] = tenants;
  const state = await probeTarget({ ...run.target, baseUrl, tenant }, run.client, 0, { keyName, paths });
  return state.refused === null || others.length === 0
    ? { ...state, tenant }
    : probeTenants(run, { keyName, baseUrl, tenants: others }, paths);
}

/** The load target of a plan; without a plan the first plan whose key is configured, else API_KEY, else the demo. Throws SettingsError. */
export function loadTargetOf(target: Target, plan: PlanName | null): LoadTarget {
  const firstKeyed = keyedPlans.find((one) => target.keys[planKeys[one]] !== undefined);
  const hasOwnKey = plan === null && firstKeyed === undefined && target.keys.API_KEY !== undefined;
  const chosen = plan ?? firstKeyed ?? (hasOwnKey ? 'independent' : 'demo');
  const { baseUrl, keyName: planKey, limits } = placeOf(target, chosen);
  if (baseUrl === null)
    throw new SettingsError('--plan is sandbox, and there is none: set SANDBOX_URL (or --sandbox-url).');
  const keyName = hasOwnKey ? 'API_KEY' : planKey;
  const key = keyName === null ? undefined : target.keys[keyName];
  if (keyName !== null && key === undefined)
    throw new SettingsError(`--plan is ${chosen}, which has no key: set ${keyName}.`);
  return {
    plan: chosen,
    name: hasOwnKey ? 'API_KEY' : chosen,
    keyName,
    baseUrl,
    tenants: hasOwnKey ? [target.tenant] : tenantsOf(target, chosen),
    headers: loadHeaders(key, userAgent),
    limits,
    mix: chosen === 'demo' ? demoMix : chosen === 'sandbox' ? sandboxMix : usualMix,
  };
}
