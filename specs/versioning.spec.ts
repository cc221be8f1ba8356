import { dataOf, isSuccess } from '../src/api/envelope.js';
import { areAddresses, asArray, differences, quote, sameJson } from '../src/api/json.js';
import { plainLead, postLead } from '../src/api/leads.js';
import { paths } from '../src/api/paths.js';
import { dealsIn } from '../src/api/deals.js';
import {
  judgeSecondFormDeals,
  judgeSecondFormFilter,
  judgeSecondFormLeads,
  judgeSecondFormLimit,
  judgeSecondFormUnits,
} from '../src/api/second-form-records.js';
import { idOf, knownUnits, readPage, recordIn, someUnitIds } from '../src/api/units.js';
import { judgeEnvelope } from '../src/contract/judge-envelope.js';
import type { Exchange } from '../src/http/exchange.js';
import { flagOf } from '../src/target/setting-table.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

/** Where the two forms showed no unit in common, both are read again: a list in use moves on. */
async function judgeOtherUnits(check: Check, base: string): Promise<void> {
  const before = await readPage(check, { limit: 50 });
  const other = await readPage(check, { base, path: '/v1/units', limit: 50 });
  const after = await readPage(check, { limit: 50 });
  if (before.items === null || other.items === null || after.items === null) return;
  const known = new Set([...before.items, ...after.items].map(idOf));
  const steady = before.items.map(idOf).some((id) => after.items?.some((item) => idOf(item) === id) === true);
  if (!steady || other.items.some((item) => known.has(idOf(item)))) return;
  check.breach({
    expected: 'the same units as under {base_url}/api/v1/units',
    actual: other.items.length === 0 ? 'no unit at all' : `none of its ${other.items.length} ids is among them`,
    exchanges: [before.exchange, other.exchange, after.exchange],
  });
}

/** A unit that stands still under the first form must look the same in the list of the second. */
async function judgeSameRecords(check: Check, base: string): Promise<void> {
  const before = await readPage(check, { limit: 50 });
  const other = await readPage(check, { base, path: '/v1/units', limit: 50 });
  const after = await readPage(check, { limit: 50 });
  const later = new Map((after.items ?? []).map((item) => [idOf(item), item]));
  const there = new Map((other.items ?? []).map((item) => [idOf(item), item]));
  for (const item of before.items ?? []) {
    const id = idOf(item);
    if (id === null || !there.has(id) || !sameJson(item, later.get(id))) continue;
    const [found] = differences(item, there.get(id)).filter((one) => !areAddresses(one));
    if (found === undefined) continue;
    check.breach({
      expected: `unit ${quote(id)} to show the same ${found.pointer} in the lists at BASE_URL and API_BASE_URL`,
      actual: `${quote(found.left)} and ${quote(found.right)}`,
      exchanges: [before.exchange, other.exchange, after.exchange],
    });
    return;
  }
}

