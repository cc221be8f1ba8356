import { setTimeout as sleep } from 'node:timers/promises';
import { createActivity } from '../../http/index.js';
import { driveEvenly, driveFast, type Drive, type DriveOptions } from '../engine/drive.js';
import type { Step } from './steps.js';
import { scenarioActions, type Action, type ScenarioRun } from './scenario-runner.js';

/** The target of a plan's requests. */
export interface RequestTemplate extends Pick<
  DriveOptions,
  'url' | 'network' | 'trace' | 'shapeOf' | 'signal' | 'activity' | 'plan'
> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Lets one heavy step run at a time, so that bursts of several keys do not blur each other. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

/** A mutex for plans that are driven side by side. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** How long an answer may take under load. */
export const timeoutMs = 10_000;

/** A stalled client sends late rather than not at all; the trace says when. */
const queueMs = 2_000;

/** Takes the steps one after another with one key, which was last used at `lastSentMs` of `performance.now()`: now, unless said. */
export async function runSteps(
  steps: readonly Step[],
  template: RequestTemplate,
  mutex: Mutex,
  lastSentMs?: number,
): Promise<ScenarioRun> {
  const { signal, activity = createActivity(), plan = 'load' } = template;
  const base = { ...template, timeoutMs };
  const perform = async (action: Action): Promise<Drive | null> => {
    if (action.kind === 'wait') {
      const leftMs = (): number => action.untilMs - performance.now();
      const pause = (): Promise<unknown> => sleep(leftMs(), undefined, signal && { signal }).catch(() => undefined);
      if (leftMs() > 0) await activity.during(() => `${plan} waits ${Math.ceil(leftMs() / 1000)} s`, pause);
      return null;
    }
    const { step } = action;
    const drive = (): Promise<Drive> =>
      step.kind === 'fast' ? driveFast({ ...base, ...step }) : driveEvenly({ ...base, ...step, queueMs });
    const alone = step.count > 1 && (step.kind === 'fast' || step.scenario === 'burst');
    const driveStep = (): Promise<Drive> =>
      activity.during(`${plan} sends ${step.count.toLocaleString('en')} (${step.scenario})`, drive);
    return alone ? mutex(driveStep) : driveStep();
  };
  const session = scenarioActions(steps, () => performance.now(), lastSentMs);
  let next = session.next();
  while (next.done !== true) next = session.next(signal?.aborted ? 'stop' : await perform(next.value));
  return next.value;
}
