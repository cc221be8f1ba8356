import {
  allOf,
  asArray,
  asObject,
  compareRecords,
  dataOf,
  declaredMaximum,
  defineRequirement,
  demoRecords,
  describe,
  differences,
  everyItem,
  exerciseSecondUnitOperation,
  hasStatus,
  hasUniqueIds,
  holdsAtMost,
  idOf,
  isAvailable,
  isBelow500,
  isEmpty,
  isEnvelope,
  isFailure,
  isListPage,
  isListPageIfSuccess,
  isNoSuccess,
  isRefusal,
  isRefused,
  isSuccessOrRefusal,
  isSuccessWithData,
  isUnit,
  judgeCombinedFilters,
  judgeCreatedStatus,
  judgeLeadEcho,
  judgePaging,
  judgeRecordedLimits,
  knownUnits,
  limitLeavingOneOnLastPage,
  matcher,
  mayMean,
  noPersonalDataText,
  paths,
  persistent,
  personalData,
  quote,
  randomFrom,
  readDemo,
  readPage,
  readUnitsOtherwise,
  recordedLists,
  recordIn,
  seedFor,
  settled,
  someUnitIds,
  variedIds,
  walk,
} from '../src/suite.js';
import type { Check, Exchange, Page, Walk } from '../src/suite.js';

const available = [['status', 'available']] as const;

/** A status that no unit has. */
const unknownStatus = (check: Check): string => `no-such-${check.fresh('status').slice(0, 8)}`;

export const UNIT_01 = defineRequirement({
  id: 'UNIT-01',
  level: 'MUST',
  source: '§2 Envelope, §4.1',
  title: 'the unit list holds an array of items and a next cursor',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    // Fifty is the limit that the specification shows.
    for (const query of [[], [['limit', '50']], available, [...available, ['limit', '50']]] as const)
      check.expect(await check.ask({ path: paths.units, query }), isListPage);
    // Lists of no unit and of one unit are where a list is easily sent as something else; either request may be refused.
    for (const options of [{ query: [['status', unknownStatus(check)] as const] }, { limit: 1 }])
      check.expect((await readPage(check, options)).exchange, isListPageIfSuccess);
    if (check.breaches.length > 0) return;
    const known = await knownUnits(check);
    const { pages } = known.complete ? known : await walk(check, { limit: 50, maxPages: 40 });
    for (const { exchange } of pages) check.expect(exchange, isListPageIfSuccess);
  },
});

export const UNIT_02 = defineRequirement({
  id: 'UNIT-02',
  level: 'MUST',
  source: '§2 Unit',
  title: 'every unit has a string id and a string status, and no two share an id',
  body: async ({ check }) => {
    const { pages, items } = await knownUnits(check);
    for (const page of pages) {
      check.expect(page, everyItem(isUnit), page.items ?? []);
      check.expect(page, hasUniqueIds, (page.items ?? []).map(idOf));
    }
    for (const id of await someUnitIds(check, 3)) {
      const exchange = await check.send({ path: paths.unit(id) });
      const record = recordIn(dataOf(exchange), id);
      if (record !== null) check.expect(exchange, isUnit, record);
    }
    if (check.breaches.length === 0) await judgeSharedIds(check, items);
    if (check.breaches.length === 0) await judgeCreatedStatus(check);
    if (items.length === 0 && check.breaches.length === 0)
      return check.blocked('the tenant has no units: seed at least one');
  },
});

