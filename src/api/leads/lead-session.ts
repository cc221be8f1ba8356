import { isSuccess, mayMean } from '../../service/envelope.js';
import { leadForm, postLead, uniqueName, wordFor } from './leads.js';
import { freshTexts, vehiclesFor } from './plain-lead.js';
import { phonesLike, uniquePhone } from './phone-book.js';
import { unitsOnOffer } from '../units/known-units.js';
import { idOf } from '../../service/list.js';
import type { JsonSchema } from '../../generators/schema/schema.js';
import { isRefusedForSold, refusedLead } from './refused-leads.js';
import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import type { AddressForm } from '../../settings/address-forms.js';
import { leadBudget, type LeadBudget } from './lead-budget.js';
import { leadMaker, type LeadCase, type LeadMaker } from '../../generators/leads/leads.js';
import { isFictionalPhone, isRealPhone } from '../../generators/leads/phones.js';
import type { Lead } from '../../generators/leads/lead-schema.js';

/** Creates the leads of a check within its share of the requests. */
export interface LeadSession {
  readonly maker: LeadMaker;
  /** The request schema as declared, or null. */
  readonly declared: JsonSchema | null;
  readonly left: number;
  readonly spent: number;
  /** The case's lead with a name, a phone and a vehicle of its own wherever the case leaves room for them. */
  withUniqueFields(one: LeadCase): Promise<Lead>;
  /** The smallest lead, with a name, a phone and a vehicle of its own. */
  fresh(): Promise<Lead>;
  /** Sends a lead under a fresh key, in an address form. */
  post(lead: unknown, form?: AddressForm): Promise<Exchange>;
  /** Sends the case's lead, again with other values of its own where its vehicle may be sold by now or its phone be one that the service refuses. */
  postPatiently(one: LeadCase): Promise<Exchange>;
  /** Sends the smallest lead, as patiently. */
  plain(): Promise<Exchange>;
}

/** How many leads are tried before a refusal counts. */
const mostTries = 3;

/** Units that a lead may be about, the available ones first; empty where the tenant has none. */
export async function unitsForLeads(check: Check): Promise<readonly string[]> {
  const all = (await unitsOnOffer(check)).map(idOf).filter((id) => id !== null && id !== '');
  // The first, then some from far apart: what only the head of the list allows shows at its end.
  const spread = [0, 1, all.length - 1, Math.floor(all.length / 2), Math.floor(all.length / 4), 2, 3, 4];
  return [...new Set(spread)].flatMap((at) => all[at] ?? []);
}

/** The lead maker of a run; where the declared schema allows no lead with these fields, the specification alone counts. */
function makerOf(check: Check): Promise<{ maker: LeadMaker; declared: JsonSchema | null }> {
  return check.once('lead maker', async () => {
    const unitIds = await unitsForLeads(check);
    const { declared, schema, base } = await leadForm(check);
    const maker = base === null ? leadMaker(null, null, unitIds) : { schema, base, unitIds };
    if (maker === null) return check.blocked('no lead can be made that the declared schema allows');
    await vehiclesFor(check);
    return { maker, declared };
  });
}

