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
  integerFor,
  invariant,
  isDeclaredOtherwise,
  isListPage,
  isRefusal,
  isUnit,
  itemsIn,
  knownUnits,
  limitAtWork,
  row,
  limitOfManyPages,
  lists,
  mayMean,
  onlyAvailable,
  paths,
  pages,
  inWays,
  lastPages,
  limitOfSeveralPages,
  listing,
  firstPages,
  wholeUnits,
  type WalkOptions,
  readPage,
  relation,
  type RelationOptions,
  singles,
  someUnitIds,
  type Check,
  type Exchange,
  type View,
  unknownStatus,
  usualLimit,
  variedIds,
} from '../src/suite.js';

/** Who else reads units, and where. */
const otherReaders = ['second form', 'second tenant', 'scoped key'] as const;

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
    await knownUnits(check);
  },
  invariants: [
    invariant('every success of the list holds an array items, and a cursor or none', lists('units'), ({ exchange }) =>
      dataOf(exchange) === null ? [] : isListPage(exchange),
    ),
  ],
});

async function readFirstUnit(check: Check): Promise<void> {
  for (const id of await someUnitIds(check, 1)) await check.send({ path: paths.unit(id) });
}

export const UNIT_02 = defineRequirement({
  id: 'UNIT-02',
  level: 'MUST',
  source: '§2 Unit',
  title: 'every unit has a string id and a string status, and no two share an id',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { items, pages } = await knownUnits(check);
    await listing(check, { ...wholeUnits, query: onlyAvailable });
    await readFirstUnit(check);
    const whole = { limit: 50, maxPages: 12 };
    const made = (await haveOwnIds(check, pages, whole, idsOfDifferent)) ? await createUnit(check) : null;
    if (made !== null) await removeUnit(check, made);
    if (items.length === 0) return check.blocked('the tenant has no units: seed at least one');
  },
  rows: [inWays(otherReaders, row('the list and a unit by itself are read', readFirstUnit))],
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

/** Pages that are read with a limit: small and large ones, and some drawn from the seed; the first ones that others compare. */
function limitedPages({ run }: Check, total: number): readonly WalkOptions[] {
  const drawn = [integerFor(run.seed, 'limit', 20, 49), integerFor(run.seed, 'larger limit', 51, 99)];
  const large = [Math.ceil(total * 0.75), total - 1].filter((limit) => limit > 50 && limit <= 600);
  return [
    ...commonLimits.map((limit) => firstPages(limit)),
    ...[5, 20, 100, ...drawn, ...large].map((limit) => ({ limit, maxPages: 1 })),
    ...filteredLimits.map((limit) => firstPages(limit, onlyAvailable)),
  ];
}

/** Limits of which several pages are read, of the whole list and of the filtered one. */
const [commonLimits, filteredLimits] = [
  [1, 2, 3, 7, 10, 25],
  [1, 3, 10],
];

/** Units that one page may reasonably hold. */
const mostPerPage = 1_000;

/** The limit that the specification shows is accepted, and so is one that the document declares. */
async function acceptLimits(check: Check): Promise<void> {
  const most = await declaredMaximum(check, paths.units);
  const limits = [
    { limit: await usualLimit(check), why: 'which the specification shows' },
    ...(most > mostPerPage || most < 1 ? [] : [{ limit: most, why: 'the maximum that the document declares' }]),
  ];
  for (const { limit, why } of limits) {
    const ask = (): Promise<Exchange> => check.send({ path: paths.units, query: [['limit', String(limit)]] });
    const first = await ask();
    if (itemsIn(first) !== null) continue;
    const second = await ask();
    const isRefused = (exchange: Exchange): boolean => isRefusal(exchange) && mayMean(exchange, 400, 413, 422);
    if (isRefused(first) && isRefused(second))
      check.fail({
        code: 'limit-refused',
        expected: `limit=${limit}, ${why}, to be accepted`,
        actual: describe(second),
        exchanges: [first, second],
      });
  }
}

export const UNIT_04 = defineRequirement({
  id: 'UNIT-04',
  level: 'MUST',
  source: '§4.1',
  title: 'limit=n gives at most n units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const read: { readonly limit: number; readonly shown: number }[] = [];
    for (const options of limitedPages(check, (await knownUnits(check)).items.length)) {
      const { limit = 0 } = options;
      const { pages: found, items, stopped } = await listing(check, options);
      if (found[0]?.items === null) check.observe(`Is limit=${limit} accepted?`, stopped ?? 'no');
      else read.push({ limit, shown: items.length });
    }
    return read;
  },
  rows: [
    row(
      'the limit that the specification shows, and the largest that the document declares, are accepted',
      acceptLimits,
    ),
    inWays(
      otherReaders,
      row('the list is read with a limit', (check) => listing(check, firstPages(3))),
    ),
    limitAtWork('units'),
  ],
  invariants: [invariant('every list of units holds at most as many as its limit', lists('units'), holdsItsLimit)],
});

export const UNIT_05 = defineRequirement({
  id: 'UNIT-05',
  level: 'MUST',
  source: '§2 Envelope (nextCursor)',
  title: 'following the cursor ends, repeats no unit and skips none',
  long: true,
  needs: ['API_KEY'],
  rows: [
    pages({
      some: (total) => [...commonLimits, Math.max(2, total - 1), Math.max(1, Math.ceil(total / 2))],
      // Sizes of many pages where a certificate is at stake.
      all: (total, { run }) => [...(run.depth === 'certify' ? [7, 20, ...limitOfManyPages(total)] : []), undefined],
    }),
    // The shorter list is followed in short pages.
    pages({ query: onlyAvailable, some: () => filteredLimits, all: () => [7] }),
    inWays(otherReaders, pages({ all: limitOfSeveralPages })),
    lastPages(),
  ],
});

const listed = { record: 'unit', where: 'in the list', list: wholeUnits };
/** Units by themselves, at most as many as these. */
const alone = (gate: number, certify: number): View => ({
  record: 'unit',
  where: 'by itself',
  single: (id) => ({ path: paths.unit(id) }),
  ids: ({ run }, units) => variedIds(units, run.depth === 'gate' ? gate : certify, run.seed),
});
const alike: RelationOptions = {
  grade: async (check, one) => (one.lengthOnly || (await isDeclaredOtherwise(check, one)) ? 'warn' : 'fail'),
};

export const UNIT_06 = defineRequirement({
  id: 'UNIT-06',
  level: 'MUST',
  source: '§4.3, §5.5',
  title: 'a unit read by its id is the same unit that the list shows',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods units/{id} has',
  body: async ({ check }) => {
    const [id] = (await knownUnits(check)).items.flatMap((unit) => idOf(unit) ?? []);
    if (id === undefined) return check.blocked('the tenant has no units: seed at least one');
    const { contract } = await check.contract();
    const isDeclared = contract.operation('GET', paths.unit(id)) !== null;
    if (!isDeclared && mayMean(await check.ask({ path: paths.unit(id) }), 404, 405, 501))
      return check.notApplicable('the document declares no GET on units/{id}, and the service has none');
    return undefined;
  },
  rows: [
    relation(listed, 'equals', alone(24, 400), alike),
    inWays(['second tenant', 'scoped key'], relation(listed, 'equals', alone(2, 20), alike)),
  ],
});

/** Ids under which these records are different units. */
function idsOfDifferent(records: readonly unknown[]): readonly string[] {
  const last = new Map(records.map((record) => [idOf(record), record] as const));
  const others = records.filter((record) => differences(last.get(idOf(record)), record).length > 2);
  return others.flatMap((record) => idOf(record) ?? []);
}
