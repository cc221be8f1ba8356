import { bucketEmpty } from './bucket-empty.js';
import { latenessMs } from './coarseness.js';
import type { Excuse, WindowExcuse } from './reading.js';
import { pick, type Spans } from './spans.js';
import type { Slack } from './envelope.js';

/** Everything that may have been counted before the refusals of a trace, and how long before it nothing else was. */
export interface Backlog {
  readonly refused: Spans;
  /** Refusals by the instant of the answer. */
  readonly counted: Spans;
  /** 1 where a refusal is itself among those counted. */
  readonly self: 0 | 1;
  readonly idleBeforeMs: number;
  readonly slack: Slack;
}

/** For each refusal, how many of those counted may have been decided before it. */
export function mayPrecede(backlog: Backlog): Float64Array {
  const { refused, counted, self } = backlog;
  const before = new Float64Array(refused.count);
  let sent = 0;
  for (const k of refused.byReceived) {
    const receivedMs = refused.received[k] ?? 0;
    while (sent < counted.count && (counted.sent[sent] ?? 0) <= receivedMs) sent += 1;
    before[k] = sent - self;
  }
  return before;
}

/** For each refusal (1 or 0) whether the excuse may hold: a state of the limiter in which it refuses is within reach. */
export function excused(backlog: Backlog, before: Float64Array, excuse: Excuse): Uint8Array {
  if (excuse.kind === 'bucket') return bucketEmpty(backlog, before, excuse);
  if (excuse.kind === 'spare') return nothingToSpare(backlog, excuse);
  return excuse.kind === 'window' ? windowFull(backlog, before, excuse) : counterFull(backlog, before, excuse);
}

const phases = 64;

/**
 * A counter that weighs the window before by the share of it still in sight. Its phase is unknown: for each range of phases [f, g], at most
 * `within g windows` count in full and the rest of `within 1 + g windows` by 1 − f.
 */
function counterFull(backlog: Backlog, before: Float64Array, excuse: WindowExcuse): Uint8Array {
  const { refused, counted, slack, idleBeforeMs } = backlog;
  const holds = windowFull(backlog, before, { ...excuse, kind: 'window' });
  // Some refuse what would bring the estimate above the limit, others what finds it there.
  const enough = excuse.count - 1 + 1e-9;
  const lateMs = Math.max(slack.quantumMs, latenessMs(excuse.lookBackMs));
  /** Which of `open` the phases from one to another may excuse, judged as one range: all that a part of it excuses are among them. */
  const mayExcuse = (open: Uint32Array, from: number, to: number): Uint32Array => {
    const least = from / phases;
    const most = to / phases;
    const currentMs = most * excuse.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
    const bothMs = (1 + most) * excuse.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
    const found = new Uint32Array(open.length);
    let count = 0;
    let beforeCurrent = 0;
    let beforeBoth = 0;
    for (const k of open) {
      const sentMs = refused.sent[k] ?? 0;
      while (beforeCurrent < counted.count && (counted.receivedSorted[beforeCurrent] ?? 0) < sentMs - currentMs)
        beforeCurrent += 1;
      while (beforeBoth < counted.count && (counted.receivedSorted[beforeBoth] ?? 0) < sentMs - bothMs) beforeBoth += 1;
      const seen = before[k] ?? 0;
      const weighed = (1 - least) * (seen - beforeBoth) + least * (seen - beforeCurrent);
      if (weighed <= enough && sentMs - bothMs >= -idleBeforeMs) continue;
      found[count] = k;
      count += 1;
    }
    return found.subarray(0, count);
  };
  const search = (open: Uint32Array, from: number, to: number): void => {
    const some = open.length === 0 ? open : mayExcuse(open, from, to);
    if (to - from === 1) for (const k of some) holds[k] = 1;
    if (some.length === 0 || to - from === 1) return;
    const middle = (from + to) / 2;
    search(some, from, middle);
    search(unheld(holds, some), middle, to);
  };
  search(unheld(holds), 0, phases);
  return holds;
}

/** Positions (all, or those in `among`) that are not yet marked, ascending. */
export function unheld(holds: Uint8Array, among?: Uint32Array): Uint32Array {
  const length = among?.length ?? holds.length;
  const found = new Uint32Array(length);
  let count = 0;
  for (let at = 0; at < length; at += 1) {
    const k = among === undefined ? at : (among[at] ?? 0);
    if (holds[k] !== 0) continue;
    found[count] = k;
    count += 1;
  }
  return found.subarray(0, count);
}

/** For each refusal how many may have been counted in the time before it; Infinity where that reaches back to strangers. */
function within(backlog: Backlog, before: Float64Array, timeMs: number): Float64Array {
  const { refused, counted, slack } = backlog;
  const lookBackMs = timeMs * (1 + slack.clockErrorRate) + slack.quantumMs;
  const found = new Float64Array(refused.count);
  let expired = 0;
  for (let k = 0; k < refused.count; k += 1) {
    const fromMs = (refused.sent[k] ?? 0) - lookBackMs;
    while (expired < counted.count && (counted.receivedSorted[expired] ?? 0) < fromMs) expired += 1;
    found[k] = fromMs < -backlog.idleBeforeMs ? Infinity : (before[k] ?? 0) - expired;
  }
  return found;
}

function windowFull(backlog: Backlog, before: Float64Array, excuse: WindowExcuse): Uint8Array {
  const counts = within(backlog, before, excuse.lookBackMs);
  const holds = new Uint8Array(counts.length);
  for (let k = 0; k < holds.length; k += 1) if ((counts[k] ?? 0) >= excuse.count) holds[k] = 1;
  return holds;
}

/** Only what may have found the base full took from what there is to spare. */
function nothingToSpare(backlog: Backlog, { base, ...excuse }: Excuse & { kind: 'spare' }): Uint8Array {
  const { counted } = backlog;
  const asRefused: Backlog = { ...backlog, refused: counted, self: 1 };
  const full = excused(asRefused, mayPrecede(asRefused), base);
  const marked = new Uint8Array(1 + counted.position.reduce((most, position) => Math.max(most, position), 0));
  for (let k = 0; k < counted.count; k += 1) marked[counted.position[k] ?? 0] = full[k] ?? 0;
  const spilled: Backlog = { ...backlog, counted: pick(counted, marked, 1) };
  return windowFull(spilled, mayPrecede(spilled), { ...excuse, kind: 'window' });
}
