import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { isSuccess, mayMean } from './envelope.js';
import { quote } from './json.js';
import { paths } from './paths.js';

/** The second tenant's key has full access, too: what API_KEY may read of its tenant, it may read of its own. */
export async function judgeOtherAdmin(check: Check): Promise<void> {
  if (check.target.keys['OTHER_API_KEY'] === undefined) return;
  const { contract } = await check.contract();
  const other = { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } as const;
  const lists = [paths.units, paths.deals, paths.leads].filter(
    (path) => path !== paths.leads || contract.operation('GET', path) !== null,
  );
  const answers: { readonly path: string; readonly exchange: Exchange }[] = [];
  for (const path of lists) answers.push({ path, exchange: await check.send({ ...other, path }) });
  // A key that may do nothing is no key with full access: that is for the settings to mend.
  const admitted = answers.find(({ exchange }) => isSuccess(exchange))?.exchange;
  if (admitted === undefined) return;
  for (const { path, exchange } of answers) {
    const { query, headers } = await check.required({ path });
    // A required value may be the id of a record of the first tenant: then a failure under 200 may mean that there is none.
    const needsValues = query.length + headers.length > 0;
    if (needsValues ? ![401, 403].includes(exchange.response?.status ?? 0) : !mayMean(exchange, 401, 403)) continue;
    const own = await check.send({ path });
    const again = await check.send({ ...other, path });
    if (!isSuccess(own) || !mayMean(again, 401, 403)) continue;
    check.breach({
      expected: `OTHER_API_KEY, with full access to its tenant, to be able to read ${path}`,
      actual: `${describe(again)}: ${quote(again.response?.json)}`,
      exchanges: [own, admitted, again],
    });
  }
}
