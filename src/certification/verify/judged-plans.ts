import { decodeRecorded } from '../../run/index.js';
import { asList, asObject } from '../../openapi/index.js';
import { type PlanName, planNames } from '../../settings/index.js';

function tracesIn(encodedTraces: Buffer | undefined): unknown {
  if (encodedTraces === undefined) return null;
  try {
    return decodeRecorded(encodedTraces.toString('utf8'));
  } catch {
    return null;
  }
}

/** How many requests the recorded drives sent; null where the drives ended before they could be recorded. */
export function drivenRequests(encodedTraces: Buffer | undefined): number | null {
  const value = tracesIn(encodedTraces);
  if ('$signal' in (asObject(value) ?? {})) return null;
  const sentIn = (one: unknown): number => {
    if (Array.isArray(one)) return one.reduce((sum: number, each) => sum + sentIn(each), 0);
    const object = asObject(one);
    if (object === null) return 0;
    // Earlier versions kept a number for each step.
    const { sent, records, ...others } = object;
    if (typeof sent === 'number') return sent;
    const below = sentIn(Object.values(others));
    return below > 0 ? below : asList(records).filter((one) => asObject(one)?.['outcome'] !== 'unsent').length;
  };
  return sentIn(value);
}

/** The plans whose limits a run tested, from its recorded traces; empty where there are none. */
export function judgedPlans(encodedTraces: Buffer | undefined): PlanName[] {
  const traces = asList(asObject(tracesIn(encodedTraces))?.['plans']).map(asObject);
  const usable = traces.filter((trace) => trace?.['unusable'] === null);
  return planNames.filter((plan) => usable.some((trace) => asObject(trace?.['subject'])?.['plan'] === plan));
}
