import {
  unknownStatus,
  allOf,
  openUnits,
  unitEffect,
  dataOf,
  defineRequirement,
  exchanges,
  hasStatus,
  invariant,
  inWays,
  isBelow500,
  isEmpty,
  isEnvelope,
  isFailure,
  isNoSuccess,
  isRefused,
  isSuccessOrRefusal,
  isSuccessWithData,
  judgeLeadEcho,
  noPersonalDataText,
  paths,
  percentEncode,
  persistent,
  personalData,
  randomFrom,
  readDemo,
  requireTenant,
  row,
  readPage,
  readUnitsOtherwise,
  seedFor,
  sentIn,
  someUnitIds,
  walk,
  blockUnknown,
  whyUnknown,
  type Check,
  type Exchange,
  type KeyName,
  type Matcher,
  type RequestOptions,
  itemsIn,
  explainRefusals,
} from '../src/suite.js';

/** A request, what its answer must be, and what it should be then. */
interface AnswerRow extends RequestOptions {
  readonly holds?: Matcher<Exchange>;
  readonly better?: Matcher<Exchange> | false;
}

const judgeAnswers = (check: Check, rows: readonly AnswerRow[]): Promise<void> =>
  check.each(rows, async ({ holds, better, ...request }) => {
    const exchange = await check.send(request);
    if (holds && check.expect(exchange, holds) && better) check.recommend(exchange, better);
  });

export const UNIT_07 = defineRequirement({
  id: 'UNIT-07',
  level: 'MUST',
  source: '§7',
  title: 'an unknown unit id is answered with a failure envelope',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods units/{id} has',
  body: async ({ check }) => judgeAnswers(check, await unknownUnits(check)),
  rows: [
    inWays(
      ['second form', 'second tenant', 'scoped key'],
      row('an id that no unit has is answered with a failure', (check) =>
        judgeAnswers(check, [unknownUnit(check.fresh('unknown unit'))]),
      ),
    ),
  ],
});

const unknownUnit = (id: string): AnswerRow => ({
  path: paths.unit(id),
  holds: isFailure,
  better: hasStatus(404, 'for an id that no unit has'),
});

const browserTypes = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Requests for ids that no unit has, some of them like one that a unit has. */
async function unknownUnits(check: Check): Promise<readonly AnswerRow[]> {
  const [known] = await someUnitIds(check, 1);
  const made = check.fresh('unknown unit');
  const like =
    known === undefined ? [] : [`${known}-${made.slice(0, 8)}`, /^\d+$/.test(known) ? '99999999999' : `${known}x`];
  const random = randomFrom(seedFor(check.run.seed, 'ids for the server'));
  const at = 1 + Math.floor(random() * (made.length - 1));
  const room = 7_000 - check.target.baseUrl.length - (check.target.keys.API_KEY ?? '').length;
  // As long as servers take an address.
  const length = Math.min(3_000 + Math.floor(random() * 3_001), room);
  const long = length < 3_000 ? [] : [made.repeat(200).slice(0, length)];
  const path = paths.unit(check.fresh('unit for a browser'));
  const browser = { path, headers: [['accept', browserTypes]] as const, holds: isFailure };
  return [
    ...[made, ...like, `${made}'"`, `${made}%`, `${made}\u{1f697}`, made.repeat(9)].map(unknownUnit),
    // An HTTP server may refuse these before the application sees them, or cut an id at NUL, which leaves the list; ENV judges how.
    ...[`${made.slice(0, at)}\0${made.slice(at)}`, ...long].map((id) => ({ path: paths.unit(id), holds: isNoSuccess })),
    { path: paths.unit('\0') },
    // A browser prefers pages and takes anything; to it, too, any failure is an envelope.
    browser,
    { ...browser, as: null },
  ];
}

export const UNIT_08 = defineRequirement({
  id: 'UNIT-08',
  level: 'MUST',
  source: '§7, RFC 9110 §15.6',
  title: 'unusable list parameters are answered with an envelope and never with 5xx',
  needs: ['API_KEY'],
  body: async ({ check }) => judgeAnswers(check, await unusableQueries(check)),
});

