import {
  isRecord,
  isSpecified,
  type Lead,
  type LeadForm,
  leadFormOf,
  sampleTexts,
  sourcesOf,
} from '../../generators/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, randomFrom, type RequestOptions, seedFor } from '../../run/index.js';
import { asObject, idOf, isRefusal, isSuccess, mayMean, paths, readPage, walk } from '../../service/index.js';
import { unitsOnOffer } from '../units/known-units.js';
import { createUnit } from '../units/unit-creation.js';
import { listLeads, ownNames, postLead, uniqueName } from './leads.js';
import { uniquePhone } from './phone-book.js';
import { refusedVehicles } from './refused-leads.js';

type Caller = Pick<RequestOptions, 'as' | 'tenant'>;

/** Hands out the vehicle of each lead, as a service may allow one open lead per vehicle. */
interface LeadVehicles {
  /** Whether a second lead for one vehicle is refused. */
  readonly exclusive: boolean;
  /** Undefined where the tenant has no unit. */
  next(check: Check): Promise<string | undefined>;
}

/** The declared form of a lead, read once in a run. */
export function leadForm(check: Check): Promise<LeadForm> {
  return check.once('lead form', async () => {
    const { contract } = await check.contract();
    const raw: unknown = contract.operation('POST', paths.leads)?.requestSchema ?? null;
    const declared = typeof raw === 'boolean' || isRecord(raw) ? raw : null;
    const all = await unitIdsOf(check, {});
    // The first, then some from far apart: what only the head of the list allows shows at its end.
    const spread = [0, 1, all.length - 1, Math.floor(all.length / 2), Math.floor(all.length / 4), 2, 3, 4];
    const unitIds = [...new Set(spread)].flatMap((at) => all[at] ?? []);
    return leadFormOf(declared, contract.document, unitIds, check.target.leadBody);
  });
}

/** A lead that the specification and the document allow, with a name, a phone and, where there are enough, a vehicle that no other lead has. */
export async function plainLead(
  check: Check,
  options: Caller = {},
  vehicleId?: string,
  phoneEnding?: string,
): Promise<{ name: string; phone: string; vehicleId: string }> {
  const form = await leadForm(check);
  const name = uniqueName(form, check.fresh('lead'));
  (await ownNames(check)).add(name.toLowerCase());
  return {
    ...form.base,
    ...(await freshTexts(check, form)),
    name,
    phone: await uniquePhone(check, form, phoneEnding),
    vehicleId: vehicleId ?? (await (await vehiclesFor(check, options)).next(check)) ?? check.fresh('no unit'),
  };
}

/** A lead as of {@link plainLead}, with a source that the document allows, if there is one. */
export async function leadWithSource(check: Check, options: Caller = {}): Promise<Lead> {
  const lead = await plainLead(check, options);
  const [source] = sourcesOf({ ...(await leadForm(check)), base: lead });
  return source === undefined ? lead : { ...lead, source };
}

/**
 * Determines how leads are created, before a recorded step creates some. Recorded steps do not run again when evidence is graded, so later
 * checks must not depend on what they learned.
 */
export async function prepareLeads(check: Check): Promise<void> {
  const { readOnly, keys, otherTenant } = check.target;
  if (readOnly || keys.API_KEY === undefined) return;
  await plainLead(check);
  if (keys.OTHER_API_KEY !== undefined) await plainLead(check, { as: 'OTHER_API_KEY', tenant: otherTenant });
}

/** Texts that the document requires of a lead beside those of the specification. */
const furtherTexts = ({ base }: LeadForm): readonly string[] =>
  Object.keys(base).filter((name) => typeof base[name] === 'string' && !isSpecified(name));

/** Whether further texts of leads are drawn anew for each. */
function extraTexts(check: Check): Promise<{ areDrawn: boolean }> {
  return check.once('further texts of leads', () => Promise.resolve({ areDrawn: false }));
}

