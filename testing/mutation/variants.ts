import covertable from 'covertable';
import { variantOptions } from '../../src/reference/index.js';

/** Combinations of options in which every pair of values of any two options occurs, plus each value alone with the defaults. */
export function pairwiseVariants(): Record<string, string>[] {
  const factors = Object.fromEntries(variantOptions.map((option) => [option.name, [...option.values]]));
  const rows = covertable.make(factors) as Record<string, string>[];
  return rows.map((row) => Object.fromEntries(Object.entries(row)));
}
