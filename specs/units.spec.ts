import {
  createdUnits,
  createUnit,
  removeUnit,
  quote,
  dataOf,
  declaredMaximum,
  defineRequirement,
  describe,
  differences,
  everyItem,
  haveOwnIds,
  hasUniqueIds,
  holdsItsLimit,
  idOf,
  idsWithStatus,
  inOtherWays,
  integerFor,
  invariant,
  isListPage,
  isRefusal,
  isUnit,
  itemsIn,
  judgeSingleUnits,
  knownUnits,
  limitLeavingOneOnLastPage,
  limitOfManyPages,
  lists,
  matcher,
  mayMean,
  onDivisibleList,
  onlyAvailable,
  paths,
  type PagesRow,
  readPage,
  relatePages,
  singles,
  someUnitIds,
  type Check,
  type Exchange,
  type Matcher,
  type Walk,
  unknownStatus,
  usualLimit,
  variedIds,
  walk,
} from '../src/suite.js';

export const UNIT_01 = defineRequirement({
  id: 'UNIT-01',
  level: 'MUST',
  source: '§2 Envelope, §4.1',
  title: 'the unit list holds an array of items and a next cursor',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    // Fifty is the limit that the specification shows; which is the largest, it does not.
    const limited = ['limit', String(await usualLimit(check))] as const;
    for (const query of [[], [limited], onlyAvailable, [...onlyAvailable, limited]])
      check.expect(await check.ask({ path: paths.units, query }), isListPage);
    // Lists of no unit and of one unit are where a list is easily sent as something else; either request may be refused.
    for (const options of [{ query: [['status', unknownStatus(check)] as const] }, { limit: 1 }])
      await readPage(check, options);
    if (!(await knownUnits(check)).complete) await walk(check, { limit: 50, maxPages: 40 });
  },
  invariants: [
    invariant('every success of the list holds an array items, and a cursor or none', lists('units'), ({ exchange }) =>
      dataOf(exchange) === null ? [] : isListPage(exchange),
    ),
  ],
});

export const UNIT_02 = defineRequirement({
  id: 'UNIT-02',
  level: 'MUST',
  source: '§2 Unit',
  title: 'every unit has a string id and a string status, and no two share an id',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { items, pages } = await knownUnits(check);
    for (const id of await someUnitIds(check, 3)) await check.send({ path: paths.unit(id) });
    // Each other way reads one page.
    await inOtherWays(check, ['second form', 'second tenant', 'reading key'], () => Promise.resolve());
    const whole = { limit: 50, maxPages: 12 };
    const made = (await haveOwnIds(check, pages, whole, idsOfDifferent)) ? await createUnit(check) : null;
    if (made !== null) await removeUnit(check, made);
    if (items.length === 0) return check.blocked('the tenant has no units: seed at least one');
  },
  invariants: [
    invariant(
      'every unit of a list has a string id and a string status, and an id of its own',
      lists('units'),
      ({ records }) => [everyItem(isUnit)(records ?? []), hasUniqueIds((records ?? []).map(idOf))],
    ),
    invariant('every unit by itself has a string id and a string status', singles('units'), ({ record }) =>
      isUnit(record),
    ),
    invariant('a unit in the answer to its creation has a string status', createdUnits, ({ record }) => ({
      pass: !('status' in record) || typeof record['status'] === 'string',
      code: 'no-status',
      expected: 'a unit with a string status in the answer to its creation',
      actual: `it shows the status ${quote(record['status'])}`,
    })),
  ],
});

/** Rows of how many pages are read of which sizes, and with which query: small and large ones, some drawn from the seed, and one that leaves one unit for the last page. */
function limitsFor(items: readonly unknown[], drawn: readonly number[]) {
  const total = items.length;
  const large = [Math.ceil(total * 0.75), total - 1].filter((limit) => limit > 50 && limit <= 600);
  const [last, lastAvailable] = [total, idsWithStatus(items, 'available').length].map(limitLeavingOneOnLastPage);
  const rows = [
    [4, [1, 2, 3, 10, 25, 50], []],
    [1, [5, 20, 100, ...drawn], []],
    [40, last ?? [], []],
    [1, large, []],
    [3, [3, 10], onlyAvailable],
    [(lastAvailable?.[0] ?? 0) > 10 ? 40 : 3, lastAvailable ?? [], onlyAvailable],
  ] as const;
  return rows.flatMap(([maxPages, limits, query]) => limits.map((limit) => ({ limit, maxPages, query })));
}

/** A list, in answer to a limit that is named with who shows it. */
const isAccepted = (limit: string): Matcher<Exchange> =>
  matcher(
    'limit-refused',
    `${limit}, to be accepted`,
    (exchange) => itemsIn(exchange) !== null,
    (exchange) => `${describe(exchange)}: the answer has no list`,
  );

/** Units that one page may reasonably hold. */
const mostPerPage = 1_000;

