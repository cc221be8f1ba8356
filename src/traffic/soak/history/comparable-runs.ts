import type { SoakRun } from './history.js';
import type { SoakReport } from '../run-soak.js';

/** Above this share of errors a latency means nothing: an error may be answered faster or slower than a success. */
const largestErrorShare = 0.05;

function errorShare({ total }: SoakReport): number {
  return total.due === 0 ? 0 : total.errors / total.due;
}

/** Describes the errors of a soak run where they are too many to compare its latency; else null. */
export function tooManyErrors({ service, control }: SoakRun): string | null {
  const wrong = errorShare(service);
  if (wrong > largestErrorShare) return `${(100 * wrong).toFixed(1)} % of the requests failed`;
  const controlWrong = control === null ? 0 : errorShare(control);
  return controlWrong > largestErrorShare
    ? `${(100 * controlWrong).toFixed(1)} % of the requests to the reference service failed`
    : null;
}

/** Whether `run` is complete and had the same conditions as the current one. */
function isAlike(current: SoakRun, run: SoakRun): boolean {
  const same = run.conditions === current.conditions && (run.control === null) === (current.control === null);
  const { service } = run;
  return (
    same &&
    service.ended === 'complete' &&
    service.ratePerSecond === current.service.ratePerSecond &&
    service.windowSeconds === current.service.windowSeconds
  );
}

/** Whether the reference service was loaded for as long: a control always has the same number of windows. */
function hasSameControl(current: SoakRun, { control }: SoakRun): boolean {
  return control?.windowSeconds === current.control?.windowSeconds;
}

/** The latest comparable runs, and how many were left out because of their errors or because their control had another length. */
export function comparableRuns(
  current: SoakRun,
  earlier: readonly SoakRun[],
  mostRuns: number,
): {
  readonly runs: readonly SoakRun[];
  /** All complete runs under the same conditions: errors are counted whatever the control and the number of errors. */
  readonly alike: readonly SoakRun[];
  readonly leftOut: number;
  readonly otherControl: number;
} {
  const runs: SoakRun[] = [];
  let leftOut = 0;
  const alike = earlier.filter((one) => isAlike(current, one));
  const same = alike.filter((one) => hasSameControl(current, one));
  for (const run of same.toReversed()) {
    if (runs.length === mostRuns) break;
    if (tooManyErrors(run) === null) runs.unshift(run);
    else leftOut += 1;
  }
  return { runs, alike: alike.slice(-mostRuns), leftOut, otherControl: alike.length - same.length };
}
