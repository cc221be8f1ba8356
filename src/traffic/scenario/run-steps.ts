import { resetSeconds, retrySeconds, type TraceRecord } from '../../ratelimit/index.js';
import { type Drive, drive, type SendOptions } from '../engine/drive.js';
import {
  fast,
  type IdleStep,
  isFast,
  type RecoveryStep,
  recoveryTries,
  resetSlackSeconds,
  type ReturnStep,
  returnTries,
  type SendStep,
  type Step,
} from './scenario.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { createActivity } from '../../http/index.js';

/** One drive within a plan: which of the plan's records are its own, and how it went. */
export interface DrivenStep extends Omit<Drive, 'records'> {
  readonly step: SendStep;
  readonly firstIndex: number;
  readonly count: number;
  /** When the step's turn came; what it waited from then on was not planned. */
  readonly turnMs?: number;
  /** It was timed to the end of a window on the clock, because refusals named one. */
  readonly byClock?: true;
}

/** Everything that was sent with one key, in order, with the steps it belongs to. */
export interface ScenarioRun {
  readonly records: readonly TraceRecord[];
  readonly steps: readonly DrivenStep[];
}

/** One after the other, as though they had been conducted in one go. */
export function joined(first: ScenarioRun, then: ScenarioRun): ScenarioRun {
  const from = first.records.length;
  return {
    records: [...first.records, ...then.records.map((record) => ({ ...record, index: record.index + from }))],
    steps: [...first.steps, ...then.steps.map((step) => ({ ...step, firstIndex: step.firstIndex + from }))],
  };
}

const resetSlackMs = resetSlackSeconds * 1000;

/** A reset in whole seconds, and the way there and back. */
const openingSlackSeconds = 1.6;

/** A longer advertised wait is treated as another unit, such as a time stamp. */
const longestSeconds = 1e6;

function waitsOf(record: TraceRecord): number[] {
  return [resetSeconds(record), retrySeconds(record)]
    .filter((seconds) => seconds !== null)
    .filter((seconds) => seconds < longestSeconds);
}

/** The shortest wait in seconds that a record advertises, or null: every promise has to hold. */
export function advertisedSeconds(record: TraceRecord | undefined): number | null {
  const said = record === undefined ? [] : waitsOf(record);
  return said.length === 0 ? null : Math.min(...said);
}

/** An advertised wait of at most this many seconds is followed without further checks. */
const briefSeconds = 2;

/** The wait that is worth taking a refusal at its word for, or null. */
function wordOf(record: TraceRecord | undefined, step: ReturnStep): number | null {
  if (record?.outcome !== 'refused') return null;
  const said = waitsOf(record);
  const least = Math.min(...said);
  const disagree = Math.max(...said) - least > 1.5;
  return said.length > 0 && least <= (disagree ? Math.max(briefSeconds, step.mostSeconds) : briefSeconds)
    ? least
    : null;
}

/**
 * The end of a window on the clock, as refusals advertise it; null where none speaks of the long window, or it ends where the window
 * does that the first request opened.
 */
function clockEnd(records: readonly TraceRecord[], step: IdleStep, openedMs: number): number | null {
  const refusals = records.filter(
    (record) => record.outcome === 'refused' && (advertisedSeconds(record) ?? 0) > step.shortSeconds,
  );
  const ends = refusals.map((record) => record.receivedMs + ((advertisedSeconds(record) ?? 0) - 0.5) * 1000);
  const [first] = ends;
  const last = ends.at(-1);
  const [slackMs, windowMs] = [openingSlackSeconds * 1000, step.windowSeconds * 1000];
  const opened = [openedMs, records[0]?.sentMs ?? openedMs].map((atMs) => atMs + windowMs);
  if (first === undefined || last === undefined || Math.abs(last - first) > 1_100) return null;
  if (opened.some((end) => Math.abs(first - end) < slackMs)) return null;
  // A window on the clock ends within its length of whatever it refuses.
  if (first > (refusals[0]?.sentMs ?? 0) + windowMs + slackMs) return null;
  return Math.min(...ends);
}

