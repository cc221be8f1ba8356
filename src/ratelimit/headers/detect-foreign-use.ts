import { countingUnit, leftOf, quotaItems, resetSeconds } from './fields.js';
import {
  intervalsOf,
  lowerBound,
  originOf,
  type RequestIntervals,
  type Trace,
  type TraceRecord,
  upperBound,
} from '../trace.js';
import type { Limit } from '../../settings/index.js';

/** A fall between two answers about the same limit. */
interface Fall {
  readonly pair: readonly [number, number];
  readonly excess: number;
  /** Both answers certainly speak of one count. */
  readonly certain: boolean;
}

/**
 * Detects a fall of `RateLimit-Remaining` that this run's requests cannot account for, in words: somebody else uses the key, or the service
 * lowered the header. If the second request was sent after the first answer, the count can fall at most by the number of
 * requests decided in between. One larger fall may be a switch between two windows, unless answers name their limit, or both are about the
 * same window of the longest of the `limits`; two falls are not. With `generators`, compares only answers to the same one.
 */
export function detectForeignUse(
  trace: Trace,
  limits: readonly Limit[],
  generators: Uint8Array = new Uint8Array(trace.records.length),
): string | null {
  if (trace.records.every((record) => record.remaining === undefined)) return null;
  const remaining = Float64Array.from(trace.records, (record) => leftOf(record) ?? NaN);
  const intervals = intervalsOf(trace, originOf(trace));
  const oneCount = namesItsLimit(trace, limits);
  const byGenerator = fallsOf(
    trace,
    remaining,
    generators,
    intervals,
    (before, after) => oneCount || inOneLongWindow(before, after, limits),
  );
  for (const falls of byGenerator) {
    const first = falls.find(({ certain }) => certain) ?? falls[0];
    if (first === undefined || (falls.length < 2 && !first.certain)) continue;
    const times = falls.length === 1 ? '' : ` ${falls.length} times`;
    return (
      `RateLimit-Remaining fell${times} by more than this run had sent, ` +
      `first by ${first.excess} more between requests ${first.pair[0]} and ${first.pair[1]}`
    );
  }
  return null;
}

function* saidTo(generator: number, generators: Uint8Array, remaining: Float64Array): Generator<number> {
  for (let at = 0; at < remaining.length; at += 1) if (generators[at] === generator) yield remaining[at] || 0;
}

/** The falls of what remains (NaN where an answer does not say) in the answers to each generator, in the order of their numbers. */
function fallsOf(
  { records }: Trace,
  remaining: Float64Array,
  generators: Uint8Array,
  intervals: RequestIntervals,
  isOneCount: (before: TraceRecord, after: TraceRecord) => boolean,
): Fall[][] {
  const units: number[] = [];
  for (const one of new Set(generators)) units[one] = countingUnit(saidTo(one, generators, remaining));
  const falls = units.map((): Fall[] => []);
  /** For each generator, of what says the same limit, the last answer so far. */
  const known = units.map(() => new Map<string | undefined, number>());
  let answered = 0;
  for (let k = 0; k < intervals.count; k += 1) {
    while (answered < intervals.count && (intervals.receivedSorted[answered] ?? 0) < (intervals.sent[k] ?? 0)) {
      const candidate = intervals.byReceived[answered] ?? 0;
      const position = intervals.position[candidate] ?? 0;
      if ((remaining[position] ?? NaN) >= 0) known[generators[position] ?? 0]?.set(records[position]?.limit, candidate);
      answered += 1;
    }
    const position = intervals.position[k] ?? 0;
    const generator = generators[position] ?? 0;
    const now = remaining[position] ?? NaN;
    const last = Number.isNaN(now) ? undefined : known[generator]?.get(records[position]?.limit);
    if (last === undefined) continue;
    const settled = lowerBound(intervals.receivedSorted, intervals.sent[last] ?? 0);
    const own = upperBound(intervals.sent, intervals.received[k] ?? 0) - settled - 1;
    const excess = ((remaining[intervals.position[last] ?? 0] ?? 0) - now) / (units[generator] ?? 1) - own;
    if (excess <= 0) continue;
    const [before, after] = [records.at(intervals.position[last] ?? 0), records.at(position)];
    if (before === undefined || after === undefined) continue;
    const certain = excess > 1 && isOneCount(before, after);
    falls[generator]?.push({ pair: [before.index, after.index], excess, certain });
  }
  return falls.filter((own) => own.length > 0);
}

/** Whether answers tell the limits apart: each of several different numbers is named by some of them. */
function namesItsLimit(trace: Trace, limits: readonly Limit[]): boolean {
  const numbers = new Set(limits.map(({ count }) => count));
  if (limits.length < 2 || numbers.size < limits.length) return false;
  const named = new Set(trace.records.map(({ limit }) => quotaItems(limit ?? '')?.[0]?.count));
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
