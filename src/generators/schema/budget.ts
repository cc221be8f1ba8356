import type { Depth } from '../../run/run.js';

/** The requirements on leads that spend requests. */
export type LeadRequirement =
  'LEAD-01' | 'LEAD-02' | 'LEAD-03' | 'LEAD-04' | 'LEAD-05' | 'LEAD-06' | 'LEAD-07' | 'LEAD-08';

/** Requests that each requirement may spend; the sums stay within 290 for the gate and 1,000 for certify. */
export type LeadBudget = Readonly<Record<LeadRequirement, number>>;

const table: Readonly<Record<Depth, LeadBudget>> = {
  gate: {
    'LEAD-01': 4,
    'LEAD-02': 10,
    'LEAD-03': 76,
    'LEAD-04': 42,
    'LEAD-05': 88,
    'LEAD-06': 4,
    'LEAD-07': 50,
    'LEAD-08': 8,
  },
  certify: {
    'LEAD-01': 4,
    'LEAD-02': 24,
    'LEAD-03': 380,
    'LEAD-04': 240,
    'LEAD-05': 140,
    'LEAD-06': 12,
    'LEAD-07': 180,
    'LEAD-08': 20,
  },
};

/** The least that lets a requirement do its deterministic part at all. */
const floor = 4;

/** Requests per requirement; `requests` scales the whole table to another sum. */
export function budgetFor(depth: Depth, requests?: number): LeadBudget {
  const usual = table[depth];
  if (requests === undefined) return usual;
  const sum = Object.values(usual).reduce((total, one) => total + one, 0);
  const scaled = Object.entries(usual).map(([id, share]) => [
    id,
    Math.max(floor, Math.floor((share * requests) / sum)),
  ]);
  return Object.fromEntries(scaled) as LeadBudget;
}

/** The part of `--requests` that leads get; the rest is for idempotency. */
const leadShare = 0.35;

/** The budget of a run: its depth's own, or the share of what `--requests` allows. */
export function leadBudget(run: { readonly depth: Depth; readonly requestBudget: number | null }): LeadBudget {
  return run.requestBudget === null
    ? budgetFor(run.depth)
    : budgetFor(run.depth, Math.floor(run.requestBudget * leadShare));
}
