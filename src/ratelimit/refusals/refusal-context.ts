import { lowerBoundFrom } from '../rank.js';
import { bucketEmpty } from './bucket-empty.js';
import { latenessMs } from '../models/granularity.js';
import type { Justification, WindowJustification } from '../models/model.js';
import { pick, type RequestIntervals } from '../request-intervals.js';
import type { Slack } from '../models/envelope.js';

/** All requests that a limiter may have counted before each refusal, and how long nothing else was sent before it. */
export interface RefusalContext {
  readonly refused: RequestIntervals;
  /** Refusals by the instant of the answer. */
  readonly counted: RequestIntervals;
  /** 1 where a refusal is itself among those counted. */
  readonly self: 0 | 1;
  readonly idleBeforeMs: number;
  readonly slack: Slack;
}

/** For each refusal, how many of those counted may have been decided before it. */
export function countPossiblyBefore(context: RefusalContext): Int32Array {
  const { refused, counted, self } = context;
  const before = new Int32Array(refused.count);
  let sent = 0;
  for (const k of refused.byReceived) {
    const receivedMs = refused.received[k] ?? 0;
    while (sent < counted.count && (counted.sent[sent] ?? 0) <= receivedMs) sent += 1;
    before[k] = sent - self;
  }
  return before;
}

/** For each refusal (1 or 0) whether the justification may hold: a state of the limiter in which it refuses is within reach. */
export function justifiedBy(context: RefusalContext, before: Int32Array, justification: Justification): Uint8Array {
  if (justification.kind === 'bucket') return bucketEmpty(context, before, justification);
  if (justification.kind === 'spare') return nothingToSpare(context, justification);
  return justification.kind === 'window'
    ? windowFull(context, before, justification)
    : counterFull(context, before, justification);
}

const phases = 64;
/** Refusals whose phases are tried one after another before the next ones', so that what they look at stays in the processor's cache. */
const blockSize = 4096;

/**
 * A counter that weighs the window before by the share of it still in sight. Its phase is unknown: for each range of phases [f, g], at most
 * `within g windows` count in full and the rest of `within 1 + g windows` by 1 − f.
 */
function counterFull(context: RefusalContext, before: Int32Array, justification: WindowJustification): Uint8Array {
  const { refused, counted, slack, idleBeforeMs } = context;
  const holds = windowFull(context, before, { ...justification, kind: 'window' });
  // Some refuse what would bring the estimate above the limit, others what finds it there.
  const enough = justification.count - 1 + 1e-9;
  const lateMs = Math.max(slack.quantumMs, latenessMs(justification.lookBackMs));
  const { receivedSorted } = counted;
  const beforeCurrent = new Uint32Array(phases);
  const beforeBoth = new Uint32Array(phases);
  const all = unmarked(holds);
  for (let from = 0; from < all.length; from += blockSize) {
    const open = all.subarray(from, from + blockSize);
    let mostSeen = mostSeenOf(open, holds, before);
    for (let phase = 0; phase < phases && mostSeen.length > 0; phase += 1) {
      const [least, most] = [phase / phases, (phase + 1) / phases];
      const currentMs = most * justification.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
      const bothMs = (1 + most) * justification.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
      let isMarked = false;
      for (let at = 0; at < mostSeen.length;) {
        const k = open[at] ?? 0;
        const sentMs = refused.sent[k] ?? 0;
        const current = lowerBoundFrom(receivedSorted, sentMs - currentMs, beforeCurrent[phase] ?? 0);
        const both = lowerBoundFrom(receivedSorted, sentMs - bothMs, beforeBoth[phase] ?? 0);
        beforeCurrent[phase] = current;
        beforeBoth[phase] = both;
        const expired = (1 - least) * both + least * current;
        const mayHold = (before[k] ?? 0) - expired > enough || sentMs - bothMs < -idleBeforeMs;
        if (mayHold) {
          holds[k] = 1;
          isMarked = true;
        }
        // No less has expired for later ones: the next to look at is the next that sees enough.
        at = mayHold ? at + 1 : lowerBoundFrom(mostSeen, enough + expired, at + 1);
      }
      if (isMarked) mostSeen = mostSeenOf(open.subarray(0, mostSeen.length), holds, before);
    }
  }
  return holds;
}

/** Moves those that do not hold yet to the front; for each of these the most that it or one before it sees. */
function mostSeenOf(open: Uint32Array, holds: Uint8Array, before: Int32Array): Float64Array {
  const mostSeen = new Float64Array(open.length);
  let count = 0;
  let most = -Infinity;
  for (let at = 0; at < open.length; at += 1) {
    const k = open[at] ?? 0;
    if (holds[k] === 1) continue;
    most = Math.max(most, before[k] ?? 0);
    open[count] = k;
    mostSeen[count++] = most;
  }
  return mostSeen.subarray(0, count);
}

/** Positions that are not yet marked, ascending. */
export function unmarked(holds: Uint8Array): Uint32Array {
  let count = 0;
  for (let k = 0; k < holds.length; k += 1) if (holds[k] === 0) count += 1;
  const found = new Uint32Array(count);
  let next = 0;
  for (let k = 0; next < count; k += 1) if (holds[k] === 0) found[next++] = k;
  return found;
}

/** Whether enough may have been counted in the time before each refusal, or it reaches back to before the trace. */
function windowFull(
  context: RefusalContext,
  before: Int32Array,
  { lookBackMs, count }: WindowJustification,
): Uint8Array<ArrayBuffer> {
  const { refused, counted, slack, idleBeforeMs } = context;
  const reachMs = lookBackMs * (1 + slack.clockErrorRate) + slack.quantumMs;
  const holds = new Uint8Array(refused.count);
  let expired = 0;
  for (let k = 0; k < refused.count; k += 1) {
    const fromMs = (refused.sent[k] ?? 0) - reachMs;
    while (expired < counted.count && (counted.receivedSorted[expired] ?? 0) < fromMs) expired += 1;
    if (fromMs < -idleBeforeMs || (before[k] ?? 0) - expired >= count) holds[k] = 1;
  }
  return holds;
}

/** Only what may have found the base full took from what there is to spare. */
function nothingToSpare(
  context: RefusalContext,
  { base, ...justification }: Justification & { kind: 'spare' },
): Uint8Array {
  const { counted } = context;
  const asRefused: RefusalContext = { ...context, refused: counted, self: 1 };
  const full = justifiedBy(asRefused, countPossiblyBefore(asRefused), base);
  const marked = new Uint8Array(1 + counted.position.reduce((most, position) => Math.max(most, position), 0));
  for (let k = 0; k < counted.count; k += 1) marked[counted.position[k] ?? 0] = full[k] ?? 0;
  const spilled: RefusalContext = { ...context, counted: pick(counted, marked, 1) };
  return windowFull(spilled, countPossiblyBefore(spilled), { ...justification, kind: 'window' });
}
