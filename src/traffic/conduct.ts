import { setTimeout as sleep } from 'node:timers/promises';
import { createActivity } from '../http/activity.js';
import type { Activity } from '../http/activity.js';
import { driveEvenly, driveFast } from './drive.js';
import type { Drive } from './drive.js';
import type { RequestShape } from './lane.js';
import type { Step } from './plan.js';
import { takeSteps } from './take-steps.js';
import type { Action, Conducted } from './take-steps.js';

/** Where a plan's requests go. */
export interface Stimulus {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What a request looks like by its place in a drive; all alike without it. */
  readonly shapeOf?: (index: number) => RequestShape;
  /** Nothing more is sent after it fires. */
  readonly signal?: AbortSignal;
  /** Where it is told what this plan does. */
  readonly activity?: Activity;
  readonly plan?: string;
}

/** Lets one heavy step run at a time, so that bursts of several keys do not blur each other. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/** A turnstile for plans that are driven side by side. */
export function createTurnstile(): Turnstile {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** How a plan is driven; the clock is `performance.now()`. */
export interface ConductOptions {
  readonly timeoutMs: number;
  readonly turnstile: Turnstile;
  /** When the key was last used before these steps; now, unless said. */
  readonly lastSentMs?: number;
}

/** How long an answer may take under load. */
export const timeoutMs = 10_000;

/** A stalled client sends late rather than not at all; the trace says when. */
const queueMs = 2_000;

/** Takes the steps one after another with one key. */
export async function conduct(steps: readonly Step[], stimulus: Stimulus, options: ConductOptions): Promise<Conducted> {
  const { signal, activity = createActivity(), plan = 'load' } = stimulus;
  const base = { ...stimulus, timeoutMs: options.timeoutMs };
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
    const told = (): Promise<Drive> =>
      activity.during(`${plan} sends ${step.count.toLocaleString('en')} (${step.scenario})`, drive);
    return alone ? options.turnstile(told) : told();
  };
  const course = takeSteps(steps, () => performance.now(), options.lastSentMs);
  let next = course.next();
  while (next.done !== true) next = course.next(signal?.aborted ? 'stop' : await perform(next.value));
  return next.value;
}
