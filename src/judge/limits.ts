import { knownUnits, onlyAvailable } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { Pairs } from '../openapi/index.js';
import { row, type Row } from '../requirement/index.js';
import { type Check, describe, integerFor } from '../run/index.js';
import { declaredMaximum, listing, mayMean, paths, usualLimit } from '../service/index.js';

/** Limits of which several pages are read, of the whole list and of the filtered one. */
export const [commonLimits, filteredLimits] = [
  [1, 2, 3, 7, 10, 25],
  [1, 3, 10],
];

/** The first pages of a size. */
export const firstPages = (limit: number, query?: Pairs) => ({
  ...(query && { query }),
  limit,
  maxPages: 4,
});

/** A limit that a list was read with, and how many records came. */
interface LimitedList {
  readonly limit: number;
  readonly shown: number;
}

/** Reads units with a limit: small and large ones, and some drawn from the seed. */
export async function readAll(check: Check): Promise<readonly LimitedList[]> {
  const total = (await knownUnits(check)).items.length;
  const drawn = [integerFor(check.run.seed, 'limit', 20, 49), integerFor(check.run.seed, 'larger limit', 51, 99)];
  const large = [Math.ceil(total * 0.75), total - 1].filter((limit) => limit > 50 && limit <= 600);
  const read: LimitedList[] = [];
  for (const options of [
    ...commonLimits.map((limit) => firstPages(limit)),
    ...[5, 20, 100, ...drawn, ...large].map((limit) => ({ limit, maxPages: 1 })),
    ...filteredLimits.map((limit) => firstPages(limit, onlyAvailable)),
  ]) {
    const { limit } = options;
    const { pages, items, stopped } = await listing(check, options);
    if (pages[0]?.items === null) check.observe(`Is limit=${limit} accepted?`, stopped ?? 'no');
    else read.push({ limit, shown: items.length });
  }
  return read;
}

/** Units that one page may reasonably hold. */
const mostPerPage = 1_000;

/** The limit that the specification shows is accepted, and so is one that the document declares. */
export async function accept(check: Check): Promise<void> {
  const most = await declaredMaximum(check, paths.units);
  const limits = [
    { limit: await usualLimit(check), why: 'which the specification shows' },
    ...(most > mostPerPage || most < 1 ? [] : [{ limit: most, why: 'the maximum that the document declares' }]),
  ];
  for (const { limit, why } of limits) {
    const expected = `limit=${limit}, ${why}, to be accepted`;
    const exchanges: Exchange[] = [];
    const isRefused = async (): Promise<boolean> => {
      const exchange = await check.send({ path: paths.units, query: [['limit', String(limit)]] });
      exchanges.push(exchange);
      return mayMean(exchange, 400, 413, 422);
    };
    if ((await isRefused()) && (await isRefused()))
      check.fail({ code: 'limit-refused', expected, actual: exchanges.map(describe).join(', then '), exchanges });
  }
}

/** Blocks where no limit below the number of records was accepted: then none can be seen at work. */
export function atWork(records: string): Row<readonly LimitedList[]> {
  return row(`a limit below the number of ${records} is accepted, so that it is seen at work`, (check, read) => {
    const [least, shown] = [Math.min(...read.map(({ limit }) => limit)), Math.max(0, ...read.map((one) => one.shown))];
    if (read.length === 0) check.blocked(`no list of ${records} could be read`);
    if (shown < 2) check.blocked(`a limit cannot be seen at work on ${shown} ${records}: seed at least two`);
    if (least >= shown)
      check.blocked(`no limit below the number of ${records}, ${shown}, is accepted: seed more than ${least}`);
    return Promise.resolve();
  });
}