export const UNIT_03 = defineRequirement({
  id: 'UNIT-03',
  level: 'MUST',
  source: '§2 Unit, §4.1',
  title: 'a list filtered by status=available shows only available units, on every page',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    if (!(await showsAvailable(check))) return judgeFilterByOtherWord(check);
    const filtered = await walk(check, { query: available, limit: 50, maxPages: 12 });
    const [first] = filtered.pages;
    if (first !== undefined && !check.expect(first.exchange, isListPage)) return;
    const smaller = await pagesOfAnyLimit(check, [7, 10]);
    for (const page of [...filtered.pages, ...smaller]) check.expect(page, everyItem(isAvailable), page.items ?? []);
    if (check.breaches.length === 0) await judgeOtherFilteredLists(check);
    if (filtered.items.length === 0) return judgeEmptyFilter(check);
    const whole = await walk(check, { limit: 50, maxPages: 40 });
    if (check.breaches.length === 0) await judgeFilterTruth(check, filtered, whole);
    if (check.breaches.length === 0 && whole.complete) await judgeFilterMisses(check, filtered, whole);
    if (check.breaches.length === 0) await judgeCombinedFilters(check, whole.items);
    return seeFilterAtWork(check, whole);
  },
});

/** The first pages of the filtered list under the first of these limits that the service takes. */
async function pagesOfAnyLimit(check: Check, limits: readonly number[]): Promise<readonly Page[]> {
  for (const limit of limits) {
    const { pages } = await walk(check, { query: available, limit, maxPages: 4 });
    if (pages[0] !== undefined && !isRefusal(pages[0].exchange)) return pages;
  }
  return [];
}

/** A filter that lists nothing leaves out no unit that is available. */
async function judgeEmptyFilter(check: Check): Promise<void> {
  const missing = await persistent(check, async () => {
    const all = await walk(check, { limit: 50, maxPages: 12 });
    const { items } = await readPage(check, { query: available, limit: 50 });
    return items?.length === 0 ? idsOf(all.items, 'available') : [];
  });
  if (missing.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
  const id = missing[0] ?? '';
  const page = await readPage(check, { query: available, limit: 50 });
  check.expect(
    page,
    isEmpty('available units in the list filtered by status=available', () => `none, while ${quote(id)} is available`),
    missing,
  );
}

/** Whether records have the status `available`: a unit shows it or the declared schema lists it. Only the filter's value is specified. */
async function showsAvailable(check: Check): Promise<boolean> {
  const { items } = await knownUnits(check);
  const filtered = await readPage(check, { query: available, limit: 50 });
  const shown = [...items, ...(filtered.items ?? [])].map(asObject).filter((unit) => unit !== null);
  if (!filtered.items?.length || shown.some((unit) => unit['status'] === 'available')) return true;
  const { contract } = await check.contract();
  const isDeclared = (status: string): boolean => contract.validateUnit({ ...shown[0], status }).length === 0;
  return isDeclared('available') && !isDeclared(check.fresh('no status'));
}

/** If records use another word ("In Stock"), nothing says which word the filter selects: a filter that selects no word is a warning. */
async function judgeFilterByOtherWord(check: Check): Promise<void> {
  const filtered = await walk(check, { query: available, limit: 50, maxPages: 12 });
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
      expected: 'status=available to select units by their status',
      actual: `it lists units with status ${[...shown].join(', ')}, ${rest.length === 0 ? 'which are all there are' : 'and leaves out others with one of these'}`,
      exchanges: filtered.pages.map((page) => page.exchange),
    });
}

/** One page of the filtered list under limits that no walk takes, and every filtered list that was given so far. */
async function judgeOtherFilteredLists(check: Check): Promise<void> {
  for (const limit of [3, 20, 100]) await readPage(check, { query: available, limit });
  for (const { exchange, records, status } of await recordedLists(check, 'production'))
    if (status === 'available') check.expect(exchange, everyItem(isAvailable), records);
}

/** Ids of the records that have a status, or one that is not `status`. */
function idsOf(items: readonly unknown[], status: string, isNot = false): string[] {
  return items.flatMap((item) => {
    const [id, shown] = [idOf(item), asObject(item)?.['status']];
    return id !== null && typeof shown === 'string' && (shown === status) !== isNot ? [id] : [];
  });
}

/** Two readings of the filtered and of the whole list, new ones but for the first round. */
async function bothLists(check: Check, round: number, first: readonly [Walk, Walk]): Promise<readonly [Walk, Walk]> {
  if (round === 0) return first;
  const filtered = await walk(check, { query: available, limit: 50, maxPages: 40 });
  return [filtered, await walk(check, { limit: 50, maxPages: 40 })];
}

