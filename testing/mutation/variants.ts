import covertable from 'covertable';
import { variantOptions } from '../../src/reference/index.js';

/** Combinations of options in which every pair of values of any two options occurs. */
export function pairwiseVariants(): Record<string, string>[] {
  const factors = Object.fromEntries(variantOptions.map((option) => [option.name, [...option.values]]));
  // The greedy criterion takes two minutes of a core for a fifth fewer combinations: as long as judging those takes.
  return covertable.make(factors, { criterion: covertable.criteria.simple });
}
