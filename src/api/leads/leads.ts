import { createHash } from 'node:crypto';
import type { Exchange, HeaderLine } from '../../http/exchange.js';
import type { Check, RequestOptions } from '../../run/check.js';
import { readLeadSchema, smallestLead } from '../../generators/leads/lead-schema.js';
import type { Lead, LeadSchema } from '../../generators/leads/lead-schema.js';
import { areaCodes, fictionalDigits, fictionalPhones, isRealPhone, spareLines } from '../../generators/leads/phones.js';
import { isRecord } from '../../generators/schema/schema.js';
import type { JsonSchema } from '../../generators/schema/schema.js';
import { sampleTexts } from '../../generators/schema/strings.js';
import { randomFrom, seedFor } from '../../run/random.js';
import { dataOf, isSuccess } from '../envelope.js';
import { asObject } from '../json.js';
import { leadVehicles } from './lead-vehicles.js';
import type { LeadVehicles } from './lead-vehicles.js';
import { paths } from '../paths.js';
import { noteVehicle } from './refused-leads.js';
import { walk, idOf } from '../units/units.js';
import { unitsIfReadable, unitsOnOffer } from '../units/known-units.js';

/** The declaration of a lead to create. */
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
    const vehicleId = idOf((await unitsOnOffer(check))[0]);
    const schema = readLeadSchema(declared, contract.document);
    return { declared, schema, base: smallestLead(schema, vehicleId ?? 'unknown-unit') };
  });
}

/** A word of 13 letters derived from a UUID: a service may refuse names with digits. */
export function wordFor(uuid: string): string {
  const letters = Array.from(uuid.replaceAll('-', '').slice(0, 13), (digit) => 'abdeghiklmnoprst'[parseInt(digit, 16)]);
  const word = letters.join('');
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The names of ordinary leads of this run, in lower case. */
function ownNames(check: Check): Promise<Set<string>> {
  return check.once('names of leads', () => Promise.resolve(new Set<string>()));
}

/** Whether a record shows a name that this suite gives, and that no lead of this run has. */
export async function isOfAnotherRun(check: Check, record: Record<string, unknown>): Promise<boolean> {
  const names = await ownNames(check);
  return Object.values(record).some((value) => isTestName(value) && !names.has(value.toLowerCase()));
}

/** Whether it is a name as `uniqueName` gives it, whatever the case. */
export function isTestName(value: unknown): value is string {
  return typeof value === 'string' && /^conformance test [abdeghiklmnoprst]{13}$/i.test(value);
}

function allowedOr<T>(form: Pick<LeadForm, 'schema' | 'base'>, field: string, values: readonly T[], otherwise: T): T {
  return values.find((value) => form.schema.allows({ ...form.base, [field]: value })) ?? otherwise;
}

/** A name that no other lead has, as the document allows it. */
export function uniqueName(form: Pick<LeadForm, 'schema' | 'base'>, uuid: string): string {
  const word = wordFor(uuid);
  const usual = `Conformance Test ${word}`;
  if (form.base === null || form.schema.allows({ ...form.base, name: usual })) return usual;
  const seed = parseInt(uuid.slice(0, 7), 16);
  const short = [
    `Test ${word}`,
    `Ana ${word}`,
    word,
    word.toLowerCase(),
    word.toUpperCase(),
    word.slice(0, 8),
    word.slice(0, 6),
  ];
  const made = sampleTexts(form.schema.properties.get('name'), form.schema.whole, seed);
  return allowedOr(form, 'name', [...short, ...made], String(form.base['name']));
}

/** Each section uses its own range of the run's numbers, so that a separate process for some sections repeats no number of another. */
const sections = 'DOC ENV UNIT LEAD IDEM DEAL PLAN DEMO AUTH HOOK LIMIT VER'.split(' ');

/** A prime that divides no number of phones, so that each place has a phone of its own, and the last digits change from one to the next. */
const stride = 7_919;

/** The phones that a run draws from. */
interface PhoneBook {
  /** Numbers reserved for fiction that the document allows, in the order of the seed; none where the service tells leads apart by phone. */
  readonly fictional: readonly string[];
  /** Area codes in which the document allows the exchange 555. */
  readonly areaCodes: readonly string[];
  /** Phones that a lead of this run has, and those that the service showed before. */
  readonly used: Set<string>;
}

/**
 * Whether a second lead with the phone of an earlier one becomes a separate lead: false where it is refused or merged, or where that is
 * unknown.
 */
async function mayShareAPhone(check: Check, form: Pick<LeadForm, 'schema' | 'base'>, phone: string): Promise<boolean> {
  if (check.target.readOnly || check.target.keys.API_KEY === undefined) return false;
  const units = (await unitsOnOffer(check)).map(idOf).filter((id) => id !== null);
  const made: (string | null)[] = [];
  for (const vehicleId of [units[0], units[1] ?? units[0]]) {
    const name = uniqueName(form, check.fresh('lead that shares a phone'));
    const lead = { ...form.base, name, phone, vehicleId: vehicleId ?? check.fresh('no unit') };
    const exchange = await postLead(check, lead);
    if (!isSuccess(exchange)) return false;
    made.push(leadId(exchange));
  }
  return made[0] !== null && made[0] !== made[1];
}

/** A text without the signs that stand between digits, as a service may write a phone with spaces. */
export function joinDigits(text: string): string {
  return text.replace(/(\d)[\s().-]+(?=\d)/g, '$1');
}

/** Numbers reserved for fiction that the service shows: another run, or its own examples, may have left them there. */
async function shownPhones(check: Check): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const leads =
    contract.operation('GET', paths.leads) === null
      ? []
      : (await walk(check, { path: paths.leads, limit: 50, maxPages: 12 })).items;
  const text = joinDigits(JSON.stringify([leads, await unitsIfReadable(check)]));
  return (text.match(/[2-9]\d{2}55501\d{2}/g) ?? []).map((digits) => `+1${digits}`);
}

