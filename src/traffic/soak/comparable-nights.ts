import type { Night } from './history.js';
import type { SoakReport } from './run-soak.js';

/** The largest share of requests that may go wrong where latencies are to mean something: errors take as long as errors take. */
const largestErrorShare = 0.05;
const mostNights = 10;

function errorShare({ total }: SoakReport): number {
  return total.due === 0 ? 0 : total.errors / total.due;
}

/** What of a night went wrong, in words, where that is too much for its latencies to mean something; else null. */
export function tooManyErrors({ service, control }: Night): string | null {
  const wrong = errorShare(service);
  if (wrong > largestErrorShare) return `${(100 * wrong).toFixed(1)} % of the requests failed`;
  const controlWrong = control === null ? 0 : errorShare(control);
  return controlWrong > largestErrorShare
    ? `${(100 * controlWrong).toFixed(1)} % of the requests to the reference service failed`
    : null;
}

/** Whole nights under the same conditions. */
function isAlike(tonight: Night, night: Night): boolean {
  const same = night.conditions === tonight.conditions && (night.control === null) === (tonight.control === null);
  const { service } = night;
  return (
    same &&
    service.ended === 'complete' &&
    service.ratePerSecond === tonight.service.ratePerSecond &&
    service.windowSeconds === tonight.service.windowSeconds
  );
}

/** The latest nights that tonight may be held against, and how many among them were left out for their errors. */
export function comparableNights(
  tonight: Night,
  earlier: readonly Night[],
): { readonly nights: readonly Night[]; readonly leftOut: number } {
  const nights: Night[] = [];
  let leftOut = 0;
  for (const night of earlier.filter((one) => isAlike(tonight, one)).reverse()) {
    if (nights.length === mostNights) break;
    if (tooManyErrors(night) === null) nights.unshift(night);
    else leftOut += 1;
  }
  return { nights, leftOut };
}
