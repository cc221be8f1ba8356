import { expect, test } from '@playwright/test';
import { type Envelope, mostAcceptancesWithin } from './model.js';
import { lineExcess, stepExcess, type Ticks, ticksOf, windowTicks } from './admission.js';
import { intervalsOf, type RequestIntervals } from './trace.js';
import { longProofs, record, randomFrom, traceOf } from '../../testing/limiter-simulators/test-kit.js';

const slack = { clockErrorRate: 0.001, quantumMs: 1 };

function fast(intervals: RequestIntervals, ticks: Ticks, envelope: Envelope): boolean {
  const excess =
    envelope.kind === 'step' ? stepExcess(intervals, ticks, envelope) : lineExcess(intervals, ticks, envelope);
  return excess !== null;
}

/** The definition, word for word: every pair of a first sending and a last answer, every request counted. For comparison only. */
function naiveExcess(intervals: RequestIntervals, ticks: Ticks, envelope: Envelope): boolean {
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

test('the fast count of certain acceptances agrees with the definition on random traces', () => {
  const random = randomFrom(7);
  const rounds = longProofs ? 10_000 : 1_000;
  let convicted = 0;
  for (let round = 0; round < rounds; round += 1) {
    const count = 2 + Math.floor(random() * 24);
    const stretch = 50 + random() * 4000;
    // Whole instants make ties and exact multiples of the window frequent.
    const whole = random() < 0.5;
    const latency = random() < 0.3 ? 600 : 40;
    const records = Array.from({ length: count }, (_, index) => {
      const sentMs = whole ? Math.floor(random() * (stretch / 50)) * 50 : random() * stretch;
      return record(index, sentMs, sentMs + (whole ? Math.floor(random() * 4) * 50 : random() * latency));
    });
    const intervals = intervalsOf(traceOf(records), 0);
    const ticks = ticksOf(intervals, whole ? { clockErrorRate: 0, quantumMs: 0 } : slack);
    const perWindow = 1 + Math.floor(random() * 5);
    const envelope: Envelope =
      random() < 0.3
        ? { kind: 'line', capacity: perWindow, perMs: perWindow / (50 * (1 + Math.floor(random() * 10))) }
        : {
            kind: 'step',
            base: perWindow + (random() < 0.3 ? Math.floor(random() * 4) : 0),
            perWindow,
            windowMs: 50 * (1 + Math.floor(random() * 10)),
            rounding: random() < 0.5 ? 'floor' : 'ceil',
          };
    const expected = naiveExcess(intervals, ticks, envelope);
    if (fast(intervals, ticks, envelope) !== expected) throw new Error(`round ${round} ${JSON.stringify(envelope)}`);
    if (expected) convicted += 1;
  }
  expect(convicted).toBeGreaterThan(rounds / 5);
  expect(convicted).toBeLessThan((rounds * 4) / 5);
});
