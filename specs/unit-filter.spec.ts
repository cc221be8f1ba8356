import {
  onlyAvailable,
  unknownStatus,
  asObject,
  defineRequirement,
  everyItem,
  idOf,
  inOtherWays,
  invariant,
  isAvailable,
  isListPage,
  isRefusal,
  judgeCombinedFilters,
  knownUnits,
  lists,
  quote,
  readPage,
  relate,
  statusOf,
  walk,
  type Check,
  type Walk,
} from '../src/suite.js';

const listsOnlyAvailable = invariant(
  'every list of units with status=available shows none with another status',
  lists('units'),
  ({ records, status }) => (status === 'available' ? everyItem(isAvailable)(records ?? []) : []),
);

const whole = { limit: 50, maxPages: 40 };
const filtered = { noun: 'the list filtered by status=available', list: { ...whole, query: onlyAvailable } };
const available = {
  noun: 'unit that the whole list shows as available',
  list: whole,
  only: (record: unknown) => statusOf(record) === 'available',
};
const notAvailable = {
  noun: 'unit that the whole list shows with another status',
  list: whole,
  only: (record: unknown) => ![null, 'available'].includes(statusOf(record)),
};

export const UNIT_03 = defineRequirement({
  id: 'UNIT-03',
  level: 'MUST',
  source: '§2 Unit, §4.1',
  title: 'a list filtered by status=available shows only available units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const some = await walk(check, { ...filtered.list, maxPages: 12 });
    if (!(await showsAvailable(check, some))) return judgeFilterByOtherWord(check, some);
    const [first] = some.pages;
    if (first !== undefined && !check.expect(first.exchange, isListPage)) return;
    await readFilteredLists(check);
    await listsOnlyAvailable.judge(check, null);
    const all = await walk(check, whole);
    const holds =
      (await relate(check, notAvailable, 'apart', filtered, [all, some])) &&
      (await relate(check, available, 'within', filtered, [all, some]));
    if (holds && some.items.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
    if (holds) await judgeCombinedFilters(check, all.items);
    return seeFilterAtWork(check, all);
  },
});

/** Reads the filtered list under other limits and in other ways. */
async function readFilteredLists(check: Check): Promise<void> {
  for (const limit of [7, 10]) {
    const [page] = (await walk(check, { query: onlyAvailable, limit, maxPages: 4 })).pages;
    if (page !== undefined && !isRefusal(page.exchange)) break;
  }
  // Limits that no walk takes.
  for (const limit of [3, 20, 100]) await readPage(check, { query: onlyAvailable, limit });
  await inOtherWays(check, ['second form', 'second tenant', 'reading key'], () =>
    walk(check, { query: onlyAvailable, limit: 50, maxPages: 2 }),
  );
}

/** Whether records have the status `available`: a unit shows it or the declared schema lists it. Only the filter's value is specified. */
async function showsAvailable(check: Check, filtered: Walk): Promise<boolean> {
  const { items } = await knownUnits(check);
  const shown = [...items, ...filtered.items].map(asObject).filter((unit) => unit !== null);
  if (filtered.items.length === 0 || shown.some((unit) => unit['status'] === 'available')) return true;
  const { contract } = await check.contract();
  const isDeclared = (status: string): boolean => contract.validateUnit({ ...shown[0], status }).length === 0;
  return isDeclared('available') && !isDeclared(check.fresh('no status'));
}

/** If records use another word ("In Stock"), nothing says which word the filter selects: a filter that selects no word is a warning. */
async function judgeFilterByOtherWord(check: Check, filtered: Walk): Promise<void> {
  const words = (items: readonly unknown[]): Set<string> =>
    new Set(items.map((item) => quote(asObject(item)?.['status'])));
  const selected = new Set(filtered.items.map(idOf));
  const rest = (await knownUnits(check)).items.filter((item) => !selected.has(idOf(item)));
  const shown = words(filtered.items);
  check.observe('Which status do units show that status=available selects?', [...shown].join(', '));
  if (rest.length === 0 && shown.size === 1)
    return check.blocked(
      'status=available leaves no unit out, so that it cannot be seen at work: seed one of another status',
    );
  if (rest.length === 0 || [...words(rest)].some((word) => shown.has(word)))
    check.warn({
      code: 'not-filtered',
      expected: 'status=available to select units by their status',
      actual: `it lists units with status ${[...shown].join(', ')}, ${rest.length === 0 ? 'which are all there are' : 'and leaves out others with one of these'}`,
      exchanges: filtered.pages.map((page) => page.exchange),
    });
}

/** Blocks where the filter could exclude nothing: every unit is available, and an unknown status filters nothing either. */
async function seeFilterAtWork(check: Check, all: Walk): Promise<void> {
  const others = all.items.map((item) => asObject(item)?.['status']).filter((status) => status !== 'available');
  if (others.length > 0) return;
  const query = [['status', unknownStatus(check)]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}
