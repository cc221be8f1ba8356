import type { Exchange } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import type { KeyName } from '../settings/index.js';
import { isForeignRecord } from './access/foreign-record.js';
import { idOf, itemsIn, paths, quote } from '../service/index.js';

/** The answer to one key at a URL, and the answer to the other key right after it. */
interface Turn {
  readonly key: KeyName;
  readonly before: Exchange;
  readonly after: Exchange;
}

/**
 * Detects a cache that is keyed by the URL alone: two keys request the same list at once, in both orders. Each order uses its own URL, so
 * that the first answer to a key is its own.
 */
export async function judgeSharedCache(check: Check): Promise<void> {
  const take = async (limit: string, first: KeyName, key: KeyName): Promise<Turn> => {
    const options = { path: paths.units, query: [['limit', limit]] as const, tenant: null };
    const before = await check.send({ ...options, as: first });
    return { key, before, after: await check.send({ ...options, as: key }) };
  };
  const one = await take('20', 'API_KEY', 'OTHER_API_KEY');
  const two = await take('30', 'OTHER_API_KEY', 'API_KEY');
  for (const [{ key, before, after }, own] of [
    [one, two.before],
    [two, one.before],
  ] as const) {
    const mine = itemsIn(own) ?? [];
    const known = new Map(mine.map((unit) => [idOf(unit) ?? '', unit]));
    if (mine.length === 0 || (itemsIn(before) ?? []).some((item) => known.has(idOf(item) ?? ''))) continue;
    const theirs = new Map((itemsIn(before) ?? []).map((item) => [idOf(item), item]));
    const leak = (itemsIn(after) ?? []).find((item) => isForeignRecord(item, theirs.get(idOf(item)), known));
    if (leak === undefined) continue;
    check.fail({
      code: 'foreign-cached',
      expected: `${key} never to see another tenant's data`,
      actual: `${describe(after)} shows ${quote(idOf(leak))}, as the other tenant's key was shown just before at the same address`,
      exchanges: [own, before, after],
    });
  }
}
