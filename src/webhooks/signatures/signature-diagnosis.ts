import { createHash, createHmac, getHashes } from 'node:crypto';
import { decodeJson, decodeText } from '../../http/index.js';
import { headerValues, type Delivery } from '../delivery.js';
import { renderings } from './json-renderings.js';
import {
  digestEncodings,
  hmacSha256,
  keyForms,
  placesOf,
  sayForm,
  unpadded,
  verifyingForms,
} from './signature-forms.js';

/** Facts besides the delivery itself. */
export interface DiagnosisHelp {
  readonly secret: string;
  readonly otherSecret: string | null;
  readonly header: string;
  /** Other secrets by their settings' names, such as API keys. */
  readonly suspects: readonly (readonly [string, string])[];
  /** Other deliveries of the run. */
  readonly others: readonly Delivery[];
}

/** A part of a delivery that may be signed, by its name. */
type Part = readonly [said: string, text: string];

/** The raw body together with a time stamp of the delivery, and with an id or a version, in the ways that are in use. */
function* stampedMessages(delivery: Delivery, header: string): Iterable<readonly [said: string, message: Buffer]> {
  const named = (pattern: RegExp, what: string): Part[] =>
    delivery.headers
      .filter(([name, value]) => pattern.test(name) && name !== header.toLowerCase() && value.length <= 200)
      .map(([name, value]) => [`the ${what} (${name})`, value]);
  const inSignature = headerValues(delivery, header).flatMap((value): Part[] =>
    [...value.matchAll(/(?<![0-9A-Za-z+/])\d{9,19}(?![0-9A-Za-z+/=])/g)].map(([text]) => [
      'the time stamp beside it',
      text,
    ]),
  );
  const stamps = [...inSignature, ...named(/time|stamp|(?:^|-)(?:date|ts|sent|nonce)(?:-|$)/, 'time stamp')].slice(
    0,
    8,
  );
  const ids = named(/(?:^|[-_])(?:id|uuid|guid|delivery)$|id$/, 'id').slice(0, 6);
  ids.push(['"v0"', 'v0'], ['"v1"', 'v1']);
  const body: Part = ['the body', delivery.wire.toString('latin1')];
  for (const stamp of stamps)
    for (const sign of ['.', ':', '', '\n', ',', '|', ' ']) {
      const beside = ids.flatMap((id) => [
        [id, stamp, body],
        [stamp, id, body],
      ]);
      for (const parts of [[stamp, body], [body, stamp], ...beside])
        yield [
          parts.map(([said]) => said).join(sign === '' ? ', directly, ' : `, ${JSON.stringify(sign)}, `),
          Buffer.from(parts.map(([, text]) => text).join(sign), 'latin1'),
        ];
    }
}

/** Messages that a sender may have signed in place of the raw body. */
function* messagesBeside(
  delivery: Delivery,
  header: string,
): Iterable<readonly [said: string, message: string | Buffer]> {
  yield* stampedMessages(delivery, header);
  const { body, wire, path } = delivery;
  if (body !== wire) yield ['the body before its content-encoding (the compressed bytes are what is sent)', body];
  const text = decodeText(body);
  const json = decodeJson(text);
  if (text !== null) {
    yield ['the body without white space around it', text.trim()];
    for (const end of ['\n', '\r\n']) yield ['the body with a line break at its end', text + end];
    yield ['the body in ISO 8859-1', Buffer.from(text, 'latin1')];
    yield ['the body as UTF-8 encoded twice', body.toString('latin1')];
  }
  for (const one of json === undefined ? [] : renderings(json))
    yield [`the JSON written again (${one.name}) instead of the bytes sent`, one.text];
  for (const [name, part] of Object.entries(typeof json === 'object' ? (json ?? {}) : {})) {
    const isPlain = typeof part !== 'object' || part === null;
    const texts = isPlain ? [String(part)] : renderings(part).map((one) => one.text);
    for (const one of texts.slice(0, 4)) yield [`only the field ${name}`, one];
    const rest = Object.entries(json as object).filter(([other]) => other !== name);
    yield [`the JSON without the field ${name}`, JSON.stringify(Object.fromEntries(rest))];
  }
  const host = headerValues(delivery, 'host')[0] ?? '';
  for (const [said, before] of [
    ['the URL and the body', `http://${host}${path}`],
    ['the URL and the body', `https://${host}${path}`],
    ['the path and the body', path],
    ['the method, the path and the body', `POST${path}`],
    ['the method, the path and the body', `POST ${path}\n`],
  ] as const)
    for (const sign of ['', '.', '\n']) yield [said, Buffer.concat([Buffer.from(before + sign), wire])];
  yield ['nothing (an empty message)', ''];
}

