import { mainTenant, otherTenant } from './api-keys.js';
import type { LimitNumber, World } from './instance.js';
import { acceptedBodies } from './document/input-schemas.js';

/** Products with limits of their own. */
export type Plan = 'independent' | 'franchise' | 'enterprise' | 'demo' | 'sandbox';

/** The numbers that are sold where nothing else is said. */
export const soldLimits: Readonly<Record<Plan, readonly LimitNumber[]>> = {
  independent: [
    { count: 600, seconds: 60 },
    { count: 100, seconds: 1 },
  ],
  franchise: [
    { count: 3_000, seconds: 60 },
    { count: 500, seconds: 1 },
  ],
  enterprise: [
    { count: 1_200, seconds: 60 },
    { count: 200, seconds: 1 },
  ],
  demo: [{ count: 100, seconds: 60 }],
  sandbox: [{ count: 100, seconds: 60 }],
};

/** Numbers that no functional check comes near. */
export const generousLimits: readonly LimitNumber[] = [
  { count: 20_000, seconds: 60 },
  { count: 5_000, seconds: 1 },
];

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
