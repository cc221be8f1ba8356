import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import { integerFor } from '../../run/random.js';
import type { RequestOptions } from '../../run/request-options.js';
import { asArray, asObject } from '../../service/json.js';
import { paths } from '../../service/paths.js';

/** Records of a demo answer: the body itself, its `items`, its only array, or a map from ids; null where there is no list. */
export function demoRecords(body: unknown): readonly unknown[] | null {
  const whole = asArray(body);
  if (whole !== null) return whole;
  const object = asObject(body);
  if (object === null) return null;
  const lists = [
    object['items'],
    object['units'],
    ...Object.values(object),
    ...Object.values(asObject(object['data']) ?? {}),
  ];
  const list = lists.map(asArray).find((one) => one !== null);
  if (list !== undefined) return list;
  // A map from ids to units.
  const entries = Object.entries(object);
  return entries.length > 0 && entries.every(([id, unit]) => asObject(unit)?.['id'] === id)
    ? Object.values(object)
    : null;
}

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
