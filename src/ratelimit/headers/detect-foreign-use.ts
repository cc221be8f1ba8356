import { countingUnit, quotaItems, wholeNumber } from './fields.js';
import { lowerBound, upperBound } from '../rank.js';
import { intervalsOf, originOf } from '../request-intervals.js';
import type { Limit } from '../../settings/limits.js';
import { resetSeconds } from './judge-form.js';
import type { Trace, TraceRecord } from '../trace.js';

/** A fall of `RateLimit-Remaining` that this run's requests cannot account for: somebody else uses the key, or the service lowered the header. */
export interface ForeignUse {
  readonly sentence: string;
}

/** A fall between two answers about the same limit. */
interface Fall {
  readonly pair: readonly [number, number];
  readonly excess: number;
  /** Both answers certainly speak of one count. */
  readonly certain: boolean;
}

/**
 * Detects other users of the same key. If the second request was sent after the first answer, the count can fall at most by the number of
 * requests decided in between. One larger fall may be a switch between two windows, unless answers name their limit, or both are about the
 * same window of the longest of the `limits`; two falls are not.
 */
export function detectForeignUse(trace: Trace, limits: readonly Limit[]): ForeignUse | null {
  const intervals = intervalsOf(trace, originOf(trace));
  const oneCount = namesItsLimit(trace, limits);
  const unit = countingUnit(trace.records.map((_, position) => remainingAt(trace, position) ?? 0));
  const falls: Fall[] = [];
  /** Of what says the same limit, the last answer so far. */
  const known = new Map<string | undefined, number>();
  let answered = 0;
  for (let k = 0; k < intervals.count; k += 1) {
    while (answered < intervals.count && (intervals.receivedSorted[answered] ?? 0) < (intervals.sent[k] ?? 0)) {
      const candidate = intervals.byReceived[answered] ?? 0;
      const position = intervals.position[candidate] ?? 0;
      if (remainingAt(trace, position) !== null) known.set(trace.records[position]?.limit, candidate);
      answered += 1;
    }
    const now = remainingAt(trace, intervals.position[k] ?? 0);
    const after = trace.records[intervals.position[k] ?? 0];
    const last = known.get(after?.limit);
    const before = last === undefined ? undefined : trace.records[intervals.position[last] ?? 0];
    if (last === undefined || now === null || before === undefined || after === undefined) continue;
    const settled = lowerBound(intervals.receivedSorted, intervals.sent[last] ?? 0);
    const own = upperBound(intervals.sent, intervals.received[k] ?? 0) - settled - 1;
    const excess = ((remainingAt(trace, intervals.position[last] ?? 0) ?? 0) - now) / unit - own;
    if (excess <= 0) continue;
    falls.push({
      pair: [before.index, after.index],
      excess,
      certain: excess > 1 && (oneCount || inOneLongWindow(before, after, limits)),
    });
  }
  const first = falls.find(({ certain }) => certain) ?? falls[0];
  if (first === undefined || (falls.length < 2 && !first.certain)) return null;
  const times = falls.length === 1 ? '' : ` ${falls.length} times`;
  return {
    sentence:
      `RateLimit-Remaining fell${times} by more than this run had sent, ` +
      `first by ${first.excess} more between requests ${first.pair[0]} and ${first.pair[1]}`,
  };
}

/** Whether answers tell the limits apart: each of several different numbers is named by some of them. */
function namesItsLimit(trace: Trace, limits: readonly Limit[]): boolean {
  const numbers = new Set(limits.map(({ count }) => count));
  if (limits.length < 2 || numbers.size < limits.length) return false;
  const named = new Set(
    trace.records.map(({ limit }) => (limit === undefined ? undefined : quotaItems(limit)?.[0]?.count)),
  );
  return [...numbers].every((number) => named.has(number));
}

/** Whether both answers name the same instant of reset, one that no shorter window can have. */
function inOneLongWindow(before: TraceRecord, after: TraceRecord, limits: readonly Limit[]): boolean {
  const [, shorter = 0] = limits.map(({ windowSeconds }) => windowSeconds).sort((a, b) => b - a);
  const least = Math.ceil(shorter) + 1;
  const [first, second] = [resetSeconds(before), resetSeconds(after)];
  if (first === null || second === null || first <= least || second <= least) return false;
  // Whole seconds are rounded either way.
  return (
    before.sentMs + 1000 * (first - 1) <= after.receivedMs + 1000 * (second + 1) &&
    after.sentMs + 1000 * (second - 1) <= before.receivedMs + 1000 * (first + 1)
  );
}

function remainingAt(trace: Trace, position: number): number | null {
  const raw = trace.records[position]?.remaining;
  return raw === undefined ? null : wholeNumber(raw);
}
