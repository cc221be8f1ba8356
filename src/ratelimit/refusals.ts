import { against, type Counterevidence, decided, formatCount, formatDuration } from './violation.js';
import { indexOf, once, pick, type RequestGroups, type RequestIntervals } from './trace.js';
import { type Justification, latenessMs, type LimiterModel, type Slack, type WindowJustification } from './model.js';

/**
 * For each refusal (1 or 0), whether a bucket may have been empty: follows the least that it can have held, where refill arrives at most a
 * quantum and a tick late, and each request takes its token as late as it can. Where refusals take no tokens, the level is never below zero;
 * otherwise only a long rest gives a known level.
 */
function bucketEmpty(
  context: RefusalContext,
  before: Int32Array,
  { capacity, perMs, tickMs }: Justification & { kind: 'bucket' },
): Uint8Array<ArrayBuffer> {
  const { refused, counted, slack, self, idleBeforeMs } = context;
  const holds = new Uint8Array(refused.count);
  const rate = perMs * (1 - slack.clockErrorRate);
  // What flowed in is rounded; a bucket that was full held its capacity.
  const rounding = 1e-6;
  const full = capacity + 2 * rounding;
  let [level, atMs, settled] = [rate * idleBeforeMs, 0, 0];
  if (self === 1 && level < capacity) return holds.fill(1);
  for (let k = 0; k < refused.count; k += 1) {
    const untilMs = (refused.sent[k] ?? 0) - slack.quantumMs - tickMs;
    for (; settled < counted.count && (counted.receivedSorted[settled] ?? 0) <= untilMs; settled += 1) {
      const takenMs = counted.receivedSorted[settled] ?? 0;
      level = Math.min(full, level + rate * (takenMs - atMs)) - 1;
      if (self === 0) level = Math.max(0, level);
      atMs = takenMs;
    }
    const held = Math.min(full, level + rate * (untilMs - atMs)) - ((before[k] ?? 0) - settled);
    if (held < 1 + rounding) holds[k] = 1;
  }
  return holds;
}

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
  const reachMs = (parts: number): number =>
    (parts / phases) * justification.lookBackMs * (1 + slack.clockErrorRate) + lateMs;
  const passed = new Uint32Array(2 * phases + 1);
  /** How many were certainly decided longer before a refusal than that; refusals come in the order of sending. */
  const expired = (parts: number, sentMs: number): number => {
    const fromMs = sentMs - reachMs(parts);
    let at = passed[parts] ?? 0;
    while (at < counted.count && (counted.receivedSorted[at] ?? 0) < fromMs) at += 1;
    return (passed[parts] = at);
  };
  const wholeMs = reachMs(2 * phases);
  for (let k = 0; k < refused.count; k += 1) {
    if (holds[k] === 1) continue;
    const [sentMs, most] = [refused.sent[k] ?? 0, (before[k] ?? 0) - enough];
    if (sentMs - wholeMs < -idleBeforeMs) holds[k] = 1;
    // What two whole windows do not explain, no part of them does.
    if (holds[k] === 1 || expired(2 * phases, sentMs) >= most) continue;
    for (let phase = 0; phase < phases && holds[k] === 0; phase += 1) {
      const [earlier, current] = [expired(phases + phase + 1, sentMs), expired(phase + 1, sentMs)];
      if ((1 - phase / phases) * earlier + (phase / phases) * current < most) holds[k] = 1;
    }
  }
  return holds;
}

