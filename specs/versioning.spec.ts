import {
  announcedEnds,
  areAddresses,
  dataOf,
  defineRequirement,
  describe,
  differences,
  idOf,
  isListPage,
  isSuccess,
  isSuccessWithData,
  judgeEnvelope,
  judgeSecondFormDeals,
  judgeSecondFormFilter,
  judgeSecondFormLeadList,
  judgeSecondFormLeads,
  judgeSecondFormUnits,
  knownUnits,
  leadWithSource,
  matcher,
  mayMean,
  otherForms,
  paths,
  persistent,
  plainLead,
  postLead,
  quote,
  readPage,
  recordIn,
  sameJson,
  toSet,
  someUnitIds,
  type Check,
  type Difference,
  type Exchange,
  type Matcher,
  type Walk,
  itemsIn,
  explainRefusals,
} from '../src/suite.js';

/** If the two forms show no common unit, read both again: a list in use changes. */
async function judgeOtherUnits(check: Check): Promise<void> {
  const before = await readPage(check, { limit: 50 });
  const other = await readPage(check, { form: 'second', limit: 50 });
  const after = await readPage(check, { limit: 50 });
  if (before.items === null || other.items === null || after.items === null) return;
  const known = new Set([...before.items, ...after.items].map(idOf));
  const steady = before.items.map(idOf).some((id) => after.items?.some((item) => idOf(item) === id) === true);
  if (!steady || other.items.some((item) => known.has(idOf(item)))) return;
  check.fail({
    expected: 'the same units as under {base_url}/api/v1/units',
    actual: other.items.length === 0 ? 'no unit at all' : `none of its ${other.items.length} ids is among them`,
    exchanges: [before.exchange, after.exchange, other.exchange],
  });
}

/** A unit that stands still under the first form must look the same in the list of the second; one of two machines may be behind. */
async function judgeSameRecords(check: Check): Promise<void> {
  let exchanges: Exchange[] = [];
  const look = async (): Promise<{ readonly id: string; readonly found: Difference }[]> => {
    const before = await readPage(check, { limit: 50 });
    const other = await readPage(check, { form: 'second', limit: 50 });
    const after = await readPage(check, { limit: 50 });
    exchanges = [before.exchange, after.exchange, other.exchange];
    const later = new Map((after.items ?? []).map((item) => [idOf(item), item]));
    const there = new Map((other.items ?? []).map((item) => [idOf(item), item]));
    return (before.items ?? []).flatMap((item) => {
      const id = idOf(item);
      if (id === null || !there.has(id) || !sameJson(item, later.get(id))) return [];
      return differences(item, there.get(id)).flatMap((found) => (areAddresses(found) ? [] : { id, found }));
    });
  };
  const [first] = await persistent(check, look, ({ id, found }) => `${id} ${found.pointer}`);
  if (first !== undefined)
    check.fail({
      expected: `unit ${quote(first.id)} to show the same ${first.found.pointer} in the lists at BASE_URL and API_BASE_URL`,
      actual: `${quote(first.found.left)} and ${quote(first.found.right)}`,
      exchanges,
    });
}

export const VER_01 = defineRequirement({
  id: 'VER-01',
  level: 'MUST',
  source: '§9, §4',
  title: 'the version is in the path, and {api_base_url}/v1/… shows the same resources',
  control: explainRefusals,
  long: true,
  needs: ['API_KEY'],
  partWithout: 'API_BASE_URL',
  body: async ({ check }) => {
    const first = (await readPage(check, { limit: 50 })).exchange;
    check.expect(first, isSuccessWithData);
    if (otherForms(check.target).length === 0) {
      check.observe('Does {api_base_url}/v1/… show the same resources?', 'not judged', toSet('API_BASE_URL'));
      return;
    }
    const known = await knownUnits(check);
    const pairs: readonly Pair[] = [
      { first, second: await judgeUnitList(check, known) },
      await judgeDealLists(check),
      ...(await judgeLeadLists(check)),
      ...(await readRefusals(check)),
    ];
    await judgeOneUnit(check);
    if (!check.target.readOnly) await judgeCreatedLeads(check);
    for (const pair of pairs) judgeSecondEnvelope(check, pair);
    const deals = itemsIn(pairs[1]?.first ?? first) ?? [];
    if (known.items.length === 0 && deals.length === 0)
      return check.blocked('the tenant has no unit and no deal to be looked for at API_BASE_URL: seed at least one');
  },
});

/** The answers of both address forms to the same request. */
interface Pair {
  readonly first: Exchange;
  readonly second: Exchange;
}

async function askBoth(check: Check, path: string, as?: null): Promise<Pair> {
  const caller = as === undefined ? {} : { as };
  return {
    first: await check.ask({ path, ...caller }),
    second: await check.ask({ path, ...caller, form: 'second' }),
  };
}

const isSuccessAtBoth = matcher<Pair>(
  'a success at API_BASE_URL, as at BASE_URL',
  ({ first, second }) =>
    !isSuccess(first) || (isSuccess(second) && (dataOf(second) !== null || dataOf(first) === null)),
  ({ second }) => describe(second),
);

const isListAtSecond: Matcher<Exchange> = (exchange) => {
  const seen = isListPage(exchange);
  const doubt = isSuccess(exchange) ? '' : ' (correct API_BASE_URL if the second address form is elsewhere)';
  return { ...seen, expected: `${seen.expected}, at API_BASE_URL as at BASE_URL${doubt}` };
};

