import { dataOf, isSuccess } from '../src/api/envelope.js';
import { quote } from '../src/api/json.js';
import { dealPages } from '../src/api/deals.js';
import { dealsById } from '../src/api/deals-by-id.js';
import { judgeDeal } from '../src/contract/judge-records.js';
import { describe, requirement, test } from '../src/suite.js';

test(
  'the deals resource answers with an envelope',
  requirement('DEAL-01', 'MUST', '§4.6, §2 Envelope'),
  async ({ check }) => {
    check.need('API_KEY');
    const { contract } = await check.contract();
    const operations = contract.operations.filter((operation) => operation.role === 'deals');
    if (operations.length > 0 && !operations.some((operation) => operation.method === 'GET')) {
      return check.notApplicable(
        `the document declares no GET on deals, only ${operations.map((operation) => operation.method).join(', ')}`,
      );
    }
    const exchange = await check.ask({ path: '/api/v1/deals' });
    if (!isSuccess(exchange) || dataOf(exchange) === null) {
      check.breach({
        expected: 'a success envelope {ok: true, data: {…}}',
        actual: `${describe(exchange)}: ${quote(exchange.response.json)}`,
        exchanges: [exchange],
      });
    }
  },
);

test(
  'every deal has a string id, and totalGross is a number where it is shown',
  requirement('DEAL-02', 'MUST', '§2 the deal'),
  async ({ check }) => {
    check.need('API_KEY');
    let judged = 0;
    const pages = await dealPages(check);
    for (const { exchange, deals } of pages) {
      for (const deal of deals) {
        judged += 1;
        for (const fault of judgeDeal(deal)) check.breach({ ...fault, exchanges: [exchange] });
      }
    }
    for (const { exchange, deal } of await dealsById(
      check,
      pages.flatMap((page) => page.deals),
    ))
      for (const fault of judgeDeal(deal)) check.breach({ ...fault, exchanges: [exchange] });
    if (judged > 0) return;
    const { contract } = await check.contract();
    const operations = contract.operations.filter((operation) => operation.role === 'deals');
    if (operations.length > 0 && !operations.some((operation) => operation.method === 'GET'))
      return check.notApplicable('the document declares no GET on deals');
    const [first] = pages;
    if (first !== undefined && isSuccess(first.exchange) && dataOf(first.exchange) !== null)
      return check.notApplicable('the tenant has no deals: seed at least one for them to be judged');
    return check.blocked('no deals could be read (see DEAL-01)');
  },
);
