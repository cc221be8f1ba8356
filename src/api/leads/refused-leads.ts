import type { Exchange } from '../../http/index.js';
import { type Check, describe, type RequestOptions } from '../../run/index.js';
import { asObject, idOf, isRefusal, isSuccess, mayMean, paths, quote, recordIn, walk } from '../../service/index.js';
import { sentLead } from './leads.js';
import { unitsIfReadable, unitsOnOffer } from '../units/known-units.js';

/** Ids of units that were sold or withdrawn while this run had leads refused for them, and of those that a lead was refused for as conflicting: each may take some leads only. */
export function refusedVehicles(check: Check): Promise<{ readonly sold: Set<string>; readonly busy: Set<string> }> {
  return check.once('vehicles that leads were refused for', () =>
    Promise.resolve({ sold: new Set(), busy: new Set() }),
  );
}

/** Records how the service answered a lead for this unit. */
export async function noteVehicle(check: Check, vehicleId: unknown, exchange: Exchange): Promise<void> {
  // Requests that are not repeated when evidence is graded must not decide what other checks get.
  if (['LIMIT', 'HOOK'].includes(check.entry.section)) return;
  if (typeof vehicleId === 'string' && mayMean(exchange, 409)) (await refusedVehicles(check)).busy.add(vehicleId);
}

/** The unit that a refused lead is for; null for any other exchange. */
function refusedVehicle(exchange: Exchange): string | null {
  const id = sentLead(exchange)?.['vehicleId'];
  return typeof id === 'string' && mayMean(exchange, 400, 404, 409, 410, 422) ? id : null;
}

/**
 * The current status of a unit, from the single-unit operation or else from the list; null where the unit is gone, undefined where it
 * cannot be determined.
 */
async function statusNow(check: Check, id: string, caller: Pick<RequestOptions, 'as' | 'tenant'>): Promise<unknown> {
  const single = recordIn(await check.send({ path: paths.unit(id), ...caller }), id);
  if (single !== null) return single['status'];
  const { items, complete } = await walk(check, { ...caller, limit: 50, maxPages: 12 });
  const listed = asObject(items.find((item) => idOf(item) === id));
  if (listed !== null) return listed['status'];
  // Only a whole list shows that a unit is gone.
  return complete ? null : undefined;
}

/** Whether the exchange is a lead that was refused for a unit which is gone by now, or has another status than when the units were listed. */
export async function isRefusedForSold(check: Check, exchange: Exchange): Promise<boolean> {
  const id = refusedVehicle(exchange);
  if (id === null) return false;
  const { sold } = await refusedVehicles(check);
  if (sold.has(id)) return true;
  const isOther = exchange.request.credential === 'OTHER_API_KEY';
  const caller = isOther ? ({ as: 'OTHER_API_KEY', tenant: check.target.otherTenant } as const) : {};
  const known = [...(await unitsOnOffer(check, caller)), ...(isOther ? [] : await unitsIfReadable(check))];
  const before = asObject(known.find((unit) => idOf(unit) === id));
  if (before === null) return false;
  // One of two machines may not know of the sale yet.
  for (let reading = 1; reading <= 2; reading += 1) {
    const now = await statusNow(check, id, caller);
    if (now === undefined || now === before['status']) continue;
    sold.add(id);
    return true;
  }
  return false;
}

/** Leads that are tried before a refusal counts, and vehicles before a conflict does: others may have left leads open for the first ones. */
const [mostTries, mostVehicles] = [3, 6];

/** Sends a lead, and another one where its vehicle may be taken or sold by now, or its phone be one that the service does not want. */
export async function postPatiently(check: Check, post: () => Promise<Exchange>): Promise<Exchange> {
  for (let [refused, busy] = [0, 0]; ;) {
    const exchange = await post();
    if (!mayMean(exchange, 400, 404, 409, 410, 422)) return exchange;
    if (exchange.response?.status === 409) busy += 1;
    else refused += 1;
    if (refused === mostTries || busy === mostVehicles) return exchange;
    await isRefusedForSold(check, exchange);
  }
}

/**
 * Whether the very same body made a lead before: then its values are no reason to refuse a replay. A later success under the same key may be
 * the answer to another body, which some services repeat.
 */
async function wasAccepted(check: Check, { request }: Exchange): Promise<boolean> {
  const { body } = request;
  if (body === null) return false;
  const made = (await check.run.exchanges()).filter((one) => one.request.method === 'POST' && isSuccess(one));
  const isFirst = (one: Exchange): boolean => {
    const key = keyOf(one);
    return key === null || made.find((other) => keyOf(other) === key) === one;
  };
  return made.some((one) => one.request.body?.equals(body) === true && isFirst(one));
}

/** Whose create this was, of what, and its idempotency key; null where it has none. */
function keyOf({ request: { credential, url, headers } }: Exchange): string | null {
  const key = headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  return key === undefined ? null : JSON.stringify([credential, url, key]);
}

/** Whether a refused lead, ordinary and accepted nowhere in this run, is refused under another key as well: then its own values are the reason. */
async function isRefusedForItself(check: Check, exchange: Exchange): Promise<boolean> {
  const { body, path, credential } = exchange.request;
  if (refusedVehicle(exchange) === null || body === null || (await wasAccepted(check, exchange))) return false;
  const { name, phone } = sentLead(exchange) ?? {};
  if (typeof name !== 'string' || name === '' || typeof phone !== 'string' || !phone.startsWith('+')) return false;
  const isOther = credential === 'OTHER_API_KEY';
  const again = await check.send({
    method: 'POST',
    path: path.split('?', 1)[0] ?? '',
    body,
    headers: [
      ['content-type', 'application/json'],
      ['idempotency-key', check.fresh('key of a refused lead')],
    ],
    ...(isOther ? { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } : {}),
  });
  return isRefusal(again);
}

/** Why a run cannot go on after an ordinary lead was refused: the service's own words, and the setting that helps. */
export function refusedLead({ target }: Check, exchange: Exchange): string {
  const remedy =
    target.leadBody === null
      ? isRefusal(exchange)
        ? '; if the service asks for more than its document says, name a file with a body that it accepts in LEAD_BODY'
        : ''
      : '; it has the fields of LEAD_BODY, with a name and a phone of its own';
  return `${describe(exchange)} ${quote(exchange.response?.json)}${remedy}`;
}

/** The last requests of a blocked check among which is why it could not go on. */
const lastRequests = 3;

/**
 * Why a failed or blocked check is not the service's fault: each failure, or one of the last requests of a blocked check, is a lead refused
 * because its unit was sold meanwhile or (where keys are judged) because of its own values. Null otherwise.
 */
export async function explainRefusals(
  check: Check,
  failures: readonly (readonly Exchange[])[],
): Promise<string | null> {
  const own = async (): Promise<readonly Exchange[]> =>
    (await check.run.exchanges()).filter(({ asker }) => asker === check.entry.id).slice(-lastRequests);
  let reason: string | null = null;
  for (const exchanges of failures.length > 0 ? failures : [await own()]) {
    let explained: string | null = null;
    for (const exchange of exchanges) {
      if (refusedVehicle(exchange) === null || (await wasAccepted(check, exchange))) continue;
      if (await isRefusedForSold(check, exchange))
        explained = `the unit ${quote(refusedVehicle(exchange))} was sold or withdrawn meanwhile`;
      else if (check.entry.section === 'IDEM' && (await isRefusedForItself(check, exchange)))
        explained = 'the same lead is refused under another key, too';
      if (explained === null) continue;
      reason = `${describe(exchange)} may have another reason: ${explained}`;
      break;
    }
    if (explained === null) return null;
  }
  return reason;
}
