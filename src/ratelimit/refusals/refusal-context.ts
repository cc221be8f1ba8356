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
export function countPossiblyBefore(context: RefusalContext): Float64Array {
  const { refused, counted, self } = context;
  const before = new Float64Array(refused.count);
  let sent = 0;
  for (const k of refused.byReceived) {
    const receivedMs = refused.received[k] ?? 0;
    while (sent < counted.count && (counted.sent[sent] ?? 0) <= receivedMs) sent += 1;
    before[k] = sent - self;
  }
  return before;
}

/** For each refusal (1 or 0) whether the justification may hold: a state of the limiter in which it refuses is within reach. */
export function justifiedBy(context: RefusalContext, before: Float64Array, justification: Justification): Uint8Array {
  if (justification.kind === 'bucket') return bucketEmpty(context, before, justification);
  if (justification.kind === 'spare') return nothingToSpare(context, justification);
  return justification.kind === 'window'
    ? windowFull(context, before, justification)
    : counterFull(context, before, justification);
}

const phases = 64;
/** Refusals that lie closer together than this share of a window are judged together as long as none of them may be justified. */
const blockShare = 1 / 1024;

/** Refusals next to each other in the columns, from `first` to before `end`, and the most that may have been counted before one of them. */
interface Block {
  readonly first: number;
  readonly end: number;
  readonly seen: number;
}

function blocksOf(open: Uint32Array, { refused }: RefusalContext, before: Float64Array, lengthMs: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < open.length;) {
    const first = at;
    const untilMs = (refused.sent[open[first] ?? 0] ?? 0) + lengthMs;
    let seen = 0;
    for (; at < open.length && (at === first || (refused.sent[open[at] ?? 0] ?? 0) <= untilMs); at += 1)
      seen = Math.max(seen, before[open[at] ?? 0] ?? 0);
    blocks.push({ first, end: at, seen });
  }
  return blocks;
}

/**
 * A counter that weighs the window before by the share of it still in sight. Its phase is unknown: for each range of phases [f, g], at most
 * `within g windows` count in full and the rest of `within 1 + g windows` by 1 − f.
 */
function counterFull(context: RefusalContext, before: Float64Array, justification: WindowJustification): Uint8Array {
  const { refused, counted, slack, idleBeforeMs } = context;
  const holds = windowFull(context, before, { ...justification, kind: 'window' });
  // Some refuse what would bring the estimate above the limit, others what finds it there.
  const enough = justification.count - 1 + 1e-9;
  const lateMs = Math.max(slack.quantumMs, latenessMs(justification.lookBackMs));
  const open = unmarked(holds);
  /** Whether phases from one to another, judged as one range, may justify a refusal; asked in the order of sending. */
  const justifying = (from: number, to: number): ((sentMs: number, seen: number) => boolean) => {
    const least = from / phases;
    const most = to / phases;
    const currentMs = most * justification.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
    const bothMs = (1 + most) * justification.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
    const { receivedSorted } = counted;
    let beforeCurrent = 0;
    let beforeBoth = 0;
    return (sentMs, seen) => {
      beforeCurrent = lowerBoundFrom(receivedSorted, sentMs - currentMs, beforeCurrent);
      beforeBoth = lowerBoundFrom(receivedSorted, sentMs - bothMs, beforeBoth);
      const weighed = (1 - least) * (seen - beforeBoth) + least * (seen - beforeCurrent);
      return weighed > enough || sentMs - bothMs < -idleBeforeMs;
    };
  };
  const isOpen = ({ first, end }: Block): boolean => {
    for (let at = first; at < end; at += 1) if (holds[open[at] ?? 0] === 0) return true;
    return false;
  };
  const search = (blocks: readonly Block[], from: number, to: number): void => {
    const mayJustify = justifying(from, to);
    // The first of a block was sent first: no other one of it sees more.
    const some = blocks.filter(({ first, seen }) => mayJustify(refused.sent[open[first] ?? 0] ?? 0, seen));
    if (some.length === 0) return;
    if (to - from > 1) {
      const middle = (from + to) / 2;
      search(some, from, middle);
      search(some.filter(isOpen), middle, to);
      return;
    }
    const justifies = justifying(from, to);
    for (const { first, end } of some)
      for (let at = first; at < end; at += 1) {
        const k = open[at] ?? 0;
        if (holds[k] === 0 && justifies(refused.sent[k] ?? 0, before[k] ?? 0)) holds[k] = 1;
      }
  };
  search(blocksOf(open, context, before, justification.lookBackMs * blockShare), 0, phases);
  return holds;
}

/** Positions that are not yet marked, ascending. */
export function unmarked(holds: Uint8Array): Uint32Array {
  const found = new Uint32Array(holds.length);
  let count = 0;
  for (let k = 0; k < holds.length; k += 1) if (holds[k] === 0) found[count++] = k;
  return found.subarray(0, count);
}

/** For each refusal how many may have been counted in the time before it; Infinity where that reaches back to before the trace. */
function within(context: RefusalContext, before: Float64Array, timeMs: number): Float64Array {
  const { refused, counted, slack } = context;
  const lookBackMs = timeMs * (1 + slack.clockErrorRate) + slack.quantumMs;
  const found = new Float64Array(refused.count);
  let expired = 0;
  for (let k = 0; k < refused.count; k += 1) {
    const fromMs = (refused.sent[k] ?? 0) - lookBackMs;
    while (expired < counted.count && (counted.receivedSorted[expired] ?? 0) < fromMs) expired += 1;
    found[k] = fromMs < -context.idleBeforeMs ? Infinity : (before[k] ?? 0) - expired;
  }
  return found;
}

function windowFull(context: RefusalContext, before: Float64Array, justification: WindowJustification): Uint8Array {
  const counts = within(context, before, justification.lookBackMs);
  const holds = new Uint8Array(counts.length);
  for (let k = 0; k < holds.length; k += 1) if ((counts[k] ?? 0) >= justification.count) holds[k] = 1;
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
