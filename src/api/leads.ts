import type { Exchange, HeaderLine } from '../http/exchange.js';
import type { Check, Wanted } from '../run/check.js';
import { dataOf } from './envelope.js';
import { asObject } from './json.js';
import { paths } from './paths.js';
import { someUnitIds } from './units.js';

/** A lead that the specification allows, with a name no other lead has. */
export async function plainLead(check: Check): Promise<{ name: string; phone: string; vehicleId: string }> {
  const [vehicleId] = await someUnitIds(check, 1);
  const digits = BigInt(`0x${check.fresh('phone').slice(0, 8)}`).toString().padStart(7, '0').slice(-7);
  return { name: `Conformance ${check.fresh('lead').slice(0, 13)}`, phone: `+1415${digits}`, vehicleId: vehicleId ?? check.fresh('no unit') };
}

/** Creates a lead the way the specification shows it; a fresh idempotency key unless given. */
export function postLead(check: Check, lead: unknown, wish: Partial<Wanted> & { readonly key?: string | null } = {}): Promise<Exchange> {
  const { key = check.fresh('idempotency key'), headers = [], ...rest } = wish;
  const sent: HeaderLine[] = [...(key === null ? [] : [['idempotency-key', key] as const]), ...headers];
  return check.send({ method: 'POST', path: paths.leads, ...(rest.body === undefined ? { json: lead } : {}), ...rest, headers: sent });
}

/** The lead in an answer, flat in `data` or nested one level down; null where the answer shows none. */
export function leadIn(exchange: Exchange): Record<string, unknown> | null {
  const data = dataOf(exchange);
  if (data === null) return null;
  const nested = asObject(data['lead']) ?? Object.values(data).map(asObject).find((one) => one !== null && ('id' in one || 'phone' in one));
  return 'phone' in data || 'name' in data ? data : (nested ?? data);
}

/** What tells one lead from another in an answer: an id of any usual spelling, as text; null where there is none. */
export function leadId(exchange: Exchange): string | null {
  const data = dataOf(exchange);
  for (const place of [leadIn(exchange), data]) {
    for (const name of ['id', 'leadId', 'lead_id', 'uuid', '_id']) {
      const value = place?.[name];
      if (typeof value === 'string' || typeof value === 'number') return String(value);
    }
  }
  return null;
}
