import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { isSuccess } from './envelope.js';
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
    if (![401, 403].includes(exchange.response?.status ?? 0)) continue;
    const own = await check.send({ path });
    const again = await check.send({ ...other, path });
    if (!isSuccess(own) || ![401, 403].includes(again.response?.status ?? 0)) continue;
    check.breach({
      expected: `OTHER_API_KEY, with full access to its tenant, to be able to read ${path}`,
      actual: `${describe(again)}: ${quote(again.response?.json)}`,
      exchanges: [own, admitted, again],
    });
  }
}
