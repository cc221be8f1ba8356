import type { Limit } from '../target/limits.js';
import type { KeyName } from '../target/target.js';
import { conduct } from './conduct.js';
import type { ConductOptions, Stimulus } from './conduct.js';
import type { Conducted } from './take-steps.js';
import { burstCount, connectionsFor, longAndShort, shares } from './plan.js';
import type { Cost, Step } from './plan.js';
import { costOf } from './plan.js';

/** What a second key of the same tenant and plan did, right after the first key had spent its limits once more. */
export interface SecondKeyTrace {
  readonly keyName: KeyName;
  /** The first key's last pressure; its records count from 0. */
  readonly pressure: Conducted;
  /** Everything the second key sent in this run; its records count from 0. */
  readonly second: Conducted;
  /** As `Trace.idleBeforeMs`, of the second key. */
  readonly idleBeforeMs: number;
}

/** The second key's share of what it is worth to know by what limits count: this many of the burst's requests, at even instants. */
const evenShare = 0.7;

/** What the first key does to spend whatever may have come back to it. */
export function pressureSteps(limits: readonly Limit[]): Step[] {
  const { long } = longAndShort(limits);
  const count = burstCount(limits);
  const enoughRefusals = Math.max(20, Math.ceil(long.count / 10));
  return [{ kind: 'fast', scenario: 'burst', count, connections: Math.min(64, count), enoughRefusals }];
}

/**
 * What the second key does: as much at once as no reading accepts, which a tenant's spent limits refuse from the first request on; then a
 * stream that a key's own limits let through, and that the tenant's together with the first key's acceptances do not.
 */
export function secondKeySteps(limits: readonly Limit[]): Step[] {
  const { long, short } = longAndShort(limits);
  const burst = pressureSteps(limits).map((step) => ({ ...step, enoughRefusals: 20 }));
  if (short === null) return burst;
  const ratePerSecond = (shares.below * short.count) / short.windowSeconds;
  return [
    ...burst,
    { kind: 'gap', seconds: 2 * short.windowSeconds + 0.1 },
    {
      kind: 'even',
      scenario: 'sustained',
      count: Math.ceil(evenShare * long.count),
      ratePerSecond,
      connections: connectionsFor(ratePerSecond),
    },
  ];
}

/** What a second key adds to the cost of its plan. */
export function secondKeyCost(limits: readonly Limit[]): Cost {
  return costOf([...pressureSteps(limits), ...secondKeySteps(limits)]);
}

/** The same shapes of request, sent with another key. */
function withKey(stimulus: Stimulus, value: string): Stimulus {
  const authorization = `Bearer ${value}`;
  const { shapeOf } = stimulus;
  const headers = { ...stimulus.headers, authorization };
  if (shapeOf === undefined) return { ...stimulus, headers };
  return {
    ...stimulus,
    headers,
    shapeOf: (index) => {
      const shape = shapeOf(index);
      return { ...shape, headers: { ...shape.headers, authorization } };
    },
  };
}

/** Drives both keys, one after the other, once the first one's own scenarios are over. */
export async function trySecondKey(
  limits: readonly Limit[],
  first: Stimulus,
  key: { readonly name: KeyName; readonly value: string; readonly idleBeforeMs: () => number },
  options: ConductOptions,
): Promise<SecondKeyTrace> {
  const pressure = await conduct(pressureSteps(limits), first, options);
  const idleBeforeMs = key.idleBeforeMs();
  const second = await conduct(secondKeySteps(limits), withKey(first, key.value), options);
  return { keyName: key.name, pressure, second, idleBeforeMs };
}
