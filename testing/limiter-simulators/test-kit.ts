import type { Limit } from '../../src/settings/limits.js';
import { judgeTraces } from '../../src/ratelimit/judge-trace.js';
import type { Trace, TraceRecord } from '../../src/ratelimit/trace.js';
import { attributeViolations } from '../../src/ratelimit/violation.js';
import type { Drive } from '../../src/traffic/engine/drive.js';
import type { PlanTrace } from '../../src/traffic/limit-traces.js';

/** Heavy variants run where PROOF is 1. */
export const longProofs = process.env['PROOF'] === '1';

export { randomFrom } from '../../src/run/random.js';

/** A limit of so many requests in so many seconds. */
export function atMost(count: number, windowSeconds: number): Limit {
  return { count, windowSeconds };
}

/** A record with the fields that the mathematics reads; the rest by default. */
export function record(
  index: number,
  sentMs: number,
  receivedMs: number,
  rest: Partial<TraceRecord> = {},
): TraceRecord {
  return { index, dueMs: sentMs, sentMs, receivedMs, outcome: 'accepted', status: 200, hasEnvelope: null, ...rest };
}

/** A trace of a key that had been idle for long. */
export function traceOf(records: readonly TraceRecord[], rest: Partial<Trace> = {}): Trace {
  return { records, clockErrorRate: 0.001, quantumMs: 1, idleBeforeMs: 1e9, ...rest };
}

/** The models on one trace, whether one of them explains it, and what it breaks where none does. */
export function judgeTrace(trace: Trace, limits: readonly Limit[], options: Parameters<typeof judgeTraces>[2]) {
  const models = judgeTraces([trace], limits, options);
  const explained = models.some(({ admitted }) => admitted);
  const anyRefused = trace.records.some(({ outcome }) => outcome === 'refused');
  return { models, explained, violations: explained ? [] : attributeViolations(models, anyRefused) };
}

/** A drive of nothing of note unless said. */
export function driveOf(more: Partial<Drive> = {}): Drive {
  return { startedMs: 0, endedMs: 1, trouble: null, records: [], ...more };
}

/** What was driven of a plan with these limits: nothing unless said. */
export function planTraceOf(limits: readonly Limit[], more: Partial<PlanTrace> = {}): PlanTrace {
  const subject = { plan: 'demo', keyName: null, limits, url: 'http://127.0.0.1/' } as const;
  return { subject, conducted: { records: [], steps: [] }, idleBeforeMs: 0, unusable: null, ...more };
}

/** Decides one request at an instant; requests come in the order of their instants. */
export type Decide = (atMs: number) => boolean;

/** When requests leave: instants in milliseconds, ascending. */
export type Plan = readonly number[];

/** Sends a plan to a limiter through a network that delays each way by up to about `jitterMs`, in any order. */
export function simulate(
  plan: Plan,
  decide: Decide,
  jitterMs: number,
  random: () => number,
  rest: Partial<Trace> = {},
  lossRate = 0.002,
): Trace {
  const delay = (): number => 0.2 + jitterMs * random() ** 3;
  const flights = plan.map((sentMs) => {
    const atMs = sentMs + delay();
    return { sentMs, atMs, receivedMs: atMs + delay() };
  });
  const records: TraceRecord[] = [];
  const order = flights.map((_, index) => index).sort((a, b) => (flights[a]?.atMs ?? 0) - (flights[b]?.atMs ?? 0));
  for (const index of order) {
    const flight = flights[index];
    if (flight === undefined) continue;
    const accepted = decide(flight.atMs);
    const lost = random() < lossRate;
    records[index] = record(index, flight.sentMs, lost ? Infinity : flight.receivedMs, {
      outcome: lost ? 'timeout' : accepted ? 'accepted' : 'refused',
      status: lost ? null : accepted ? 200 : 429,
    });
  }
  return traceOf(records, rest);
}

/** Bursts, paced stretches and pauses in random order, around the numbers of a plan. */
export function randomPlan(limits: readonly Limit[], random: () => number): Plan {
  const burst = limits.reduce((a, b) => (a.windowSeconds > b.windowSeconds ? a : b));
  const brief = limits.reduce((a, b) => (a.windowSeconds <= b.windowSeconds ? a : b));
  const rate = brief.count / brief.windowSeconds / 1000;
  const plan: number[] = [];
  let at = random() * 1000;
  for (let phase = 0; phase < 3; phase += 1) {
    const kind = random();
    const count = Math.ceil(burst.count * (0.5 + 1.6 * random()));
    const gap = kind < 0.4 ? 0.02 + random() : 1 / (rate * (0.3 + 0.9 * random()));
    for (let sent = 0; sent < count; sent += 1) {
      plan.push(at);
      at += gap * (0.9 + 0.2 * random());
    }
    at += random() < 0.5 ? burst.windowSeconds * 1000 * (0.3 + random()) : random() * 3000;
  }
  return plan;
}