/** When to begin, and whether it is a clock that says so. */
interface Start {
  readonly atMs: number;
  readonly byClock: boolean;
}

/**
 * When a stream of `leadSeconds` must begin so that it ends with a window: with the clock window that refusals named, else with the window
 * that the last accepted request opened or announced. Null where neither is known. `openedMs` is the first use of the key.
 */
export function alignedStart(
  records: readonly TraceRecord[],
  step: IdleStep,
  earliestMs: number,
  openedMs: number,
): Start | null {
  const last = records.at(-1);
  if (last?.outcome !== 'accepted' || step.leadSeconds === 0) return null;
  const windowMs = step.windowSeconds * 1000;
  const opens = (resetSeconds(last) ?? 0) >= step.windowSeconds - openingSlackSeconds;
  const end = opens ? null : clockEnd(records, step, openedMs);
  let startMs = (end ?? last.sentMs + windowMs) - step.leadSeconds * 1000;
  while (startMs < earliestMs) startMs += windowMs;
  return { atMs: startMs, byClock: end !== null };
}

/**
 * When the request leaves that is to open a window: where an earlier one was accepted that may have opened one itself, not before that
 * one is over.
 */
export function anchorAt(last: TraceRecord | undefined, step: RecoveryStep, heavyMs: number): number {
  const planned = heavyMs + step.anchorSeconds * 1000;
  if (last?.outcome !== 'accepted' || step.anchorSeconds <= step.windowSeconds) return planned;
  return Math.max(planned, last.receivedMs + step.windowSeconds * 1002 + step.coarsenessMs + 50);
}

/** Requests alone on the one connection that they need. */
const single = fast('recovery', 1);
const polled = fast('probe', 1);
/** One acceptance may be what a single request of long before makes room for; more show that a window has opened. */
const inARow = 2;
/** After an acceptance the next request comes sooner, by this share of the usual time. */
const againShare = 0.1;

/**
 * A generator that runs the steps in order: yields the instant to wait for, or what to send, and receives the finished drive; returns all
 * results. `lastSentMs` is the last use of the key before; instants are on the clock `nowMs`. It ends early once it `isStopped`.
 */
