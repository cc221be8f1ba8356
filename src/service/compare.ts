import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import { persistent } from './again.js';
import { differences, type Difference } from './json.js';
import type { Shown } from './records.js';

/** One record as two views show it, one right after the other. */
export type Pair = readonly [Shown, Shown];

/** A field in which two views of a record differ, with its id and the answers that showed it last. */
export interface LastingDifference extends Difference {
  readonly id: string;
  readonly exchanges: readonly [Exchange, Exchange];
}

/** Most records that are read again: the first ones show the breach. */
const mostAgain = 5;

/**
 * Fields that two views of the same records show differently each time they are read. `read` gives pairs by id, of all records at first, then of
 * these ids. A field that moves from one reading to the next (a view counter, a time stamp of the reading) says nothing, nor does one that
 * `isOpen` names.
 */
export function lastingDifferences(
  check: Pick<Check, 'run'>,
  read: (ids: readonly string[] | null) => Promise<ReadonlyMap<string, Pair>>,
  isOpen: (one: Difference, pair: Pair) => boolean = () => false,
): Promise<readonly LastingDifference[]> {
  let before: ReadonlyMap<string, Pair> = new Map();
  let again: readonly string[] | null = null;
  const look = async (): Promise<readonly LastingDifference[]> => {
    const pairs = await read(again);
    const found = [...pairs].flatMap(([id, pair]) => {
      const earlier = before.get(id) ?? pair;
      const moving = new Set(
        pair.flatMap(({ record }, side) => differences(earlier[side]?.record, record).map((one) => one.pointer)),
      );
      return differences(pair[0].record, pair[1].record)
        .filter((one) => !moving.has(one.pointer) && !isOpen(one, pair))
        .map((one) => ({ ...one, id, exchanges: [pair[0].exchange, pair[1].exchange] as const }));
    });
    before = pairs;
    again = [...new Set(found.map(({ id }) => id))].slice(0, mostAgain);
    return found;
  };
  return persistent(check, look, ({ id, pointer }) => `${id} ${pointer}`);
}
