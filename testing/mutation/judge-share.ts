import type { Case } from './cases.js';

/** What waits more than it works, as limits do, is judged a few at a time. */
const waitingAtOnce = 4;

/**
 * Judges every `count`-th case, from the one at `index`, one after another. What waits is counted after all others and comes last, when
 * nothing else disturbs its timing.
 */
export async function judgeShare(
  cases: readonly Case[],
  index: number,
  count: number,
  judge: (one: Case) => Promise<void>,
): Promise<void> {
  const share = [...cases.filter((one) => one.waits !== true), ...cases.filter((one) => one.waits === true)].filter(
    (_, at) => at % count === index,
  );
  for (const one of share.filter((each) => each.waits !== true)) await judge(one);
  const queue = share.filter((each) => each.waits === true);
  await Promise.all(
    Array.from({ length: waitingAtOnce }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await judge(one);
    }),
  );
}
