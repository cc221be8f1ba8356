import type { Beside, Requirement, RequirementResult, Section } from '../requirement/index.js';
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

/** How checks are run. */
export interface RunPlan {
  /** Checks of one stage may run at the same time; the stages come one after another. */
  readonly stages: readonly (readonly Requirement[])[];
  /** Whether a check of a stage may only begin once another of it has ended. */
  readonly waitsFor?: (check: Requirement, other: Requirement) => boolean;
  /** The most checks at the same time; 1 unless given. */
  readonly concurrency?: number;
  /** No check is begun after this instant of `performance.now()`. */
  readonly untilMs?: number;
}

/** Runs checks in this process, until all are judged, the time is over or the run is called off. */
export async function runChecks(
  { stages, waitsFor, concurrency = 1, untilMs = Infinity }: RunPlan,
  run: Run,
  listener: RunListener = {},
): Promise<RequirementResult[]> {
  const results: RequirementResult[] = [];
  const calledOff = whenCalledOff(run);
  for (const stage of stages) {
    const waiting = [...stage];
    const ended = new Map<Requirement, RequirementResult>();
    // Results are told in the order of the stage, whichever comes first.
    const untold = [...stage];
    const tell = (check: Requirement): void => {
      const result = ended.get(check);
      if (result === undefined) return;
      results.push(result);
      listener.done?.(result);
    };
    const running = new Set<Promise<unknown>>();
    const mayBegin = (check: Requirement): boolean =>
      waitsFor === undefined || !stage.some((other) => !ended.has(other) && waitsFor(check, other));
    const judgeInTurn = async (): Promise<void> => {
      while (waiting.length > 0) {
        if (run.calledOff.aborted || performance.now() > untilMs) return;
        const check = waiting.find(mayBegin);
        if (check === undefined) {
          await Promise.race(running);
          continue;
        }
        waiting.splice(waiting.indexOf(check), 1);
        listener.starting?.(check);
        const work = Promise.race([execute(check, run), calledOff]);
        running.add(work);
        const result = await work;
        running.delete(work);
        if (result === null) return;
        ended.set(check, result);
        for (let first = untold[0]; first !== undefined && ended.has(first); first = untold[0]) {
          untold.shift();
          tell(first);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, stage.length) }, judgeInTurn));
    // Of a run that was called off, what had come before what was cut short.
    untold.forEach(tell);
  }
  return results;
}

const besideOf = (one: Requirement, sections: readonly Section[]): Beside | undefined =>
  one.alone ? undefined : (one.beside ?? sections.find(({ id }) => id === one.section)?.beside);

/**
 * Groups of requirements that may be judged at the same time, in the order in which the groups are to be judged. What changes units waits for
 * what needs them steady. Long ones come first, then the sections with most requests, or those with fewest where time is short.
 */
export function planOf(
  selected: readonly Requirement[],
  sections: readonly Section[],
  isShort = false,
): Pick<RunPlan, 'stages' | 'waitsFor'> {
  const requestsOf = (one: Requirement): number => sections.find(({ id }) => id === one.section)?.requests?.[0] ?? 0;
  const together = (beside: Beside | undefined): Requirement[] =>
    selected
      .filter((one) => besideOf(one, sections) === beside)
      .toSorted((a, b) =>
        isShort
          ? requestsOf(a) - requestsOf(b)
          : Number(b.long ?? false) - Number(a.long ?? false) || requestsOf(b) - requestsOf(a),
      );
  return {
    stages: [
      [...together('steady units'), ...together('both'), ...together('changing units')],
      ...together(undefined)
        .toSorted((a, b) => selected.indexOf(a) - selected.indexOf(b))
        .map((one) => [one]),
    ],
    waitsFor: (check, other) =>
      besideOf(check, sections) === 'changing units' && besideOf(other, sections) === 'steady units',
  };
}

/** Answers that come this slowly, in milliseconds, leave time for other requests meanwhile; on loopback, where work is what takes time, if a tunnel leads on. */
const slowMs = { near: 40, far: 10 };

/** The number of checks that a gate judges at the same time: while one waits or computes, others send; and many where a network makes even the fastest answer slow. */
export const gateConcurrency = { usual: 3, slow: 12 };

/** The number of checks to judge at the same time. */
export async function usualConcurrency(run: Run): Promise<number> {
  const isNear = /^(localhost$|127\.|\[::1\])/.test(new URL(run.target.baseUrl).hostname);
  const times = (await run.exchanges())
    .filter(({ response }) => response !== null)
    .map(({ sentAtMs, receivedAtMs }) => receivedAtMs - sentAtMs);
  const isSlow = times.length > 0 && Math.min(...times) >= slowMs[isNear ? 'near' : 'far'];
  return run.depth === 'gate' ? gateConcurrency[isSlow ? 'slow' : 'usual'] : 1;
}