/** The whole list must not show a unit of the filtered list with another status. */
async function judgeFilterTruth(check: Check, filtered: Walk, whole: Walk): Promise<void> {
  const wrong = await persistent(check, async (round) => {
    const [some, all] = await bothLists(check, round, [filtered, whole]);
    const shown = new Set(some.items.map(idOf));
    return idsOf(all.items, 'available', true).filter((id) => shown.has(id));
  });
  check.expect(
    filtered,
    isEmpty(
      'only units that are available',
      (ids) =>
        `${ids.length} listed as available, such as ${quote(ids[0])}, which the whole list shows with another status, three times in a row`,
    ),
    wrong,
  );
}

/** Every unit that says it is available stands in the filtered list. */
async function judgeFilterMisses(check: Check, filtered: Walk, whole: Walk): Promise<void> {
  const missing = await persistent(check, async (round) => {
    const [some, all] = await bothLists(check, round, [filtered, whole]);
    const shown = new Set(some.items.map(idOf));
    return some.complete || round === 0 ? idsOf(all.items, 'available').filter((id) => !shown.has(id)) : [];
  });
  check.expect(
    filtered,
    isEmpty(
      'every available unit in the list filtered by status=available',
      (ids) =>
        `${ids.length} missing, such as ${quote(ids[0])}, three times in a row, while the whole list shows them as available`,
    ),
    missing,
  );
}

/** Blocks where the filter could exclude nothing: every unit is available, and an unknown status filters nothing either. */
async function seeFilterAtWork(check: Check, all: Walk): Promise<void> {
  const others = all.items.map((item) => asObject(item)?.['status']).filter((status) => status !== 'available');
  if (check.breaches.length > 0 || others.length > 0) return;
  const query = [['status', unknownStatus(check)]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}

/** How a list is asked for, and how many of its pages are read. */
interface LimitTrial {
  readonly limit: number;
  readonly maxPages: number;
  readonly query: readonly (readonly [string, string])[];
}

/** Page sizes worth asking for: small ones, large ones, and one that leaves one unit for the last page; with and without the filter. */
function limitsFor(items: readonly unknown[]): LimitTrial[] {
  const total = items.length;
  const some = idsOf(items, 'available').length;
  const trial = (limit: number, maxPages: number, query: LimitTrial['query'] = []): LimitTrial => ({
    limit,
    maxPages,
    query,
  });
  return [
    ...[1, 2, 3, 10, 25, 50].map((limit) => trial(limit, 4)),
    ...[5, 20, 100].map((limit) => trial(limit, 1)),
    ...limitLeavingOneOnLastPage(total).map((limit) => trial(limit, 40)),
    ...[Math.ceil(total * 0.75), total - 1]
      .filter((limit) => limit > 50 && limit <= 600)
      .map((limit) => trial(limit, 1)),
    ...[3, 10].map((limit) => trial(limit, 3, available)),
    ...limitLeavingOneOnLastPage(some).map((limit) => trial(limit, limit > 10 ? 40 : 3, available)),
  ];
}

const isAcceptedLimit = matcher<Exchange>(
  'limit=50, which the specification shows, to be accepted',
  (exchange) => asArray(dataOf(exchange)?.['items']) !== null,
  (exchange) => `${describe(exchange)}: the answer has no list`,
);

/** Units that one page may reasonably hold. */
const mostPerPage = 1_000;

/** A limit that the document declares is accepted. */
async function judgeDeclaredMaximum(check: Check): Promise<void> {
  const limit = await declaredMaximum(check, paths.units);
  if (limit > mostPerPage || limit < 1) return;
  const ask = (): Promise<Exchange> => check.send({ path: paths.units, query: [['limit', String(limit)]] });
  const [first, again] = [await ask(), await ask()];
  if (![first, again].every((exchange) => isRefusal(exchange) && mayMean(exchange, 400, 413, 422))) return;
  check.fail({
    expected: `limit=${limit} to be accepted, the maximum that the document declares`,
    actual: describe(again),
    exchanges: [first, again],
  });
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
    for (const { limit, maxPages, query } of limitsFor(items)) {
      const found = await walk(check, { limit, maxPages, query });
      const [first] = found.pages;
      if (limit === 50 && query.length === 0 && first !== undefined) check.expect(first.exchange, isAcceptedLimit);
      if (first?.items === null) check.observe(`Is limit=${limit} accepted?`, found.stopped ?? 'no');
      else judged.push({ limit, shown: found.items.length });
      // A cursor may have been taken without a limit only.
      for (const page of found.pages.filter(({ exchange }) => /[?&]limit=/.test(exchange.request.url)))
        check.expect(page, holdsAtMost(limit), page.items ?? []);
    }
    await judgeDeclaredMaximum(check);
    if (check.breaches.length === 0) await judgeRecordedLimits(check, 'production');
    if (check.breaches.length > 0) return;
    const [least, shown] = [
      Math.min(...judged.map((one) => one.limit)),
      Math.max(0, ...judged.map((one) => one.shown)),
    ];
    if (judged.length === 0) return check.blocked('no page of the unit list could be read');
    if (shown < 2) return check.blocked(`a limit cannot be seen at work on ${shown} units: seed at least two`);
    if (least >= shown)
      return check.blocked(`no limit below the number of units, ${shown}, is accepted: seed more than ${least}`);
  },
});

