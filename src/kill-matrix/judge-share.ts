import type { Case } from './cases.js';

/** Limits are judged a few at a time: they wait more than they work. */
const limitsAtOnce = 3;

/** Whether a case is judged by its limits, which takes time rather than work. */
export const isLimit = (one: Case): boolean => one.options.sections?.includes('LIMIT') === true;

/**
 * Judges every `count`-th case, from the one at `index`, one after another. Limits are counted after all others and come last, when nothing
 * else disturbs their timing.
 */
export async function judgeShare(
  cases: readonly Case[],
  index: number,
  count: number,
  judge: (one: Case) => Promise<void>,
): Promise<void> {
  const share = [...cases.filter((one) => !isLimit(one)), ...cases.filter(isLimit)].filter(
    (_, at) => at % count === index,
  );
  for (const one of share.filter((each) => !isLimit(each))) await judge(one);
  const queue = share.filter(isLimit);
  await Promise.all(
    Array.from({ length: limitsAtOnce }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await judge(one);
    }),
  );
}
