import { type Check, describe } from '../../run/index.js';
import { type KeyName, otherForms } from '../../settings/index.js';
import { asObject, idOf, isSuccess, paths, quote, readPage, usualLimit } from '../../service/index.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { mayLeaveOutTenant } from '../places.js';
import { variedIds } from './known-units.js';

export const noPersonalDataText = 'no personal data under read:inventory';

/** Reads the units as a key sees them outside the list: by id, by status, and both at API_BASE_URL; every other time without X-Tenant. */
export async function readUnitsOtherwise(check: Check, as: KeyName, items: readonly unknown[]): Promise<void> {
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
export async function judgeLeadEcho(check: Check, as: KeyName, items: readonly unknown[]): Promise<void> {
  const unit = items.map(idOf).find((id) => id !== null);
  if (unit == null) return;
  const lead = { ...(await plainLead(check)), vehicleId: unit };
  if (!isSuccess(await postLead(check, lead))) return;
  const seen = [
    await check.send({ as, path: paths.unit(unit) }),
    await check.send({ as, path: paths.units, query: [['limit', String(await usualLimit(check))]] }),
  ];
  for (const exchange of seen) {
    const text = [lead.name, lead.phone].find((one) => exchange.response?.text?.includes(one) === true);
    if (text !== undefined)
      check.fail({
        code: 'lead-data',
        expected: noPersonalDataText,
        actual: `${describe(exchange)} shows ${quote(text)}, of a lead for that unit`,
        exchanges: [exchange],
      });
  }
}
