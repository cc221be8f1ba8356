import {
  unknownStatus,
  allOf,
  dataOf,
  defineRequirement,
  exchanges,
  exerciseUnits,
  hasStatus,
  idOf,
  invariant,
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
  readPage,
  readUnitsOtherwise,
  seedFor,
  someUnitIds,
  walk,
  blockUnknown,
  whyUnknown,
  type Check,
  type Exchange,
  type Page,
  itemsIn,
  explainRefusals,
} from '../src/suite.js';

export const UNIT_07 = defineRequirement({
  id: 'UNIT-07',
  level: 'MUST',
  source: '§7',
  title: 'an unknown unit id is answered with a failure envelope',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods units/{id} has',
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
    // A browser prefers pages and takes anything; to it, too, any failure is an envelope.
    const path = paths.unit(check.fresh('unit for a browser'));
    for (const as of ['API_KEY', null] as const)
      check.expect(await check.send({ path, as, headers: [['accept', browserTypes]] }), isFailure);
  },
});

const browserTypes = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

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
const isNoLimit = /^limit=(0|-1|many|1\.5)$/;

/** Query strings that no list can make sense of, or that are easily misread. */
function unusableQueries(check: Check, cursor: string | null): string[] {
  const values = (name: string, ...texts: readonly string[]): string[] =>
    texts.map((text) => `${name}=${percentEncode(text)}`);
  return [
    ...values('limit', '0', '-1', '1000000000', 'many', '', '1.5', '9'.repeat(20)),
    ...values('status', unknownStatus(check), '', "'; drop table units; --", '\0'),
    ...['limit=10&limit=20', 'status=available&status=sold', 'status%5B%24ne%5D=available', 'status=%zz', 'limit=%'],
    ...(cursor === null ? [] : values(percentEncode(cursor), 'garbage', '', 'eyJpZCI6bnVsbH0=', '\u{1f697}', '-1')),
  ];
}

export const UNIT_09 = defineRequirement({
  id: 'UNIT-09',
  level: 'MUST',
  source: '§4.1 Headers, §5.2',
  title: 'a key of the tenant lists units with and without X-Tenant',
  needs: ['API_KEY', 'TENANT'],
  body: async ({ check }) => {
    const { tenant } = check.target;
    const list = (sent: string | null): Promise<Page> => readPage(check, { limit: 50, tenant: sent });
    check.expect((await list(tenant)).exchange, isSuccessWithData);
    const without = await list(null);
    // A document that requires the header says that it cannot be left out as one of the examples does.
    if (await requiresTenant(check)) return check.recommend(without.exchange, isSuccessWithData);
    if (!check.expect(without.exchange, isSuccessWithData)) return;
    const missing = await persistent(check, async () =>
      (await list(null)).items?.length === 0 ? ((await list(tenant)).items ?? []).map(idOf) : [],
    );
    const areSame = isEmpty(
      'tenant-needed',
      'the same units with and without X-Tenant',
      (ids) => `none without it, ${ids.length} with it`,
    );
    if (check.expect(without, areSame, missing.map(String)) && check.target.keys.API_KEY_READ_INVENTORY !== undefined) {
      const as = 'API_KEY_READ_INVENTORY';
      const own = await readPage(check, { limit: 50, tenant, as });
      if (own.items !== null)
        check.expect((await readPage(check, { limit: 50, tenant: null, as })).exchange, isSuccessWithData);
    }
  },
});

/** Whether the document requires X-Tenant for the unit list. */
async function requiresTenant(check: Check): Promise<boolean> {
  const { contract } = await check.contract();
  const parameters = contract.operation('GET', paths.units)?.parameters ?? [];
  return parameters.some((one) => one.in === 'header' && one.required && /^x-tenant$/i.test(one.name));
}

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
  body: async ({ check }) => {
    await exerciseUnits(check);
  },
});
