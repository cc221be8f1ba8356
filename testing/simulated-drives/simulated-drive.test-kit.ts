import type { TraceRecord } from '../../src/ratelimit/trace.js';
import type { Limit } from '../../src/settings/limits.js';
import type { LimitModel } from '../../src/settings/target.js';
import type { Drive } from '../../src/traffic/engine/drive.js';
import type { PlanTrace } from '../../src/traffic/limit-traces.js';
import { baseSteps, fast, type SendStep, type Step } from '../../src/traffic/scenario/scenario.js';
import { joined, scenarioActions, type ScenarioRun } from '../../src/traffic/scenario/run-steps.js';
import { type Extension, extensionFor, judgePlan, type PlanVerdict } from '../../src/traffic/limit-verdicts.js';
import { driveOf, planTraceOf, record, type Decide } from '../limiter-simulators/test-kit.js';

/** A service behind a network: what it decides at an instant, and how long either way takes at most, about. */
export interface SimulatedService {
  readonly decide: Decide;
  /** What the answer to the request decided last says of the limit. */
  readonly tell?: () => Partial<TraceRecord>;
  readonly jitterMs: number;
  /** How long the client stands still before a step. */
  readonly stallMs?: (step: SendStep) => number;
  readonly random: () => number;
}

const fastGapMs = 0.5;
/** To open connections and a drive's first slot. */
const openingMs = 150;

interface SimulatedClock {
  nowMs: number;
}

function sendingAt({ count, ratePerSecond, afterFirstSeconds = 0 }: SendStep, fromMs: number): number[] {
  const after = afterFirstSeconds * 1000;
  const apartMs = ratePerSecond === null ? fastGapMs : 1000 / ratePerSecond;
  return Array.from({ length: count }, (_, k) => fromMs + (k === 0 ? 0 : after + (k - (after > 0 ? 1 : 0)) * apartMs));
}

function drive(session: SimulatedClock, step: SendStep, service: SimulatedService): Drive {
  const delay = (): number => 0.2 + service.jitterMs * service.random() ** 3;
  const startedMs = session.nowMs + openingMs + (service.stallMs?.(step) ?? 0);
  const flights = sendingAt(step, startedMs).map((at, index) => ({ index, sentMs: at, atMs: at + delay() }));
  const records: TraceRecord[] = [];
  for (const flight of [...flights].sort((a, b) => a.atMs - b.atMs)) {
    const accepted = service.decide(flight.atMs);
    records[flight.index] = record(flight.index, flight.sentMs, flight.atMs + delay(), {
      ...(accepted ? {} : { outcome: 'refused', status: 429 }),
      ...service.tell?.(),
    });
  }
  session.nowMs = Math.max(...records.map(({ receivedMs }) => receivedMs));
  return driveOf({ records, startedMs, endedMs: session.nowMs });
}

/** What comes next, in records that count from 0; instants go on. */
function go(
  session: SimulatedClock,
  steps: readonly Step[],
  service: SimulatedService,
  lastSentMs?: number,
): ScenarioRun {
  const taken = scenarioActions(steps, () => session.nowMs, lastSentMs);
  let next = taken.next();
  while (next.done !== true) {
    const action = next.value;
    if (typeof action === 'number') session.nowMs = Math.max(session.nowMs, action);
    next = taken.next(typeof action === 'number' ? null : drive(session, action, service));
  }
  return next.value;
}

/** What to drive beyond the plan, or null. */
export type ExtensionFor = (trace: PlanTrace) => Extension | null;

/**
 * What `planSteps` would have shown of a service without headers, had it been driven; the key had been used by nobody before. What
 * `extend` says is driven as well.
 */
export function simulateDrive(
  limits: readonly Limit[],
  service: SimulatedService,
  extend: ExtensionFor = () => null,
  steps = baseSteps(limits),
): PlanTrace {
  const session: SimulatedClock = { nowMs: 1_000 * service.random() };
  const first = go(session, [fast('burst', 1)], service);
  const rest = go(session, steps, service, first.records[0]?.sentMs);
  const { subject, ...blank } = planTraceOf(limits, { conducted: joined(first, rest), idleBeforeMs: 1e9 });
  const planned: PlanTrace = { ...blank, subject: { ...subject, plan: 'independent' } };
  const extension = extend(planned);
  const more = extension === null ? null : go(session, extension.steps, service);
  return more === null ? planned : { ...planned, conducted: joined(planned.conducted, more) };
}

/**
 * The requirements that a run which has just begun reports of a service, driven further where its verdict was open, and why it was. How
 * long the key had rested is not known beyond `idleBeforeMs`.
 */
export function reportedOf(
  sold: readonly Limit[],
  service: SimulatedService,
  model: LimitModel = 'auto',
  idleBeforeMs = 2_000,
): { readonly ids: readonly string[]; readonly why: string } {
  let why = '';
  const judged = (trace: PlanTrace): PlanVerdict => judgePlan({ ...trace, idleBeforeMs }, model);
  const drive = simulateDrive(sold, service, (trace) => {
    const extension = extensionFor(judged(trace));
    why = extension?.why ?? '';
    return extension;
  });
  return { ids: judged(drive).violations.map(({ id }) => id), why };
}
