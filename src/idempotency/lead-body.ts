import { leadForm, plainLead, unitCreation, unitsIfReadable, unitsOnOffer } from '../api/index.js';
import { fullLead, sourcesOf } from '../generators/index.js';
import type { Check, RequestOptions } from '../run/index.js';
import { asObject, idOf } from '../service/index.js';

/** The record that a create makes: both kinds have keys of their own. */
export type Route = 'leads' | 'units';

/** A body to create a record with, and what to know it again by. */
export interface LeadBody {
  readonly route: Route;
  /** Name in stories; equal labels are equal bytes. */
  readonly label: string;
  readonly bytes: Buffer;
  /** Text fragments that no other body of the run has: one of them in an answer shows that it is about this body. */
  readonly marks: readonly string[];
  /** Whether an ordinary create with it is accepted; false where the service may well refuse it. */
  readonly plain: boolean;
  /** The fields sent; empty where the body is no object. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Ways to break a lead; which of them are refused is the target's choice. */
export const breakages = ['phone as a number', 'no phone', 'no name', 'an empty object', 'JSON cut short'] as const;

/** How the body of a create is related to the first one of its key, which is `own`; units know only `own`, `other` and `one of many`. */
export type BodyForm =
  | 'own'
  | 'other'
  /** The same for all keys of a tenant, and for all tenants. */
  | 'common'
  | 'of both tenants'
  | 'respelt'
  | 'another phone'
  | 'another name'
  | 'another unit'
  | 'one of many'
  | 'a letter beyond ASCII'
  | 'three thousand blanks'
  | 'an optional field'
  | (typeof breakages)[number];

type Caller = Pick<RequestOptions, 'as' | 'tenant'>;

/** Fields as a body. */
export function bodyOf(
  label: string,
  fields: Readonly<Record<string, unknown>>,
  marks: readonly string[],
  plain = true,
): LeadBody {
  return { route: 'leads', label, fields, marks, plain, bytes: Buffer.from(JSON.stringify(fields)) };
}

/** A lead that the specification allows and no other check has, for a unit of the tenant that `options` names, or the given one. */
export async function freshBody(
  check: Check,
  label: string,
  options: Caller = {},
  vehicleId?: string,
): Promise<LeadBody> {
  const lead = await plainLead(check, options, vehicleId);
  // A text shorter than a word may occur in other leads too.
  const marks = [lead.name.split(' ').at(-1) ?? lead.name, lead.phone.slice(1)].filter((mark) => mark.length >= 6);
  return bodyOf(label, lead, marks);
}

/** An origin, or else every optional field that the document gives a value for. */
async function optionsFor(check: Check, fields: LeadBody['fields']): Promise<LeadBody['fields'] | null> {
  const form = { ...(await leadForm(check)), base: fields };
  const [source] = 'source' in fields ? [] : sourcesOf(form);
  const more = source === undefined ? fullLead(form) : { ...fields, source };
  return Object.keys(more).length === Object.keys(fields).length ? null : more;
}

/** A lead of the given form; `own` is the first body of its key, where the form is related to it. Null where the target offers none. */
export async function leadOf(
  check: Check,
  label: string,
  form: BodyForm,
  own: LeadBody | null,
  options: Caller,
): Promise<LeadBody | null> {
  const fresh = await freshBody(check, label, options);
  const { fields, marks } = fresh;
  const first = own ?? fresh;
  const [nameMark, phoneMark] = [marks.slice(0, -1), marks.slice(-1)];
  const changed = (own: LeadBody['fields'], of: readonly string[]): LeadBody => bodyOf(label, own, of, false);
  const without = (field: string): LeadBody['fields'] =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
  switch (form) {
    case 'respelt': {
      const reversed = Object.fromEntries(Object.entries(first.fields).reverse());
      return { ...first, label, marks: [], bytes: Buffer.from(JSON.stringify(reversed, null, 1)) };
    }
    case 'another phone':
      return changed({ ...first.fields, phone: fields['phone'] }, phoneMark);
    case 'another name':
      return changed({ ...first.fields, name: fields['name'] }, nameMark);
    case 'another unit': {
      const isOther = (unit: unknown): boolean => idOf(unit) !== first.fields['vehicleId'];
      const unit = idOf((await unitsOnOffer(check)).find(isOther) ?? (await unitsIfReadable(check)).find(isOther));
      return unit === null ? null : changed({ ...first.fields, vehicleId: unit }, []);
    }
    case 'one of many':
      return { ...fresh, plain: false };
    case 'a letter beyond ASCII':
      return changed({ ...fields, name: `Zoë ${String(fields['name'])}` }, marks);
    case 'three thousand blanks':
      return { ...fresh, plain: false, bytes: Buffer.concat([Buffer.alloc(3_000, ' '), fresh.bytes]) };
    case 'an optional field': {
      const more = await optionsFor(check, fields);
      return more === null ? null : changed(more, marks);
    }
    case 'phone as a number':
      return changed({ ...fields, phone: Number(String(fields['phone']).slice(1)) }, marks);
    case 'no phone':
      return changed(without('phone'), nameMark);
    case 'no name':
      return changed(without('name'), phoneMark);
    case 'an empty object':
      // The same bytes each time, so the same label: a service that merges equal content may show one lead for all of them.
      return bodyOf('an empty object', {}, [], false);
    case 'JSON cut short':
      return { ...fresh, plain: false, fields: {}, bytes: fresh.bytes.subarray(0, -1) };
    default:
      return fresh;
  }
}

/** How many bodies of units must differ in a field for it to tell one unit from another. */
const samples = 24;

/** Draws bodies of units, with the texts that tell them apart; null where creating a unit takes no key. */
export async function unitBodies(check: Check): Promise<((label: string) => LeadBody) | null> {
  const creation = await unitCreation(check);
  if (creation === null || !creation.takesKey) return null;
  const telling = await check.once('fields that tell created units apart', async () => {
    const drawn = Array.from({ length: samples }, () => asObject(creation.body(check)) ?? {});
    const before = new Set((await unitsIfReadable(check)).flatMap((unit) => Object.values(asObject(unit) ?? {})));
    return Object.keys(drawn[0] ?? {}).filter((field) => {
      const values = drawn.map((body) => body[field]);
      return (
        values.every((value) => typeof value === 'string' && value.length >= 6 && !before.has(value)) &&
        new Set(values).size === samples
      );
    });
  });
  return (label) => {
    const fields = asObject(creation.body(check)) ?? {};
    const marks = telling.map((field) => String(fields[field]));
    return { ...bodyOf(label, fields, marks), route: 'units' };
  };
}
