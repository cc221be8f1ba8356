import { dataOf, isSuccess } from '../api/envelope.js';
import { postLead } from '../api/leads.js';
import { idOf, unitsIfReadable } from '../api/units.js';
import { isRecord, type JsonSchema } from './schema.js';
import type { Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { leadBudget, type LeadRequirement } from './budget.js';
import { paths } from '../api/paths.js';
import { leadMaker, type LeadCase, type LeadMaker } from './leads.js';
import { isRealPhone } from './phones.js';
import type { Lead } from './lead-schema.js';

/** Where a check makes leads, within its share of the requests. */
export interface LeadDesk {
  readonly maker: LeadMaker;
  /** The request schema as declared, or null. */
  readonly declared: JsonSchema | null;
  readonly left: number;
  readonly spent: number;
  /** The case's lead with a marker of its own wherever the case leaves room for one. */
  freshen(one: LeadCase): Lead;
  /** Sends a lead under a fresh key. */
  post(lead: unknown): Promise<Exchange>;
  /** Creates the smallest lead; true where that works. */
  plain(): Promise<Exchange>;
}

/** The declared request schema of lead creation and the document it stands in; null where there is none. */
export async function declaredLead(check: Check): Promise<{ schema: JsonSchema | null; root: unknown }> {
  const { contract } = await check.contract();
  const schema: unknown = contract.operation('POST', paths.leads)?.requestSchema ?? null;
  const usable = typeof schema === 'boolean' || isRecord(schema);
  return { schema: usable ? schema : null, root: contract.document };
}

/** Units that a lead may be about, the available ones first; empty where the tenant has none. */
export async function unitsForLeads(check: Check): Promise<readonly string[]> {
  const items = await unitsIfReadable(check);
  const ids = (wanted: (status: unknown) => boolean): string[] =>
    items
      .filter((item) => isRecord(item) && wanted(item['status']))
      .map(idOf)
      .filter((id): id is string => id !== null && id !== '');
  const available = ids((status) => status === 'available');
  const all = available.length > 0 ? available : ids(() => true);
  // The first, then some from far apart: what only the head of the list allows shows at its end.
  const spread = [0, 1, all.length - 1, Math.floor(all.length / 2), Math.floor(all.length / 4), 2, 3, 4];
  return [...new Set(spread)].flatMap((at) => all[at] ?? []);
}

/** The lead maker of a run; where the declared schema allows no lead with these fields, the specification alone counts. */
function makerOf(check: Check): Promise<{ maker: LeadMaker; declared: JsonSchema | null }> {
  return check.once('lead maker', async () => {
    const units = await unitsForLeads(check);
    const { schema, root } = await declaredLead(check);
    const maker = leadMaker(schema, root, units) ?? leadMaker(null, null, units);
    if (maker === null) return check.blocked('no lead can be made that the declared schema allows');
    return { maker, declared: schema };
  });
}

/** Opens the desk of one requirement; blocks where no lead can be made at all. */
export async function openDesk(check: Check, id: LeadRequirement): Promise<LeadDesk> {
  check.need('API_KEY');
  const { maker, declared } = await makerOf(check);
  const share = leadBudget(check.run)[id];
  const before = check.requests;
  const desk: LeadDesk = {
    maker,
    declared,
    get spent() {
      return check.requests - before;
    },
    get left() {
      return share - (check.requests - before);
    },
    freshen: (one) => freshen(maker, one, digitsOf(check.fresh('lead'))),
    post: (lead) => postLead(check, lead),
    plain: () => desk.post(desk.freshen({ lead: maker.base, label: 'plain', field: '', strength: 'must' })),
  };
  return desk;
}

/** Why the target is taken to be gone by now, or null. */
export function goneNow(check: Check): string | null {
  return check.run.client.gone;
}

/** Whether the lead was taken: 2xx and no `ok: false`. */
export function accepted(exchange: Exchange): boolean {
  return isSuccess(exchange) && (dataOf(exchange) !== null || exchange.response !== null);
}

function digitsOf(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '').slice(0, 16)}`).toString();
}

/** Gives a lead a phone (or, where the phone is what is tried, a name) that no other lead has. */
export function freshen(maker: LeadMaker, one: LeadCase, digits: string): Lead {
  const { lead, field } = one;
  if (field === 'phone')
    return fitting(maker, lead, 'name', [`Conformance ${digits.slice(0, 12)}`, `Ana ${digits.slice(0, 6)}`]);
  const phone = lead['phone'];
  if (typeof phone !== 'string' || !isRealPhone(phone))
    return field === 'name' ? lead : fitting(maker, lead, 'name', [`Conformance ${digits.slice(0, 12)}`]);
  const tails = Array.from({ length: 12 }, (_, index) => redrawn(phone, digits, index));
  return fitting(maker, lead, 'phone', tails.filter(isRealPhone));
}

/** The phone with up to six of its last digits taken from the marker; fewer as `round` grows. */
function redrawn(phone: string, digits: string, round: number): string {
  const count = Math.max(2, Math.min(6, phone.length - 7) - Math.floor(round / 3));
  return `${phone.slice(0, -count)}${digits.slice(round % 3, (round % 3) + count).padEnd(count, '7')}`;
}

function fitting(maker: LeadMaker, lead: Lead, field: string, values: readonly string[]): Lead {
  const tries = values.map((value) => ({ ...lead, [field]: value }));
  const allowed = maker.schema.allows(lead);
  return tries.find((one) => !allowed || maker.schema.allows(one)) ?? lead;
}
