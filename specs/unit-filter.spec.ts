import {
  onlyAvailable,
  unknownStatus,
  asObject,
  combineFilters,
  defineRequirement,
  everyItem,
  firstPages,
  idOf,
  inWays,
  invariant,
  isOfStatus,
  isListPage,
  knownUnits,
  lists,
  listing,
  quote,
  readPage,
  relation,
  row,
  statusOf,
  walk,
  wholeUnits,
  type Check,
  type View,
  type Walk,
} from '../src/suite.js';

const filtered = {
  record: 'unit',
  where: 'in the list filtered by status=available',
  list: { ...wholeUnits, query: onlyAvailable },
};
/** Units whose status the whole list shows, and shows as this one or not. */
const withStatus = (record: string, isAvailable: boolean): View => ({
  record,
  where: 'in the whole list',
  list: wholeUnits,
  only: (one) => statusOf(one) !== null && (statusOf(one) === 'available') === isAvailable,
});

export const UNIT_03 = defineRequirement({
  id: 'UNIT-03',
  level: 'MUST',
  source: '§2 Unit, §4.1',
  title: 'a list filtered by status=available shows only available units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const found = await listing(check, filtered.list);
    if (await usesAnotherWord(check, found)) return null;
    const [first] = found.pages;
    if (first !== undefined && !check.expect(first.exchange, isListPage)) return null;
    await readFilteredLists(check);
    return found;
  },
  rows: [
    relation(withStatus('unit with another status', false), 'apart', filtered),
    relation(withStatus('available unit', true), 'within', filtered),
    row('the filter by status holds beside other filters', async (check) =>
      combineFilters(check, (await knownUnits(check)).items),
    ),
    inWays(
      ['second form', 'second tenant', 'scoped key'],
      row('the filtered list is read', (check) => walk(check, { query: onlyAvailable, limit: 10, maxPages: 3 })),
    ),
    invariant(
      'every list of units with a status shows none with another status',
      lists('units'),
      ({ records, status }) => {
        const shown = records ?? [];
        // Which values besides this one the filter takes is not shown: one that a listed unit has should select.
        const isSoft = status !== 'available';
        if (status === null || (isSoft && !shown.some((unit) => statusOf(unit) === status))) return [];
        return { ...everyItem(isOfStatus(status))(shown), soft: isSoft };
      },
    ),
    row('a unit is listed, and another one left out, so that the filter is seen at work', seeFilterAtWork),
  ],
});

/** Reads the filtered list under other limits; under small ones as far as a list without the filter would show another status. */
async function readFilteredLists(check: Check): Promise<void> {
  const other = (await knownUnits(check)).items.findIndex((unit) => !['available', null].includes(statusOf(unit)));
  for (const limit of [1, 3, 10]) {
    const { maxPages, ...pages } = firstPages(limit, onlyAvailable);
    await listing(check, { ...pages, maxPages: Math.max(maxPages, Math.min(28, Math.ceil((other + 1) / limit))) });
  }
  for (const limit of [20, 100]) await readPage(check, { query: onlyAvailable, limit });
}

/** Whether records use another word than `available` ("In Stock"): then nothing says which word the filter selects, and one that selects none is a warning. */
async function usesAnotherWord(check: Check, filtered: Walk): Promise<boolean> {
  const { items } = await knownUnits(check);
  const shown = [...items, ...filtered.items].map(asObject).filter((unit) => unit !== null);
  if (filtered.items.length === 0 || shown.some((unit) => unit['status'] === 'available')) return false;
  const { contract } = await check.contract();
  const isDeclared = (status: string): boolean => contract.validateUnit({ ...shown[0], status }).length === 0;
  if (isDeclared('available') && !isDeclared(check.fresh('no status'))) return false;
  const wordsOf = (records: readonly unknown[]): Set<string> =>
    new Set(records.map((item) => quote(asObject(item)?.['status'])));
  const selected = new Set(filtered.items.map(idOf));
  const rest = items.filter((item) => !selected.has(idOf(item)));
  const words = wordsOf(filtered.items);
  check.observe('Which status do units show that status=available selects?', [...words].join(', '));
  if (rest.length === 0 && words.size === 1)
    check.blocked('status=available leaves no unit out, so that it cannot be seen at work: seed one of another status');
  if (rest.length === 0 || [...wordsOf(rest)].some((word) => words.has(word)))
    check.warn({
      code: 'not-filtered',
      expected: 'status=available to select units by their status',
      actual: `it lists units with status ${[...words].join(', ')}, ${rest.length === 0 ? 'which are all there are' : 'and leaves out others with one of these'}`,
      exchanges: filtered.pages.map((page) => page.exchange),
    });
  return true;
}

/** Blocks where the filter could show or exclude nothing: every unit is available, and an unknown status filters nothing either. */
async function seeFilterAtWork(check: Check, { items }: Walk): Promise<void> {
  if (items.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
  if ((await knownUnits(check)).items.some((item) => asObject(item)?.['status'] !== 'available')) return;
  const query = [['status', unknownStatus(check)]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}
