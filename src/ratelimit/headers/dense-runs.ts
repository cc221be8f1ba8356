import type { TraceRecord } from '../trace.js';

/** Answers that lie close together, in four parts of about equal size by the order of sending. */
export interface DenseRun {
  readonly chunks: readonly (readonly TraceRecord[])[];
  /** From the first sending to the last answer. */
  readonly lengthMs: number;
}

/**
 * For several lengths, each at most a quarter of the window, the stretch with the most requests both sent and answered within it. The
 * answers come in the order in which they were asked for.
 */
export function denseRuns(inOrder: readonly TraceRecord[], windowMs: number): DenseRun[] {
  const bySent = inOrder.filter((record) => Number.isFinite(record.receivedMs));
  return [4, 16, 64].flatMap((share) => densest(bySent, windowMs / share));
}

function densest(bySent: readonly TraceRecord[], lengthMs: number): DenseRun[] {
  let first = 0;
  let best = { first: 0, last: -1 };
  for (let last = 0; last < bySent.length; last += 1) {
    const untilMs = bySent[last]?.receivedMs ?? Infinity;
    while (first < last && untilMs - (bySent[first]?.sentMs ?? 0) > lengthMs) first += 1;
    if (last - first > best.last - best.first) best = { first, last };
  }
  const fromMs = bySent[best.first]?.sentMs ?? 0;
  const inside = bySent.slice(best.first, best.last + 1).filter((record) => record.receivedMs <= fromMs + lengthMs);
  if (inside.length < 12) return [];
  const part = Math.ceil(inside.length / 4);
  const chunks = [0, 1, 2, 3].map((quarter) => inside.slice(quarter * part, (quarter + 1) * part));
  if (chunks.some((chunk) => chunk.length === 0)) return [];
  const untilMs = inside.reduce((latest, record) => Math.max(latest, record.receivedMs), 0);
  return [{ chunks, lengthMs: untilMs - fromMs }];
}