/** A limit that the document declares is accepted. */
async function judgeDeclaredMaximum(check: Check): Promise<void> {
  const limit = await declaredMaximum(check, paths.units);
  if (limit > mostPerPage || limit < 1) return;
  const ask = (): Promise<Exchange> => check.send({ path: paths.units, query: [['limit', String(limit)]] });
  const both = [await ask(), await ask()] as const;
  if (both.every((exchange) => isRefusal(exchange) && mayMean(exchange, 400, 413, 422)))
    check.expect(both, isAccepted(`limit=${limit}, the maximum that the document declares`), both[1]);
}

export const UNIT_04 = defineRequirement({
  id: 'UNIT-04',
  level: 'MUST',
  source: '§4.1',
  title: 'limit=n gives at most n units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { items } = await knownUnits(check);
    const judged: { readonly limit: number; readonly shown: number }[] = [];
    const drawn = [integerFor(check.run.seed, 'limit', 11, 49), integerFor(check.run.seed, 'larger limit', 51, 99)];
    for (const { limit, maxPages, query } of limitsFor(items, drawn)) {
      const found = await walk(check, { limit, maxPages, query });
      const [first] = found.pages;
      if (limit === 50 && query.length === 0 && first !== undefined)
        check.expect(first.exchange, isAccepted('limit=50, which the specification shows'));
      if (first?.items === null) check.observe(`Is limit=${limit} accepted?`, found.stopped ?? 'no');
      else judged.push({ limit, shown: found.items.length });
    }
    await judgeDeclaredMaximum(check);
    await inOtherWays(check, ['second form', 'second tenant', 'reading key'], async () => {
      for (const limit of [3, 10]) await walk(check, { limit, maxPages: 2 });
    });
    const [least, shown] = [
      Math.min(...judged.map((one) => one.limit)),
      Math.max(0, ...judged.map((one) => one.shown)),
    ];
    if (judged.length === 0) return check.blocked('no page of the unit list could be read');
    if (shown < 2) return check.blocked(`a limit cannot be seen at work on ${shown} units: seed at least two`);
    if (least >= shown)
      return check.blocked(`no limit below the number of units, ${shown}, is accepted: seed more than ${least}`);
  },
  invariants: [invariant('every list of units holds at most as many as its limit', lists('units'), holdsItsLimit)],
});

/** Small and odd sizes, those that leave little for the last page, and one of many pages where a certificate is at stake. */
const inEverySize = ({ run }: Check): PagesRow => ({
  some: (total) => [1, 2, 5, 10, Math.max(2, total - 1), Math.max(1, Math.ceil(total / 2))],
  all: (total) => [7, 20, ...(run.depth === 'certify' ? limitOfManyPages(total) : []), undefined],
});

export const UNIT_05 = defineRequirement({
  id: 'UNIT-05',
  level: 'MUST',
  source: '§2 Envelope (nextCursor)',
  title: 'following the cursor ends, repeats no unit and skips none',
  long: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const longest: number[] = [];
    const seven = async (): Promise<boolean> => (await relatePages(check, { all: () => [7] })) !== null;
    const rows = [
      async (whole: Walk) => longest.push((await relatePages(check, inEverySize(check), whole)) ?? 0),
      async () =>
        longest.push((await relatePages(check, { query: onlyAvailable, some: () => [1], all: () => [7] })) ?? 0),
      () => inOtherWays(check, ['second form', 'second tenant', 'reading key'], seven),
    ];
    await onDivisibleList(check, (whole) =>
      check.each(rows, async (row) => (check.breaches.length > 0 ? null : row(whole))),
    );
    if (check.breaches.length > 0 || longest.some((pages) => pages > 1)) return;
    const { length } = (await knownUnits(check)).items;
    return check.blocked(
      length < 2
        ? `there is nothing to page through on ${length} units: seed at least two`
        : `all ${length} units are on one page, whatever limit is accepted: seed more`,
    );
  },
});

export const UNIT_06 = defineRequirement({
  id: 'UNIT-06',
  level: 'MUST',
  source: '§4.3, §5.5',
  title: 'a unit read by its id is the same unit that the list shows',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods units/{id} has',
  body: async ({ check }) => {
    // Read anew: what other checks have created since the first reading stands at an end of the list.
    const listed = await walk(check, { limit: 50, maxPages: 12 });
    if (listed.pages[0]?.items === null)
      return check.blocked(`the unit list could not be read: ${listed.stopped ?? ''}`);
    const ids = variedIds(listed.items, check.run.depth === 'gate' ? 30 : 400, check.run.seed);
    if (ids.length === 0) return check.blocked('the tenant has no units: seed at least one');
    const judged = await judgeSingleUnits(check, listed, ids);
    if (judged === 0)
      return check.blocked('every unit that was listed was gone when it was read: try again when the list is quieter');
  },
});

/** Ids under which these records are different units. */
function idsOfDifferent(records: readonly unknown[]): readonly string[] {
  const last = new Map(records.map((record) => [idOf(record), record] as const));
  const others = records.filter((record) => differences(last.get(idOf(record)), record).length > 2);
  return others.flatMap((record) => idOf(record) ?? []);
}