/** Query strings that no list can make sense of, or that are easily misread; a limit that is no number of records should be refused. */
async function unusableQueries(check: Check): Promise<readonly AnswerRow[]> {
  const { contract } = await check.contract();
  const cursor = contract.cursorParameter('GET', paths.units) ?? check.target.cursorParam;
  const values = (name: string, ...texts: readonly string[]): string[] =>
    texts.map((text) => `${name}=${percentEncode(text)}`);
  const noLimits = values('limit', '0', '-1', 'many', '1.5');
  return [
    ...noLimits,
    ...values('limit', '1000000000', '', '9'.repeat(20)),
    ...values('status', unknownStatus(check), '', "'; drop table units; --", '\0'),
    ...['limit=10&limit=20', 'status=available&status=sold', 'status%5B%24ne%5D=available', 'status=%zz', 'limit=%'],
    ...(cursor === null ? [] : values(percentEncode(cursor), 'garbage', '', 'eyJpZCI6bnVsbH0=', '\u{1f697}', '-1')),
  ].map((query) => ({
    path: `${paths.units}?${query}`,
    holds: allOf(isBelow500, isEnvelope, isSuccessOrRefusal),
    better: noLimits.includes(query) && isRefused(`for ${query}`),
  }));
}

export const UNIT_09 = defineRequirement({
  id: 'UNIT-09',
  level: 'MUST',
  source: '§4.1 Headers, §5.2',
  title: 'a key of the tenant lists units with and without X-Tenant',
  needs: ['API_KEY', 'TENANT'],
  body: async ({ check }) => {
    const { tenant, keys } = check.target;
    const list = (sent: string | null, as: KeyName = 'API_KEY') => readPage(check, { limit: 50, tenant: sent, as });
    check.expect((await list(tenant)).exchange, isSuccessWithData);
    const without = await list(null);
    // A document that requires the header says that it cannot be left out as one of the examples does.
    const { contract } = await check.contract();
    if (requireTenant([contract.operation('GET', paths.units)]))
      return check.recommend(without.exchange, isSuccessWithData);
    if (!check.expect(without.exchange, isSuccessWithData)) return;
    const look = async (): Promise<readonly string[]> =>
      (await list(null)).items?.length === 0 ? ((await list(tenant)).items ?? []).map(String) : [];
    if (!check.expect(without, needsNoTenant, await persistent(check, look))) return;
    const reader = keys.API_KEY_READ_INVENTORY && 'API_KEY_READ_INVENTORY';
    if (reader && (await list(tenant, reader)).items)
      check.expect((await list(null, reader)).exchange, isSuccessWithData);
  },
});

const needsNoTenant = isEmpty(
  'tenant-needed',
  'the same units with and without X-Tenant',
  (ids) => `none without it, ${ids.length} with it`,
);

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
  body: async ({ check }) => {
    const as = 'API_KEY_READ_INVENTORY';
    const { items, pages, stopped } = await walk(check, { as, limit: 50, maxPages: 12 });
    if (pages[0]?.items === null) {
      if ((await whyUnknown(check, as)) !== null) await blockUnknown(check, [as]);
      return check.blocked(`the read:inventory key cannot list units (see AUTH-02): ${stopped ?? ''}`);
    }
    if (items.length === 0) return check.blocked('the read:inventory key sees no unit: seed at least one');
    await readUnitsOtherwise(check, as, items);
    await readDemo(check, [['limit', '50']]);
    if (!check.target.readOnly) await judgeLeadEcho(check, as, items);
  },
  invariants: [
    invariant('no answer to a read:inventory key or of the demo holds personal data', publicViews, ({ exchange }) =>
      personalData(exchange.surface === 'demo' ? itemsIn(exchange) : dataOf(exchange)).map(
        ({ kind, pointer, why }) => ({
          pass: false,
          soft: kind !== 'certain',
          code: 'personal-data',
          expected: noPersonalDataText,
          actual: `${pointer}: ${why}`,
        }),
      ),
    ),
  ],
});

const isNoUnit = (exchange: Exchange): boolean =>
  exchange.response !== null && Object.keys(sentIn(exchange) ?? {}).length === 0;

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
      exchanges((one) => one.asker === 'UNIT-11' && one.request.body !== null && isNoUnit(one)),
      ({ exchange }) => isBelow500(exchange),
    ),
  ],
});
