import { changeableLead, changeOf } from '../api/index.js';
import type { Check } from '../run/index.js';
import { recordIn, sameJson } from '../service/index.js';
import { watchEffects } from './effects.js';

/** After a successful PATCH of a lead, reads show the new value, and the old ones of what it does not name. */
export async function judgeLeadChange(check: Check): Promise<void> {
  const owner = { as: 'API_KEY', tenant: check.target.tenant } as const;
  const lead = await changeableLead(check, owner);
  const before = await lead?.look();
  if (lead === null || before == null) return;
  const one = async () => (await lead.look()) ?? { exchange: before.exchange, record: null };
  const leads = await watchEffects(check, {
    noun: 'lead',
    one,
    list: null,
    available: null,
    isDeclared: () => false,
    isSetByService: () => false,
    others: [],
  });
  const change = await changeOf(check, lead, before.record);
  if (change === null) return;
  leads.created(lead.id, lead.sent, lead.created, before.record);
  const changed = await check.send({ ...owner, method: 'PATCH', path: change.path, json: change.body });
  // An answer that shows the old value does not claim the new one.
  if (sameJson(recordIn(changed)?.[change.field], before.record[change.field])) return;
  leads.changed(lead.id, { [change.field]: change.value }, changed);
  await leads.judge();
}
