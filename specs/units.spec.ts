import { dataOf, isRefusal, isFailureEnvelope, isSuccess } from '../src/api/envelope.js';
import { asArray, asObject, differences, quote } from '../src/api/json.js';
import { plainLead, postLead } from '../src/api/leads.js';
import { paths } from '../src/api/paths.js';
import { demoRecords, readDemo } from '../src/api/demo.js';
import { judgeCombinedFilters } from '../src/api/combined-filters.js';
import { compareRecords } from '../src/api/compare-records.js';
import { exerciseSecondUnitOperation, judgeCreatedStatus } from '../src/api/second-unit-operation.js';
import { judgeRecordedLimits, recordedLists } from '../src/api/recorded-lists.js';
import { judgePaging, lonelyLimit } from '../src/api/paging.js';
import { settled } from '../src/api/settled.js';
import { idOf, knownUnits, readPage, recordIn, someUnitIds, variedIds, walk } from '../src/api/units.js';
import { personalData } from '../src/contract/personal-data.js';
import { randomFrom, seedFor } from '../src/run/random.js';
import type { Exchange } from '../src/http/exchange.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Walk } from '../src/api/units.js';
import type { Check } from '../src/suite.js';
import type { KeyName } from '../src/target/target.js';

test(
  'the unit list holds an array of items and a next cursor',
  requirement('UNIT-01', 'MUST', '§2 Envelope, §4.1'),
  async ({ check }) => {
    check.need('API_KEY');
    for (const query of [
      [],
      [['limit', '50']],
      [['status', 'available']],
      [
        ['status', 'available'],
        ['limit', '50'],
      ],
    ] as const) {
      const exchange = await check.ask({ path: paths.units, query });
      const data = dataOf(exchange);
      if (data === null) {
        check.breach({
          expected: 'a success envelope whose data is {items, nextCursor}',
          actual: describe(exchange),
          exchanges: [exchange],
        });
        continue;
      }
      if (asArray(data['items']) === null) {
        check.breach({ expected: 'data.items to be an array', actual: quote(data['items']), exchanges: [exchange] });
      }
      const cursor = data['nextCursor'];
      if (cursor !== undefined && cursor !== null && typeof cursor !== 'string' && typeof cursor !== 'number') {
        check.breach({
          expected: 'data.nextCursor to be a cursor, null, empty or absent',
          actual: quote(cursor),
          exchanges: [exchange],
        });
      }
    }
    // Lists of no unit and of one unit are where a list is easily sent as something else; either request may be refused.
    for (const [name, value] of [
      ['status', `no-such-${check.fresh('status').slice(0, 8)}`],
      ['limit', '1'],
    ] as const) {
      const exchange = await check.send({ path: paths.units, query: [[name, value]] });
      const data = dataOf(exchange);
      if (data !== null && asArray(data['items']) === null)
        check.breach({
          expected: `data.items to be an array ${name === 'limit' ? 'for limit=1' : 'where nothing is found'}`,
          actual: quote(data['items']),
          exchanges: [exchange],
        });
    }
    if (check.breaches.length > 0) return;
    const known = await knownUnits(check);
    const { pages } = known.complete ? known : await walk(check, { limit: 50, maxPages: 40 });
    for (const page of pages) {
      const data = dataOf(page.exchange);
      if (data !== null && page.items === null)
        check.breach({
          expected: 'data.items to be an array on every page',
          actual: quote(data['items']),
          exchanges: [page.exchange],
        });
    }
  },
);

