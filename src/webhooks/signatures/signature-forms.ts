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

/** One reading of a signature that verifies. */
export interface SignatureForm {
  /** How the key comes from the secret. */
  readonly key: string;
  readonly encoding: string;
  /** Text right before the signature, such as `sha256=`. */
  readonly label: string;
}

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

/** Texts that senders write before a digest, the likely ones first; `{time}` is the time in seconds. */
export const signatureLabels = [
  'sha256=',
  '',
  'v1=',
  'v1,',
  't={time},v1=',
  'v0=',
  'hmac-sha256=',
  'sha256:',
  't={time};v1=',
];

/** A form to sign in. */
export interface SigningForm extends Pick<KeyForm, 'key'>, Pick<DigestEncoding, 'write'> {
  readonly label: string;
  /** The form in words. */
  readonly name: string;
}

/** Every form to sign in with a secret: for each key, each encoding under each label. */
export const signingForms = (secret: string): readonly SigningForm[] =>
  keyForms(secret).flatMap(({ name: said, key }) =>
    digestEncodings.flatMap(({ name: encoding, write }) =>
      signatureLabels.map((label) => ({ key, write, label, name: sayForm({ key: said, encoding, label }) })),
    ),
  );

/** How many of them have one of the four likely encodings of the first key. */
export const likelyForms = 4 * signatureLabels.length;

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

/** Every reading under which the signature of a delivery verifies its raw body. */
export function verifyingForms(delivery: Delivery, secret: string, header: string): readonly SignatureForm[] {
  const values = headerValues(delivery, header).filter((value) => value.length >= 32);
  return (values.length === 0 ? [] : keyForms(secret)).flatMap(({ key, name }) => {
    const digest = hmacSha256(key, delivery.wire);
    return values.flatMap((value) => placesOf(digest, value)).map((place) => ({ key: name, ...place }));
  });
}

/** A reading as a sentence part: `"sha256=" and hex, keyed with the secret as text`. */
export function sayForm({ label, encoding, key }: SignatureForm): string {
  return `${label === '' ? '' : `"${label}" and `}${encoding}, keyed with ${key}`;
}
