import { createHash } from 'node:crypto';
import type { Exchange, HeaderLine } from '../http/exchange.js';
import type { Check, Wanted } from '../run/check.js';
import { readLeadSchema, smallestLead } from '../generate/lead-schema.js';
import type { Lead, LeadSchema } from '../generate/lead-schema.js';
import { isRealPhone } from '../generate/phones.js';
import { isRecord } from '../generate/schema.js';
import type { JsonSchema } from '../generate/schema.js';
import { sampleTexts } from '../generate/strings.js';
import { dataOf } from './envelope.js';
import { asObject } from './json.js';
import { leadVehicles } from './lead-vehicles.js';
import type { LeadVehicles } from './lead-vehicles.js';
import { paths } from './paths.js';
import { unitsIfReadable, idOf } from './units.js';

/** What the document says of a lead to create. */
export interface LeadForm {
  /** The declared request schema, or null. */
  readonly declared: JsonSchema | null;
  readonly schema: LeadSchema;
  /** The smallest lead that the schema allows; null where none was found. */
  readonly base: Lead | null;
}

/** The declared form of a lead, read once in a run. */
export function leadForm(check: Check): Promise<LeadForm> {
  return check.once('lead form', async () => {
    const { contract } = await check.contract();
    const raw: unknown = contract.operation('POST', paths.leads)?.requestSchema ?? null;
    const declared = typeof raw === 'boolean' || isRecord(raw) ? raw : null;
    const units = await unitsIfReadable(check);
    const vehicleId = idOf(units.find((unit) => asObject(unit)?.['status'] === 'available') ?? units[0]);
    const schema = readLeadSchema(declared, contract.document);
    return { declared, schema, base: smallestLead(schema, vehicleId ?? 'unknown-unit') };
  });
}

/** A word of 13 letters that stands for a UUID: names with digits may be refused. */
export function wordFor(uuid: string): string {
  const letters = Array.from(uuid.replaceAll('-', '').slice(0, 13), (digit) => 'abdeghiklmnoprst'[parseInt(digit, 16)]);
  const word = letters.join('');
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function allowedOr<T>(form: LeadForm, field: string, values: readonly T[], otherwise: T): T {
  return values.find((value) => form.schema.allows({ ...form.base, [field]: value })) ?? otherwise;
}

/** A name that no other lead has, as the document allows it. */
export function uniqueName(form: LeadForm, uuid: string): string {
  const word = wordFor(uuid);
  const usual = `Conformance ${word}`;
  if (form.base === null || form.schema.allows({ ...form.base, name: usual })) return usual;
  const seed = parseInt(uuid.slice(0, 7), 16);
  const short = [`Ana ${word}`, word, word.toLowerCase(), word.toUpperCase(), word.slice(0, 8), word.slice(0, 6)];
  const made = sampleTexts(form.schema.properties.get('name'), form.schema.whole, seed);
  return allowedOr(form, 'name', [...short, ...made], String(form.base['name']));
}

/** Sections take turns in the numbers of a run, so that a process of its own for some checks repeats none of another. */
const sections = 'DOC ENV UNIT LEAD IDEM DEAL PLAN DEMO AUTH HOOK LIMIT VER'.split(' ');
const exchanges = Array.from({ length: 800 }, (_, at) => at + 200).filter((code) => code % 100 !== 11 && code !== 555);

/**
 * A phone that no other lead of this run has, of the North American plan where the document allows that: services merge leads by phone.
 * Where the document allows too few, it may be one that another lead has.
 */
export async function uniquePhone(check: Check, form: LeadForm): Promise<string> {
  const [section = '', number = '0'] = check.entry.id.split('-');
  const all = exchanges.length * 10_000;
  const start = createHash('sha256').update(check.run.nonce).digest().readUInt32BE(0);
  const counter = await check.once(`phones of ${check.entry.id}`, () =>
    Promise.resolve({ next: (start + (sections.indexOf(section) * 20 + Number(number)) * 4_000) % all }),
  );
  const used = await check.once('phones of leads', () => Promise.resolve(new Set<string>()));
  const isFree = (phone: string): boolean =>
    !used.has(phone) && (form.base === null || form.schema.allows({ ...form.base, phone }));
  for (let tries = 0; tries < 20; tries += 1) {
    const at = (counter.next += 1) % all;
    const usual = `+1415${exchanges[at % exchanges.length] ?? 200}${String(Math.floor(at / exchanges.length)).padStart(4, '0')}`;
    // The digits that change from one phone to the next come first, as only some of them may be used.
    const digits = Array.from(String(at).padStart(7, '0')).reverse().join('');
    const base = String(form.base?.['phone'] ?? usual);
    const found = [
      usual,
      ...phonesLike(base, digits),
      ...(tries < 15 ? [] : sampleTexts(form.schema.properties.get('phone'), form.schema.whole, at)),
    ].find(isFree);
    if (found === undefined) continue;
    used.add(found);
    return found;
  }
  return String(form.base?.['phone']);
}

/** The phone with some of its last digits taken from `digits`: six, where that is a number that exists, else fewer. */
export function phonesLike(phone: string, digits: string): string[] {
  const made = Array.from({ length: 12 }, (_, round) => {
    const count = Math.max(2, Math.min(6, phone.length - 7) - Math.floor(round / 3));
    return `${phone.slice(0, -count)}${digits.slice(round % 3, (round % 3) + count).padEnd(count, '7')}`;
  });
  return [...made.filter(isRealPhone), ...(isRealPhone(phone) ? [] : made)];
}

/** The vehicles that leads of this caller are for, one after another. */
export function vehiclesFor(check: Check, wish: Pick<Wanted, 'as' | 'tenant'> = {}): Promise<LeadVehicles> {
  return leadVehicles(check, wish, async (vehicleId) => postLead(check, await plainLead(check, wish, vehicleId)));
}

/** A lead that the specification and the document allow, with a name, a phone and, where there are enough, a vehicle that no other lead has. */
export async function plainLead(
  check: Check,
  wish: Pick<Wanted, 'as' | 'tenant'> = {},
  vehicleId?: string,
): Promise<{ name: string; phone: string; vehicleId: string }> {
  const form = await leadForm(check);
  return {
    ...form.base,
    name: uniqueName(form, check.fresh('lead')),
    phone: await uniquePhone(check, form),
    vehicleId: vehicleId ?? (await (await vehiclesFor(check, wish)).next(check)) ?? check.fresh('no unit'),
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
  return check.send({
    method: 'POST',
    path: paths.leads,
    ...(rest.body === undefined ? { json: lead } : {}),
    ...rest,
    headers: sent,
  });
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
