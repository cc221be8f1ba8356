import { describe, type Check } from '../../run/check.js';
import { dealsIn } from '../deals/deals.js';
import { dataOf, isSuccess, mayMean } from '../../service/envelope.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { paths } from '../../service/paths.js';
import { createUnit, removeUnit, unitCreation } from '../units/unit-creation.js';
import { otherForms, type AddressForm } from '../../settings/address-forms.js';
import { scopedKeys } from './scopes.js';

const lists = { inventory: paths.units, deals: paths.deals, leads: paths.leads } as const;

/** Scopes hold at API_BASE_URL, too, where that form is configured: no key lists, or writes, what it is not for. */
export async function judgeSecondFormScopes(check: Check): Promise<void> {
  const [form] = otherForms(check.target);
  if (form === undefined) return;
  for (const { name, scope } of scopedKeys(check.target)) {
    for (const [resource, path] of Object.entries(lists)) {
      // Whether writing implies reading is left open.
      if (scope.endsWith(`:${resource}`)) continue;
      const exchange = await check.send({ as: name, form, path });
      if (!isSuccess(exchange) || dealsIn(dataOf(exchange)).length === 0) continue;
      check.fail({
        expected: `a ${scope} key not to be shown ${path} at API_BASE_URL`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
    }
  }
  if (!check.target.readOnly) await judgeSecondFormWrites(check, form);
}

/** A key that reads leads creates none, and one that reads units changes none; where there is no such key, another without the scope. */
async function judgeSecondFormWrites(check: Check, form: AddressForm): Promise<void> {
  const keys = scopedKeys(check.target);
  const without = (resource: string): (typeof keys)[number] | undefined =>
    keys.find(({ scope }) => scope === `read:${resource}`) ?? keys.find(({ scope }) => scope !== `write:${resource}`);
  const [forLeads, forUnits] = [without('leads'), without('inventory')];
  if (forLeads !== undefined) {
    const exchange = await postLead(check, await plainLead(check), { as: forLeads.name, form });
    if (isSuccess(exchange))
      check.fail({
        expected: `a ${forLeads.scope} key not to be able to create a lead at API_BASE_URL`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  }
  const creation = forUnits === undefined ? null : await unitCreation(check);
  const id = creation === null ? null : await createUnit(check);
  if (forUnits === undefined || creation === null || id === null) return;
  const { contract } = await check.contract();
  const path = paths.unit(id);
  if (contract.operation('PATCH', path) !== null) {
    const exchange = await check.send({ path, form, as: forUnits.name, method: 'PATCH', json: creation.patch(check) });
    if (isSuccess(exchange))
      check.fail({
        expected: `a ${forUnits.scope} key not to be able to update a unit at API_BASE_URL`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  }
  await removeUnit(check, id);
}

/** What a reading key lists at BASE_URL it lists at API_BASE_URL, where the full-access key does. */
export async function judgeSecondFormGrants(check: Check): Promise<void> {
  const [form] = otherForms(check.target);
  if (form === undefined) return;
  for (const { name, scope } of scopedKeys(check.target)) {
    const path = Object.entries(lists).find(([resource]) => scope === `read:${resource}`)?.[1];
    if (path === undefined) continue;
    const refused = await check.send({ as: name, form, path });
    if (!mayMean(refused, 401, 403)) continue;
    const first = await check.send({ as: name, path });
    const full = await check.send({ form, path });
    const again = await check.send({ as: name, form, path });
    if (![first, full].every(isSuccess) || !mayMean(again, 401, 403)) continue;
    check.fail({
      expected: `a ${scope} key to be shown ${path} at API_BASE_URL, as at BASE_URL`,
      actual: describe(again),
      exchanges: [first, full, again],
    });
  }
}
