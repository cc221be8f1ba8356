import { decodeRecorded } from '../run/recorded.js';
import type { PlanName } from '../target/target.js';
import { plans } from './levels.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The plans whose limits a run put to the test, from its recorded traces; none where there are none. */
export function judgedPlans(encodedTraces: string | null): PlanName[] {
  if (encodedTraces === null) return [];
  let value: unknown;
  try {
    value = decodeRecorded(encodedTraces);
  } catch {
    return [];
  }
  const traces = isRecord(value) && Array.isArray(value['plans']) ? (value['plans'] as unknown[]) : [];
  const usable = traces.flatMap((trace) =>
    isRecord(trace) && trace['unusable'] === null && isRecord(trace['subject']) ? [trace['subject']['plan']] : [],
  );
  return plans.filter((plan) => usable.includes(plan));
}