/** The unit list under the second form shows units of the first, and shows them alike; returns its answer. */
async function judgeUnitList(check: Check, known: Walk): Promise<Exchange> {
  const page = await readPage(check, { form: 'second', limit: 50 });
  const mine = new Set(known.items.map(idOf));
  if (!check.expect(page.exchange, isListAtSecond)) return page.exchange;
  if (mine.size > 0 && page.items?.some((item) => mine.has(idOf(item))) !== true) await judgeOtherUnits(check);
  else {
    await judgeSameRecords(check);
    await judgeSecondFormFilter(check);
    await judgeSecondFormUnits(check);
  }
  return page.exchange;
}

/** A unit that stands still under the first form is the same unit under the second; one of two machines may be behind. */
async function judgeOneUnit(check: Check): Promise<void> {
  const [id] = await someUnitIds(check, 1);
  if (id === undefined) return;
  let exchanges: Exchange[] = [];
  const look = async (): Promise<{ readonly expected: string; readonly actual: string }[]> => {
    const { first, second } = await askBoth(check, paths.unit(id));
    const again = await check.ask({ path: paths.unit(id) });
    exchanges = [first, second];
    const [before, there, after] = [first, second, again].map((exchange) => recordIn(exchange, id));
    if (!before || !after) return [];
    if (!there) return [{ expected: `unit ${quote(id)}`, actual: describe(second) }];
    const moving = differences(before, after).map((one) => one.pointer);
    return differences(before, there)
      .filter((one) => !moving.includes(one.pointer) && !areAddresses(one))
      .map((one) => ({ expected: `the same ${one.pointer}`, actual: `${quote(one.left)} and ${quote(one.right)}` }));
  };
  for (const { expected, actual } of (await persistent(check, look, (one) => one.expected)).slice(0, 2))
    check.fail({ expected: `${expected} at BASE_URL and API_BASE_URL`, actual, exchanges });
}

async function judgeDealLists(check: Check): Promise<Pair> {
  const pair = await askBoth(check, paths.deals);
  if (check.expect(pair.second, isSuccessAtBoth, pair)) await judgeSecondFormDeals(check);
  return pair;
}

async function judgeLeadLists(check: Check): Promise<readonly Pair[]> {
  const { contract } = await check.contract();
  if (contract.operation('GET', paths.leads) === null) return [];
  const pair = await askBoth(check, paths.leads);
  check.expect(pair.second, isSuccessAtBoth, pair);
  return [pair];
}

/** Requests that the first form refuses: an unknown unit, and a caller without credentials. */
async function readRefusals(check: Check): Promise<readonly Pair[]> {
  return [await askBoth(check, paths.unit(check.fresh('unknown unit'))), await askBoth(check, paths.units, null)];
}

/** A lead is taken under the second form where one is under the first, and read under both. */
async function judgeCreatedLeads(check: Check): Promise<void> {
  const make = async (lead: (check: Check) => Promise<unknown> = plainLead): Promise<Pair> => ({
    first: await postLead(check, await lead(check)),
    second: await postLead(check, await lead(check), { form: 'second' }),
  });
  const lacksOne = ({ first, second }: Pair): boolean => isSuccess(first) && !isSuccess(second);
  let pair = await make(leadWithSource);
  if (!isSuccess(pair.first)) pair = await make();
  // The vehicle of one lead may have been sold meanwhile.
  for (let tries = 0; tries < 2 && lacksOne(pair); tries += 1) pair = await make();
  const made = [pair.first, pair.second];
  if (check.expect(pair.second, isSuccessAtBoth, pair) && (await judgeSecondFormLeads(check, made)))
    await judgeSecondFormLeadList(check, made);
  await judgeRefusedLeadsAtBoth(check);
}

/** A lead that the first form refuses, twice, for a phone or a field that is wrong is refused by the second. */
async function judgeRefusedLeadsAtBoth(check: Check): Promise<void> {
  const withoutPlus = async (): Promise<unknown> => ({ ...(await plainLead(check)), phone: '4155550123' });
  const withoutName = async (): Promise<unknown> => ({ ...(await plainLead(check)), name: undefined });
  for (const make of [withoutPlus, withoutName]) {
    const exchanges: Exchange[] = [];
    for (let round = 0; round < 2; round += 1) {
      const first = await postLead(check, await make());
      if (!mayMean(first, 400, 422)) break;
      const second = await postLead(check, await make(), { form: 'second' });
      if (!isSuccess(second)) break;
      exchanges.push(first, second);
    }
    if (exchanges.length < 4) continue;
    const [first, second] = exchanges.slice(-2).map(describe);
    check.fail({
      expected: 'a lead that is refused at BASE_URL to be refused at API_BASE_URL',
      actual: `${first ?? ''}, then ${second ?? ''}`,
      exchanges,
    });
  }
}

/** The second form keeps to the envelope; what is wrong under both forms is the envelope's own breach. */
function judgeSecondEnvelope(check: Check, { first, second }: Pair): void {
  const known = new Set(judgeEnvelope(first).map((one) => one.id));
  for (const fault of judgeEnvelope(second).filter((one) => !one.soft && !known.has(one.id)))
    check.fail({ expected: `${fault.expected} at API_BASE_URL too`, actual: fault.actual, exchanges: [second] });
}

export const VER_02 = defineRequirement({
  id: 'VER-02',
  level: 'OBSERVE',
  source: '§9',
  title: 'an unknown version is not served as v1',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    for (const version of ['v2', 'v0']) {
      const exchange = await check.ask({ path: `/api/${version}/units`, surface: 'other', as: 'API_KEY' });
      const served = itemsIn(exchange) !== null;
      check.observe(
        `What does /api/${version}/units answer?`,
        served ? `${exchange.response.status} with a unit list` : String(exchange.response.status),
      );
    }
    const announced = announcedEnds(await check.run.exchanges());
    if (announced.length > 0)
      check.observe('What is announced as deprecated (RFC 9745) or to end (RFC 8594)?', announced.join('; '));
  },
});
