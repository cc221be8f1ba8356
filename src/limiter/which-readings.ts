import type { Limit } from '../target/limits.js';
import { judgeTrace, type Judgement, type JudgeOptions } from './judge-trace.js';
import type { ReadingName } from './reading.js';
import { planNumbers } from './reading.js';
import { tallyOf } from './tally.js';
import type { Trace } from './trace.js';

/** What a trace tells about choices that the specification leaves open. */
export interface LimiterObservations {
  readonly readings: readonly ReadingName[];
  readonly refusedCounted: 'yes' | 'no' | 'cannot tell';
}

/** The readings that explain a trace, and whether refused requests are counted, as far as it shows. */
export function whichReadings(
  trace: Trace,
  limits: readonly Limit[],
  options: JudgeOptions,
  judged?: Judgement,
): LimiterObservations {
  const judgement = judged ?? judgeTrace(trace, limits, options);
  const admitted = judgement.readings.filter((reading) => reading.admitted);
  const readings = [...new Set(admitted.map((reading) => reading.name))];
  if (admitted.length > 0 && admitted.every((reading) => reading.needsRefusalsCounted))
    return { readings, refusedCounted: 'yes' };
  const onlySliding = readings.length > 0 && readings.every((name) => name === 'sliding');
  return { readings, refusedCounted: onlySliding && acceptedBehindRefusals(trace, limits) ? 'no' : 'cannot tell' };
}

/** An acceptance that a log of every request had no room for. */
function acceptedBehindRefusals(trace: Trace, limits: readonly Limit[]): boolean {
  const { burst } = planNumbers(limits);
  const { accepted, everything } = tallyOf(trace);
  const windowMs = (burst.windowSeconds * 1000 - trace.quantumMs) / (1 + trace.clockErrorRate);
  let answered = 0;
  let expired = 0;
  for (let k = 0; k < accepted.count; k += 1) {
    const sentMs = accepted.sent[k] ?? 0;
    while (answered < everything.count && (everything.receivedSorted[answered] ?? 0) < sentMs) answered += 1;
    while (expired < everything.count && (everything.sent[expired] ?? 0) < (accepted.received[k] ?? 0) - windowMs)
      expired += 1;
    if (answered - expired >= burst.count) return true;
  }
  return false;
}
