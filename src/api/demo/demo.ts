import type { Exchange } from '../../http/index.js';
import { type Check, integerFor, type RequestOptions } from '../../run/index.js';
import { paths } from '../../service/index.js';

/** Reads the demo list without credentials. */
export function readDemo(check: Check, query: RequestOptions['query'] = []): Promise<Exchange> {
  return check.send({ path: paths.demoUnits, surface: 'demo', query });
}

/** The demo list under limits from the smallest to more than a page, read once in a run. */
export function demoListsByLimit(
  check: Check,
): Promise<readonly { readonly limit: number; readonly exchange: Exchange }[]> {
  return check.once('demo under limits', async () => {
    const lists: { limit: number; exchange: Exchange }[] = [];
    for (const limit of [1, 2, 3, 5, 10, 20, integerFor(check.run.seed, 'demo limit', 21, 49), 50, 100])
      lists.push({ limit, exchange: await readDemo(check, [['limit', String(limit)]]) });
    return lists;
  });
}