/** Digests that a sender may show in place of the right one, each with its cause in words; the nearest causes first. */
function* wrongDigests(delivery: Delivery, help: DiagnosisHelp): Iterable<readonly [cause: string, digest: Buffer]> {
  const { secret, suspects, others } = help;
  const { wire } = delivery;
  const keys = keyForms(secret).map(({ key }) => key);
  const hash = (...parts: (Buffer | string)[]): Buffer =>
    createHash('sha256')
      .update(Buffer.concat(parts.map((one) => Buffer.from(one))))
      .digest();
  const algorithms = getHashes().map((one) => one.toLowerCase());
  for (const algorithm of ['sha1', 'sha512', 'sha384', 'sha224', 'md5', 'sha3-256', 'sha512-256'])
    for (const key of algorithms.includes(algorithm) ? keys : [])
      yield [
        `an HMAC with ${algorithm.toUpperCase()} over the raw body`,
        createHmac(algorithm, key).update(wire).digest(),
      ];
  for (const [said, message] of messagesBeside(delivery, help.header)) {
    const bytes = Buffer.from(message);
    for (const key of bytes.equals(wire) ? [] : keys) yield [`the HMAC-SHA256 of ${said}`, hmacSha256(key, bytes)];
  }
  for (const key of keys) {
    const digest = hmacSha256(key, wire);
    for (const inner of [digest, Buffer.from(digest.toString('hex'))])
      yield ['the HMAC of the HMAC', hmacSha256(key, inner)];
  }
  for (const other of others.slice(0, 500))
    for (const key of other.seq === delivery.seq || other.wire.equals(wire) ? [] : keys)
      yield ['the signature of another delivery', hmacSha256(key, other.wire)];
  yield ['a plain SHA-256 of the body, without any secret', hash(wire)];
  for (const key of keys) {
    for (const digest of [hash(key, wire), hash(wire, key)])
      yield ['a plain SHA-256 of secret and body, not an HMAC', digest];
    yield ['the HMAC-SHA256 of the secret, keyed with the body', hmacSha256(wire, key)];
  }
  for (const [name, value] of suspects)
    for (const { key } of keyForms(value)) yield [`keyed with ${name}`, hmacSha256(key, wire)];
  for (const [said, key] of [
    ['the empty text', ''],
    ['the secret in upper case', secret.toUpperCase()],
    ['the secret in lower case', secret.toLowerCase()],
    ['the secret and a line feed', `${secret}\n`],
    ['the secret without white space around it', secret.trim()],
    ['the secret base64-encoded', Buffer.from(secret).toString('base64')],
    ['the secret hex-encoded', Buffer.from(secret).toString('hex')],
    ['the secret cut short', secret.slice(0, -1)],
    ['the SHA-256 of the secret', hash(secret)],
  ] as const)
    if (key !== secret) yield [`keyed with ${said}`, hmacSha256(Buffer.from(key), wire)];
}

/** A digest of which only the beginning or the end was sent, or that more follows; null where no value shows that. */
function shortened(digest: Buffer, values: readonly string[]): string | null {
  const tokens = values.flatMap((value) => value.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? []).map(unpadded);
  for (const bare of tokens.filter((one) => one.length >= 8))
    for (const { name, write } of digestEncodings) {
      const whole = unpadded(write(digest));
      if (bare.length < whole.length && (whole.startsWith(bare) || whole.endsWith(bare)))
        return `${bare.length} of ${whole.length} characters, ${name}`;
      if (bare.length > whole.length && bare.startsWith(whole))
        return `${bare.length - whole.length} characters too many after it, ${name}`;
    }
  return null;
}

/** The nearest cause why no known form verifies a delivery's signature, in one sentence part; null where none is seen. */
export function diagnose(delivery: Delivery, help: DiagnosisHelp): string | null {
  const { secret, otherSecret, header } = help;
  const values = headerValues(delivery, header);
  const [form] = otherSecret === null || otherSecret === secret ? [] : verifyingForms(delivery, otherSecret, header);
  if (form) return `it is right under the other tenant's secret (${sayForm(form)})`;
  for (const [cause, digest] of wrongDigests(delivery, help))
    if (values.some((value) => placesOf(digest, value).length > 0)) return `it is ${cause}`;
  for (const { key } of keyForms(secret)) {
    const cut = shortened(hmacSha256(key, delivery.wire), values);
    if (cut !== null) return `it is the right digest, cut or lengthened: ${cut}`;
  }
  if (/(?:^|[\s,])v1a,/.test(values.join(' ')))
    return 'it is an asymmetric signature (v1a of Standard Webhooks), and §5.6 asks for an HMAC';
  return values.every((value) => value.trim().length < 16)
    ? 'the value is too short for any encoding of a SHA-256 digest'
    : null;
}
