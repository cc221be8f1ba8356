import type { ModelName } from '../ratelimit/models/model.js';
import type { Limit } from '../settings/limits.js';
import type { PlanName } from '../settings/target.js';
import { tallyOf } from './limit-traces.js';
import type { PlanVerdict } from './limit-verdicts.js';
import { mostCertain } from './pages/envelope-charts.js';
import { columnsOf } from './pages/trace-columns.js';

/** How one plan's limiter behaved, in the numbers that a report keeps. */
export interface PlanSummary {
  readonly plan: PlanName;
  readonly limits: readonly Limit[];
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
  /** The ways to count that fit every answer. */
  readonly ways: readonly ModelName[];
  /** For each limit, the most requests that were certainly accepted within any stretch as long as its window. */
  readonly most: readonly number[];
  /** Ids of the requirements that its answers break. */
  readonly broken: readonly string[];
}

/** The ids of the requirements that a plan's answers break. */
export function breachesOf({ violations, headers }: PlanVerdict): string[] {
  const breaches = [...violations, ...headers.filter(({ severity }) => severity === 'fail')];
  return [...new Set(breaches.map(({ id }) => id))];
}

/** The summary of a verdict. */
export function planSummary(verdict: PlanVerdict): PlanSummary {
  const { trace, models } = verdict;
  const { plan, limits } = trace.subject;
  const { count, sent } = tallyOf(trace);
  const columns = columnsOf(trace.conducted.records);
  return {
    plan,
    limits,
    requests: sent,
    accepted: count('accepted'),
    refused: count('refused'),
    ways: [...new Set(models.filter(({ admitted }) => admitted).map(({ name }) => name))],
    most: limits.map(({ windowSeconds }) => mostCertain(columns, 1000 * windowSeconds)),
    broken: breachesOf(verdict),
  };
}