/** Positions that are not marked, ascending. */
function unmarked(holds: Uint8Array): Uint32Array {
  const found: number[] = [];
  for (let k = 0; k < holds.length; k += 1) if (holds[k] === 0) found.push(k);
  return Uint32Array.from(found);
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

function stateOf(justification: Justification): string {
  if (justification.kind === 'bucket')
    return `a bucket of ${formatCount(justification.capacity)} requests that refills by ${formatCount(justification.perMs * 1000)} a second`;
  const counted = `${formatCount(justification.count)} requests`;
  return `${justification.kind === 'spare' ? `${counted} above the other limit` : counted} within ${formatDuration(justification.lookBackMs)}`;
}

/**
 * What speaks against a model that cannot explain some refusals, or null, and whether it must count refused requests to explain the others. A
 * limiter may count refused requests or not. If it does, refusals can explain later refusals, yet never the first: a chain of refusals must
 * begin at one that requests not refused explain by themselves.
 */
export function tooStrict(
  groups: RequestGroups,
  justifications: LimiterModel['justifications'],
  slack: Slack,
): { readonly strict: Counterevidence | null; readonly needsRefusalsCounted: boolean } {
  const { refused, idleBeforeMs, memo } = groups;
  const by = (holds: Uint8Array) => unexplained(refused, unmarked(holds), justifications);
  if (refused.count === 0) return { strict: null, needsRefusalsCounted: false };
  const alone = holding({ refused, counted: groups.spent, self: 0, idleBeforeMs, slack }, justifications, memo);
  if (!alone.includes(0)) return { strict: null, needsRefusalsCounted: false };
  const together = holding({ refused, counted: groups.everything, self: 1, idleBeforeMs, slack }, justifications, memo);
  for (let k = 0; k < alone.length; k += 1) together[k] = (together[k] ?? 0) | (alone[k] ?? 0);
  if (together.includes(0)) return { strict: by(together), needsRefusalsCounted: true };
  const [only, ...others] = justifications.flat();
  if (only?.kind === 'bucket' && others.length === 0 && !mayCharge(groups, only, slack))
    return { strict: by(alone), needsRefusalsCounted: false };
  const lookBackMs = Math.max(...justifications.flat().map((justification) => reach(justification, slack)));
  chain(refused, alone, together, lookBackMs);
  return { strict: by(alone), needsRefusalsCounted: true };
}

/** What speaks against a model that leaves these refusals unexplained; null where there are none. */
function unexplained(
  refused: RequestIntervals,
  refusals: Uint32Array,
  justifications: LimiterModel['justifications'],
): Counterevidence | null {
  if (refusals.length === 0) return null;
  const receivedMs = (k: number): number => refused.received[k] ?? 0;
  const k = refusals.reduce((best, next) => (receivedMs(next) < receivedMs(best) ? next : best));
  const others = refusals.length === 1 ? '' : `, the first of ${refusals.length} such refusals`;
  return against(
    'refusal',
    refused,
    k,
    `refused although the limit was not used up: ${decided(refused, k)}${others}; ` +
      `the requests before it cannot have used up ${justifications.flat().map(stateOf).join(' or ')}`,
    {},
    [...refusals.subarray(0, 10)].filter((other) => other !== k).map((each) => indexOf(refused, each)),
  );
}

/**
 * Whether refusals may take tokens from a bucket. They would leave it empty, so nothing may be accepted after one until a whole token, or
 * the next timer step, was refilled.
 */
function mayCharge(
  { accepted, refused }: RequestGroups,
  justification: Justification & { kind: 'bucket' },
  slack: Slack,
): boolean {
  const tokenMs = 1 / (justification.perMs * (1 + slack.clockErrorRate)) - slack.quantumMs - justification.tickMs;
  let answered = 0;
  let emptyMs = -Infinity;
  for (let j = 0; j < accepted.count; j += 1) {
    const sentMs = accepted.sent[j] ?? 0;
    for (; answered < refused.count && (refused.receivedSorted[answered] ?? 0) < sentMs; answered += 1)
      emptyMs = Math.max(emptyMs, refused.sent[refused.byReceived[answered] ?? 0] ?? -Infinity);
    if ((accepted.received[j] ?? 0) - emptyMs < tokenMs) return false;
  }
  return true;
}

function reach(justification: Justification, slack: Slack): number {
  if (justification.kind === 'bucket') return Infinity;
  return (
    (justification.kind === 'counter' ? 2 : 1) * justification.lookBackMs * (1 + slack.clockErrorRate) + slack.quantumMs
  );
}

function holding(
  context: RefusalContext,
  alternatives: LimiterModel['justifications'],
  memo: RequestGroups['memo'],
): Uint8Array {
  const before = once(memo, `before ${context.self}`, () => countPossiblyBefore(context));
  const any = new Uint8Array(context.refused.count);
  for (const alternative of alternatives) {
    const all = new Uint8Array(context.refused.count).fill(1);
    for (const justification of alternative) {
      const key = JSON.stringify([context.self, context.slack, { ...justification, part: null }]);
      const holds = once(memo, key, () => justifiedBy(context, before, justification));
      for (let k = 0; k < all.length; k += 1) all[k] = (all[k] ?? 0) & (holds[k] ?? 0);
    }
    for (let k = 0; k < any.length; k += 1) any[k] = (any[k] ?? 0) | (all[k] ?? 0);
  }
  return any;
}

/** Rounds after which whatever might still hold is taken to hold. */
const patience = 50;

/**
 * Marks in `explained` the refusals that follow from marked ones: each holds once refusals count, and is within reach of a marked one. The
 * order of concurrent decisions is unknown, so it repeats until nothing changes.
 */
function chain(refused: RequestIntervals, explained: Uint8Array, together: Uint8Array, lookBackMs: number): void {
  let rounds = 0;
  for (let changed = true; changed; rounds += 1) {
    changed = false;
    let opened = 0;
    let latestMs = -Infinity;
    for (const k of refused.byReceived) {
      const receivedMs = refused.received[k] ?? 0;
      for (; opened < refused.count && (refused.sent[opened] ?? 0) <= receivedMs; opened += 1) {
        if (explained[opened] === 1) latestMs = Math.max(latestMs, refused.received[opened] ?? 0);
      }
      if (explained[k] === 1 || together[k] === 0) continue;
      // However far back a bucket remembers, a chain does not begin by itself.
      if (latestMs === -Infinity) continue;
      if (rounds < patience && latestMs < (refused.sent[k] ?? 0) - lookBackMs) continue;
      explained[k] = 1;
      changed = true;
      latestMs = Math.max(latestMs, receivedMs);
    }
  }
}