export const UNIT_05 = defineRequirement({
  id: 'UNIT-05',
  level: 'MUST',
  source: '§2 Envelope (nextCursor)',
  title: 'following the cursor ends, repeats no unit and skips none',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    let pages = await judgePaging(check, { path: paths.units });
    if (check.breaches.length === 0) {
      const filtered = await judgePaging(check, { path: paths.units, query: available }, [1, 7]);
      pages = Math.max(pages, filtered);
    }
    if (check.breaches.length > 0 || pages > 1) return;
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
  title: 'a unit read by its id is the very unit that the list shows',
  body: async ({ check }) => {
    check.need('API_KEY');
    // Read anew: what other checks have created since the first reading stands at an end of the list.
    const listed = await walk(check, { limit: 50, maxPages: 12 });
    if (listed.pages[0]?.items === null)
      return check.blocked(`the unit list could not be read: ${listed.stopped ?? ''}`);
    const ids = variedIds(listed.items, check.run.depth === 'gate' ? 30 : 400, check.run.seed);
    if (ids.length === 0) return check.blocked('the tenant has no units: seed at least one');
    const { contract } = await check.contract();
    const isDeclared = contract.operation('GET', paths.unit(ids[0] ?? '')) !== null;
    let judged = 0;
    for (const id of ids) {
      const exchange = await check.ask({ path: paths.unit(id) });
      if (!isDeclared && [404, 405, 501].includes(exchange.response.status))
        return check.notApplicable('the document declares no GET on units/{id}, and the service has none');
      const record = recordIn(dataOf(exchange), id);
      if (record !== null) judged += 1;
      if (record === null) await judgeUnreadUnit(check, id);
      else await compareRecords(check, id, record, exchange);
    }
    if (judged === 0 && check.breaches.length === 0)
      return check.blocked('every unit that was listed was gone when it was read: try again when the list is quieter');
  },
});

/** A unit that could not be read, yet is still listed, can be read at last: it may be listed a little before. */
async function judgeUnreadUnit(check: Check, id: string): Promise<void> {
  const { items } = await walk(check, { limit: 50, maxPages: 12 });
  const isListed = items.some((item) => idOf(item) === id);
  const read = (): Promise<Exchange> => check.send({ path: paths.unit(id) });
  const isThere = (exchange: Exchange): boolean => recordIn(dataOf(exchange), id) !== null;
  // After the first breach, do not wait again.
  const again = isListed && check.breaches.length === 0 ? await settled(check, read, isThere) : await read();
  if (!isListed || isThere(again)) return;
  check.fail({
    expected: `the unit ${quote(id)}, which the list shows`,
    actual: `${describe(again)}: ${quote(again.response?.json)}`,
    exchanges: [again],
  });
}

