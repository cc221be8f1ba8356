import fc from 'fast-check';
import { type Check, seedFor } from '../run/index.js';

/** How much a search may try. */
export interface SearchBudget<T> {
  readonly runs: number;
  /** Requests from the first failure on. */
  readonly shrinkRequests: number;
  /** Values to begin with. */
  readonly examples?: readonly T[];
}

/** The smallest failure that a search found. */
export interface Counterexample<F> {
  readonly failure: F;
  /** The value of `--path` that repeats it. */
  readonly path?: string;
}

/**
 * Judges drawn values until one fails, then shrinks that one within the budget and never towards another kind of failure. `judge` gets the kind
 * of the first failure, or null before. Null where nothing fails. A signal that ends the check counts only where nothing failed before.
 */
export async function searchCounterexample<T, F extends { readonly kind: string }>(
  check: Check,
  arbitrary: fc.Arbitrary<T>,
  judge: (value: T, kind: string | null) => Promise<F | null>,
  { runs, shrinkRequests, examples = [] }: SearchBudget<T>,
): Promise<Counterexample<F> | null> {
  const { path, seed } = check.run;
  let smallest: F | null = null;
  let failedAt = 0;
  let ended: { readonly by: unknown } | null = null;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (ended !== null || (smallest !== null && check.requests - failedAt >= shrinkRequests)) return true;
    try {
      const failure: F | null = await judge(value, smallest?.kind ?? null);
      if (failure === null || (smallest !== null && failure.kind !== smallest.kind)) return true;
      if (smallest === null) failedAt = check.requests;
      smallest = failure;
      return false;
    } catch (error) {
      ended = { by: error };
      return true;
    }
  });
  const { counterexamplePath } = await fc.check(property, {
    seed: seedFor(seed, check.entry.id) | 0,
    numRuns: path === null ? runs : 1,
    examples: examples.map((one) => [one]),
    ...(path === null ? {} : { path, endOnFailure: true }),
  });
  const failure = smallest as F | null;
  const stopped = ended as { readonly by: unknown } | null;
  if (failure === null && stopped !== null) throw stopped.by;
  return failure === null ? null : { failure, ...(counterexamplePath === null ? {} : { path: counterexamplePath }) };
}
