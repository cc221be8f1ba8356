import {
  allDeals,
  dataOf,
  dealIds,
  defineRequirement,
  everyItem,
  inWays,
  invariant,
  isDeal,
  isSuccessWithData,
  listing,
  lists,
  ownIds,
  type Check,
  type Page,
  paths,
  relation,
  row,
  singles,
  walk,
} from '../src/suite.js';

/** Ends the check where the document declares operations on deals, and no GET. */
async function needDealList(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const methods = contract.operations.flatMap(({ role, method }) => (role === 'deals' ? [method] : []));
  if (methods.length > 0 && !methods.includes('GET'))
    check.notApplicable(`the document declares no GET on deals, only ${methods.join(', ')}`);
}

export const DEAL_01 = defineRequirement({
  id: 'DEAL-01',
  level: 'MUST',
  source: '§4.6, §2 Envelope',
  title: 'the deals resource answers with an envelope',
  needs: ['API_KEY'],
  optional: 'the specification leaves open which methods deals has',
  body: async ({ check }) => {
    await needDealList(check);
    check.expect(await check.ask({ path: paths.deals }), isSuccessWithData);
  },
});

/** The specification names no operation that reads one deal: a total that differs there is a warning. */
const sameTotals = (count: number) =>
  relation(
    { record: 'deal', where: 'in the list', list: allDeals },
    'alike',
    {
      record: 'deal',
      where: 'by itself',
      single: (id) => ({ path: paths.deal(id) }),
      ids: (check) => dealIds(check, count),
    },
    { grade: (_, { pointer }) => (pointer === '/totalGross' ? 'warn' : 'open') },
  );

export const DEAL_02 = defineRequirement({
  id: 'DEAL-02',
  level: 'MUST',
  source: '§2 the deal',
  title: 'every deal has a string id, and totalGross is a number where it is shown',
  needs: ['API_KEY'],
  optional: 'no operation lists deals',
  body: async ({ check }) => {
    const { pages, items } = await listing(check, allDeals);
    // All deals may be on one page of the usual size: short ones show further pages.
    if (items.length > 2) await walk(check, { path: paths.deals, limit: 2, maxPages: 3 });
    return pages;
  },
  rows: [
    ownIds('deals'),
    sameTotals(4),
    inWays(['second form', 'second tenant', 'scoped key'], sameTotals(1), allDeals),
    row('there is a deal to be judged', async (check, pages: readonly Page[]) => {
      if (pages.some(({ items }) => (items ?? []).length > 0)) return;
      await needDealList(check);
      const [first] = pages;
      if (first === undefined || dataOf(first.exchange) === null)
        return check.blocked('no deals could be read (see DEAL-01)');
      return check.notApplicable('the tenant has no deals: seed at least one for them to be judged');
    }),
  ],
  invariants: [
    invariant('every deal of a list has a string id, and a number totalGross if any', lists('deals'), ({ records }) =>
      everyItem(isDeal)(records ?? []),
    ),
    invariant('so does every deal by itself', singles('deals'), ({ record }) => isDeal(record)),
  ],
});