export const UNIT_07 = defineRequirement({
  id: 'UNIT-07',
  level: 'MUST',
  source: '§7',
  title: 'an unknown unit id is answered with a failure envelope',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const read = (id: string): Promise<Exchange> => check.send({ path: paths.unit(id) });
    for (const id of await unknownIds(check)) {
      const exchange = await read(id);
      if (check.expect(exchange, isFailure)) check.recommend(exchange, hasStatus(404, 'for an id that no unit has'));
    }
    // An HTTP server may refuse these before the application sees them; ENV judges how.
    for (const id of idsForTheServer(check)) check.expect(await read(id), isNoSuccess);
    // It may cut an id at NUL, which leaves the list.
    await read('\0');
  },
});

/** Ids that no unit has, some of them like one that a unit has. */
async function unknownIds(check: Check): Promise<string[]> {
  const [known] = await someUnitIds(check, 1);
  const made = check.fresh('unknown unit');
  const like =
    known === undefined ? [] : [`${known}-${made.slice(0, 8)}`, /^\d+$/.test(known) ? '99999999999' : `${known}x`];
  return [made, ...like, `${made}'"`, `${made}%`, `${made}\u{1f697}`, made.repeat(9)];
}

/** An id with a NUL inside, and one as long as servers take an address. */
function idsForTheServer(check: Check): string[] {
  const made = check.fresh('id for the server');
  const random = randomFrom(seedFor(check.run.seed, 'ids for the server'));
  const at = 1 + Math.floor(random() * (made.length - 1));
  const room = 7_000 - check.target.baseUrl.length - (check.target.keys.API_KEY ?? '').length;
  const length = Math.min(3_000 + Math.floor(random() * 3_001), room);
  return [`${made.slice(0, at)}\0${made.slice(at)}`, ...(length < 3_000 ? [] : [made.repeat(200).slice(0, length)])];
}

export const UNIT_08 = defineRequirement({
  id: 'UNIT-08',
  level: 'MUST',
  source: '§7, RFC 9110 §15.6',
  title: 'unusable list parameters are answered with an envelope and never with 5xx',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { contract } = await check.contract();
    const cursor = contract.cursorParameter('GET', paths.units) ?? check.target.cursorParam;
    for (const query of unusableQueries(check, cursor)) {
      const exchange = await check.send({ path: `${paths.units}?${query}` });
      if (exchange.response === null) check.fail({ ...isBelow500(exchange), exchanges: [exchange] });
      else if (check.expect(exchange, allOf(isBelow500, isEnvelope, isSuccessOrRefusal)) && isNoLimit.test(query))
        check.recommend(exchange, isRefused(`for ${query}`));
    }
  },
});

/** A limit that is no number of records. */
const isNoLimit = /^limit=(0|-1|many|1\.5|9{20})$/;

/** Query strings that no list can make sense of, or that are easily misread. */
function unusableQueries(check: Check, cursor: string | null): string[] {
  const values = (name: string, ...texts: readonly string[]): string[] =>
    texts.map((text) => `${name}=${encodeURIComponent(text)}`);
  return [
    ...values('limit', '0', '-1', '1000000000', 'many', '', '1.5', '9'.repeat(20)),
    ...values('status', unknownStatus(check), '', "'; drop table units; --", '\0'),
    ...['limit=10&limit=20', 'status=available&status=sold', 'status%5B%24ne%5D=available', 'status=%zz', 'limit=%'],
    ...(cursor === null
      ? []
      : values(encodeURIComponent(cursor), 'garbage', '', 'eyJpZCI6bnVsbH0=', '\u{1f697}', '-1')),
  ];
}

