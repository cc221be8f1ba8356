import type { Section } from '../requirement/pack.js';
import type { Requirement } from '../requirement/requirement.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from './execute.js';
import type { Run } from './run.js';

/** Callbacks for a caller. */
export interface RunListener {
  readonly starting?: (check: Requirement) => void;
  readonly done?: (result: RequirementResult) => void;
}

/** Resolves when the run is called off. */
export function whenCalledOff({ calledOff }: Pick<Run, 'calledOff'>): Promise<null> {
  return new Promise((resolve) => {
    if (calledOff.aborted) resolve(null);
    calledOff.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** Runs checks in this process, at most `concurrency` at the same time, until all are judged or the run is called off. */
export async function runChecks(
  checks: readonly Requirement[],
  run: Run,
  listener: RunListener = {},
  concurrency = 1,
): Promise<RequirementResult[]> {
  const results: RequirementResult[] = [];
  const calledOff = whenCalledOff(run);
  const waiting = [...checks];
  const judgeInTurn = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined && !run.calledOff.aborted; check = waiting.shift()) {
      listener.starting?.(check);
      const result = await Promise.race([execute(check, run), calledOff]);
      if (result === null) return;
      results.push(result);
      listener.done?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, judgeInTurn));
  return results;
}

/**
 * Groups of requirements that may be judged at the same time, in the order in which the groups are to be judged. In a group, the sections
 * with most requests come first.
 */
export function stagesOf(selected: readonly Requirement[], sections: readonly Section[]): Requirement[][] {
  const sectionOf = (one: Requirement): Section | undefined => sections.find(({ id }) => id === one.section);
  const requestsOf = (one: Requirement): number => sectionOf(one)?.requests?.[0] ?? 0;
  const together = (beside: Section['beside']): Requirement[] =>
    selected.filter((one) => sectionOf(one)?.beside === beside).toSorted((a, b) => requestsOf(b) - requestsOf(a));
  const alone = selected.filter((one) => sectionOf(one)?.beside === undefined);
  const isSteady = ({ section, writes }: Requirement): boolean => section !== 'UNIT' || !writes;
  const steady = together('steady units');
  return [
    steady.filter(isSteady),
    [...together('changing units'), ...steady.filter((one) => !isSteady(one))],
    ...alone.map((one) => [one]),
  ];
}

/** Answers that come this slowly, in milliseconds, leave time for other requests meanwhile. */
const slowMs = 10;

/** The number of checks to judge at the same time: several where even the fastest answer takes long. */
export async function usualConcurrency(run: Run): Promise<number> {
  const times = (await run.exchanges())
    .filter(({ response }) => response !== null)
    .map(({ sentAtMs, receivedAtMs }) => receivedAtMs - sentAtMs);
  return run.depth === 'gate' && Math.min(...times) >= slowMs && times.length > 0 ? 8 : 1;
}
