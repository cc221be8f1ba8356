import { mostAcceptancesWithin, type Envelope } from '../models/envelope.js';
import type { RequestIntervals } from '../request-intervals.js';
import { windowTicks, type Ticks } from './ticks.js';

/** The definition, word for word: every pair of a first sending and a last answer, every request counted. For comparison only. */
export function naiveExcess(intervals: RequestIntervals, ticks: Ticks, envelope: Envelope): boolean {
  for (let i = 0; i < intervals.count; i += 1) {
    for (let j = 0; j < intervals.count; j += 1) {
      const length = (ticks.end[j] ?? 0) - (ticks.start[i] ?? 0);
      if (length < 0) continue;
      let inside = 0;
      for (let k = 0; k < intervals.count; k += 1) {
        if ((ticks.start[k] ?? 0) >= (ticks.start[i] ?? 0) && (ticks.end[k] ?? 0) <= (ticks.end[j] ?? 0)) inside += 1;
      }
      if (inside > allowed(envelope, length) + 1e-6) return true;
    }
  }
  return false;
}

function allowed(envelope: Envelope, length: number): number {
  if (envelope.kind === 'line') return mostAcceptancesWithin(envelope, length / 1024);
  return mostAcceptancesWithin({ ...envelope, windowMs: windowTicks(envelope.windowMs) }, length);
}