/** Opens the session of one requirement; blocks where no lead can be made at all. */
export async function openLeadSession(check: Check, budget: LeadBudget): Promise<LeadSession> {
  const { maker, declared } = await makerOf(check);
  const share = leadBudget(budget, check.run);
  const before = check.requests;
  const plain: LeadCase = { lead: maker.base, field: '', label: 'plain', strength: 'must' };
  const session: LeadSession = {
    maker,
    declared,
    get spent() {
      return check.requests - before;
    },
    get left() {
      return share - (check.requests - before);
    },
    withUniqueFields: async (one) => {
      const vehicles = await vehiclesFor(check);
      const uuid = check.fresh('lead');
      const form = { declared, ...maker };
      const { vehicleId } = one.lead;
      const isFree = vehicleId !== maker.base['vehicleId'] && !vehicles.exclusive;
      const moves =
        typeof vehicleId === 'string' && !isFree && [maker.base['vehicleId'], ...maker.unitIds].includes(vehicleId);
      return withUniqueFields(maker, one, {
        uuid,
        name: uniqueName(form, uuid),
        phone: await uniquePhone(check, form),
        vehicleId: moves ? await vehicles.next(check) : undefined,
        texts: await freshTexts(check, form),
      });
    },
    fresh: () => session.withUniqueFields(plain),
    post: (lead, form = 'first') => postLead(check, lead, { form }),
    plain: () => session.postPatiently(plain),
    postPatiently: async (one) => {
      for (let tries = 1; ; tries += 1) {
        const exchange = await session.post(await session.withUniqueFields(one));
        if (tries === mostTries || !mayMean(exchange, 400, 404, 409, 410, 422)) return exchange;
        await isRefusedForSold(check, exchange);
      }
    },
  };
  return session;
}

/** Whether the lead was taken: 2xx and no `ok: false`. */
export function accepted(exchange: Exchange): boolean {
  return isSuccess(exchange);
}

/** Blocks where not even a plain lead is taken. */
export function blockUnlessTaken(check: Check, plain: Exchange): void {
  if (!accepted(plain)) check.blocked(`a plain lead is not accepted (see LEAD-01): ${refusedLead(check, plain)}`);
}

function digitsOf(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '').slice(0, 16)}`).toString();
}

/** Values that no other lead has. */
export interface FreshFields {
  readonly uuid: string;
  readonly name: string;
  readonly phone: string;
  /** Undefined where the vehicle of the case stays. */
  readonly vehicleId: string | undefined;
  /** Further texts by their fields; those of the smallest lead are replaced by them. */
  readonly texts?: Lead;
}

/**
 * Gives a lead a name, a phone and a vehicle that no other lead has: services merge or refuse leads that have one of them in common. What the case
 * is there to try stays: a name keeps its characters, a phone its plan and its length.
 */
export function withUniqueFields(maker: LeadMaker, one: LeadCase, fresh: FreshFields): Lead {
  const { base } = maker;
  const { name, phone } = one.lead;
  let lead = one.lead;
  const put = (field: string, values: readonly unknown[]): void => {
    const allowed = maker.schema.allows(lead);
    lead =
      values.map((value) => ({ ...lead, [field]: value })).find((next) => !allowed || maker.schema.allows(next)) ??
      lead;
  };
  if (name === base['name'] && one.field !== 'name') put('name', [fresh.name]);
  else if (typeof name === 'string' && one.strength !== 'open')
    put('name', markedNames(name, wordFor(fresh.uuid), one.exact));
  if (phone === base['phone'] && one.field !== 'phone') put('phone', [fresh.phone]);
  else if (typeof phone === 'string' && isRealPhone(phone))
    put('phone', isFictionalPhone(phone) ? [fresh.phone] : phonesLike(phone, digitsOf(fresh.uuid)));
  for (const [field, text] of Object.entries(fresh.texts ?? {}))
    if (one.field !== field && lead[field] === base[field]) put(field, [text]);
  if (fresh.vehicleId !== undefined) put('vehicleId', [fresh.vehicleId]);
  return lead;
}

/**
 * The name with eight random letters from its own characters appended, or in place of its last eight characters; short names stay
 * unchanged.
 */
function markedNames(name: string, word: string, exact = false): string[] {
  const characters = Array.from(name);
  const letters = characters.filter((one) => /^\p{L}$/u.test(one));
  if (characters.length < 4 || new Set(letters).size < 2) return [];
  const mark = Array.from(word.slice(0, 8), (one) => letters[one.charCodeAt(0) % letters.length] ?? '').join('');
  const replaced = characters.length >= 16 ? [`${characters.slice(0, -8).join('')}${mark}`] : [];
  return exact || characters.length > 91 ? replaced : [`${name} ${mark}`, ...replaced];
}
