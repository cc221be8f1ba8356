import { isEmpty, isSuccessWithData } from '../../expect/index.js';
import { type Check, describe } from '../../run/index.js';
import { type KeyName, otherForms } from '../../settings/index.js';
import { asObject, idOf, isSuccess, paths, persistent, quote, readPage, walk } from '../../service/index.js';
import { blockUnknown, whyUnknown } from '../access/scopes.js';
import * as demoApi from '../demo.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { mayLeaveOutTenant, requireTenant } from '../places.js';
import { variedIds } from './known-units.js';

/** Lists units with and without X-Tenant, as both are shown: each shows the same tenant. */
export async function listWithoutTenant(check: Check): Promise<void> {
  const { tenant, keys } = check.target;
  const list = (sent: string | null, as: KeyName = 'API_KEY') => readPage(check, { limit: 50, tenant: sent, as });
  check.expect((await list(tenant)).exchange, isSuccessWithData);
  const without = await list(null);
  // A document that requires the header says that it cannot be left out as one of the examples does.
  const { contract } = await check.contract();
  if (requireTenant([contract.operation('GET', paths.units)]))
    return void check.recommend(without.exchange, isSuccessWithData);
  if (!check.expect(without.exchange, isSuccessWithData)) return;
  const look = async (round: number): Promise<readonly string[]> =>
    (round === 0 ? without : await list(null)).items?.length === 0
      ? ((await list(tenant)).items ?? []).map(String)
      : [];
  const words = (ids: readonly string[]): string => `none without it, ${ids.length} with it`;
  const isSame = isEmpty('tenant-needed', 'the same units with and without X-Tenant', words);
  if (!check.expect(without, isSame, await persistent(check, look))) return;
  const reader = keys.API_KEY_READ_INVENTORY && 'API_KEY_READ_INVENTORY';
  if (reader && (await list(tenant, reader)).items)
    check.expect((await list(null, reader)).exchange, isSuccessWithData);
}

const as: KeyName = 'API_KEY_READ_INVENTORY';
export const noPersonalData = 'no personal data under read:inventory';

/** Reads all that shows units to a read:inventory key or to everybody, also after a person has asked for one. */
export async function readAsReader({ check }: { readonly check: Check }): Promise<void> {
  const { items, pages, stopped } = await walk(check, { as, limit: 50, maxPages: 12 });
  if (pages[0]?.items === null) {
    if ((await whyUnknown(check, as)) !== null) await blockUnknown(check, [as]);
    return check.blocked(`the read:inventory key cannot list units (see AUTH-02): ${stopped ?? ''}`);
  }
  if (items.length === 0) return check.blocked('the read:inventory key sees no unit: seed at least one');
  await readUnitsOtherwise(check, items);
  await demoApi.read(check, [['limit', '50']]);
  if (!check.target.readOnly) await judgeLeadEcho(check, items);
}

/** Reads the units as the key sees them outside the list: by id, by status, and both at API_BASE_URL; every other time without X-Tenant. */
async function readUnitsOtherwise(check: Check, items: readonly unknown[]): Promise<void> {
  const mayLeaveOut = await mayLeaveOutTenant(check);
  const asked = (at: number) => (mayLeaveOut && at % 2 === 1 ? { as, tenant: null } : { as });
  for (const [at, id] of variedIds(items, 18, check.run.seed).entries())
    await check.send({ ...asked(at), path: paths.unit(id) });
  const statuses = new Set(items.map((item) => asObject(item)?.['status']).filter((one) => typeof one === 'string'));
  for (const [at, status] of [...statuses].slice(0, 6).entries())
    await readPage(check, { ...asked(at), query: [['status', status]], limit: 50 });
  for (const form of otherForms(check.target)) {
    await readPage(check, { as, form, limit: 50 });
    for (const id of variedIds(items, 3, check.run.seed)) await check.send({ as, form, path: paths.unit(id) });
  }
}

/** A person who asks for a unit must not show up on it. */
async function judgeLeadEcho(check: Check, items: readonly unknown[]): Promise<void> {
  const unit = items.map(idOf).find((id) => id !== null);
  if (unit == null) return;
  const lead = { ...(await plainLead(check)), vehicleId: unit };
  if (!isSuccess(await postLead(check, lead))) return;
  const { exchange: list } = await readPage(check, { as, limit: 50 });
  for (const exchange of [await check.send({ as, path: paths.unit(unit) }), list]) {
    const text = [lead.name, lead.phone].find((one) => exchange.response?.text?.includes(one) === true);
    if (text !== undefined)
      check.fail({
        code: 'lead-data',
        expected: noPersonalData,
        actual: `${describe(exchange)} shows ${quote(text)}, of a lead for that unit`,
        exchanges: [exchange],
      });
  }
}
