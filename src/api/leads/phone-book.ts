import { createHash } from 'node:crypto';
import { type Check, randomFrom, seedFor } from '../../run/index.js';
import {
  areaCodes,
  fictionalDigits,
  fictionalPhones,
  isRealPhone,
  type LeadForm,
  sampleTexts,
  spareLines,
} from '../../generators/index.js';
import { idIn, idOf, isSuccess } from '../../service/index.js';
import { unitsIfReadable, unitsOnOffer } from '../units/known-units.js';
import { listLeads, postLead, uniqueName } from './leads.js';

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
async function mayShareAPhone(check: Check, form: LeadForm, phone: string): Promise<boolean> {
  if (check.target.readOnly || check.target.keys.API_KEY === undefined) return false;
  const units = (await unitsOnOffer(check)).map(idOf).filter((id) => id !== null);
  const made: (string | null)[] = [];
  for (const vehicleId of [units[0], units[1] ?? units[0]]) {
    const name = uniqueName(form, check.fresh('lead that shares a phone'));
    const lead = { ...form.base, name, phone, vehicleId: vehicleId ?? check.fresh('no unit') };
    const exchange = await postLead(check, lead);
    if (!isSuccess(exchange)) return false;
    made.push(idIn(exchange));
  }
  return made[0] !== null && made[0] !== made[1];
}

/** A text without the signs that stand between digits, as a service may write a phone with spaces. */
export function joinDigits(text: string): string {
  return text.replace(/(\d)[\s().-]+(?=\d)/g, '$1');
}

/** Numbers reserved for fiction that the service shows: another run, or its own examples, may have left them there. */
async function shownPhones(check: Check): Promise<readonly string[]> {
  const { keys, otherTenant } = check.target;
  const other = { as: 'OTHER_API_KEY', tenant: otherTenant } as const;
  const lists = [await listLeads(check), keys.OTHER_API_KEY === undefined ? null : await listLeads(check, other)];
  const leads = lists.flatMap((list) => list?.items ?? []);
  const text = joinDigits(JSON.stringify([leads, await unitsIfReadable(check)]));
  return (text.match(/[2-9]\d{2}55501\d{2}/g) ?? []).map((digits) => `+1${digits}`);
}

/**
 * The phones of a run. A service that merges or refuses leads by phone remembers earlier runs, and the numbers reserved for fiction are too
 * few for it. For such a service the phones come from the rest of exchange 555, which has no subscribers.
 */
async function openPhoneBook(check: Check, form: LeadForm): Promise<PhoneBook> {
  const allowed = (phone: string): boolean => form.schema.allows({ ...form.base, phone });
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
 * Where the document allows too few, it may be one that another lead has, or one with another ending.
 */
export async function uniquePhone(check: Check, form: LeadForm, ending = ''): Promise<string> {
  const section = Math.max(0, sections.indexOf(check.entry.section));
  const { fictional, areaCodes: codes, used } = await check.once('phones of leads', () => openPhoneBook(check, form));
  const counter = await check.once(`phones of ${check.entry.section} ${ending}`, () =>
    Promise.resolve({ fictional: Math.floor((section * fictional.length) / sections.length), next: section * 80_000 }),
  );
  const isFree = (phone: string | null | undefined): phone is string =>
    phone?.endsWith(ending) === true && !used.has(phone) && form.schema.allows({ ...form.base, phone });
  const take = (phone: string): string => {
    used.add(phone);
    return phone;
  };
  for (let tries = 0; tries < fictional.length; tries += 1) {
    const phone = fictional[(counter.fictional += 1) % fictional.length];
    if (phone?.endsWith(ending) && !used.has(phone)) return take(phone);
  }
  for (let tries = 0; tries < 20 || (ending !== '' && tries < 400); tries += 1) {
    const at = (counter.next += 1);
    const usual = sparePhone(codes, check.run.nonce, at);
    if (isFree(usual)) return take(usual);
    if (ending !== '' && usual !== null) continue;
    // The digits that change from one phone to the next come first, as only some of them may be used.
    const digits = Array.from(String((startOf(check.run.nonce) + at) % 10_000_000).padStart(7, '0')).reverse();
    const found = [
      ...phonesLike(String(form.base['phone']), digits.join('')),
      ...(tries < 15 ? [] : sampleTexts(form.schema.properties.get('phone'), form.schema.whole, at)),
    ].find(isFree);
    if (found !== undefined) return take(found);
  }
  return String(form.base['phone']);
}

/** Variants of the phone whose last two to six digits come from `digits`: real numbers, and others only if `phone` itself is not real. */
export function phonesLike(phone: string, digits: string): string[] {
  const made = Array.from({ length: 12 }, (_, round) => {
    const count = fictionalDigits(phone) ?? Math.max(2, Math.min(6, phone.length - 7) - Math.floor(round / 3));
    return `${phone.slice(0, -count)}${digits.slice(round % 3, (round % 3) + count).padEnd(count, '7')}`;
  });
  return [...made.filter(isRealPhone), ...(isRealPhone(phone) ? [] : made)];
}
