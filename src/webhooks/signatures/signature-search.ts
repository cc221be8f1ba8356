import { createHmac } from 'node:crypto';
import { headerValues, type Delivery } from '../delivery.js';
import { placesOf } from './digest-encodings.js';
import { keyForms, type KeyForm } from './key-forms.js';
import { rawMessage, stampedMessages, type MessageForm } from './message-forms.js';

/** One reading of a signature that verifies. */
export interface SignatureForm {
  /** The signed data. */
  readonly message: string;
  /** Whether that is the raw body alone, as §5.6 says. */
  readonly raw: boolean;
  /** How the key comes from the secret. */
  readonly key: string;
  readonly encoding: string;
  /** Text right before the signature, such as `sha256=`. */
  readonly label: string;
}

/** The parts of a delivery that a signature depends on. */
export type Signed = Pick<Delivery, 'headers' | 'wire'>;

/** The HMAC-SHA256 of a message. */
export function hmacSha256(key: Buffer, message: Buffer): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** The two things that tell one reading from another in every delivery of a sender. */
export function formKey(form: SignatureForm): string {
  return JSON.stringify([form.message, form.key, form.encoding, form.label]);
}

function readings(
  messages: readonly MessageForm[],
  keys: readonly KeyForm[],
  values: readonly string[],
): SignatureForm[] {
  const found = new Map<string, SignatureForm>();
  for (const message of messages) {
    for (const key of keys) {
      const digest = hmacSha256(key.key, message.bytes);
      for (const value of values) {
        for (const place of placesOf(digest, value)) {
          const form = { message: message.name, raw: message.raw, key: key.name, ...place };
          found.set(formKey(form), form);
        }
      }
    }
  }
  return [...found.values()];
}

/** One flipped bit in the middle of a message; one byte more where it is empty. */
export function flipped(bytes: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.from([0]);
  const copy = Buffer.from(bytes);
  const at = copy.length >> 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const remembered = new WeakMap<object, Map<string, readonly SignatureForm[]>>();

/**
 * Every reading under which the delivery's signature verifies; the raw body is tried first, and time-stamped messages only
 * where it does not verify. A reading that also verifies a changed body is none: it does not depend on the body.
 */
export function verifyingForms(delivery: Signed, secret: string, header: string): readonly SignatureForm[] {
  const known = remembered.get(delivery) ?? new Map<string, readonly SignatureForm[]>();
  remembered.set(delivery, known);
  const question = JSON.stringify([secret, header]);
  const found = known.get(question) ?? search(delivery, secret, header);
  known.set(question, found);
  return found;
}

function search(delivery: Signed, secret: string, header: string): readonly SignatureForm[] {
  const values = headerValues(delivery, header).filter((value) => value.length >= 32);
  if (values.length === 0) return [];
  const keys = keyForms(secret);
  const changed = flipped(delivery.wire);
  const verified = (raw: boolean): SignatureForm[] => {
    const messages = (bytes: Buffer): readonly MessageForm[] =>
      raw ? [rawMessage(bytes)] : stampedMessages(delivery, bytes, header);
    const right = readings(messages(delivery.wire), keys, values);
    if (right.length === 0) return [];
    const wrong = new Set(readings(messages(changed), keys, values).map(formKey));
    return right.filter((form) => !wrong.has(formKey(form)));
  };
  const raw = verified(true);
  return raw.length > 0 ? raw : verified(false);
}

/** The signature schemes that verify every delivery. The caller handles deliveries that none verifies. */
export function commonForms(
  each: readonly (readonly SignatureForm[])[],
  tell: (form: SignatureForm) => string = formKey,
): readonly SignatureForm[] {
  const [first, ...rest] = each;
  if (first === undefined) return [];
  let common = first;
  for (const forms of rest) {
    const keys = new Set(forms.map(tell));
    common = common.filter((form) => keys.has(tell(form)));
    if (common.length === 0) break;
  }
  return common;
}

/** A reading as a sentence part: `"sha256=" and hex, over the raw body, with the secret as text as key`. */
export function sayForm(form: SignatureForm): string {
  const label = form.label === '' ? '' : `"${form.label}" and `;
  return `${label}${form.encoding}, over ${form.message}, keyed with ${form.key}`;
}
