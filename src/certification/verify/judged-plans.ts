import { decodeRecorded } from '../../run/recorded.js';
import type { PlanName } from '../../settings/target.js';
import { plans } from '../levels.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function tracesIn(encodedTraces: string | null): unknown {
  if (encodedTraces === null) return null;
  try {
    return decodeRecorded(encodedTraces);
  } catch {
    return null;
  }
}

/** How many requests the recorded drives sent; null where the drives ended before they could be recorded. */
export function drivenRequests(encodedTraces: string | null): number | null {
  const value = tracesIn(encodedTraces);
  if (isRecord(value) && '$signal' in value) return null;
  const sentIn = (one: unknown): number => {
    if (Array.isArray(one)) return one.reduce((sum: number, each) => sum + sentIn(each), 0);
    if (!isRecord(one)) return 0;
    if (typeof one['sent'] === 'number') return one['sent'];
    return sentIn(Object.entries(one).map(([name, each]) => (name === 'records' ? null : each)));
  };
  return sentIn(value);
}

/** The plans whose limits a run tested, from its recorded traces; empty where there are none. */
export function judgedPlans(encodedTraces: string | null): PlanName[] {
  const value = tracesIn(encodedTraces);
  const traces = isRecord(value) && Array.isArray(value['plans']) ? (value['plans'] as unknown[]) : [];
  const usable = traces.flatMap((trace) =>
    isRecord(trace) && trace['unusable'] === null && isRecord(trace['subject']) ? [trace['subject']['plan']] : [],
  );
  return plans.filter((plan) => usable.includes(plan));
}
