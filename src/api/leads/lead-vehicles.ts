import { randomFrom, seedFor } from '../../run/random.js';
import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import { isRefusal, isSuccess, mayMean } from '../../service/envelope.js';
import { asObject } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { busyVehicles, explainRefusals, soldVehicles } from './refused-leads.js';
import { createUnit } from '../units/unit-creation.js';
import { readPage, walk, idOf } from '../../service/list.js';
import { unitsOnOffer } from '../units/known-units.js';

/** Hands out the vehicle of each lead, as a service may allow one open lead per vehicle. */
export interface LeadVehicles {
  /** Whether a second lead for one vehicle is refused. */
  readonly exclusive: boolean;
  /** Undefined where the tenant has no unit. */
  next(check: Check): Promise<string | undefined>;
}

type Caller = Pick<RequestOptions, 'as' | 'tenant'>;

/** How ordinary leads are sent; handed in, as such leads need vehicles. */
export interface OrdinaryLeads {
  post(vehicleId: string): ReturnType<Check['send']>;
  /** From now on, leads have further required texts of their own, or the same ones again; whether there are any. */
  drawTexts(areDrawn: boolean): Promise<boolean>;
}

const isOther = ({ as }: Caller): boolean => as === 'OTHER_API_KEY';

/** Ids of a caller's units in the order of the list: those for sale, or all where none is. */
async function unitIdsOf(check: Check, caller: Caller): Promise<readonly string[]> {
  return (await unitsOnOffer(check, caller)).map(idOf).filter((id): id is string => id !== null && id !== '');
}

/** Vehicles to try for the first two leads: more where others may have left leads open. */
const firstTries = 4;

/** Whether a vehicle takes one lead only: the second of two ordinary leads for it is refused, or every lead with a conflict. */
function takesOneLead(check: Check, units: readonly string[], leads: OrdinaryLeads): Promise<boolean> {
  return check.once('leads for one vehicle', async () => {
    const statuses: number[] = [];
    // What was refused for its vehicle, or for a further text that an earlier lead has: the text is tried first.
    const post = async (unit: string): Promise<Exchange> => {
      const exchange = await leads.post(unit);
      if (!mayMean(exchange, 400, 409, 422) || !(await leads.drawTexts(true))) return exchange;
      const again = await leads.post(unit);
      if (!isSuccess(again)) await leads.drawTexts(false);
      return again;
    };
    for (const unit of check.target.readOnly ? [] : units.slice(0, firstTries)) {
      const first = await post(unit);
      statuses.push(mayMean(first, 409) ? 409 : (first.response?.status ?? 0));
      if (!isSuccess(first)) continue;
      const second = await post(unit);
      return isRefusal(second) && second.response?.status !== 429;
    }
    return statuses.length > 0 && statuses.every((status) => status === 409);
  });
}

/** Vehicles that the declared list of leads shows in a lead; null where no such list can be read to its end. */
async function vehiclesWithLeads(check: Check, caller: Caller): Promise<ReadonlySet<unknown> | null> {
  const { contract } = await check.contract();
  if (contract.operation('GET', paths.leads) === null) return null;
  const { items, complete } = await walk(check, { ...caller, path: paths.leads, limit: 50, maxPages: 12 });
  return complete ? new Set(items.map((item) => asObject(item)?.['vehicleId'])) : null;
}

/** The vehicles for leads of a caller, shared by all checks of a run. */
export function leadVehicles(check: Check, caller: Caller, leads: OrdinaryLeads): Promise<LeadVehicles> {
  return check.once(`vehicles for leads of ${isOther(caller) ? 'the other tenant' : 'the tenant'}`, async () => {
    if (!check.run.failureControls.includes(explainRefusals)) check.run.failureControls.push(explainRefusals);
    const given = isOther(caller) ? undefined : check.target.leadBody?.['vehicleId'];
    const listed = await unitIdsOf(check, caller);
    // The vehicle of LEAD_BODY is one that takes leads.
    const units = typeof given === 'string' ? [given, ...listed.filter((id) => id !== given)] : listed;
    const exclusive = await takesOneLead(check, isOther(caller) ? [] : units, leads);
    const taken = exclusive ? await vehiclesWithLeads(check, caller) : null;
    const random = randomFrom(seedFor(check.run.seed, 'vehicles for leads'));
    // The first ones have leads by now, whether the list shows them already or not.
    const untried = units.slice(firstTries);
    const free = taken === null ? [] : untried.filter((id) => !taken.has(id)).sort(() => random() - 0.5);
    const own = isOther(caller) ? { ...caller, tenant: check.target.otherTenant } : caller;
    // Load and the causes of events are not sent again when evidence is graded: what they take must not decide what the checks after it get.
    const turns = { load: 0, checks: 0 };
    // Units that are refused for what is in them may come in a row.
    let refused = 0;
    return {
      exclusive,
      async next(asking) {
        const side = ['LIMIT', 'HOOK'].includes(asking.entry.section) ? 'load' : 'checks';
        if (typeof given === 'string' && !exclusive) return given;
        const known = side === 'load' ? free.shift() : free.pop();
        if (known !== undefined) return known;
        // One may be refused for what is in it.
        const create = (): Promise<string | null> => createUnit(asking, caller.as ?? 'API_KEY', caller.tenant);
        const creates = exclusive && refused < 3;
        const made = creates ? ((await create()) ?? (await create()) ?? (await create())) : null;
        refused = made === null ? refused + 1 : 0;
        if (made !== null) return made;
        const [sold, busy] = [await soldVehicles(asking), await busyVehicles(asking)];
        if (sold.size > 0) {
          const onOffer = { ...own, query: [['status', 'available']] as const, limit: 50 };
          const unsold = (items: readonly unknown[] | null): string[] =>
            (items ?? []).map(idOf).filter((id): id is string => id !== null && id !== '' && !sold.has(id));
          let ids = unsold((await readPage(asking, onOffer)).items);
          // A page of a filtered list may be empty though more follow.
          if (ids.length === 0) ids = unsold((await walk(asking, { ...onOffer, maxPages: 12 })).items);
          const picked = ids[Math.floor(random() * ids.length)];
          if (picked !== undefined) return picked;
        }
        for (let skipped = 0; ; skipped += 1) {
          const id = units[(turns[side] += 1) % Math.max(1, units.length)];
          const isFree = id === undefined || !(sold.has(id) || (busy.has(id) && skipped < units.length));
          if (isFree || skipped >= 2 * units.length) return id;
        }
      },
    };
  });
}
