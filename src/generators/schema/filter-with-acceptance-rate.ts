import fc from 'fast-check';
import { GenerationError } from './schema.js';

const probes = 60;
const lowest = 0.05;

/**
 * Filters an arbitrary, after measuring on fixed samples that enough of it passes; throws {@link GenerationError}
 * otherwise, because a filter that hardly anything passes would spin for ever.
 */
export function filterWithAcceptanceRate<T>(
  arbitrary: fc.Arbitrary<T>,
  passes: (value: T) => boolean,
  where: string,
): fc.Arbitrary<T> {
  const rate = fc.sample(arbitrary, { seed: 20, numRuns: probes }).filter(passes).length / probes;
  if (rate >= lowest) return arbitrary.filter(passes);
  throw new GenerationError(
    `Only ${String(Math.round(rate * 100))} % of the values made for ${where} are valid; the generator cannot aim at this schema.`,
  );
}