export const UNIT_09 = defineRequirement({
  id: 'UNIT-09',
  level: 'MUST',
  source: '§4.1 Headers, §5.2',
  title: 'a key of the tenant lists units with and without X-Tenant',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { tenant } = check.target;
    if (tenant === null) return check.notApplicable('no tenant is configured: set TENANT');
    const list = (sent: string | null): Promise<Page> => readPage(check, { limit: 50, tenant: sent });
    check.expect((await list(tenant)).exchange, isSuccessWithData);
    const without = await list(null);
    // A document that requires the header says that it cannot be left out as one of the examples does.
    if (await requiresTenant(check)) check.recommend(without.exchange, isSuccessWithData);
    else if (check.expect(without.exchange, isSuccessWithData)) {
      const missing = await persistent(check, async () =>
        (await list(null)).items?.length === 0 ? ((await list(tenant)).items ?? []).map(idOf) : [],
      );
      check.expect(
        without,
        isEmpty('the same units with and without X-Tenant', (ids) => `none without it, ${ids.length} with it`),
        missing.map(String),
      );
    }
  },
});

/** Whether the document requires X-Tenant for the unit list. */
async function requiresTenant(check: Check): Promise<boolean> {
  const { contract } = await check.contract();
  const parameters = contract.operation('GET', paths.units)?.parameters ?? [];
  return parameters.some((one) => one.in === 'header' && one.required && /^x-tenant$/i.test(one.name));
}

/** Two different units under one id, on whatever pages. */
async function judgeSharedIds(check: Check, items: readonly unknown[]): Promise<void> {
  let found: Walk | null = null;
  const shared = await persistent(check, async (round) => {
    if (round > 0) found = await walk(check, { limit: 50, maxPages: 12 });
    const records = round === 0 ? items : (found?.items ?? []);
    const known = new Map(records.map((record) => [idOf(record), record] as const));
    return records
      .filter((record) => differences(known.get(idOf(record)), record).length > 2)
      .flatMap((record) => idOf(record) ?? []);
  });
  if (found !== null)
    check.expect(
      found,
      isEmpty('ids that are unique', (ids) => `two different units have the id ${quote(ids[0])}, in three walks`),
      shared,
    );
}

export const UNIT_10 = defineRequirement({
  id: 'UNIT-10',
  level: 'MUST',
  source: '§5.5 read:inventory',
  title: 'what a read:inventory key sees holds no personal data',
  body: async ({ check }) => {
    const as = check.need('API_KEY_READ_INVENTORY');
    const { items, pages, stopped } = await walk(check, { as, limit: 50, maxPages: 12 });
    if (pages[0]?.items === null)
      return check.blocked(`the read:inventory key cannot list units (see AUTH-02): ${stopped ?? ''}`);
    if (items.length === 0) return check.blocked('the read:inventory key sees no unit: seed at least one');
    const lists = pages.map((page) => page.exchange);
    const production = [...lists, ...(await readUnitsOtherwise(check, as, items))];
    // The demo shows everybody the same records as production: it has no more to show than this key.
    const demo = await readDemo(check, [['limit', '50']]);
    const shown = production.map((exchange) => ({ exchange, value: dataOf(exchange) }));
    for (const { exchange, value } of [...shown, { exchange: demo, value: demoRecords(demo.response?.json) }]) {
      for (const { kind, pointer, why } of personalData(value))
        check[kind === 'certain' ? 'fail' : 'warn']({
          expected: noPersonalDataText,
          actual: `${pointer}: ${why}`,
          exchanges: [exchange],
        });
      if (check.breaches.filter((one) => !one.soft).length > 10) break;
    }
    if (check.breaches.every((one) => one.soft) && !check.target.readOnly) await judgeLeadEcho(check, as, items);
  },
});

export const UNIT_11 = defineRequirement({
  id: 'UNIT-11',
  level: 'DECLARED',
  source: '§4.2',
  title: 'the second operation on units works as the document declares it',
  writes: true,
  body: async ({ check }) => {
    await exerciseSecondUnitOperation(check);
  },
});