/**
 * The phones of a run. A service that merges or refuses leads by phone remembers earlier runs, and the numbers reserved for fiction are too
 * few for it. For such a service the phones come from the rest of exchange 555, which has no subscribers.
 */
async function openPhoneBook(check: Check, form: Pick<LeadForm, 'schema' | 'base'>): Promise<PhoneBook> {
  const allowed = (phone: string): boolean => form.base === null || form.schema.allows({ ...form.base, phone });
  const codes = areaCodes.filter((code) => allowed(`+1${code}5550123`));
  const random = randomFrom(seedFor(check.run.seed, 'phones of leads'));
  const reserved = codes.flatMap(fictionalPhones);
  const start = Math.floor(random() * reserved.length);
  const fictional = reserved.map((_, place) => reserved[(start + place * stride) % reserved.length] ?? '');
  const [first] = fictional;
  if (first === undefined || !(await mayShareAPhone(check, form, first)))
    return { areaCodes: codes, fictional: [], used: new Set() };
  return { areaCodes: codes, fictional, used: new Set([first, ...(await shownPhones(check))]) };
}

function startOf(nonce: string): number {
  return createHash('sha256').update(nonce).digest().readUInt32BE(0);
}

/** The number at a place of the exchange 555, counted from one that the nonce decides; null where the document allows none. */
function sparePhone(codes: readonly string[], nonce: string, at: number): string | null {
  const all = codes.length * spareLines.length;
  if (all === 0) return null;
  const place = (startOf(nonce) + at * stride) % all;
  return `+1${codes[place % codes.length] ?? ''}555${spareLines[Math.floor(place / codes.length)] ?? ''}`;
}

/**
 * A phone that no other lead of this run has, reserved for fiction where document and service allow that: services merge leads by phone.
 * Where the document allows too few, it may be one that another lead has.
 */
export async function uniquePhone(check: Check, form: Pick<LeadForm, 'schema' | 'base'>): Promise<string> {
  const section = Math.max(0, sections.indexOf(check.entry.section));
  const { fictional, areaCodes: codes, used } = await check.once('phones of leads', () => openPhoneBook(check, form));
  const counter = await check.once(`phones of ${check.entry.section}`, () =>
    Promise.resolve({ fictional: Math.floor((section * fictional.length) / sections.length), next: section * 80_000 }),
  );
  const isFree = (phone: string | null | undefined): phone is string =>
    phone !== undefined &&
    phone !== null &&
    !used.has(phone) &&
    (form.base === null || form.schema.allows({ ...form.base, phone }));
  const take = (phone: string): string => {
    used.add(phone);
    return phone;
  };
  for (let tries = 0; tries < fictional.length; tries += 1) {
    const phone = fictional[(counter.fictional += 1) % fictional.length];
    if (phone !== undefined && !used.has(phone)) return take(phone);
  }
  for (let tries = 0; tries < 20; tries += 1) {
    const at = (counter.next += 1);
    const usual = sparePhone(codes, check.run.nonce, at);
    if (isFree(usual)) return take(usual);
    // The digits that change from one phone to the next come first, as only some of them may be used.
    const digits = Array.from(String((startOf(check.run.nonce) + at) % 10_000_000).padStart(7, '0')).reverse();
    const found = [
      ...phonesLike(String(form.base?.['phone']), digits.join('')),
      ...(tries < 15 ? [] : sampleTexts(form.schema.properties.get('phone'), form.schema.whole, at)),
    ].find(isFree);
    if (found !== undefined) return take(found);
  }
  return String(form.base?.['phone']);
}

