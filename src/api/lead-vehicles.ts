import { randomFrom, seedFor } from '../run/random.js';
import type { Check, Wanted } from '../run/check.js';
import { isRefusal, isSuccess, mayMean } from './envelope.js';
import { asObject } from './json.js';
import { paths } from './paths.js';
import { createUnit } from './unit-creation.js';
import { idOf, readPage, unitsIfReadable, walk } from './units.js';

/** Hands out the vehicle of each lead, as a service may allow one open lead per vehicle. */
export interface LeadVehicles {
  /** Whether a second lead for one vehicle is refused. */
  readonly exclusive: boolean;
  /** Undefined where the tenant has no unit. */
  next(check: Check): Promise<string | undefined>;
}

type Caller = Pick<Wanted, 'as' | 'tenant'>;

/** Sends an ordinary lead for the given vehicle; handed in, as such leads need vehicles. */
export type PostLeadFor = (vehicleId: string) => ReturnType<Check['send']>;

const isOther = ({ as }: Caller): boolean => as === 'OTHER_API_KEY';

/** Ids of a caller's units: those for sale, or all where none is, the first ones of the list first. */
async function unitIdsOf(check: Check, caller: Caller): Promise<readonly string[]> {
  const items = isOther(caller)
    ? ((await readPage(check, { as: 'OTHER_API_KEY', tenant: check.target.otherTenant, limit: 50 })).items ?? [])
    : await unitsIfReadable(check);
  const forSale = items.filter((item) => asObject(item)?.['status'] === 'available');
  return (forSale.length > 0 ? forSale : items).map(idOf).filter((id): id is string => id !== null && id !== '');
}

/** Vehicles to try for the first two leads: more where others may have left leads open. */
const firstTries = 4;

/** Whether a vehicle takes one lead only: the second of two ordinary leads for it is refused, or every lead with a conflict. */
function takesOneLead(check: Check, units: readonly string[], post: PostLeadFor): Promise<boolean> {
  return check.once('leads for one vehicle', async () => {
    const statuses: number[] = [];
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
export function leadVehicles(check: Check, caller: Caller, post: PostLeadFor): Promise<LeadVehicles> {
  return check.once(`vehicles for leads of ${isOther(caller) ? 'the other tenant' : 'the tenant'}`, async () => {
    const units = await unitIdsOf(check, caller);
    const exclusive = await takesOneLead(check, isOther(caller) ? [] : units, post);
    const taken = exclusive ? await vehiclesWithLeads(check, caller) : null;
    const random = randomFrom(seedFor(check.run.seed, 'vehicles for leads'));
    // The first ones have leads by now, whether the list shows them already or not.
    const untried = units.slice(firstTries);
    const free = taken === null ? [] : untried.filter((id) => !taken.has(id)).sort(() => random() - 0.5);
    let turn = 0;
    let creates = exclusive;
    return {
      exclusive,
      async next(asking) {
        const known = free.pop();
        if (known !== undefined) return known;
        const made = creates ? await createUnit(asking, caller.as ?? 'API_KEY', caller.tenant) : null;
        creates &&= made !== null;
        return made ?? units[(turn += 1) % Math.max(1, units.length)];
      },
    };
  });
}