test(
  'every unit has a string id and a string status, and no two share an id',
  requirement('UNIT-02', 'MUST', '§2 Unit'),
  async ({ check }) => {
    const { pages, items } = await knownUnits(check);
    for (const page of pages) {
      for (const [at, item] of (page.items ?? []).entries()) {
        const unit = asObject(item);
        if (typeof unit?.['id'] !== 'string' || unit['id'] === '') {
          check.breach({
            expected: 'a unit with a string id',
            actual: `item ${at}: ${quote(item)}`,
            exchanges: [page.exchange],
          });
        }
        if (typeof unit?.['status'] !== 'string') {
          check.breach({
            expected: 'a unit with a string status',
            actual: `item ${at} has status ${quote(unit?.['status'])}`,
            exchanges: [page.exchange],
          });
        }
      }
      const ids = (page.items ?? []).map(idOf).filter((id) => id !== null);
      const twice = ids.find((id, at) => ids.indexOf(id) !== at);
      if (twice !== undefined) {
        check.breach({
          expected: 'ids that are unique',
          actual: `the id ${quote(twice)} occurs twice on one page`,
          exchanges: [page.exchange],
        });
      }
    }
    for (const id of await someUnitIds(check, 3)) {
      const exchange = await check.send({ path: paths.unit(id) });
      const record = recordIn(dataOf(exchange), id);
      if (record !== null && typeof record['status'] !== 'string') {
        check.breach({
          expected: 'a unit with a string status',
          actual: quote(record['status']),
          exchanges: [exchange],
        });
      }
    }
    if (check.breaches.length === 0) await judgeSharedIds(check, items);
    if (check.breaches.length === 0) await judgeCreatedStatus(check);
    if (items.length === 0 && check.breaches.length === 0)
      return check.blocked('the tenant has no units: seed at least one');
  },
);

