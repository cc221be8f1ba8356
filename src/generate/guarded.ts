import fc from 'fast-check';
import { GenerationError } from './schema.js';

const probes = 60;
const lowest = 0.05;

/**
 * Filters an arbitrary, after measuring on fixed samples that enough of it passes; throws {@link GenerationError}
 * otherwise, because a filter that hardly anything passes would spin for ever.
 */
export function guarded<T>(arbitrary: fc.Arbitrary<T>, passes: (value: T) => boolean, where: string): fc.Arbitrary<T> {
  const share = passShare(arbitrary, passes);
  if (share >= lowest) return arbitrary.filter(passes);
  const percent = `${String(Math.round(share * 100))} %`;
  throw new GenerationError(
    `Only ${percent} of the values made for ${where} are valid; the generator cannot aim at this schema.`,
  );
}

/** Which share of fixed samples passes, 0 to 1. */
export function passShare<T>(arbitrary: fc.Arbitrary<T>, passes: (value: T) => boolean): number {
  const samples = fc.sample(arbitrary, { seed: 20, numRuns: probes });
  return samples.filter(passes).length / probes;
}
