import { createHmac } from 'node:crypto';
import { headerValues, type Delivery } from '../delivery.js';

/** A way to write a digest as text. */
export interface DigestEncoding {
  readonly name: string;
  readonly write: (digest: Buffer) => string;
  /** The form of a value that may hold it; a quick test before the slow encoding. */
  readonly needs?: RegExp;
}

/** A way to make the key of the HMAC from the secret as it was handed over. */
export interface KeyForm {
  readonly name: string;
  readonly key: Buffer;
}

/** The data that a signature may cover. */
interface MessageForm {
  readonly name: string;
  readonly bytes: Buffer;
  /** Only the raw body is what §5.6 says; the others also cover a time stamp or an id. */
  readonly raw: boolean;
}

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

export const unpadded = (text: string): string => text.replace(/(?<!=)=+$/, '');
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
const hex = (digest: Buffer): string => digest.toString('hex');
const base64 = (digest: Buffer): string => digest.toString('base64');
const base64OfHex = (digest: Buffer): string => base64(Buffer.from(hex(digest)));

function base32(digest: Buffer): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[parseInt(five.padEnd(5, '0'), 2)] ?? '').join('');
}

/** The encodings a signature may have; the specification does not show which (§6), so all of them are right. */
export const digestEncodings: readonly DigestEncoding[] = [
  { name: 'hex', write: hex },
  { name: 'upper-case hex', write: (digest) => hex(digest).toUpperCase() },
  { name: 'base64', write: base64 },
  { name: 'base64 without padding', write: (digest) => unpadded(base64(digest)) },
  { name: 'base64url', write: (digest) => unpadded(urlSafe(base64(digest))) },
  { name: 'base64url with padding', write: (digest) => urlSafe(base64(digest)) },
  { name: 'base64 of the hex text', write: base64OfHex, needs: /[A-Za-z0-9]{40}/ },
  {
    name: 'base64 of the hex text without padding',
    write: (digest) => unpadded(base64OfHex(digest)),
    needs: /[A-Za-z0-9]{40}/,
  },
  { name: 'base32', write: base32, needs: /[A-Z2-7]{25}/ },
  {
    name: 'base32 with padding',
    write: (digest) => base32(digest).padEnd(Math.ceil(digest.length / 5) * 8, '='),
    needs: /[A-Z2-7]{25}=/,
  },
];

const shapes = { base64: /^[A-Za-z0-9+/]+={0,2}$/, base64url: /^[A-Za-z0-9_-]+={0,2}$/, hex: /^(?:[0-9a-fA-F]{2})+$/ };

function decoded(text: string, encoding: keyof typeof shapes): Buffer | null {
  if (!shapes[encoding].test(text)) return null;
  const key = Buffer.from(text, encoding);
  const strip = (value: string): string => unpadded(value).toLowerCase();
  // Node decodes leniently, so only what encodes back to itself counts as encoded; very short keys are words by accident.
  return key.length >= 8 && strip(key.toString(encoding)) === strip(text) ? key : null;
}

/** Every key that a secret may encode, the plain UTF-8 text first; each different key once. */
export function keyForms(secret: string): readonly KeyForm[] {
  const forms: KeyForm[] = [];
  const bare = secret.replace(/^[a-z]{2,8}_/, '');
  const said = `the secret without ${secret.slice(0, -bare.length)}`;
  for (const [name, key] of [
    ['the secret as text', Buffer.from(secret)],
    ['the secret, base64-decoded', decoded(secret, 'base64') ?? decoded(secret, 'base64url')],
    ['the secret, hex-decoded', decoded(secret, 'hex')],
    [`${said}, as text`, Buffer.from(bare)],
    [`${said}, base64-decoded`, decoded(bare, 'base64') ?? decoded(bare, 'base64url')],
    [`${said}, hex-decoded`, decoded(bare, 'hex')],
  ] as const)
    if (key !== null && key.length > 0 && !forms.some((form) => form.key.equals(key))) forms.push({ name, key });
  return forms;
}

/** Texts of the delivery's headers that a sender may have signed together with the body: each with its place. */
type Part = readonly [where: string, text: string];

