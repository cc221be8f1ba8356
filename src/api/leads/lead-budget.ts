import type { Depth } from '../../run/index.js';

/** The most requests that one requirement on leads sends, by the depth of the run. */
export type LeadBudget = Readonly<Record<Depth, number>>;

/** What all of LEAD send together where `--requests` sets no other bound. */
const usual: LeadBudget = { gate: 282, certify: 1_000 };

/** The least that lets a requirement do its deterministic part at all. */
const floor = 4;

/** The part of `--requests` that leads get; the rest is for idempotency. */
const leadShare = 0.35;

/** The requests of one requirement in a run: its own, or its share of what `--requests` allows. */
export function leadBudget(
  own: LeadBudget,
  run: { readonly depth: Depth; readonly requestBudget: number | null },
): number {
  if (run.requestBudget === null) return own[run.depth];
  const requests = Math.floor(run.requestBudget * leadShare);
  return Math.max(floor, Math.floor((own[run.depth] * requests) / usual[run.depth]));
}
