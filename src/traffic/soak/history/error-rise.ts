import { studentTwoSided } from './ancova.js';
import { mean } from './block-test.js';
import type { SoakRun } from './history.js';

/** Failed requests of one soak run. */
type Errors = Pick<SoakRun['service']['total'], 'due' | 'errors'>;

/**
 * The probability of at least this share of errors where the service did not change. Errors come in bursts, so nights differ by more than
 * chance among requests, and by a factor rather than a number: the spread is that of the logarithms of the earlier nights. It is at least
 * that of chance, as nights without errors do not spread.
 */
export function errorRise(current: Errors, earlier: readonly Errors[]): number {
  const expected = earlier.map(({ due, errors }) => (due === 0 ? 0 : (errors / due) * current.due));
  const values = expected.map((errors) => Math.log(errors + 1));
  const level = mean(values);
  const between = values.reduce((sum, one) => sum + (one - level) ** 2, 0) / (values.length - 1);
  // The variance of log(n + 1) where n has a Poisson distribution is at most about this, for any smaller mean as well.
  const most = Math.max(1, mean(expected));
  const byChance = most / (most + 1) ** 2;
  const t = (Math.log(current.errors + 1) - level) / Math.sqrt(Math.max(between, byChance) * (1 + 1 / values.length));
  return t <= 0 ? 1 : studentTwoSided(t, values.length - 1) / 2;
}
