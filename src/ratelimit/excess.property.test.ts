import { expect, test } from '@playwright/test';
import { type Envelope, mostAcceptancesWithin } from './model.js';
import { excessOver } from './admission.js';
import { intervalsOf, type RequestIntervals } from './trace.js';
import { longProofs, record, randomFrom, traceOf } from '../../testing/limiter-simulators/test-kit.js';

const slack = { clockErrorRate: 0, quantumMs: 0 };

/**
 * The definition, word for word: every pair of a sending and an answer, each of all requests counted, those that were answered by then less
 * those that were sent before. For comparison only.
 */
function naiveExcess({ sent, received }: RequestIntervals, envelope: Envelope): boolean {
  return [...sent].some((fromMs) =>
    [...received].some((untilMs) => {
      const lengthMs = (untilMs - fromMs) * (1 + slack.clockErrorRate) + slack.quantumMs;
      const certain = received.filter((ms) => ms <= untilMs).length - sent.filter((ms) => ms < fromMs).length;
      return lengthMs >= 0 && certain > mostAcceptancesWithin(envelope, lengthMs) + 1e-6;
    }),
  );
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
    const expected = naiveExcess(intervals, envelope);
    if ((excessOver(intervals, slack, envelope) !== null) !== expected)
      throw new Error(`round ${round} ${JSON.stringify(envelope)}`);
    if (expected) convicted += 1;
  }
  expect(convicted).toBeGreaterThan(rounds / 5);
  expect(convicted).toBeLessThan((rounds * 4) / 5);
});
