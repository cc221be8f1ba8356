import { acceptedTypes } from '../http/exchange.js';
import { SettingsError } from '../target/settings-error.js';
import type { Limit } from '../target/limits.js';
import type { KeyName, PlanName, Target } from '../target/target.js';
import { allowedToLoad } from '../traffic/load-guard.js';
import { usualMix } from '../traffic/soak/mix.js';
import type { MixOperation } from '../traffic/soak/mix.js';
import { version } from '../version.js';

/** The side of the service that a soak goes to. */
export interface Face {
  readonly plan: PlanName;
  readonly keyName: KeyName | null;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: readonly Limit[] | null;
  readonly mix: readonly MixOperation[];
}

const keyNames = {
  independent: 'API_KEY_INDEPENDENT',
  franchise: 'API_KEY_FRANCHISE',
  enterprise: 'API_KEY_ENTERPRISE',
} as const;

const demoMix: readonly MixOperation[] = [
  { name: 'list demo units', method: 'GET', path: '/api/demo/units?limit=50', weight: 1, envelope: false },
];
const sandboxMix: readonly MixOperation[] = [
  { name: 'list sandbox units', method: 'GET', path: '/api/v1/units?limit=50', weight: 1, envelope: false },
];

/** The headers of every request that is counted against a key. */
export function loadHeaders(key: string | null): Record<string, string> {
  return {
    accept: acceptedTypes,
    'user-agent': `dealership-conformance/${version}`,
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
}

/** Throws SettingsError, in one sentence, where load may not go to a URL's host. */
export function assertMayLoad(url: string, allowLoad: readonly string[]): void {
  if (allowedToLoad(url, allowLoad)) return;
  throw new SettingsError(
    `load may not be sent to ${new URL(url).hostname}: name it in ALLOW_LOAD (or --allow-load), if it is yours to load.`,
  );
}

/** The face that a plan names; without a plan the first whose key is configured, else the demo. Throws SettingsError. */
export function faceOf(target: Target, plan: PlanName | null, needKey = true): Face {
  const firstKeyed = (['independent', 'franchise', 'enterprise'] as const).find(
    (one) => target.keys[keyNames[one]] !== undefined,
  );
  const chosen = plan ?? firstKeyed ?? (needKey ? 'demo' : 'independent');
  const limits = target.limits[chosen];
  if (chosen === 'demo')
    return { plan: chosen, keyName: null, baseUrl: target.baseUrl, headers: loadHeaders(null), limits, mix: demoMix };
  if (chosen === 'sandbox') {
    if (target.sandboxUrl === null)
      throw new SettingsError('--plan is sandbox, and there is none: set SANDBOX_URL (or --sandbox-url).');
    return {
      plan: chosen,
      keyName: null,
      baseUrl: target.sandboxUrl,
      headers: loadHeaders(null),
      limits,
      mix: sandboxMix,
    };
  }
  const keyName = keyNames[chosen];
  const key = target.keys[keyName];
  if (key === undefined && needKey) throw new SettingsError(`--plan is ${chosen}, which has no key: set ${keyName}.`);
  return { plan: chosen, keyName, baseUrl: target.baseUrl, headers: loadHeaders(key ?? null), limits, mix: usualMix };
}
