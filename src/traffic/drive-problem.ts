import type { PlanTrace } from './limit-traces.js';
import { mostGenerous } from './plan.js';

/** The share of slots that may go astray before a trace is no test any more. */
const tolerated = 0.05;

/** Why a trace proves nothing where the oracle finds nothing, with what was reached; null where it is a fair test. */
export function driveProblem(trace: PlanTrace): string | null {
  const { conducted, subject } = trace;
  for (const { scenario, drive } of conducted.steps) {
    const total = drive.sent + drive.unsent;
    const lost = drive.unsent + drive.failed + drive.timedOut;
    if (lost <= tolerated * total || (lost === 1 && total > 5)) continue;
    const why = drive.trouble === null ? '' : ` (${drive.trouble})`;
    const rate = drive.ratePerSecond === null ? '' : ` at ${drive.ratePerSecond.toFixed(1)} a second`;
    return `${scenario}: of ${total} requests${rate} over ${drive.connections} connections ${drive.unsent} found none free, ${drive.failed} failed and ${drive.timedOut} timed out${why}`;
  }
  if (conducted.records.some((record) => record.outcome === 'refused')) return null;
  const burst = conducted.steps.findLast((one) => one.step.kind === 'fast' && one.scenario === 'burst');
  if (burst === undefined) return 'nothing was driven beyond the limits';
  const seconds = (burst.drive.endedMs - burst.drive.startedMs) / 1000;
  const allowed = mostGenerous(subject.limits, seconds);
  return burst.drive.answered > allowed
    ? null
    : `burst: ${burst.drive.answered} requests in ${seconds.toFixed(1)} s, where some reading of the limits allows ${allowed}: nothing was exceeded`;
}
