import { plainLead } from '../api/index.js';
import type { Check, RequestOptions } from '../run/index.js';

/** A body to create a lead with, and what to know it again by. */
export interface LeadBody {
  /** Name in stories; equal labels are equal bytes. */
  readonly label: string;
  readonly bytes: Buffer;
  /** Text fragments that no other body of the run has: one of them in an answer shows that it is about this body. */
  readonly marks: readonly string[];
  /** Whether an ordinary create with it is accepted; false where it is broken on purpose. */
  readonly plain: boolean;
  /** The fields sent; empty where the body is no object. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Fields as a body. */
export function bodyOf(
  label: string,
  fields: Readonly<Record<string, unknown>>,
  marks: readonly string[],
  plain = true,
): LeadBody {
  return { label, fields, marks, plain, bytes: Buffer.from(JSON.stringify(fields)) };
}

/** A lead that the specification allows and no other check has, for a unit of the tenant that `options` names, or the given one. */
export async function freshBody(
  check: Check,
  label: string,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
  vehicleId?: string,
): Promise<LeadBody> {
  const lead = await plainLead(check, options, vehicleId);
  // A text shorter than a word may occur in other leads too.
  const marks = [lead.name.split(' ').at(-1) ?? lead.name, lead.phone.slice(1)].filter((mark) => mark.length >= 6);
  return bodyOf(label, lead, marks);
}

/** Ways to break a lead; which of them are refused is the target's choice. */
export const breakages = ['phone as a number', 'no phone', 'no name', 'an empty object', 'JSON cut short'] as const;

/** A fresh lead for the vehicle of another one: where it is taken, the vehicle is no reason to refuse the other. */
export function likeBody(
  check: Check,
  label: string,
  other: LeadBody,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<LeadBody> {
  const { vehicleId } = other.fields;
  return freshBody(check, label, options, typeof vehicleId === 'string' ? vehicleId : undefined);
}

function withoutField(body: LeadBody, field: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body.fields).filter(([name]) => name !== field));
}

/** A lead that most services refuse, broken in the given way. */
export async function brokenBody(
  check: Check,
  label: string,
  breakage: (typeof breakages)[number],
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<LeadBody> {
  const whole = await freshBody(check, label, options);
  switch (breakage) {
    case 'phone as a number':
      return bodyOf(
        label,
        { ...whole.fields, phone: Number(String(whole.fields['phone']).slice(1)) },
        whole.marks,
        false,
      );
    case 'no phone':
      return bodyOf(label, withoutField(whole, 'phone'), whole.marks.slice(0, -1), false);
    case 'no name':
      return bodyOf(label, withoutField(whole, 'name'), whole.marks.slice(-1), false);
    case 'an empty object':
      // The same bytes each time, so the same label: a service that merges equal content may show one lead for all of them.
      return bodyOf('an empty object', {}, [], false);
    case 'JSON cut short':
      return { ...whole, plain: false, fields: {}, bytes: whole.bytes.subarray(0, -1) };
  }
}
