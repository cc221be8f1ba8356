import { createHash } from 'node:crypto';
import { plainLead } from '../api/leads.js';
import type { Check, Wanted } from '../run/check.js';

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

const exchanges = Array.from({ length: 800 }, (_, at) => at + 200).filter((code) => code % 100 !== 11 && code !== 555);

/** A phone number that no other lead of this run has, valid in the North American plan: some services merge leads by phone. */
async function freshPhone(check: Check): Promise<string> {
  const counter = await check.once('idempotency phones', () =>
    Promise.resolve({
      next: createHash('sha256').update(check.run.nonce).digest().readUInt32BE(0) % (exchanges.length * 10_000),
    }),
  );
  const at = (counter.next += 1) % (exchanges.length * 10_000);
  return `+1415${exchanges[at % exchanges.length] ?? 200}${String(Math.floor(at / exchanges.length)).padStart(4, '0')}`;
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

/** A lead that the specification allows and no other check has, for a unit of the tenant that `wish` speaks for. */
export async function freshBody(
  check: Check,
  label: string,
  wish: Pick<Wanted, 'as' | 'tenant'> = {},
): Promise<LeadBody> {
  const lead = { ...(await plainLead(check, wish)), phone: await freshPhone(check) };
  return bodyOf(label, lead, [lead.name.split(' ').at(-1) ?? lead.name, lead.phone.slice(1)]);
}

/** Ways to break a lead; which of them are refused is the target's choice. */
export const breakages = ['phone as a number', 'no phone', 'no name', 'an empty object', 'JSON cut short'] as const;

/** A lead that most services refuse, broken in the given way. */
export async function brokenBody(
  check: Check,
  label: string,
  breakage: (typeof breakages)[number],
  wish: Pick<Wanted, 'as' | 'tenant'> = {},
): Promise<LeadBody> {
  const whole = await freshBody(check, label, wish);
  switch (breakage) {
    case 'phone as a number':
      return bodyOf(label, { ...whole.fields, phone: Number(whole.marks[1]) }, whole.marks, false);
    case 'no phone':
      return bodyOf(
        label,
        { name: whole.fields['name'], vehicleId: whole.fields['vehicleId'] },
        whole.marks.slice(0, 1),
        false,
      );
    case 'no name':
      return bodyOf(
        label,
        { phone: whole.fields['phone'], vehicleId: whole.fields['vehicleId'] },
        whole.marks.slice(1),
        false,
      );
    case 'an empty object':
      // The same bytes each time, so the same label: a service that merges equal content may show one lead for all of them.
      return bodyOf('an empty object', {}, [], false);
    case 'JSON cut short':
      return { ...whole, plain: false, fields: {}, bytes: whole.bytes.subarray(0, -1) };
  }
}
