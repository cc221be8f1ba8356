import type { TraceRecord } from '../../ratelimit/trace.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { atMost, driveOf, record } from '../../../testing/limiter-simulators/test-kit.js';

export const limits = [atMost(600, 60), atMost(100, 1)];

/** A limiter with windows on the clock, driven at 200 a second; `burst` accepted a minute. */
export function traceRecords(total: number, burst = 600): TraceRecord[] {
  let inSecond = 0;
  let inMinute = 0;
  return Array.from({ length: total }, (_, index): TraceRecord => {
    const sentMs = 1_000_000 + index * 5;
    if (index % 200 === 0) inSecond = 0;
    if (index % 12_000 === 0) inMinute = 0;
    const accepted = inSecond < 100 && inMinute < burst;
    if (accepted) inSecond += 1;
    if (accepted) inMinute += 1;
    const reset = String(60 - Math.floor((index % 12_000) / 200));
    const told = { remaining: String(burst - inMinute), reset };
    return record(index, sentMs, sentMs + 2, accepted ? told : { ...told, outcome: 'refused', status: 429 });
  });
}

export function verdictOf(records: readonly TraceRecord[], words = 'nothing of note'): PlanVerdict {
  const pace = { ratePerSecond: 200, connections: 8 };
  const step = { kind: 'send', scenario: 'sustained', count: records.length, ...pace } as const;
  const model = { counterevidence: [], needsClock: false, needsTimer: false, tickMs: null };
  return {
    trace: {
      subject: {
        plan: 'independent',
        keyName: 'API_KEY_INDEPENDENT',
        limits,
        url: 'http://127.0.0.1:1/api/v1/units?limit=1',
      },
      conducted: { records, steps: [{ step, firstIndex: 0, count: records.length, ...driveOf() }] },
      idleBeforeMs: 0,
      unusable: null,
    },
    violations: [{ id: 'LIMIT-02', code: 'odd', expected: words, actual: words, records: [] }],
    headers: [{ id: 'LIMIT-07', severity: 'warn', code: 'odd', expected: words, actual: words, records: [] }],
    models: [
      { ...model, name: 'sliding', admitted: false, reason: words, needsRefusalsCounted: false },
      { ...model, name: 'fixed', admitted: true, reason: null, needsRefusalsCounted: true },
    ],
    refusals: [429],
    foreign: null,
    lowered: null,
    uncounted: null,
    weak: { within: null, beyond: null },
  };
}