test(
  'a list filtered by status=available shows only available units, on every page',
  requirement('UNIT-03', 'MUST', '§2 Unit, §4.1'),
  async ({ check }) => {
    check.need('API_KEY');
    let judged = 0;
    let filtered: Walk | null = null;
    for (const limit of [50, 7, 10]) {
      const found = await walk(check, { query: [['status', 'available']], limit, maxPages: limit === 50 ? 12 : 4 });
      filtered ??= found;
      const [first] = found.pages;
      // 50 is the limit that the specification shows; others may be refused.
      if (limit !== 50 && first !== undefined && isRefusal(first.exchange)) continue;
      if (first?.items === null) {
        check.breach({
          expected: 'a success envelope for the filter value that the specification shows',
          actual: found.stopped ?? '',
          exchanges: found.pages.map((page) => page.exchange),
        });
        return;
      }
      for (const [at, page] of found.pages.entries()) {
        for (const item of page.items ?? []) {
          judged += 1;
          const status = asObject(item)?.['status'];
          if (status !== 'available') {
            check.breach({
              expected: 'only units whose status is available',
              actual: `page ${at + 1} lists ${quote(idOf(item))} with status ${quote(status)}`,
              exchanges: [page.exchange],
            });
            break;
          }
        }
      }
      if (limit === 7) break;
    }
    if (check.breaches.length === 0) await judgeOtherFilteredLists(check);
    if (judged > 0 && filtered !== null) {
      const whole = await walk(check, { limit: 50, maxPages: 40 });
      await judgeFilterTruth(check, filtered, whole);
      await judgeFilterMisses(check, filtered, whole);
      if (check.breaches.length === 0) await judgeCombinedFilters(check, whole.items);
      return seeFilterAtWork(check, whole);
    }
    const all = await walk(check, { limit: 50, maxPages: 12 });
    const available = all.items.filter((item) => asObject(item)?.['status'] === 'available');
    if (available.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
    const again = await readPage(check, { query: [['status', 'available']], limit: 50 });
    const still = await check.send({ path: paths.unit(idOf(available[0]) ?? '') });
    const record = recordIn(dataOf(still), idOf(available[0]) ?? '');
    if (again.items?.length === 0 && record?.['status'] === 'available') {
      check.breach({
        expected: 'available units in the list filtered by status=available',
        actual: `none, while ${quote(idOf(available[0]))} is available`,
        exchanges: [again.exchange, still],
      });
    }
  },
);

/** One page of the filtered list under limits that no walk takes, and every filtered list that was given so far. */
async function judgeOtherFilteredLists(check: Check): Promise<void> {
  for (const limit of [3, 20, 100]) await readPage(check, { query: [['status', 'available']], limit });
  for (const { exchange, records, status } of await recordedLists(check, 'production')) {
    const other = records.find((record) => asObject(record)?.['status'] !== 'available');
    if (status !== 'available' || other === undefined) continue;
    check.breach({
      expected: 'only units whose status is available',
      actual: `${describe(exchange)} lists ${quote(idOf(other))} with status ${quote(asObject(other)?.['status'])}`,
      exchanges: [exchange],
    });
    if (check.breaches.length >= 5) return;
  }
}

/** What the filtered list calls available, the whole list must not call otherwise; what another user may have changed is read again. */
async function judgeFilterTruth(check: Check, first: Walk, all: Walk): Promise<void> {
  if (check.breaches.length > 0) return;
  const otherwise = (shown: Walk): Map<string | null, unknown> =>
    new Map(
      shown.items
        .map((item) => [idOf(item), asObject(item)?.['status']] as const)
        .filter(([id, status]) => id !== null && typeof status === 'string' && status !== 'available'),
    );
  let found = first;
  let whole = otherwise(all);
  let wrong = found.items.map(idOf).filter((id) => whole.has(id));
  for (let round = 0; round < 2 && wrong.length > 0; round += 1) {
    const before = whole;
    found = await walk(check, { query: [['status', 'available']], limit: 50, maxPages: 12 });
    whole = otherwise(await walk(check, { limit: 50, maxPages: 40 }));
    const shown = new Set(found.items.map(idOf));
    wrong = wrong.filter((id) => shown.has(id) && before.has(id) && whole.has(id));
  }
  if (wrong.length === 0) return;
  check.breach({
    expected: 'only units that are available',
    actual: `${wrong.length} listed as available, such as ${quote(wrong[0])}, which the whole list shows as ${quote(whole.get(wrong[0] ?? null))}, three times in a row`,
    exchanges: found.pages.map((page) => page.exchange),
  });
}

/** Every unit that says it is available stands in the filtered list; what another user may have changed is read again. */
async function judgeFilterMisses(check: Check, first: Walk, all: Walk): Promise<void> {
  if (check.breaches.length > 0 || !all.complete) return;
  const soon = new Set(first.items.map(idOf));
  let missing = all.items
    .filter((item) => asObject(item)?.['status'] === 'available')
    .map(idOf)
    .filter((id) => id !== null && !(first.complete && soon.has(id)));
  for (let round = 0; round < 2 && missing.length > 0; round += 1) {
    const found = await walk(check, { query: [['status', 'available']], limit: 50, maxPages: 40 });
    if (!found.complete) return;
    const shown = new Set(found.items.map(idOf));
    missing = missing.filter((id) => !shown.has(id));
    if (round === 0 || missing.length === 0) continue;
    const later = new Map(
      (await walk(check, { limit: 50, maxPages: 40 })).items.map((item) => [idOf(item), asObject(item)?.['status']]),
    );
    const still = missing.filter((id) => later.get(id) === 'available');
    if (still.length > 0) {
      check.breach({
        expected: 'every available unit in the list filtered by status=available',
        actual: `${still.length} missing, such as ${quote(still[0])}, twice in a row, while the whole list shows them as available`,
        exchanges: found.pages.map((page) => page.exchange),
      });
    }
  }
}

/** Blocks where the filter had nothing to leave out: every unit is available, and no other status is told apart either. */
async function seeFilterAtWork(check: Check, all: Walk): Promise<void> {
  const others = all.items.map((item) => asObject(item)?.['status']).filter((status) => status !== 'available');
  if (check.breaches.length > 0 || others.length > 0) return;
  const query = [['status', `no-such-${check.fresh('status').slice(0, 8)}`]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}

/** Page sizes worth asking for: small ones, large ones, and one that nearly divides the list. */
function limitsFor(total: number): { limit: number; maxPages: number }[] {
  const large = [Math.ceil(total * 0.75), total - 1].filter((limit) => limit > 50 && limit <= 600);
  return [
    ...[1, 2, 3, 10, 25, 50].map((limit) => ({ limit, maxPages: 4 })),
    ...[5, 20, 100].map((limit) => ({ limit, maxPages: 1 })),
    ...lonelyLimit(total).map((limit) => ({ limit, maxPages: 40 })),
    ...large.map((limit) => ({ limit, maxPages: 1 })),
  ];
}

test('limit=n gives at most n units, on every page', requirement('UNIT-04', 'MUST', '§4.1'), async ({ check }) => {
  check.need('API_KEY');
  const judged = new Set<number>();
  let shown = 0;
  const { items } = await knownUnits(check);
  const total = items.length;
  for (const { limit, maxPages } of limitsFor(total)) {
    const found = await walk(check, { limit, maxPages });
    shown = Math.max(shown, found.items.length);
    for (const [at, page] of found.pages.entries()) {
      // A cursor may have been taken without a limit only.
      if (page.items === null || !/[?&]limit=/.test(page.exchange.request.url)) continue;
      judged.add(limit);
      if (page.items.length > limit) {
        check.breach({
          expected: `at most ${limit} units`,
          actual: `page ${at + 1} holds ${page.items.length}`,
          exchanges: [page.exchange],
        });
      }
    }
    if (found.pages[0]?.items === null) {
      if (limit === 50)
        check.breach({
          expected: 'limit=50 to be accepted',
          actual: found.stopped ?? '',
          exchanges: found.pages.map((page) => page.exchange),
        });
      else check.observe(`Is limit=${limit} accepted?`, found.stopped ?? 'no');
    }
  }
  const query = [['status', 'available']] as const;
  const available = items.filter((item) => asObject(item)?.['status'] === 'available').length;
  for (const limit of [3, 10, ...lonelyLimit(available)]) {
    for (const page of (await walk(check, { limit, query, maxPages: limit > 10 ? 40 : 3 })).pages) {
      if (/[?&]limit=/.test(page.exchange.request.url) && (page.items?.length ?? 0) > limit)
        check.breach({
          expected: `at most ${limit} available units`,
          actual: `a page holds ${page.items?.length ?? 0}`,
          exchanges: [page.exchange],
        });
    }
  }
  if (check.breaches.length === 0) await judgeRecordedLimits(check, 'production');
  if (check.breaches.length > 0) return;
  if (judged.size === 0) return check.blocked('no page of the unit list could be read');
  if (shown < 2) return check.blocked(`a limit cannot be seen at work on ${shown} units: seed at least two`);
  if (Math.min(...judged) >= shown)
    return check.blocked(
      `no limit below the number of units, ${shown}, is accepted: seed more than ${Math.min(...judged)}`,
    );
});

test(
  'following the cursor ends, repeats no unit and skips none',
  requirement('UNIT-05', 'MUST', '§2 Envelope (nextCursor)'),
  async ({ check }) => {
    check.need('API_KEY');
    let pages = await judgePaging(check, { path: paths.units });
    if (check.breaches.length === 0) {
      const filtered = await judgePaging(check, { path: paths.units, query: [['status', 'available']] }, [1, 7]);
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
);

test(
  'a unit read by its id is the very unit that the list shows',
  requirement('UNIT-06', 'MUST', '§4.3, §5.5'),
  async ({ check }) => {
    const most = check.run.depth === 'gate' ? 30 : 400;
    check.need('API_KEY');
    // Read anew: what other checks have created since the first reading stands at an end of the list.
    const listed = await walk(check, { limit: 50, maxPages: 12 });
    if (listed.pages[0]?.items === null)
      return check.blocked(`the unit list could not be read: ${listed.stopped ?? ''}`);
    const ids = variedIds(listed.items, most, check.run.seed);
    if (ids.length === 0) return check.blocked('the tenant has no units: seed at least one');
    const { contract } = await check.contract();
    const declared = contract.operation('GET', paths.unit(ids[0] ?? ''));
    let judged = 0;
    for (const id of ids) {
      const exchange = await check.ask({ path: paths.unit(id) });
      if (declared === null && [404, 405, 501].includes(exchange.response.status)) {
        return check.notApplicable('the document declares no GET on units/{id}, and the service has none');
      }
      const record = recordIn(dataOf(exchange), id);
      if (record === null) {
        const listed = (await walk(check, { limit: 50, maxPages: 12 })).items.some((item) => idOf(item) === id);
        const read = (): Promise<Exchange> => check.send({ path: paths.unit(id) });
        const isThere = (one: Exchange): boolean => recordIn(dataOf(one), id) !== null;
        // A new unit may be listed a little before it can be read; who breaks this once is waited for no more.
        const again = listed && check.breaches.length === 0 ? await settled(read, isThere) : await read();
        if (listed && !isThere(again)) {
          check.breach({
            expected: `the unit ${quote(id)}, which the list shows`,
            actual: `${describe(again)}: ${quote(again.response?.json)}`,
            exchanges: [again],
          });
        }
        continue;
      }
      judged += 1;
      await compareRecords(check, id, record, exchange);
    }
    if (judged === 0 && check.breaches.length === 0)
      return check.blocked('every unit that was listed was gone when it was read: try again when the list is quieter');
  },
);

test(
  'an unknown unit id is answered with a failure envelope',
  requirement('UNIT-07', 'MUST', '§7'),
  async ({ check }) => {
    check.need('API_KEY');
    const [known] = await someUnitIds(check, 1);
    const made = check.fresh('unknown unit');
    const unknown =
      known === undefined
        ? [made]
        : [made, `${known}-${made.slice(0, 8)}`, /^\d+$/.test(known) ? '99999999999' : `${known}x`];
    unknown.push(`${made}'"`, `${made}%`, `${made}\u{1f697}`, made.repeat(9));
    for (const id of unknown) {
      const exchange = await check.ask({ path: paths.unit(id) });
      if (!isFailureEnvelope(exchange)) {
        check.breach({
          expected: 'a failure envelope {ok: false, error}',
          actual: `${describe(exchange)}: ${quote(exchange.response.json)}`,
          exchanges: [exchange],
        });
      } else if (exchange.response.status !== 404) {
        check.caution({
          expected: '404 for an id that no unit has',
          actual: describe(exchange),
          exchanges: [exchange],
        });
      }
    }
    // An HTTP server may refuse these before the application sees them, and cut an id at NUL; ENV judges how.
    const random = randomFrom(seedFor(check.run.seed, 'ids for the server'));
    const at = 1 + Math.floor(random() * (made.length - 1));
    const room = 7_000 - check.target.baseUrl.length - (check.target.keys.API_KEY ?? '').length;
    const length = Math.min(3_000 + Math.floor(random() * 3_001), room);
    const long = length < 3_000 ? [] : [made.repeat(200).slice(0, length)];
    for (const id of ['\0', `${made.slice(0, at)}\0${made.slice(at)}`, ...long]) {
      const exchange = await check.send({ path: paths.unit(id) });
      if (id !== '\0' && isSuccess(exchange))
        check.breach({
          expected: 'a failure envelope {ok: false, error}',
          actual: `${describe(exchange)}: ${quote(exchange.response?.json)}`,
          exchanges: [exchange],
        });
    }
  },
);

test(
  'unusable list parameters are answered with an envelope and never with 5xx',
  requirement('UNIT-08', 'MUST', '§7, RFC 9110 §15.6'),
  async ({ check }) => {
    check.need('API_KEY');
    const { contract } = await check.contract();
    const cursor = contract.cursorParameter('GET', paths.units) ?? check.target.cursorParam;
    const queries: [string, string][][] = [
      [['limit', '0']],
      [['limit', '-1']],
      [['limit', '1000000000']],
      [['limit', 'many']],
      [
        ['limit', '10'],
        ['limit', '20'],
      ],
      [['limit', '']],
      [['limit', '1.5']],
      [['limit', '99999999999999999999']],
      [['status', `no-such-${check.fresh('status').slice(0, 8)}`]],
      [['status', '']],
      [['status', "'; drop table units; --"]],
      [['status', '\u0000']],
      [
        ['status', 'available'],
        ['status', 'sold'],
      ],
      [['status[$ne]', 'available']],
      ...(cursor === null
        ? []
        : ([
            [[cursor, 'garbage']],
            [[cursor, '']],
            [[cursor, 'eyJpZCI6bnVsbH0=']],
            [[cursor, '\u{1f697}']],
            [[cursor, '-1']],
          ] as [string, string][][])),
    ];
    const asked = [
      ...queries.map((query) => ({ path: paths.units, query })),
      { path: `${paths.units}?status=%zz`, query: [] },
      { path: `${paths.units}?limit=%`, query: [] },
    ];
    for (const { path, query } of asked) {
      const exchange = await check.send({ path, query });
      const status = exchange.response?.status ?? 0;
      if (exchange.response === null || status >= 500) {
        check.breach({
          expected: 'an answer below 500',
          actual: `${describe(exchange)}${exchange.failure ? ` (${exchange.failure.message})` : ''}`,
          exchanges: [exchange],
        });
      } else if (dataOf(exchange) === null && !isFailureEnvelope(exchange)) {
        check.breach({
          expected: 'a success or a failure envelope',
          actual: `${describe(exchange)}: ${quote(exchange.response.text)}`,
          exchanges: [exchange],
        });
      } else if (
        isSuccess(exchange) &&
        /^(0|-1|many|1\.5|99999999999999999999)$/.test(query[0]?.[0] === 'limit' ? query[0][1] : '')
      ) {
        check.caution({
          expected: `4xx for limit=${query[0]?.[1] ?? ''}`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
      } else if (!isSuccess(exchange) && !isRefusal(exchange)) {
        check.breach({ expected: 'a 2xx or a 4xx', actual: describe(exchange), exchanges: [exchange] });
      }
    }
  },
);

test(
  'a key of the tenant lists units with and without X-Tenant',
  requirement('UNIT-09', 'MUST', '§4.1 Headers, §5.2'),
  async ({ check }) => {
    check.need('API_KEY');
    const { tenant } = check.target;
    if (tenant === null) return check.notApplicable('no tenant is configured: set TENANT');
    const { contract } = await check.contract();
    const isRequired =
      contract
        .operation('GET', paths.units)
        ?.parameters.some((one) => one.in === 'header' && one.required && /^x-tenant$/i.test(one.name)) === true;
    let shown = 0;
    for (const sent of [tenant, null]) {
      const exchange = await check.ask({ path: paths.units, query: [['limit', '50']], tenant: sent });
      if (!isSuccess(exchange)) {
        // A document that requires the header says that it cannot be left out as one of the examples does.
        const say = sent === null && isRequired ? check.caution.bind(check) : check.breach.bind(check);
        say({
          expected: `the unit list ${sent === null ? 'without' : 'with'} X-Tenant`,
          actual: `${describe(exchange)}: ${quote(exchange.response.json)}`,
          exchanges: [exchange],
        });
        continue;
      }
      const items = asArray(dataOf(exchange)?.['items']) ?? [];
      if (sent !== null) shown = items.length;
      else if (shown > 0 && items.length === 0) {
        const [without, again] = [
          await check.ask({ path: paths.units, query: [['limit', '50']], tenant: null }),
          await check.ask({ path: paths.units, query: [['limit', '50']] }),
        ];
        if (asArray(dataOf(without)?.['items'])?.length === 0 && (asArray(dataOf(again)?.['items'])?.length ?? 0) > 0) {
          check.breach({
            expected: 'the same units with and without X-Tenant',
            actual: `none without it, ${shown} with it`,
            exchanges: [without, again],
          });
        }
      }
    }
  },
);

/** Two different units under one id, on whatever pages; a unit that moved or changed between two pages is told by a second walk. */
async function judgeSharedIds(check: Check, items: readonly unknown[]): Promise<void> {
  const clash = (records: readonly unknown[]): string | null => {
    const known = new Map<string, unknown>();
    for (const record of records) {
      const id = idOf(record);
      if (id === null) continue;
      const before = known.get(id);
      if (before !== undefined && differences(before, record).length > 2) return id;
      known.set(id, record);
    }
    return null;
  };
  const first = clash(items);
  if (first === null) return;
  const again = await walk(check, { limit: 50, maxPages: 12 });
  const second = clash(again.items);
  if (second !== first) return;
  check.breach({
    expected: 'ids that are unique',
    actual: `two different units have the id ${quote(first)}, in two walks`,
    exchanges: again.pages
      .filter((page) => page.items?.some((item) => idOf(item) === first) === true)
      .map((page) => page.exchange),
  });
}

/** A person who asks for a unit must not show up on it. */
async function judgeLeadEcho(check: Check, as: KeyName, unit: string | null): Promise<void> {
  if (unit === null) return;
  const lead = { ...(await plainLead(check)), vehicleId: unit };
  if (!isSuccess(await postLead(check, lead))) return;
  const seen = [
    await check.send({ as, path: paths.unit(unit) }),
    await check.send({ as, path: paths.units, query: [['limit', '50']] }),
  ];
  for (const exchange of seen) {
    const told = [lead.name, lead.phone].find((text) => exchange.response?.text?.includes(text) === true);
    if (told !== undefined)
      check.breach({
        expected: 'no personal data under read:inventory',
        actual: `${describe(exchange)} shows ${quote(told)}, of a lead for that unit`,
        exchanges: [exchange],
      });
  }
}

test(
  'what a read:inventory key sees holds no personal data',
  requirement('UNIT-10', 'MUST', '§5.5 read:inventory'),
  async ({ check }) => {
    const as = check.need('API_KEY_READ_INVENTORY');
    const found = await walk(check, { as, limit: 50, maxPages: 12 });
    if (found.pages[0]?.items === null)
      return check.blocked(`the read:inventory key cannot list units (see AUTH-02): ${found.stopped ?? ''}`);
    if (found.items.length === 0) return check.blocked('the read:inventory key sees no unit: seed at least one');
    const ids = found.items.map(idOf).filter((id) => id !== null);
    const single = [];
    for (const id of variedIds(found.items, 18, check.run.seed))
      single.push(await check.send({ as, path: paths.unit(id) }));
    const statuses = new Set(
      found.items.map((item) => asObject(item)?.['status']).filter((one) => typeof one === 'string'),
    );
    for (const status of [...statuses].slice(0, 6))
      single.push((await readPage(check, { as, query: [['status', status]], limit: 50 })).exchange);
    const base = check.target.apiBaseUrl;
    if (base !== null) {
      single.push((await readPage(check, { as, base, path: '/v1/units', limit: 50 })).exchange);
      for (const id of variedIds(found.items, 3, check.run.seed))
        single.push(await check.send({ as, base, path: `/v1/units/${encodeURIComponent(id)}` }));
    }
    // The demo shows everybody the same records as production: it has no more to show than this key.
    const demo = await readDemo(check, [['limit', '50']]);
    const lists = found.pages.map((page) => page.exchange);
    for (const exchange of [...lists, ...single, demo]) {
      for (const hit of personalData(exchange === demo ? demoRecords(demo.response?.json) : dataOf(exchange))) {
        const words = {
          expected: 'no personal data under read:inventory',
          actual: `${hit.pointer}: ${hit.why}`,
          exchanges: [exchange],
        };
        if (hit.kind === 'certain') check.breach(words);
        else check.caution(words);
      }
      if (check.breaches.filter((one) => !one.soft).length > 10) break;
    }
    if (check.breaches.every((one) => one.soft) && !check.target.readOnly)
      await judgeLeadEcho(check, as, ids[0] ?? null);
  },
);

test(
  'the second operation on units works as the document declares it',
  requirement('UNIT-11', 'DECLARED', '§4.2', { writes: true }),
  async ({ check }) => {
    await exerciseSecondUnitOperation(check);
  },
);