test(
  'the version is in the path, and {api_base_url}/v1/… shows the same resources',
  requirement('VER-01', 'MUST', '§9, §4'),
  async ({ check }) => {
    check.need('API_KEY');
    const first = await check.ask({ path: paths.units, query: [['limit', '50']] });
    if (!isSuccess(first))
      check.breach({ expected: 'the live resources under /api/v1', actual: describe(first), exchanges: [first] });
    const base = check.target.apiBaseUrl;
    if (base === null) {
      check.observe(
        'Does {api_base_url}/v1/… show the same resources?',
        `not judged: set API_BASE_URL (or ${flagOf('API_BASE_URL')})`,
      );
      return;
    }
    const mine = new Set((await knownUnits(check)).items.map(idOf));
    const page = await readPage(check, { base, path: '/v1/units', limit: 50 });
    if (page.items === null) {
      check.breach({
        expected: 'the unit list under {api_base_url}/v1/units',
        actual: describe(page.exchange),
        exchanges: [page.exchange],
      });
    } else if (mine.size > 0 && !page.items.some((item) => mine.has(idOf(item)))) {
      await judgeOtherUnits(check, base);
    } else {
      await judgeSameRecords(check, base);
      await judgeSecondFormFilter(check, base);
      await judgeSecondFormLimit(check, base);
      await judgeSecondFormUnits(check, base);
    }
    const [id] = await someUnitIds(check, 1);
    if (id !== undefined) {
      const here = await check.ask({ path: paths.unit(id) });
      const there = await check.ask({ base, path: `/v1/units/${encodeURIComponent(id)}` });
      const again = await check.ask({ path: paths.unit(id) });
      const [a, b, c] = [here, there, again].map((exchange) => recordIn(dataOf(exchange), id));
      if (a && c && !b)
        check.breach({
          expected: `unit ${quote(id)} at BASE_URL and API_BASE_URL`,
          actual: describe(there),
          exchanges: [here, there],
        });
      const moving = a && c ? differences(a, c).map((one) => one.pointer) : [];
      const found =
        a && b ? differences(a, b).filter((one) => !moving.includes(one.pointer) && !areAddresses(one)) : [];
      for (const one of found.slice(0, 2)) {
        check.breach({
          expected: `the same ${one.pointer} at BASE_URL and API_BASE_URL`,
          actual: `${quote(one.left)} and ${quote(one.right)}`,
          exchanges: [here, there],
        });
      }
    }
    const deals = await check.ask({ path: paths.deals });
    const otherDeals = await check.ask({ base, path: '/v1/deals' });
    if (isSuccess(deals) && (!isSuccess(otherDeals) || (dataOf(otherDeals) === null && dataOf(deals) !== null))) {
      check.breach({
        expected: 'deals under {api_base_url}/v1/deals',
        actual: describe(otherDeals),
        exchanges: [otherDeals],
      });
    } else await judgeSecondFormDeals(check, base);
    const { contract } = await check.contract();
    const readsLeads = contract.operation('GET', paths.leads) !== null;
    const leads = readsLeads
      ? [await check.ask({ path: paths.leads }), await check.ask({ base, path: '/v1/leads' })]
      : [];
    if (leads[0] && leads[1] && isSuccess(leads[0]) && !isSuccess(leads[1])) {
      check.breach({ expected: 'leads under {api_base_url}/v1/leads', actual: describe(leads[1]), exchanges: leads });
    }
    if (!check.target.readOnly) {
      const make = async (): Promise<readonly [Exchange, Exchange]> => [
        await postLead(check, await plainLead(check)),
        await postLead(check, await plainLead(check), { base, path: '/v1/leads' }),
      ];
      let [usual, other] = await make();
      // The vehicle of one lead may have been sold meanwhile.
      for (let tries = 0; tries < 2 && isSuccess(usual) && !isSuccess(other); tries += 1) [usual, other] = await make();
      if (isSuccess(usual) && !isSuccess(other))
        check.breach({
          expected: 'a lead to be taken under {api_base_url}/v1/leads too',
          actual: describe(other),
          exchanges: [usual, other],
        });
      else await judgeSecondFormLeads(check, base, [usual, other]);
    }
    const unknown = await check.ask({ base, path: `/v1/units/${check.fresh('unknown unit')}` });
    const nobody = await check.ask({ base, path: '/v1/units', as: null });
    const firstForm = [
      first,
      deals,
      await check.ask({ path: paths.unit(check.fresh('unknown unit')) }),
      await check.ask({ path: paths.units, as: null }),
      ...leads.slice(0, 1),
    ];
    const secondForm = [page.exchange, otherDeals, unknown, nobody, ...leads.slice(1)];
    for (const [at, exchange] of secondForm.entries()) {
      // What is wrong under both forms is the envelope's own breach.
      const known = new Set(
        firstForm
          .slice(at, at + 1)
          .flatMap(judgeEnvelope)
          .map((one) => one.id),
      );
      for (const fault of judgeEnvelope(exchange).filter((one) => one.severity === 'breach' && !known.has(one.id))) {
        check.breach({
          expected: `${fault.expected} at API_BASE_URL too`,
          actual: fault.actual,
          exchanges: [exchange],
        });
      }
    }
    if (check.breaches.length === 0 && mine.size === 0 && dealsIn(dataOf(deals)).length === 0)
      return check.blocked('the tenant has no unit and no deal to be looked for at API_BASE_URL: seed at least one');
  },
);

test('an unknown version is not served as v1', requirement('VER-02', 'OBSERVE', '§9'), async ({ check }) => {
  check.need('API_KEY');
  for (const version of ['v2', 'v0']) {
    const exchange = await check.ask({ path: `/api/${version}/units`, surface: 'other', as: 'API_KEY' });
    const served = asArray(dataOf(exchange)?.['items']) !== null;
    check.observe(
      `What does /api/${version}/units answer?`,
      served ? `${exchange.response.status} with a unit list` : String(exchange.response.status),
    );
  }
});