export function* scenarioActions(
  steps: readonly Step[],
  nowMs: () => number,
  lastSentMs = nowMs(),
  isStopped = (): boolean => false,
): Generator<number | SendStep, ScenarioRun, Drive | null> {
  const records: TraceRecord[] = [];
  const driven: DrivenStep[] = [];
  let heavyMs = nowMs();
  let anyMs = lastSentMs;
  let turnMs = heavyMs;
  let byClock = false;
  const send = function* (step: SendStep): Generator<number | SendStep, void, Drive | null> {
    const drive = isStopped() ? null : yield step;
    if (drive === null) return;
    const firstIndex = records.length;
    for (const record of drive.records) records.push({ ...record, index: firstIndex + record.index });
    const { records: own, ...times } = drive;
    const timed = byClock ? ({ byClock } as const) : {};
    driven.push({ step, firstIndex, count: own.length, turnMs, ...timed, ...times });
    byClock = false;
    anyMs = drive.endedMs;
    turnMs = anyMs;
  };
  const lastSent = (): TraceRecord | undefined => records.findLast((record) => record.outcome !== 'unsent');
  const promised = (step: RecoveryStep): { last: TraceRecord | undefined; seconds: number; atMs: number } => {
    const last = lastSent();
    const seconds = last?.outcome === 'refused' ? (advertisedSeconds(last) ?? step.windowSeconds) : 0;
    const fromMs = seconds > 0 ? (last?.receivedMs ?? anyMs) : anyMs;
    return { last, seconds, atMs: fromMs + seconds * 1000 + resetSlackMs };
  };
  const pause = function* (untilMs: number): Generator<number | SendStep, void, Drive | null> {
    turnMs = Math.max(turnMs, untilMs);
    yield untilMs;
  };
  const sendOne = function* (step: SendStep, atMs: number): Generator<number | SendStep, void, Drive | null> {
    yield* pause(atMs);
    yield* send(step);
  };
  for (const step of steps) {
    if (isStopped()) break;
    if (step.kind === 'send') {
      yield* send(step);
      heavyMs = anyMs;
    } else if (step.kind === 'gap') {
      yield* pause(anyMs + step.seconds * 1000);
    } else if (step.kind === 'idle') {
      const earliestMs = heavyMs + step.sinceHeavySeconds * 1000;
      const start = alignedStart(records, step, earliestMs, lastSentMs);
      byClock = start?.byClock ?? false;
      yield* pause(Math.max(anyMs, start?.atMs ?? earliestMs));
    } else if (step.kind === 'poll') {
      const untilMs = anyMs + step.mostSeconds * 1000;
      let accepted = 0;
      while (accepted < inARow && !isStopped() && anyMs < untilMs) {
        yield* sendOne(polled, anyMs + (accepted === 0 ? 1 : againShare) * step.everySeconds * 1000);
        accepted = records.at(-1)?.outcome === 'accepted' ? accepted + 1 : 0;
      }
      if (accepted < inARow) break;
    } else if (step.kind === 'return') {
      const leastMs = anyMs + step.leastSeconds * 1000;
      for (let tries = 0; tries < returnTries && !isStopped(); tries += 1) {
        const last = lastSent();
        const seconds = wordOf(last, step);
        if (last === undefined || seconds === null) break;
        yield* sendOne(polled, Math.max(leastMs, last.receivedMs + seconds * 1000 + resetSlackMs));
      }
    } else {
      const heavyEndMs = anyMs;
      for (let tries = 0; tries < recoveryTries && !isStopped(); tries += 1) {
        const { last, seconds, atMs } = promised(step);
        if (last?.outcome !== 'refused' || seconds > step.promptSeconds) break;
        yield* sendOne(single, atMs);
      }
      for (let tries = 0; tries < recoveryTries && !isStopped(); tries += 1) {
        const { last, seconds, atMs } = promised(step);
        if (tries > 0 && (last?.outcome !== 'refused' || seconds > 2 * step.windowSeconds)) break;
        // Whatever the answer asks for, after a window's silence nothing is left to refuse for where windows are what is sold.
        const latestMs =
          tries === 0 && anyMs === heavyEndMs
            ? heavyMs + step.windowSeconds * 1002 + resetSlackMs
            : anyMs + 2 * step.windowSeconds * 1000;
        const anchorMs = tries === 0 ? anchorAt(records.at(-1), step, heavyMs) : 0;
        yield* sendOne(single, Math.max(Math.min(atMs, latestMs), anchorMs));
      }
    }
  }
  return { records, steps: driven };
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

/** Takes the steps one after another with one key, which was last used at `lastSentMs` of `performance.now()`: now, unless said. */
export async function runSteps(
  steps: readonly Step[],
  options: SendOptions,
  mutex: Mutex,
  lastSentMs?: number,
): Promise<ScenarioRun> {
  const { signal, activity = createActivity(), plan = 'load' } = options;
  const perform = async (action: number | SendStep): Promise<Drive | null> => {
    if (typeof action === 'number') {
      const leftMs = (): number => action - performance.now();
      const pause = (): Promise<unknown> => sleep(leftMs(), undefined, signal && { signal }).catch(() => undefined);
      if (leftMs() > 0) await activity.during(() => `${plan} waits ${Math.ceil(leftMs() / 1000)} s`, pause);
      return null;
    }
    const { count, scenario } = action;
    const words = `${plan} sends ${count.toLocaleString('en')} (${scenario})`;
    const send = (): Promise<Drive> => activity.during(words, () => drive(action, options));
    return count > 1 && (scenario === 'burst' || isFast(action)) ? mutex(send) : send();
  };
  const session = scenarioActions(
    steps,
    () => performance.now(),
    lastSentMs,
    () => signal?.aborted === true,
  );
  let next = session.next();
  while (next.done !== true) next = session.next(await perform(next.value));
  return next.value;
}
