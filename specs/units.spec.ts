import {
  type Check,
  createdUnits,
  createUnit,
  dataOf,
  defineRequirement,
  everyItem,
  exchanges,
  explainRefusals,
  gradeDifference,
  hasUniqueIds,
  holdsItsLimit,
  idOf,
  invariant,
  inventory,
  inWays,
  isBelow500,
  isListPage,
  isOfStatus,
  isUnit,
  itemsIn,
  knownUnits,
  lastPages,
  listing,
  lists,
  mayMean,
  oddRequests,
  onlyAvailable,
  openUnits,
  ownIds,
  pageLimits,
  pages,
  paths,
  personalData,
  quote,
  readPage,
  relation,
  removeUnit,
  row,
  sentIn,
  singles,
  someUnitIds,
  statusFilter,
  statusOf,
  unitEffect,
  unknownStatus,
  variedIds,
  type View,
  walk,
  wholeUnits,
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
    for (const query of [[], onlyAvailable])
      // Fifty is the limit that the specification shows; which is the largest, it does not.
      for (const limit of [{}, { limit: 50 }])
        check.expect((await readPage(check, { query, ...limit })).exchange, isListPage);
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
    const { items } = await knownUnits(check);
    await listing(check, { ...wholeUnits, query: onlyAvailable });
    await readFirstUnit(check);
    if (items.length === 0) return check.blocked('the tenant has no units: seed at least one');
  },
  rows: [
    ownIds('units'),
    row('a unit is created, and removed', async (check) => {
      const created = await createUnit(check);
      if (created !== null) await removeUnit(check, created);
    }),
    inWays(otherReaders, row('the list and a unit by itself are read', readFirstUnit)),
  ],
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
      part: { value: record, pointer: '/status' },
    })),
  ],
});

const listed: View = { record: 'unit', where: 'in the whole list', list: wholeUnits };
const filtered = {
  record: 'unit',
  where: 'in the list filtered by status=available',
  list: { ...wholeUnits, query: onlyAvailable },
};
/** Units whose status the whole list shows, and shows as this one or not. */
const withStatus = (record: string, isAvailable: boolean): View => ({
  ...listed,
  record,
  field: 'status',
  only: (one) => statusOf(one) !== null && (statusOf(one) === 'available') === isAvailable,
});

export const UNIT_03 = defineRequirement({
  id: 'UNIT-03',
  level: 'MUST',
  source: '§2 Unit, §4.1',
  title: 'a list filtered by status=available shows only available units, on every page',
  needs: ['API_KEY'],
  body: statusFilter.read,
  rows: [
    relation(withStatus('unit with another status', false), 'apart', filtered),
    relation(withStatus('available unit', true), 'within', filtered),
    row('the filter by status holds beside other filters', statusFilter.combine),
    inWays(
      otherReaders,
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
    row('a unit is listed, and another one left out, so that the filter is seen at work', statusFilter.seeAtWork),
  ],
});

export const UNIT_04 = defineRequirement({
  id: 'UNIT-04',
  level: 'MUST',
  source: '§4.1',
  title: 'limit=n gives at most n units, on every page',
  needs: ['API_KEY'],
  body: ({ check }) => pageLimits.readAll(check),
  rows: [
    row(
      'the limit that the specification shows, and the largest that the document declares, are accepted',
      pageLimits.accept,
    ),
    inWays(
      otherReaders,
      row('the list is read with a limit', (check) => listing(check, pageLimits.firstPages(3))),
    ),
    pageLimits.atWork('units'),
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
  body: ({ check }) => knownUnits(check),
  rows: [pages('whole'), pages('available'), inWays(otherReaders, pages('several')), lastPages()],
});

/** Units by themselves, at most as many as these. */
const alone = (gate: number, certify: number): View => ({
  record: 'unit',
  where: 'by itself',
  single: (id) => ({ path: paths.unit(id) }),
  ids: ({ run }, units) => variedIds(units, run.depth === 'gate' ? gate : certify, run.seed),
});

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
    relation(listed, 'equals', alone(24, 400), { grade: gradeDifference }),
    inWays(['second tenant', 'scoped key'], relation(listed, 'equals', alone(2, 20), { grade: gradeDifference })),
  ],
});

