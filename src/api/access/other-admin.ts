import { type Exchange, ownWords } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { isRefusal, isSuccess, mayMean, paths, quote } from '../../service/index.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { createUnit } from '../units/unit-creation.js';
import { unitsOnOffer } from '../units/known-units.js';

/** Blocks a check of two tenants where the answer refuses the second key, for one reason whatever was asked. */
export function blockRefusedKey(check: Check, exchange: Exchange): void {
  if (![401, 403].includes(exchange.response?.status ?? 0)) return;
  const { otherTenant } = check.target;
  check.blocked(
    `OTHER_API_KEY${otherTenant === null ? '' : ' with OTHER_TENANT'} is refused with "${ownWords(exchange)}": is it a full-access key of this service${otherTenant === null ? '' : ' and of that tenant'}?`,
  );
}

/** The second tenant's key has full access, too: what API_KEY may do in its tenant, it may do in its own. */
export async function judgeOtherAdmin(check: Check): Promise<void> {
  if (check.target.keys['OTHER_API_KEY'] === undefined) return;
  const { contract } = await check.contract();
  const other = { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } as const;
  const lists = [paths.units, paths.deals, paths.leads].filter(
    (path) => path !== paths.leads || contract.operation('GET', path) !== null,
  );
  const answers: { readonly path: string; readonly exchange: Exchange }[] = [];
  for (const path of lists) answers.push({ path, exchange: await check.send({ ...other, path }) });
  // A key that may do nothing is no key with full access: the settings have to change.
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
    check.fail({
      code: 'other-key-refused',
      expected: `OTHER_API_KEY, with full access to its tenant, to be able to read ${path}`,
      actual: `${describe(again)}: ${quote(again.response?.json)}`,
      exchanges: [own, admitted, again],
    });
  }
  if (!check.target.readOnly) await judgeOtherLeads(check);
}

/** Ordinary leads of the second tenant, each for another unit of its own, that are refused before that counts. */
const mostRefusals = 4;

/** The second tenant's key may create leads for units of its own, where API_KEY may: a refusal for reasons of one lead is not repeated by four. */
async function judgeOtherLeads(check: Check): Promise<void> {
  const other = { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } as const;
  if ((await unitsOnOffer(check, other)).length === 0) return;
  const refused: Exchange[] = [];
  for (let tries = 0; tries < mostRefusals; tries += 1) {
    const exchange = await postLead(check, await plainLead(check, other), other);
    if (!isRefusal(exchange) || [402, 429].includes(exchange.response?.status ?? 0)) return;
    refused.push(exchange);
  }
  // Each of its units may have as many leads as it takes: then only a new one tells.
  if (refused.some((one) => mayMean(one, 409))) {
    const unit = await createUnit(check, other.as, other.tenant);
    if (unit === null) return;
    const exchange = await postLead(check, await plainLead(check, other, unit), other);
    if (!isRefusal(exchange)) return;
    refused.push(exchange);
  }
  const own = await postLead(check, await plainLead(check));
  const last = refused.at(-1);
  if (!isSuccess(own) || last === undefined) return;
  check.fail({
    code: 'other-leads-refused',
    expected: 'OTHER_API_KEY, with full access to its tenant, to be able to create leads for units of its own',
    actual: `all of ${refused.length} ordinary leads were refused, the last with ${describe(last)}: ${quote(last.response?.json)}`,
    exchanges: [own, ...refused],
  });
}
