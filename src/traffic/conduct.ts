import { setTimeout as sleep } from 'node:timers/promises';
import type { TraceRecord } from '../limiter/trace.js';
import { driveEvenly, driveFast } from './drive.js';
import type { Drive } from './drive.js';
import type { IdleStep, ScenarioName, Step } from './plan.js';

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
  /** When the key was last used before these steps; now, unless said. */
  readonly lastSentMs?: number;
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

/**
 * When a stream of `leadSeconds` must begin to end with a window: the window that the record opened where its reset is a whole window
 * ahead, else the one whose end it advertises; null where nothing is advertised or waiting takes too long.
 */
export function alignedStart(record: TraceRecord | undefined, step: IdleStep, earliestMs: number): number | null {
  const told = advertisedSeconds(record);
  if (record?.outcome !== 'accepted' || told === null || step.leadSeconds === 0) return null;
  const windowMs = step.windowSeconds * 1000;
  const opened = told <= Math.ceil(step.windowSeconds) && told >= step.windowSeconds - 0.5;
  // Whole seconds are rounded up by most; where the window did not begin with the request, its end is known no better.
  let startMs = (opened ? record.sentMs + windowMs : record.receivedMs + Math.max(0, told - 1) * 1000) - step.leadSeconds * 1000;
  while (startMs < earliestMs) startMs += windowMs;
  return startMs - earliestMs <= step.patienceSeconds * 1000 ? startMs : null;
}

/** Takes the steps one after another with one key. */
export async function conduct(steps: readonly Step[], stimulus: Stimulus, options: ConductOptions): Promise<Conducted> {
  const records: TraceRecord[] = [];
  const driven: DrivenStep[] = [];
  let heavyMs = performance.now();
  let anyMs = options.lastSentMs ?? heavyMs;
  const pass = options.signal === undefined ? {} : { signal: options.signal };
  const wait = async (ms: number): Promise<void> => {
    if (ms > 0) await sleep(ms, undefined, pass).catch(() => undefined);
  };
  const keep = (step: Step & { scenario: ScenarioName }, drive: Drive): void => {
    const firstIndex = records.length;
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
    } else if (step.kind === 'gap') {
      await wait(anyMs + step.seconds * 1000 - performance.now());
    } else if (step.kind === 'idle') {
      const earliestMs = heavyMs + step.sinceHeavySeconds * 1000;
      const alignedMs = alignedStart(records.at(-1), step, earliestMs);
      await wait(Math.max(anyMs, alignedMs ?? earliestMs) - performance.now());
    } else {
      for (let tries = 0; tries < recoveryTries && !options.signal?.aborted; tries += 1) {
        const last = records.findLast((record) => record.outcome !== 'unsent');
        const refused = last?.outcome === 'refused';
        if (tries > 0 && !refused) break;
        const seconds = refused ? Math.min(advertisedSeconds(last) ?? step.windowSeconds, 2 * step.windowSeconds) : 0;
        const promisedMs = (refused ? last.receivedMs : anyMs) + seconds * 1000 + resetSlackMs;
        const stretched = tries === 0 && (!refused || seconds >= step.windowSeconds / 2);
        await wait(Math.max(promisedMs, stretched ? heavyMs + step.notBeforeSeconds * 1000 : 0) - performance.now());
        if (options.signal?.aborted) break;
        keep(step, await single());
      }
    }
  }
  return { records, steps: driven };
}
