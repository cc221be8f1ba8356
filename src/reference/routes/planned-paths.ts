import { mainTenant } from '../api-keys.js';
import type { World } from '../world.js';

/** Templates of the paths that are planned and not live. */
export const plannedTemplates = [
  '/deals/{id}/desk',
  '/calls',
  '/calls/{id}/transcript',
  '/assistant/dispatch',
  '/reports/funnel',
] as const;

type FaultName = Parameters<World['behaviour']['has']>[0];

const patterns = plannedTemplates.map((template) => new RegExp(`^/api/v1${template.replace('{id}', '([^/]+)')}/?$`));

/** Which planned path this is, from 0; −1 for none. */
export function plannedIndex(path: string): number {
  return patterns.findIndex((pattern) => pattern.test(path));
}

const alive: readonly (readonly [FaultName, number, readonly string[] | null, number])[] = [
  ['planned-desk-alive', 0, null, 200],
  ['planned-desk-put', 0, ['PUT'], 202],
  ['planned-calls-alive', 1, null, 200],
  ['planned-calls-post', 1, ['POST'], 201],
  ['planned-calls-405', 1, null, 405],
  ['planned-transcript-alive', 2, null, 200],
  ['planned-transcript-403', 2, null, 403],
  ['planned-dispatch-alive', 3, ['POST'], 202],
  ['planned-dispatch-405', 3, ['GET'], 405],
  ['planned-funnel-alive', 4, null, 200],
  ['planned-funnel-501', 4, null, 501],
  ['planned-funnel-delete', 4, ['DELETE'], 200],
];

/** The status that a planned path answers a key of these scopes: 404, unless a fault has it alive. */
export function plannedStatus(
  index: number,
  method: string,
  path: string,
  scopes: readonly string[],
  world: World,
): number {
  const { has } = world.behaviour;
  const found = alive.find(
    ([id, at, methods]) => has(id) && at === index && (methods === null || methods.includes(method)),
  );
  if (found) return found[3];
  if (index === 1 && has('planned-calls-alive-for-their-scope') && scopes.includes('read:calls')) return 200;
  if (index === 0 && has('planned-desk-alive-for-known-deal')) {
    const id = decodeURIComponent(patterns[0]?.exec(path)?.[1] ?? '');
    if (world.tenants.get(mainTenant)?.deals.some((deal) => deal.id === id) === true) return 200;
  }
  return 404;
}
