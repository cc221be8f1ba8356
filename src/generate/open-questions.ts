import { dataOf } from '../api/envelope.js';
import { postLead } from '../api/leads.js';
import type { Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { accepted, openDesk, type LeadDesk } from './lead-desk.js';
import { isRealPhone } from './phones.js';
import { visibleJson } from './visible-json.js';

/** LEAD-06: a phone without its leading plus is no international number. */
export async function judgeMissingPlus(check: Check): Promise<void> {
  const desk = await openDesk(check, 'LEAD-06');
  const plain = await desk.plain();
  if (!accepted(plain)) return check.blocked(`a plain lead is not taken (see LEAD-01): ${describe(plain)}`);
  const lead = await fresh(desk);
  const whole = String(lead['phone']);
  for (const phone of [whole.replace(/^\+/, ''), ...(isRealPhone(whole) ? ['4915123456789'] : [])]) {
    const exchange = await desk.post({
      ...(await desk.freshen({ lead: { ...lead, phone }, field: 'phone', label: '', strength: 'open' })),
    });
    if (accepted(exchange)) {
      check.breach({
        expected: `4xx for the phone ${visibleJson(phone)}, which lacks the leading plus`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
      return;
    }
  }
}

/** LEAD-08: what the specification leaves open about leads, as seen. */
export async function observeLeads(check: Check): Promise<void> {
  const desk = await openDesk(check, 'LEAD-08');
  const plain = await desk.plain();
  if (!accepted(plain)) return check.blocked(`a plain lead is not taken (see LEAD-01): ${describe(plain)}`);
  await observeRequired(check, desk);
  const made = check.fresh('no such unit');
  const unknown = await desk.post({ ...(await fresh(desk)), vehicleId: made });
  check.observe('What comes of a lead about a unit that does not exist?', seen(unknown));
  const extra = await desk.post({ ...(await fresh(desk)), undeclaredField: 'x' });
  const kept = accepted(extra) && JSON.stringify(dataOf(extra) ?? {}).includes('undeclaredField');
  check.observe(
    'What comes of a field that nobody declared?',
    `${seen(extra)}${accepted(extra) ? (kept ? ', and shown again' : ', and not shown again') : ''}`,
  );
  check.observe(
    'What comes of a create without an idempotency key?',
    seen(await postLead(check, await fresh(desk), { key: null })),
  );
}

async function observeRequired(check: Check, desk: LeadDesk): Promise<void> {
  const required: string[] = [];
  const optional: string[] = [];
  for (const field of ['name', 'phone', 'vehicleId']) {
    const lead = Object.fromEntries(Object.entries(await fresh(desk)).filter(([name]) => name !== field));
    (accepted(await desk.post(lead)) ? optional : required).push(field);
  }
  check.observe(
    'Which fields of a lead are required?',
    `required: ${required.join(', ') || 'none'}; may be left out: ${optional.join(', ') || 'none'}`,
  );
}

async function fresh(desk: LeadDesk): Promise<Record<string, unknown>> {
  return { ...(await desk.freshen({ lead: desk.maker.base, field: '', label: '', strength: 'must' })) };
}

function seen(exchange: Exchange): string {
  return accepted(exchange)
    ? `taken (${String(exchange.response?.status ?? 0)})`
    : `refused (${String(exchange.response?.status ?? 'no answer')})`;
}
