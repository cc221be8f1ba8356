import { mainTenant, otherTenant } from './api-keys.js';
import type { LimitedBy, LimitNumber, World } from './instance.js';
import { acceptedBodies } from './document/input-schemas.js';

/** Products with limits of their own. */
export type Plan = Exclude<LimitedBy, 'functional'>;

const limitsOf = (perMinute: number, perSecond: number): readonly LimitNumber[] => [
  { count: perMinute, seconds: 60 },
  { count: perSecond, seconds: 1 },
];

/** The numbers that are sold where nothing else is said. */
export const soldLimits: Readonly<Record<Plan, readonly LimitNumber[]>> = {
  independent: limitsOf(600, 100),
  franchise: limitsOf(3_000, 500),
  enterprise: limitsOf(1_200, 200),
  demo: [{ count: 100, seconds: 60 }],
  sandbox: [{ count: 100, seconds: 60 }],
};

/** Numbers that no functional check comes near. */
export const generousLimits = limitsOf(20_000, 5_000);

function limitText(numbers: readonly LimitNumber[]): string {
  return numbers.map((one) => `${one.count}/${one.seconds}s`).join(',');
}

/** Every setting that a run against this instance needs, by name. */
export function settingsOf(
  world: World,
  urls: { baseUrl: string; apiBaseUrl: string; sandboxUrl: string },
  sold: Readonly<Record<Plan, readonly LimitNumber[] | null>>,
): Record<string, string> {
  const limits = Object.entries(sold).flatMap(([plan, numbers]) =>
    numbers === null && plan === 'enterprise'
      ? []
      : [[`LIMITS_${plan.toUpperCase()}`, limitText(numbers ?? generousLimits)]],
  );
  return {
    BASE_URL: urls.baseUrl,
    API_BASE_URL: urls.apiBaseUrl,
    SANDBOX_URL: urls.sandboxUrl,
    TENANT: mainTenant,
    OTHER_TENANT: otherTenant,
    ...Object.fromEntries(world.keys.map((key) => [key.setting, key.value])),
    ...(Object.fromEntries(limits) as Record<string, string>),
    SIGNING_SECRET: world.secrets.get(mainTenant) ?? '',
    OTHER_SIGNING_SECRET: world.secrets.get(otherTenant) ?? '',
    WEBHOOK_TRIGGER: `${urls.baseUrl}/__trigger/{kind}`,
    ...acceptedBodies(world),
  };
}
