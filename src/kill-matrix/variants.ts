import covertable from 'covertable';
import { dials } from '../reference/dials.js';

/** Combinations of dials in which every pair of values of any two dials occurs, plus each value alone with the defaults. */
export function pairwiseVariants(): Record<string, string>[] {
  const factors = Object.fromEntries(dials.map((dial) => [dial.name, [...dial.values]]));
  const rows = covertable.make(factors) as Record<string, string>[];
  return rows.map((row) => Object.fromEntries(Object.entries(row)));
}