function partsOfSignature(delivery: Signed, header: string): Part[] {
  return headerValues(delivery, header).flatMap((value): Part[] => {
    const named = value.matchAll(/(?:^|[\s,;])([a-z_]{1,20})\s*=\s*"?(\d{9,19})(?![0-9A-Za-z+/=])/gi);
    const first = /^(\d{9,19})[.,:;]/.exec(value)?.[1];
    return [
      ...[...named].map(([, name = '', text = '']): Part => [`${name}= of ${header}`, text]),
      ...(first === undefined ? [] : [[`the start of ${header}`, first] as const]),
    ];
  });
}

/** The body together with a time stamp, or with an id and a time stamp, in the ways that are in use. */
function stampedMessages(delivery: Signed, bytes: Buffer, header: string): readonly MessageForm[] {
  const named = (pattern: RegExp): readonly Part[] =>
    delivery.headers.filter(
      ([name, value]) => pattern.test(name) && name !== header.toLowerCase() && value.length <= 200 && /\S/.test(value),
    );
  const stamps = [
    ...partsOfSignature(delivery, header),
    ...named(/time|stamp|(?:^|-)(?:date|ts|sent|nonce)(?:-|$)/),
  ].slice(0, 8);
  const ids = named(/(?:^|[-_])(?:id|uuid|guid|delivery)$|id$/).slice(0, 6);
  const shown = (sign: string): string => (sign === '' ? 'directly' : JSON.stringify(sign));
  const forms: MessageForm[] = [];
  const add = (name: string, before: string, after = ''): void => {
    const whole = Buffer.concat([Buffer.from(before, 'latin1'), bytes, Buffer.from(after, 'latin1')]);
    forms.push({ name, bytes: whole, raw: false });
  };
  for (const [where, text] of stamps) {
    const time = `the time stamp (${where})`;
    for (const sign of ['.', ':', '', '\n', ',', '|', ' ']) {
      add(`${time}, ${shown(sign)}, the body`, `${text}${sign}`);
      if (sign === '.' || sign === '') add(`the body, ${shown(sign)}, ${time}`, '', `${sign}${text}`);
    }
    for (const version of ['v0', 'v1']) add(`"${version}:", ${time}, ":", the body`, `${version}:${text}:`);
    for (const [place, id] of ids.filter(([place]) => place !== where))
      for (const sign of ['.', ':', '']) {
        const between = `, ${shown(sign)}, `;
        add([`the id (${place})`, time, 'the body'].join(between), `${id}${sign}${text}${sign}`);
        add([time, `the id (${place})`, 'the body'].join(between), `${text}${sign}${id}${sign}`);
      }
  }
  return forms;
}

const wordBefore = /[A-Za-z0-9+/_-]$/;
const wordAfter = /^[A-Za-z0-9+/_=-]/;
const dashedLabel = /(?:^|[\s,;=])(?:hmac|sha-?256|sig|signature|v\d)[-_]$/i;
const labelBefore = /([A-Za-z][A-Za-z0-9_.-]{0,30}(?:\s?[=:,\s]\s?["':]?|[-_]))$/;

/** Every encoding of `digest` that stands whole in a header's value, with the label before it, such as `sha256=` or `v1,`. */
export function placesOf(digest: Buffer, value: string): readonly Pick<SignatureForm, 'encoding' | 'label'>[] {
  return digestEncodings.flatMap(({ name: encoding, needs, write }) => {
    const places = [];
    const text = needs?.test(value) === false ? '\u0000' : write(digest);
    for (let at = value.indexOf(text); at >= 0; at = value.indexOf(text, at + 1)) {
      const before = value.slice(0, at);
      const isPart = wordBefore.test(before) && !dashedLabel.test(before);
      if (!isPart && !wordAfter.test(value.slice(at + text.length)))
        places.push({ encoding, label: labelBefore.exec(before)?.[1] ?? '' });
    }
    return places;
  });
}

/** The things that tell one reading from another in every delivery of a sender. */
export function formKey({ message, key, encoding, label }: SignatureForm): string {
  return JSON.stringify([message, key, encoding, label]);
}

function readings(messages: readonly MessageForm[], keys: readonly KeyForm[], values: readonly string[]) {
  const found = new Map<string, SignatureForm>();
  for (const { bytes, name: message, raw } of messages)
    for (const { key, name } of keys) {
      const digest = hmacSha256(key, bytes);
      for (const place of values.flatMap((value) => placesOf(digest, value))) {
        const form = { message, raw, key: name, ...place };
        found.set(formKey(form), form);
      }
    }
  return found;
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
  const verified = (messages: (bytes: Buffer) => readonly MessageForm[]): SignatureForm[] => {
    const right = readings(messages(delivery.wire), keys, values);
    const wrong = right.size === 0 ? right : readings(messages(flipped(delivery.wire)), keys, values);
    return [...right].filter(([key]) => !wrong.has(key)).map(([, form]) => form);
  };
  const raw = verified((bytes) => [{ name: 'the raw body', bytes, raw: true }]);
  return raw.length > 0 ? raw : verified((bytes) => stampedMessages(delivery, bytes, header));
}

/** The signature schemes that verify every delivery. The caller handles deliveries that none verifies. */
export function commonForms(
  each: readonly (readonly SignatureForm[])[],
  tell: (form: SignatureForm) => string = formKey,
): readonly SignatureForm[] {
  const keys = each.slice(1).map((forms) => new Set(forms.map(tell)));
  return (each[0] ?? []).filter((form) => keys.every((one) => one.has(tell(form))));
}

/** A reading as a sentence part: `"sha256=" and hex, over the raw body, with the secret as text as key`. */
export function sayForm({ label, encoding, message, key }: SignatureForm): string {
  return `${label === '' ? '' : `"${label}" and `}${encoding}, over ${message}, keyed with ${key}`;
}