/** Further texts, drawn anew once leads with equal ones were refused: each lead may need its own. */
async function freshTexts(check: Check, form: LeadForm): Promise<Lead> {
  const { schema, base } = form;
  if (!(await extraTexts(check)).areDrawn) return {};
  const seed = parseInt(check.fresh('further text').slice(0, 7), 16);
  const drawn = furtherTexts(form).map((name) => {
    const texts = sampleTexts(schema.properties.get(name), schema.whole, seed);
    return [name, texts.find((text) => text !== base[name] && schema.allows({ ...base, [name]: text })) ?? base[name]];
  });
  return Object.fromEntries(drawn) as Lead;
}

const isOther = ({ as }: Caller): boolean => as === 'OTHER_API_KEY';

/** Ids of a caller's units in the order of the list: those for sale, or all where none is. */
async function unitIdsOf(check: Check, caller: Caller): Promise<readonly string[]> {
  return (await unitsOnOffer(check, caller)).map(idOf).filter((id): id is string => id !== null && id !== '');
}

/** Vehicles to try for the first two leads: more where others may have left leads open. */
const firstTries = 4;

/** Whether a vehicle takes one lead only: the second of two ordinary leads for it is refused, or every lead with a conflict. */
async function takesOneLead(check: Check, units: readonly string[], caller: Caller): Promise<boolean> {
  if (units.length === 0) return false;
  const hasTexts = furtherTexts(await leadForm(check)).length > 0;
  const texts = await extraTexts(check);
  const send = async (unit: string): Promise<Exchange> => postLead(check, await plainLead(check, caller, unit));
  // What was refused for its vehicle, or for a further text that an earlier lead has: the text is tried first.
  const post = async (unit: string): Promise<Exchange> => {
    const exchange = await send(unit);
    if (!mayMean(exchange, 400, 409, 422) || !hasTexts) return exchange;
    texts.areDrawn = true;
    const again = await send(unit);
    texts.areDrawn = isSuccess(again);
    return again;
  };
  const statuses: number[] = [];
  for (const unit of units.slice(0, firstTries)) {
    const first = await post(unit);
    statuses.push(mayMean(first, 409) ? 409 : (first.response?.status ?? 0));
    if (!isSuccess(first)) continue;
    const second = await post(unit);
    // An answer that was lost, or that says nothing of the vehicle, leaves it open.
    if (isSuccess(second) || (isRefusal(second) && second.response?.status !== 429)) return !isSuccess(second);
  }
  return statuses.every((status) => status === 409);
}

/** Vehicles that the declared list of leads shows in a lead; null where no such list can be read to its end. */
async function vehiclesWithLeads(check: Check, caller: Caller): Promise<ReadonlySet<unknown> | null> {
  const list = await listLeads(check, caller);
  return list?.complete === true ? new Set(list.items.map((item) => asObject(item)?.['vehicleId'])) : null;
}

/** The vehicles for leads of a caller, one after another, shared by all checks of a run. */
export function vehiclesFor(check: Check, caller: Caller = {}): Promise<LeadVehicles> {
  return check.once(`vehicles for leads of ${isOther(caller) ? 'the other tenant' : 'the tenant'}`, async () => {
    const given = isOther(caller) ? undefined : check.target.leadBody?.['vehicleId'];
    const listed = await unitIdsOf(check, caller);
    // The vehicle of LEAD_BODY is one that takes leads.
    const units = typeof given === 'string' ? [given, ...listed.filter((id) => id !== given)] : listed;
    const exclusive = await check.once('leads for one vehicle', () =>
      takesOneLead(check, isOther(caller) || check.target.readOnly ? [] : units, caller),
    );
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
        for (let tries = 1; exclusive && refused < 3 && tries <= 3; tries += 1) {
          const made = await createUnit(asking, caller);
          if (made !== null) {
            refused = 0;
            return made;
          }
          if (tries === 3) refused += 1;
        }
        const { sold, busy } = await refusedVehicles(asking);
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
