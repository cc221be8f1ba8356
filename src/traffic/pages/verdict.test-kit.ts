import type { TraceRecord } from '../../ratelimit/trace.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { atMost } from '../../../testing/limiter-simulators/test-kit.js';

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
    return {
      index,
      dueMs: sentMs,
      sentMs,
      receivedMs: sentMs + 2,
      outcome: accepted ? 'accepted' : 'refused',
      status: accepted ? 200 : 429,
      remaining: String(burst - inMinute),
      reset,
      hasEnvelope: null,
    };
  });
}

export function verdictOf(records: readonly TraceRecord[], words = 'nothing of note'): PlanVerdict {
  const drive = {
    ratePerSecond: 200,
    connections: 8,
    startedMs: 0,
    endedMs: 1,
    sent: records.length,
    answered: records.length,
    failed: 0,
    timedOut: 0,
    unsent: 0,
    late: { p50Ms: 0.1, p99Ms: 1.2, maxMs: 3 },
    trouble: null,
  };
  const step = {
    kind: 'even',
    scenario: 'sustained',
    count: records.length,
    ratePerSecond: 200,
    connections: 8,
  } as const;
  return {
    trace: {
      subject: {
        plan: 'independent',
        keyName: 'API_KEY_INDEPENDENT',
        limits,
        url: 'http://127.0.0.1:1/api/v1/units?limit=1',
      },
      conducted: { records, steps: [{ scenario: 'sustained', step, firstIndex: 0, count: records.length, drive }] },
      idleBeforeMs: 0,
      unusable: null,
    },
    violations: [{ id: 'LIMIT-02', expected: words, actual: words, records: [] }],
    headers: [{ id: 'LIMIT-07', severity: 'warn', expected: words, actual: words, records: [] }],
    models: [
      {
        name: 'sliding',
        admitted: false,
        reason: words,
        records: [],
        counterevidence: [],
        needsRefusalsCounted: false,
        needsClock: false,
        needsTimer: false,
        tickMs: null,
      },
      {
        name: 'fixed',
        admitted: true,
        reason: null,
        records: [],
        counterevidence: [],
        needsRefusalsCounted: true,
        needsClock: false,
        needsTimer: false,
        tickMs: null,
      },
    ],
    refusals: [429],
    foreign: null,
    lowered: null,
    uncounted: null,
    weak: { within: null, beyond: null },
  };
}
