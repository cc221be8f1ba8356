import { setTimeout as sleep } from 'node:timers/promises';
import type { TraceRecord } from '../limiter/trace.js';
import { driveEvenly, driveFast } from './drive.js';
import type { Drive } from './drive.js';
import type { ScenarioName, Step } from './plan.js';

/** Where a plan's requests go. */
export interface Stimulus {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One drive within a plan: which of the plan's records are its own, and how it went. */
export interface DrivenStep {
  readonly scenario: ScenarioName;
  readonly step: Step;
  readonly firstIndex: number;
  readonly count: number;
  readonly drive: Omit<Drive, 'records'>;
}

/** Everything that was sent with one key, in order, with the steps it belongs to. */
export interface Conducted {
  readonly records: readonly TraceRecord[];
  readonly steps: readonly DrivenStep[];
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
  readonly signal?: AbortSignal;
}

const recoveryTries = 3;
/** A limiter that counts in whole seconds may be one late. */
const resetSlackMs = 1_050;

function secondsIn(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : null;
}

/** The wait in seconds that a record advertises, or null. */
export function advertisedSeconds(record: TraceRecord | undefined): number | null {
  return secondsIn(record?.reset) ?? secondsIn(record?.retryAfter);
}

/** Takes the steps one after another with one key. */
export async function conduct(steps: readonly Step[], stimulus: Stimulus, options: ConductOptions): Promise<Conducted> {
  const records: TraceRecord[] = [];
  const driven: DrivenStep[] = [];
  let heavyMs = performance.now();
  let anyMs = heavyMs;
  const pass = options.signal === undefined ? {} : { signal: options.signal };
  const wait = async (ms: number): Promise<void> => {
    if (ms > 0) await sleep(ms, undefined, pass).catch(() => undefined);
  };
  const keep = (step: Step & { scenario: ScenarioName }, drive: Drive): void => {
    const firstIndex = records.length;
    // Slots of a shared tick may be due in one order and recorded in another plan's; within a drive order is by index.
    for (const record of drive.records) records.push({ ...record, index: firstIndex + record.index });
    const { records: own, ...books } = drive;
    driven.push({ scenario: step.scenario, step, firstIndex, count: own.length, drive: books });
    anyMs = drive.endedMs;
  };
  const base = { ...stimulus, timeoutMs: options.timeoutMs, ...pass };
  const single = (): Promise<Drive> => driveFast({ ...base, count: 1, connections: 1 });
  for (const step of steps) {
    if (options.signal?.aborted) break;
    if (step.kind === 'fast') {
      keep(step, await options.turnstile(() => driveFast({ ...base, count: step.count, connections: step.connections })));
      heavyMs = anyMs;
    } else if (step.kind === 'even') {
      keep(step, await driveEvenly({ ...base, count: step.count, connections: step.connections, ratePerSecond: step.ratePerSecond }));
      heavyMs = anyMs;
    } else if (step.kind === 'idle') {
      await wait(Math.max(heavyMs + step.sinceHeavySeconds * 1000, anyMs + step.sinceAnySeconds * 1000) - performance.now());
    } else if (step.kind === 'gap') {
      await wait(anyMs + step.seconds * 1000 - performance.now());
    } else if (step.kind === 'anchor') {
      keep(step, await single());
      const told = advertisedSeconds(records.at(-1));
      const untilMs = (told !== null && told > 0 && told <= step.windowSeconds + 1 ? told : step.windowSeconds) * 1000;
      // Where too little of this window is left, the next one it is.
      const windowMs = step.windowSeconds * 1000;
      const endMs = anyMs + (untilMs < step.leadSeconds * 1000 ? untilMs + windowMs : untilMs);
      await wait(endMs - step.leadSeconds * 1000 - performance.now());
    } else {
      for (let tries = 0; tries < recoveryTries; tries += 1) {
        const refusal = records.findLast((record) => record.outcome !== 'unsent');
        if (tries > 0 && refusal?.outcome !== 'refused') break;
        if (tries === 0 && refusal?.outcome !== 'refused' && !records.some((record) => record.outcome === 'refused')) break;
        const told = refusal?.outcome === 'refused' ? advertisedSeconds(refusal) : 0;
        const seconds = Math.min(told ?? step.longestSeconds, step.longestSeconds);
        const from = refusal !== undefined && Number.isFinite(refusal.receivedMs) ? refusal.receivedMs : anyMs;
        await wait(from + seconds * 1000 + resetSlackMs - performance.now());
        if (options.signal?.aborted) break;
        keep(step, await single());
      }
    }
  }
  return { records, steps: driven };
}
