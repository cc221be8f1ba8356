import { setTimeout as sleep } from 'node:timers/promises';
import { resetSeconds, retrySeconds } from '../limiter/judge-form.js';
import type { TraceRecord } from '../limiter/trace.js';
import { driveEvenly, driveFast } from './drive.js';
import type { Drive } from './drive.js';
import type { RequestShape } from './lane.js';
import type { FastStep, IdleStep, RecoveryStep, ScenarioName, Step } from './plan.js';

/** Where a plan's requests go. */
export interface Stimulus {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What a request looks like by its place in a drive; all alike without it. */
  readonly shapeOf?: (index: number) => RequestShape;
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

/** How long an answer may take under load. */
export const timeoutMs = 10_000;

const recoveryTries = 3;
/** A stalled client sends late rather than not at all; the trace says when. */
const queueMs = 2_000;
/** A limiter that counts in whole seconds may be one late. */
const resetSlackMs = 1_050;

/** No wait is that long: whoever names one means something else. */
const longestSeconds = 1e6;

/** The shortest wait in seconds that a record advertises, or null: every promise has to hold. */
export function advertisedSeconds(record: TraceRecord | undefined): number | null {
  if (record === undefined) return null;
  const said = [resetSeconds(record), retrySeconds(record)]
    .filter((seconds) => seconds !== null)
    .filter((seconds) => seconds < longestSeconds);
  return said.length === 0 ? null : Math.min(...said);
}

/**
 * The end of a window on the clock, as refusals advertise it; null where none speaks of the long window, or it ends where the window
 * does that the first request opened.
 */
function clockEnd(records: readonly TraceRecord[], step: IdleStep): number | null {
  const ends = records
    .filter((record) => record.outcome === 'refused' && (advertisedSeconds(record) ?? 0) > step.shortSeconds)
    .map((record) => record.receivedMs + ((advertisedSeconds(record) ?? 0) - 0.5) * 1000);
  const [first] = ends;
  const last = ends.at(-1);
  const opened = (records[0]?.sentMs ?? 0) + step.windowSeconds * 1000;
  if (first === undefined || last === undefined || Math.abs(last - first) > 1_100 || Math.abs(first - opened) < 1_600)
    return null;
  return Math.min(...ends);
}

/**
 * When a stream of `leadSeconds` must begin to end with a window: one on the clock where refusals told of it, else the one that the
 * last accepted request opened; null where waiting for it takes too long.
 */
export function alignedStart(records: readonly TraceRecord[], step: IdleStep, earliestMs: number): number | null {
  const last = records.at(-1);
  if (last?.outcome !== 'accepted' || step.leadSeconds === 0) return null;
  const windowMs = step.windowSeconds * 1000;
  let startMs = (clockEnd(records, step) ?? last.sentMs + windowMs) - step.leadSeconds * 1000;
  while (startMs < earliestMs) startMs += windowMs;
  return startMs - earliestMs <= step.patienceSeconds * 1000 ? startMs : null;
}

function enough(step: FastStep): { enoughRefusals?: number } {
  return step.enoughRefusals === undefined ? {} : { enoughRefusals: step.enoughRefusals };
}

/**
 * When the request leaves that is to open a window: where an earlier one was accepted that may have opened one itself, not before that
 * one is over.
 */
export function anchorAt(last: TraceRecord | undefined, step: RecoveryStep, heavyMs: number): number {
  const planned = heavyMs + step.anchorSeconds * 1000;
  if (last?.outcome !== 'accepted' || step.anchorSeconds <= step.windowSeconds) return planned;
  return Math.max(planned, last.receivedMs + step.windowSeconds * 1002 + 50);
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
      keep(
        step,
        await options.turnstile(() =>
          driveFast({ ...base, ...enough(step), count: step.count, connections: step.connections }),
        ),
      );
      heavyMs = anyMs;
    } else if (step.kind === 'even') {
      const drive = (): Promise<Drive> =>
        driveEvenly({
          ...base,
          count: step.count,
          connections: step.connections,
          ratePerSecond: step.ratePerSecond,
          afterFirstSeconds: step.afterFirstSeconds ?? 0,
          queueMs,
        });
      keep(step, await (step.scenario === 'burst' ? options.turnstile(drive) : drive()));
      heavyMs = anyMs;
    } else if (step.kind === 'gap') {
      await wait(anyMs + step.seconds * 1000 - performance.now());
    } else if (step.kind === 'idle') {
      const earliestMs = heavyMs + step.sinceHeavySeconds * 1000;
      const alignedMs = alignedStart(records, step, earliestMs);
      await wait(Math.max(anyMs, alignedMs ?? earliestMs) - performance.now());
    } else {
      const promised = (): { last: TraceRecord | undefined; seconds: number; atMs: number } => {
        const last = records.findLast((record) => record.outcome !== 'unsent');
        const seconds = last?.outcome === 'refused' ? (advertisedSeconds(last) ?? step.windowSeconds) : 0;
        return {
          last,
          seconds,
          atMs: (seconds > 0 ? (last?.receivedMs ?? anyMs) : anyMs) + seconds * 1000 + resetSlackMs,
        };
      };
      for (let tries = 0; tries < recoveryTries && !options.signal?.aborted; tries += 1) {
        const { last, seconds, atMs } = promised();
        if (last?.outcome !== 'refused' || seconds > step.promptSeconds) break;
        await wait(atMs - performance.now());
        keep(step, await single());
      }
      for (let tries = 0; tries < recoveryTries && !options.signal?.aborted; tries += 1) {
        const { last, seconds, atMs } = promised();
        if (tries > 0 && (last?.outcome !== 'refused' || seconds > 2 * step.windowSeconds)) break;
        const anchorMs = tries === 0 ? anchorAt(records.at(-1), step, heavyMs) : 0;
        await wait(Math.max(Math.min(atMs, anyMs + 2 * step.windowSeconds * 1000), anchorMs) - performance.now());
        keep(step, await single());
      }
    }
  }
  return { records, steps: driven };
}
