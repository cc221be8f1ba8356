import type { TraceRecord } from '../../src/ratelimit/trace.js';
import type { Limit } from '../../src/settings/limits.js';
import { middleOf, offsetFrom, type ClockOffset } from '../../src/traffic/parts/clock-offset.js';
import { partSchedule, scheduleSeconds, shareOf } from '../../src/traffic/parts/part-schedule.js';
import { headerOf, type PartTrace } from '../../src/traffic/parts/part-trace.js';
import { readBehaviour } from '../../src/reference/behaviour.js';
import { Limits } from '../../src/reference/limits.js';
import { version } from '../../src/version.js';
import { record } from '../limiter-simulators/test-kit.js';

/** A service that knows which generator asks. */
export type DecideFor = (atMs: number, generator: number) => boolean;

/** Generators whose clocks are wrong by up to `skewMs`, and run too fast or too slow by up to `drift`; both are drawn at random. */
export interface SimulatedParts {
  readonly limits: readonly Limit[];
  readonly parts: number;
  readonly decide: DecideFor;
  readonly skewMs: number;
  readonly drift: number;
  /** The most that either way takes, about. */
  readonly jitterMs: number;
  /** How often each generator looks at the common clock, before the run and after it. */
  readonly looks: number;
  readonly random: () => number;
}

const startMs = 1_800_000_000_000;

/** A generator's clock: `skewMs` ahead at the start, and drifting. */
interface Clock {
  readonly localOf: (trueMs: number) => number;
  readonly trueOf: (localMs: number) => number;
}

function clockOf({ skewMs, drift, random }: SimulatedParts): Clock {
  const skew = skewMs * (2 * random() - 1);
  const rate = 1 + drift * (2 * random() - 1);
  return {
    localOf: (trueMs) => startMs + skew + (trueMs - startMs) * rate,
    trueOf: (localMs) => startMs + (localMs - startMs - skew) / rate,
  };
}

function measured(clock: Clock, atMs: number, looks: number, delay: () => number): ClockOffset {
  const readings = Array.from({ length: looks }, () => {
    const shownMs = atMs + delay();
    const times = { sentMs: clock.localOf(atMs), receivedMs: clock.localOf(shownMs + delay()) };
    return { ...times, fromMs: shownMs, toMs: shownMs };
  });
  return offsetFrom(readings, false);
}

interface Flight {
  readonly generator: number;
  readonly segment: number;
  readonly dueMs: number;
  readonly sentMs: number;
  readonly atMs: number;
  readonly receivedMs: number;
}

/** What generators would have written, had they driven a plan's schedule against a service in true time. */
export function simulateParts(simulated: SimulatedParts): PartTrace[] {
  const { limits, parts, decide, jitterMs, looks, random } = simulated;
  const delay = (): number => 0.2 + jitterMs * random() ** 3;
  const segments = partSchedule(limits, parts);
  const endMs = startMs + 1000 * scheduleSeconds(segments);
  const generators = Array.from({ length: parts }, (_, k) => {
    const clock = clockOf(simulated);
    return { part: k + 1, clock, before: measured(clock, startMs - 20_000, looks, delay) };
  });
  const flights = generators.flatMap(({ part, clock, before }) =>
    segments.flatMap((segment, at) => {
      const share = shareOf(segment, part, parts);
      return Array.from({ length: share.count }, (_, k): Flight => {
        const dueMs = startMs - middleOf(before) + 1000 * (share.atSeconds + k / share.ratePerSecond);
        const sentMs = clock.trueOf(dueMs) + delay() / 10;
        const atMs = sentMs + delay();
        return { generator: part, segment: at, dueMs, sentMs, atMs, receivedMs: atMs + delay() };
      });
    }),
  );
  const answered = new Map<Flight, boolean>();
  for (const flight of [...flights].sort((a, b) => a.atMs - b.atMs))
    answered.set(flight, decide(flight.atMs, flight.generator));
  // The digest of a real key is slow on purpose.
  const run = {
    suite: version,
    target: 'http://127.0.0.1:1',
    plan: 'independent',
    limits,
    startMs,
    parts,
    key: '',
  } as const;
  return generators.map(({ part, clock, before }) => {
    const own = flights.filter(({ generator }) => generator === part);
    const records = own.map((flight, index): TraceRecord => {
      const accepted = answered.get(flight) ?? false;
      const times = [clock.localOf(flight.sentMs), clock.localOf(flight.receivedMs)] as const;
      const { outcome, status } = accepted
        ? ({ outcome: 'accepted', status: 200 } as const)
        : ({ outcome: 'refused', status: 429 } as const);
      return record(index, ...times, { dueMs: flight.dueMs, outcome, status });
    });
    const drives = segments.map((_, at) => {
      const count = own.filter(({ segment }) => segment === at).length;
      return { count, connections: 6, startedMs: 0, endedMs: 0, trouble: null };
    });
    const clocks = { before, after: measured(clock, endMs + 5_000, looks, delay) };
    const header = headerOf(run, { part, generator: `g${part}`, clock: clocks, drives, requests: records.length });
    return { file: `part-${part}.gz`, header, records };
  });
}

/** The reference service's own limiter, which meets every generator at an address of its own. */
export function referenceLimiter(
  limits: readonly Limit[],
  { faults = [], variant = {} }: { readonly faults?: readonly string[]; readonly variant?: Record<string, string> },
): DecideFor {
  const independent = limits.map(({ count, windowSeconds: seconds }) => ({ count, seconds }));
  const rest = { franchise: [], enterprise: [], functional: [], demo: [], sandbox: [] };
  const service = new Limits(readBehaviour(faults, variant, 1), { ...rest, independent });
  return (atMs, generator) => service.rule('independent', 'key', 'GET /', atMs, `127.0.0.${generator + 1}`).allowed;
}
