import { wholeNumber } from './fields.js';
import { countBelow, countUpTo } from './rank.js';
import { spansOf, originOf } from './spans.js';
import type { Trace } from './trace.js';

/** A fall of `RateLimit-Remaining` that this run's requests cannot account for. */
export interface ForeignUse {
  readonly sentence: string;
  readonly records: readonly number[];
  /** At least so many requests came from elsewhere. */
  readonly atLeast: number;
}

/**
 * Looks for somebody else on the same key. Between two answers, the second request sent after the first answer, the count can fall by no
 * more than the requests that may have been decided in between; one fall may be a switch between two windows, two are not.
 */
export function detectForeignUse(trace: Trace): ForeignUse | null {
  const spans = spansOf(trace, originOf(trace), () => true);
  const falls: { readonly pair: readonly [number, number]; readonly excess: number }[] = [];
  let answered = 0;
  let known = -1;
  for (let k = 0; k < spans.count; k += 1) {
    while (answered < spans.count && (spans.receivedSorted[answered] ?? 0) < (spans.sent[k] ?? 0)) {
      const candidate = spans.byReceived[answered] ?? 0;
      if (remainingAt(trace, spans.position[candidate] ?? 0) !== null) known = candidate;
      answered += 1;
    }
    const now = remainingAt(trace, spans.position[k] ?? 0);
    if (known < 0 || now === null) continue;
    const before = trace.records[spans.position[known] ?? 0];
    const after = trace.records[spans.position[k] ?? 0];
    if (before === undefined || after === undefined || before.limit !== after.limit) continue;
    const settled = countBelow(spans.receivedSorted, spans.sent[known] ?? 0);
    const own = countUpTo(spans.sent, spans.received[k] ?? 0) - settled - 1;
    const excess = (remainingAt(trace, spans.position[known] ?? 0) ?? 0) - now - own;
    if (excess > 0) falls.push({ pair: [before.index, after.index], excess });
  }
  const [first] = falls;
  const atLeast = falls.reduce((sum, fall) => Math.max(sum, fall.excess), 0);
  if (first === undefined || falls.length < 2) return null;
  return {
    sentence:
      `RateLimit-Remaining fell ${falls.length} times by more than this run had sent, ` +
      `first by ${first.excess} too many between requests ${first.pair[0]} and ${first.pair[1]}: somebody else uses the key`,
    records: falls.slice(0, 5).flatMap((fall) => fall.pair),
    atLeast,
  };
}

function remainingAt(trace: Trace, position: number): number | null {
  const raw = trace.records[position]?.remaining;
  return raw === undefined ? null : wholeNumber(raw);
}
