import type { SoakRun } from './history.js';
import type { SoakReport } from '../run-soak.js';

/** The largest share of requests that may go wrong where latencies are to mean something: errors take as long as errors take. */
const largestErrorShare = 0.05;
const mostNights = 10;

function errorShare({ total }: SoakReport): number {
  return total.due === 0 ? 0 : total.errors / total.due;
}

/** What of a night went wrong, in words, where that is too much for its latencies to mean something; else null. */
export function tooManyErrors({ service, control }: SoakRun): string | null {
  const wrong = errorShare(service);
  if (wrong > largestErrorShare) return `${(100 * wrong).toFixed(1)} % of the requests failed`;
  const controlWrong = control === null ? 0 : errorShare(control);
  return controlWrong > largestErrorShare
    ? `${(100 * controlWrong).toFixed(1)} % of the requests to the reference service failed`
    : null;
}

/** Whole nights under the same conditions. */
function isAlike(tonight: SoakRun, night: SoakRun): boolean {
  const same = night.conditions === tonight.conditions && (night.control === null) === (tonight.control === null);
  const { service } = night;
  return (
    same &&
    service.ended === 'complete' &&
    service.ratePerSecond === tonight.service.ratePerSecond &&
    service.windowSeconds === tonight.service.windowSeconds
  );
}

/** Whether the reference service was loaded for as long: a control has a fixed number of windows. */
function hasSameControl(tonight: SoakRun, { control }: SoakRun): boolean {
  return control?.windowSeconds === tonight.control?.windowSeconds;
}

/** The latest nights that tonight may be held against, and how many were left out for their errors, or for a control of another length. */
export function comparableRuns(
  tonight: SoakRun,
  earlier: readonly SoakRun[],
): {
  readonly nights: readonly SoakRun[];
  readonly leftOut: number;
  readonly otherControl: number;
} {
  const nights: SoakRun[] = [];
  let leftOut = 0;
  const alike = earlier.filter((one) => isAlike(tonight, one));
  const same = alike.filter((one) => hasSameControl(tonight, one));
  for (const night of same.reverse()) {
    if (nights.length === mostNights) break;
    if (tooManyErrors(night) === null) nights.unshift(night);
    else leftOut += 1;
  }
  return { nights, leftOut, otherControl: alike.length - same.length };
}
