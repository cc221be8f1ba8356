import type { Decide } from '../limiter/test-kit.js';
import type { TraceRecord } from '../limiter/trace.js';
import type { Limit } from '../target/limits.js';
import type { LimitModel } from '../target/target.js';
import { alignedStart } from './conduct.js';
import type { Conducted, DrivenStep } from './conduct.js';
import type { PlanTrace } from './limit-traces.js';
import { planSteps } from './plan.js';
import { pressureSteps, secondKeySteps } from './second-key.js';
import type { Step } from './plan.js';

/** A service behind a network: what it decides at an instant, and how long either way takes at most, about. */
export interface SimulatedService {
  readonly decide: Decide;
  /** What the answer to the request decided last says of the limit. */
  readonly tell?: () => Partial<TraceRecord>;
  readonly jitterMs: number;
  readonly random: () => number;
}

const fastGapMs = 0.5;

interface Course {
  readonly records: TraceRecord[];
  readonly steps: DrivenStep[];
  nowMs: number;
  heavyMs: number;
}

function drive(
  course: Course,
  step: Step & { scenario: DrivenStep['scenario'] },
  sentMs: number[],
  service: SimulatedService,
): void {
  const delay = (): number => 0.2 + service.jitterMs * service.random() ** 3;
  const flights = sentMs.map((at, index) => ({ index, sentMs: at, atMs: at + delay() }));
  const firstIndex = course.records.length;
  const records: TraceRecord[] = [];
  for (const flight of [...flights].sort((a, b) => a.atMs - b.atMs)) {
    const accepted = service.decide(flight.atMs);
    records[flight.index] = {
      index: firstIndex + flight.index,
      dueMs: flight.sentMs,
      sentMs: flight.sentMs,
      receivedMs: flight.atMs + delay(),
      outcome: accepted ? 'accepted' : 'refused',
      status: accepted ? 200 : 429,
      hasEnvelope: null,
      ...service.tell?.(),
    };
  }
  const endedMs = Math.max(...records.map((record) => record.receivedMs));
  const startedMs = sentMs[0] ?? course.nowMs;
  const none = { failed: 0, timedOut: 0, unsent: 0, trouble: null, late: { p50Ms: 0, p99Ms: 0, maxMs: 0 } };
  const books = {
    ...none,
    ratePerSecond: null,
    connections: 1,
    startedMs,
    endedMs,
    sent: records.length,
    answered: records.length,
  };
  course.records.push(...records);
  course.steps.push({ scenario: step.scenario, step, firstIndex, count: records.length, drive: books });
  course.nowMs = endedMs;
}

function take(course: Course, step: Step, service: SimulatedService): void {
  const from = course.nowMs + 30;
  if (step.kind === 'gap') course.nowMs += step.seconds * 1000;
  else if (step.kind === 'fast') {
    drive(
      course,
      step,
      Array.from({ length: step.count }, (_, k) => from + k * fastGapMs),
      service,
    );
    course.heavyMs = course.nowMs;
  } else if (step.kind === 'even') {
    const lead = (step.afterFirstSeconds ?? 0) * 1000;
    const due = (k: number): number => from + (k === 0 ? 0 : lead) + (k * 1000) / step.ratePerSecond;
    drive(
      course,
      step,
      Array.from({ length: step.count }, (_, k) => due(k)),
      service,
    );
    course.heavyMs = course.nowMs;
  } else if (step.kind === 'idle') {
    const earliestMs = course.heavyMs + step.sinceHeavySeconds * 1000;
    course.nowMs = Math.max(course.nowMs, alignedStart(course.records, step, earliestMs) ?? earliestMs);
  } else {
    for (let tries = 0; tries < 3; tries += 1) {
      if (tries > 0 && course.records.at(-1)?.outcome !== 'refused') break;
      const anchorMs = tries === 0 ? course.heavyMs + step.anchorSeconds * 1000 : 0;
      drive(course, step, [Math.max(course.nowMs + step.windowSeconds * 1000 + 1_050, anchorMs)], service);
    }
  }
}

/** What comes next, in records that count from 0; instants go on. */
function go(course: Course, steps: readonly Step[], service: SimulatedService): Course {
  const next: Course = { records: [], steps: [], nowMs: course.nowMs, heavyMs: course.heavyMs };
  for (const step of steps) take(next, step, service);
  return next;
}

const shown = ({ records, steps }: Course): Conducted => ({ records, steps });

/**
 * What `planSteps` would have shown of a service without headers, had it been driven; the key had been used by nobody before. With
 * `second`, which decides what a second key sends, that key was driven as well.
 */
export function simulateDrive(
  limits: readonly Limit[],
  model: LimitModel,
  service: SimulatedService,
  second?: Decide,
): PlanTrace {
  const begin: Course = { records: [], steps: [], nowMs: 1_000 * service.random(), heavyMs: 0 };
  const ping: Step = { kind: 'fast', scenario: 'burst', count: 1, connections: 1 };
  const course = go(begin, [ping, ...planSteps(limits, model)], service);
  const trace: PlanTrace = {
    subject: { plan: 'independent', keyName: null, limits, url: 'http://127.0.0.1/' },
    conducted: shown(course),
    idleBeforeMs: 1e9,
    unusable: null,
  };
  if (second === undefined) return trace;
  const pressure = go(course, pressureSteps(limits), service);
  const other = go(pressure, secondKeySteps(limits), { ...service, decide: second });
  const keyName = 'API_KEY_INDEPENDENT_2';
  return { ...trace, second: { keyName, pressure: shown(pressure), second: shown(other), idleBeforeMs: 1e9 } };
}
