import type { Exchange, HeaderLine } from '../http/exchange.js';
import type { Check, Wanted } from '../run/check.js';
import { dataOf } from './envelope.js';
import { asObject } from './json.js';
import { paths } from './paths.js';
import { idOf, readPage, someUnitIds, unitsIfReadable } from './units.js';

/** A unit that the caller's tenant has: another tenant's may rightly be unknown to it. */
async function unitFor(check: Check, wish: Pick<Wanted, 'as' | 'tenant'>): Promise<string | undefined> {
  if (wish.as !== 'OTHER_API_KEY') {
    // A service may take leads only for units that are for sale.
    const forSale = (await unitsIfReadable(check)).find((unit) => asObject(unit)?.['status'] === 'available');
    return idOf(forSale) ?? (await someUnitIds(check, 1))[0];
  }
  const page = await check.once("the other tenant's first units", () =>
    readPage(check, { as: 'OTHER_API_KEY', tenant: check.target.otherTenant, limit: 50 }),
  );
  const units = page.items ?? [];
  const forSale = units.find((unit) => asObject(unit)?.['status'] === 'available');
  return idOf(forSale) ?? units.map(idOf).find((id) => id !== null) ?? undefined;
}

/** A lead that the specification allows, with a name no other lead has, for a unit of the tenant that `wish` speaks for. */
export async function plainLead(
  check: Check,
  wish: Pick<Wanted, 'as' | 'tenant'> = {},
): Promise<{ name: string; phone: string; vehicleId: string }> {
  const vehicleId = await unitFor(check, wish);
  const digits = BigInt(`0x${check.fresh('phone').replaceAll('-', '').slice(0, 12)}`);
  // An exchange code of the North American plan starts with 2 to 9 and is no service code.
  const exchange = 200 + Number(digits % 700n);
  const phone = `+1415${exchange % 100 === 11 ? exchange + 1 : exchange}${String((digits / 700n) % 10_000n).padStart(4, '0')}`;
  return {
    name: `Conformance ${check.fresh('lead').slice(0, 13)}`,
    phone,
    vehicleId: vehicleId ?? check.fresh('no unit'),
  };
}

/** Creates a lead the way the specification shows it; a fresh idempotency key unless given. */
export async function postLead(
  check: Check,
  lead: unknown,
  wish: Partial<Wanted> & { readonly key?: string | null } = {},
): Promise<Exchange> {
  const { key = check.fresh('idempotency key'), headers = [], ...rest } = wish;
  const sent: HeaderLine[] = [...(key === null ? [] : [['idempotency-key', key] as const]), ...headers];
  const post = (): Promise<Exchange> =>
    check.send({
      method: 'POST',
      path: paths.leads,
      ...(rest.body === undefined ? { json: lead } : {}),
      ...rest,
      headers: sent,
    });
  const exchange = await post();
  // Where the answer was lost on the way, the key makes it safe to ask again: that is what it is for.
  return exchange.failure?.kind === 'reset' && key !== null ? post() : exchange;
}

/** The lead in an answer, flat in `data` or nested one level down; null where the answer shows none. */
export function leadIn(exchange: Exchange): Record<string, unknown> | null {
  const data = dataOf(exchange);
  if (data === null) return null;
  const nested =
    asObject(data['lead']) ??
    Object.values(data)
      .map(asObject)
      .find((one) => one !== null && ('id' in one || 'phone' in one));
  return 'phone' in data || 'name' in data ? data : (nested ?? data);
}

/** What tells one lead's record from another: an id of any usual spelling, as text; null where there is none. */
export function recordId(record: Record<string, unknown> | null): string | null {
  for (const name of ['id', 'leadId', 'lead_id', 'uuid', '_id']) {
    const value = record?.[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return null;
}

/** The id of the lead in an answer; null where it shows none. */
export function leadId(exchange: Exchange): string | null {
  return recordId(leadIn(exchange)) ?? recordId(dataOf(exchange));
}
