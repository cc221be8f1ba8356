import {
  onlyAvailable,
  unknownStatus,
  idsWithStatus,
  asObject,
  defineRequirement,
  everyItem,
  idOf,
  inOtherWays,
  invariant,
  isAvailable,
  isEmpty,
  isListPage,
  isRefusal,
  judgeCombinedFilters,
  knownUnits,
  lists,
  persistent,
  quote,
  readPage,
  walk,
  type Check,
  type Walk,
} from '../src/suite.js';

const listsOnlyAvailable = invariant(
  'every list of units with status=available shows none with another status',
  lists('units'),
  ({ records, status }) => (status === 'available' ? everyItem(isAvailable)(records ?? []) : []),
);

export const UNIT_03 = defineRequirement({
  id: 'UNIT-03',
  level: 'MUST',
  source: '§2 Unit, §4.1',
  title: 'a list filtered by status=available shows only available units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    if (!(await showsAvailable(check))) return judgeFilterByOtherWord(check);
    const filtered = await walk(check, { query: onlyAvailable, limit: 50, maxPages: 12 });
    const [first] = filtered.pages;
    if (first !== undefined && !check.expect(first.exchange, isListPage)) return;
    for (const limit of [7, 10]) {
      const [page] = (await walk(check, { query: onlyAvailable, limit, maxPages: 4 })).pages;
      if (page !== undefined && !isRefusal(page.exchange)) break;
    }
    // Limits that no walk takes.
    for (const limit of [3, 20, 100]) await readPage(check, { query: onlyAvailable, limit });
    await inOtherWays(check, ['second form', 'second tenant', 'reading key'], () =>
      walk(check, { query: onlyAvailable, limit: 50, maxPages: 2 }),
    );
    await listsOnlyAvailable.judge(check);
    if (filtered.items.length === 0) return judgeEmptyFilter(check);
    const whole = await walk(check, { limit: 50, maxPages: 40 });
    if (
      (await judgeFilterTruth(check, filtered, whole)) &&
      (!whole.complete || (await judgeFilterMisses(check, filtered, whole)))
    )
      await judgeCombinedFilters(check, whole.items);
    return seeFilterAtWork(check, whole);
  },
});

/** A filter that lists nothing leaves out no unit that is available. */
async function judgeEmptyFilter(check: Check): Promise<void> {
  const missing = await persistent(check, async () => {
    const all = await walk(check, { limit: 50, maxPages: 12 });
    const { items } = await readPage(check, { query: onlyAvailable, limit: 50 });
    return items?.length === 0 ? idsWithStatus(all.items, 'available') : [];
  });
  if (missing.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
  const id = missing[0] ?? '';
  const page = await readPage(check, { query: onlyAvailable, limit: 50 });
  check.expect(
    page,
    isEmpty(
      'none-listed',
      'available units in the list filtered by status=available',
      () => `none, while ${quote(id)} is available`,
    ),
    missing,
  );
}

/** Whether records have the status `available`: a unit shows it or the declared schema lists it. Only the filter's value is specified. */
async function showsAvailable(check: Check): Promise<boolean> {
  const { items } = await knownUnits(check);
  const filtered = await walk(check, { query: onlyAvailable, limit: 50, maxPages: 12 });
  const shown = [...items, ...filtered.items].map(asObject).filter((unit) => unit !== null);
  if (filtered.items.length === 0 || shown.some((unit) => unit['status'] === 'available')) return true;
  const { contract } = await check.contract();
  const isDeclared = (status: string): boolean => contract.validateUnit({ ...shown[0], status }).length === 0;
  return isDeclared('available') && !isDeclared(check.fresh('no status'));
}

/** If records use another word ("In Stock"), nothing says which word the filter selects: a filter that selects no word is a warning. */
async function judgeFilterByOtherWord(check: Check): Promise<void> {
  const filtered = await walk(check, { query: onlyAvailable, limit: 50, maxPages: 12 });
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

/** Two readings of the filtered and of the whole list, new ones but for the first round. */
async function bothLists(check: Check, round: number, first: readonly [Walk, Walk]): Promise<readonly [Walk, Walk]> {
  if (round === 0) return first;
  const filtered = await walk(check, { query: onlyAvailable, limit: 50, maxPages: 40 });
  return [filtered, await walk(check, { limit: 50, maxPages: 40 })];
}

/** The whole list must not show a unit of the filtered list with another status. */
async function judgeFilterTruth(check: Check, filtered: Walk, whole: Walk): Promise<boolean> {
  const wrong = await persistent(check, async (round) => {
    const [some, all] = await bothLists(check, round, [filtered, whole]);
    const shown = new Set(some.items.map(idOf));
    return idsWithStatus(all.items, 'available', true).filter((id) => shown.has(id));
  });
  return check.expect(
    filtered,
    isEmpty(
      'other-listed',
      'only units that are available',
      (ids) =>
        `${ids.length} listed as available, such as ${quote(ids[0])}, which the whole list shows with another status, four times in a row`,
    ),
    wrong,
  );
}

/** Every unit that says it is available stands in the filtered list. */
async function judgeFilterMisses(check: Check, filtered: Walk, whole: Walk): Promise<boolean> {
  const missing = await persistent(check, async (round) => {
    const [some, all] = await bothLists(check, round, [filtered, whole]);
    const shown = new Set(some.items.map(idOf));
    return some.complete || round === 0 ? idsWithStatus(all.items, 'available').filter((id) => !shown.has(id)) : [];
  });
  return check.expect(
    filtered,
    isEmpty(
      'unit-lost',
      'every available unit in the list filtered by status=available',
      (ids) =>
        `${ids.length} missing, such as ${quote(ids[0])}, four times in a row, while the whole list shows them as available`,
    ),
    missing,
  );
}

/** Blocks where the filter could exclude nothing: every unit is available, and an unknown status filters nothing either. */
async function seeFilterAtWork(check: Check, all: Walk): Promise<void> {
  const others = all.items.map((item) => asObject(item)?.['status']).filter((status) => status !== 'available');
  if (others.length > 0) return;
  const query = [['status', unknownStatus(check)]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}