export const UNIT_07 = defineRequirement({
  id: 'UNIT-07',
  level: 'MUST',
  source: '§7',
  title: 'an unknown unit id is answered with a failure envelope',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods units/{id} has',
  body: ({ check }) => oddRequests.unknownUnits(check),
  rows: [inWays(otherReaders, row('an id that no unit has is answered with a failure', oddRequests.anUnknownUnit))],
});

export const UNIT_08 = defineRequirement({
  id: 'UNIT-08',
  level: 'MUST',
  source: '§7, RFC 9110 §15.6',
  title: 'unusable list parameters are answered with an envelope and never with 5xx',
  needs: ['API_KEY'],
  body: ({ check }) => oddRequests.unusableQueries(check),
});

export const UNIT_09 = defineRequirement({
  id: 'UNIT-09',
  level: 'MUST',
  source: '§4.1 Headers, §5.2',
  title: 'a key of the tenant lists units with and without X-Tenant',
  needs: ['API_KEY', 'TENANT'],
  body: ({ check }) => inventory.listWithoutTenant(check),
});

/** Successful reads of units under read:inventory, and of the demo, which shows the same records to everybody. */
const publicViews = exchanges(
  ({ surface, request: { method, credential, path } }) =>
    method === 'GET' && (surface === 'demo' || (credential === 'API_KEY_READ_INVENTORY' && /\/v1\/units\b/.test(path))),
);

export const UNIT_10 = defineRequirement({
  id: 'UNIT-10',
  level: 'MUST',
  source: '§5.5 read:inventory',
  title: 'what a read:inventory key sees holds no personal data',
  control: explainRefusals,
  needs: ['API_KEY_READ_INVENTORY'],
  body: inventory.readAsReader,
  invariants: [
    invariant('no answer to a read:inventory key or of the demo holds personal data', publicViews, ({ exchange }) =>
      personalData(exchange.surface === 'demo' ? itemsIn(exchange) : dataOf(exchange)).map(
        ({ kind, pointer, why }) => ({
          pass: false,
          soft: kind !== 'certain',
          code: 'personal-data',
          expected: inventory.noPersonalData,
          actual: `${pointer}: ${why}`,
          part: { value: exchange.surface === 'demo' ? itemsIn(exchange) : dataOf(exchange), pointer },
        }),
      ),
    ),
  ],
});

export const UNIT_11 = defineRequirement({
  id: 'UNIT-11',
  level: 'DECLARED',
  source: '§4.2',
  title: 'creating, changing and deleting units works as the document declares it',
  long: true,
  beside: 'changing units',
  writes: true,
  needs: ['API_KEY', 'document'],
  optional: 'the specification leaves open what the second operation on units is',
  body: openUnits,
  rows: [
    unitEffect('a new unit shows what was sent, by itself and in both lists', 'create', 'list', 'available'),
    unitEffect('a change shows in both lists, too, and leaves all else as it was', 'change', 'list', 'available'),
    unitEffect('a second one does, too, and leaves the first', 'change', 'list', 'available'),
    unitEffect('a body that the document forbids is refused, and nothing changes later', 'break'),
    unitEffect('a deletion takes a unit, and leaves the others', 'delete'),
  ],
  invariants: [
    invariant(
      'a body that is no unit, or changes nothing, is not answered with 5xx',
      exchanges(
        (one) =>
          one.asker === 'UNIT-11' &&
          one.response !== null &&
          one.request.body !== null &&
          Object.keys(sentIn(one) ?? {}).length === 0,
      ),
      ({ exchange }) => ({ ...isBelow500(exchange), actual: String(exchange.response?.status) }),
    ),
  ],
});