/** Variants of the phone whose last two to six digits come from `digits`: real numbers, and others only if `phone` itself is not real. */
export function phonesLike(phone: string, digits: string): string[] {
  const made = Array.from({ length: 12 }, (_, round) => {
    const count = fictionalDigits(phone) ?? Math.max(2, Math.min(6, phone.length - 7) - Math.floor(round / 3));
    return `${phone.slice(0, -count)}${digits.slice(round % 3, (round % 3) + count).padEnd(count, '7')}`;
  });
  return [...made.filter(isRealPhone), ...(isRealPhone(phone) ? [] : made)];
}

const specified = new Set(['name', 'phone', 'vehicleId', 'source']);

/** Whether further texts of leads are drawn anew for each. */
function extraTexts(check: Check): Promise<{ areDrawn: boolean }> {
  return check.once('further texts of leads', () => Promise.resolve({ areDrawn: false }));
}

/** Further texts that the document requires of a lead, drawn anew once leads with equal ones were refused: each lead may need its own. */
export async function freshTexts(check: Check, form: Pick<LeadForm, 'schema' | 'base'>): Promise<Lead> {
  const { schema, base } = form;
  if (base === null || !(await extraTexts(check)).areDrawn) return {};
  const seed = parseInt(check.fresh('further text').slice(0, 7), 16);
  const fresh: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(base)) {
    if (typeof value !== 'string' || specified.has(name)) continue;
    const made = sampleTexts(schema.properties.get(name), schema.whole, seed);
    fresh[name] = made.find((text) => text !== value && schema.allows({ ...base, [name]: text })) ?? value;
  }
  return fresh;
}

/** The vehicles that leads of this caller are for, one after another. */
export function vehiclesFor(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'> = {}): Promise<LeadVehicles> {
  return leadVehicles(check, options, {
    post: async (vehicleId) => postLead(check, await plainLead(check, options, vehicleId)),
    drawTexts: async (areDrawn) => {
      const { base } = await leadForm(check);
      const has = Object.entries(base ?? {}).some(([name, value]) => typeof value === 'string' && !specified.has(name));
      (await extraTexts(check)).areDrawn = areDrawn && has;
      return has;
    },
  });
}

/** A lead that the specification and the document allow, with a name, a phone and, where there are enough, a vehicle that no other lead has. */
export async function plainLead(
  check: Check,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
  vehicleId?: string,
): Promise<{ name: string; phone: string; vehicleId: string }> {
  const form = await leadForm(check);
  const name = uniqueName(form, check.fresh('lead'));
  (await ownNames(check)).add(name.toLowerCase());
  return {
    ...form.base,
    ...(await freshTexts(check, form)),
    name,
    phone: await uniquePhone(check, form),
    vehicleId: vehicleId ?? (await (await vehiclesFor(check, options)).next(check)) ?? check.fresh('no unit'),
  };
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

/** Creates a lead the way the specification shows it; a fresh idempotency key unless given. */
export async function postLead(
  check: Check,
  lead: unknown,
  options: Partial<RequestOptions> & { readonly key?: string | null } = {},
): Promise<Exchange> {
  const { key = check.fresh('idempotency key'), headers = [], ...rest } = options;
  const sent: HeaderLine[] = [...(key === null ? [] : [['idempotency-key', key] as const]), ...headers];
  const exchange = await check.send({
    method: 'POST',
    path: paths.leads,
    ...(rest.body === undefined ? { json: lead } : {}),
    ...rest,
    headers: sent,
  });
  await noteVehicle(check, asObject(lead)?.['vehicleId'], exchange);
  return exchange;
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

/** The id of a lead's record, in any usual spelling, as text; null if there is none. */
export function recordId(record: Record<string, unknown> | null): string | null {
  // Beside an id of the lead, `id` may be that of a receipt.
  for (const name of ['leadId', 'lead_id', 'id', 'uuid', '_id']) {
    const value = record?.[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return null;
}

/** The id of the lead in an answer; null where it shows none. */
export function leadId(exchange: Exchange): string | null {
  return recordId(leadIn(exchange)) ?? recordId(dataOf(exchange));
}
