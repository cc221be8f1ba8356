/** A way to write a digest as text. */
export interface DigestEncoding {
  readonly name: string;
  readonly write: (digest: Buffer) => string;
  /** The form of a value that may hold it; a quick test before the slow encoding. */
  readonly needs?: RegExp;
}

const unpadded = (text: string): string => text.replace(/(?<!=)=+$/, '');
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

function base32(digest: Buffer): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let bits = '';
  for (const byte of digest) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[parseInt(five.padEnd(5, '0'), 2)] ?? '').join('');
}

/** The encodings a signature may have; the specification does not show which (§6), so all of them are right. */
export const digestEncodings: readonly DigestEncoding[] = [
  { name: 'hex', write: (digest) => digest.toString('hex') },
  { name: 'upper-case hex', write: (digest) => digest.toString('hex').toUpperCase() },
  { name: 'base64', write: (digest) => digest.toString('base64') },
  { name: 'base64 without padding', write: (digest) => unpadded(digest.toString('base64')) },
  { name: 'base64url', write: (digest) => unpadded(urlSafe(digest.toString('base64'))) },
  { name: 'base64url with padding', write: (digest) => urlSafe(digest.toString('base64')) },
  {
    name: 'base64 of the hex text',
    needs: /[A-Za-z0-9]{40}/,
    write: (digest) => Buffer.from(digest.toString('hex')).toString('base64'),
  },
  {
    name: 'base64 of the hex text without padding',
    needs: /[A-Za-z0-9]{40}/,
    write: (digest) => unpadded(Buffer.from(digest.toString('hex')).toString('base64')),
  },
  { name: 'base32', write: base32, needs: /[A-Z2-7]{25}/ },
  {
    name: 'base32 with padding',
    needs: /[A-Z2-7]{25}=/,
    write: (digest) => base32(digest).padEnd(Math.ceil(digest.length / 5) * 8, '='),
  },
];

/** The place of a digest in the value of a header. */
export interface DigestPlace {
  readonly encoding: string;
  /** The text right before the digest that names it, such as `sha256=` or `v1,`; empty where it stands alone. */
  readonly label: string;
}

const wordBefore = /[A-Za-z0-9+/_-]$/;
const wordAfter = /^[A-Za-z0-9+/_=-]/;
const dashedLabel = /(?:^|[\s,;=])(?:hmac|sha-?256|sig|signature|v\d)[-_]$/i;
const labelBefore = /([A-Za-z][A-Za-z0-9_.-]{0,30}(?:\s?[=:,\s]\s?["':]?|[-_]))$/;

/** Every encoding of `digest` that stands whole in a header's value, with the label before it. */
export function placesOf(digest: Buffer, value: string): readonly DigestPlace[] {
  const places: DigestPlace[] = [];
  for (const encoding of digestEncodings) {
    if (encoding.needs && !encoding.needs.test(value)) continue;
    const text = encoding.write(digest);
    for (let at = value.indexOf(text); at >= 0; at = value.indexOf(text, at + 1)) {
      const before = value.slice(0, at);
      if ((wordBefore.test(before) && !dashedLabel.test(before)) || wordAfter.test(value.slice(at + text.length)))
        continue;
      places.push({ encoding: encoding.name, label: labelBefore.exec(before)?.[1] ?? '' });
    }
  }
  return places;
}
