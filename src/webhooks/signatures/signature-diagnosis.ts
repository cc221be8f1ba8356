import { createHash, createHmac, getHashes } from 'node:crypto';
import { decodeJson, decodeText } from '../../http/index.js';
import { headerValues, type Delivery } from '../delivery.js';
import { digestEncodings, placesOf } from './digest-encodings.js';
import { renderings } from './json-renderings.js';
import { keyForms } from './key-forms.js';
import { hmacSha256, sayForm, verifyingForms } from './signature-search.js';

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

const hexOrBase64 = /[A-Za-z0-9+/_-]{8,}={0,2}/g;

function bodies(delivery: Delivery): (readonly [string, Buffer])[] {
  const list: [string, Buffer][] = [];
  const add = (said: string, bytes: Buffer): void => {
    if (!bytes.equals(delivery.wire) && !list.some(([, known]) => known.equals(bytes))) list.push([said, bytes]);
  };
  if (delivery.body !== delivery.wire)
    add('the body before its content-encoding (the compressed bytes are what is sent)', delivery.body);
  const text = decodeText(delivery.body);
  const json = decodeJson(text);
  if (text !== null) {
    add('the body without white space around it', Buffer.from(text.trim()));
    for (const end of ['\n', '\r\n']) add('the body with a line break at its end', Buffer.from(text + end));
    add('the body in UTF-16', Buffer.from(text, 'utf16le'));
    add('the body in ISO 8859-1', Buffer.from(text, 'latin1'));
    add('the body as UTF-8 encoded twice', Buffer.from(delivery.body.toString('latin1'), 'utf8'));
  }
  add('the body decoded as text, with bytes replaced', Buffer.from(delivery.body.toString('utf8')));
  if (json !== undefined) {
    for (const { name, text: written } of renderings(json))
      add(`the JSON written again (${name}) instead of the bytes sent`, Buffer.from(written));
    if (typeof json === 'object' && json !== null) {
      for (const [name, part] of Object.entries(json)) {
        if (typeof part === 'object' && part !== null)
          for (const one of renderings(part).slice(0, 4)) add(`only the field ${name}`, Buffer.from(one.text));
        else add(`only the field ${name}`, Buffer.from(String(part)));
        const rest = Object.fromEntries(Object.entries(json).filter(([other]) => other !== name));
        add(`the JSON without the field ${name}`, Buffer.from(JSON.stringify(rest)));
      }
    }
  }
  const host = headerValues(delivery, 'host')[0] ?? '';
  for (const [said, before] of [
    ['the URL and the body', `http://${host}${delivery.path}`],
    ['the URL and the body', `https://${host}${delivery.path}`],
    ['the path and the body', delivery.path],
    ['the method, the path and the body', `POST${delivery.path}`],
    ['the method, the path and the body', `POST ${delivery.path}\n`],
  ] as const) {
    for (const sign of ['', '.', '\n']) add(said, Buffer.concat([Buffer.from(before + sign), delivery.wire]));
  }
  add('nothing (an empty message)', Buffer.alloc(0));
  return list;
}

/** A digest of which only the beginning or the end was sent. */
function shortened(digest: Buffer, values: readonly string[]): string | null {
  for (const value of values) {
    for (const [token] of value.matchAll(hexOrBase64)) {
      const bare = token.replace(/(?<!=)=+$/, '');
      if (bare.length < 8) continue;
      for (const encoding of digestEncodings) {
        const whole = encoding.write(digest).replace(/(?<!=)=+$/, '');
        if (bare.length < whole.length && (whole.startsWith(bare) || whole.endsWith(bare)))
          return `${bare.length} of ${whole.length} characters, ${encoding.name}`;
        if (bare.length > whole.length && bare.startsWith(whole))
          return `${bare.length - whole.length} characters too many after it, ${encoding.name}`;
      }
    }
  }
  return null;
}

/** The nearest cause why no known form verifies a delivery's signature, in one sentence part; null where none is seen. */
export function diagnose(delivery: Delivery, help: DiagnosisHelp): string | null {
  const { secret, otherSecret, header } = help;
  const values = headerValues(delivery, header);
  const keys = keyForms(secret);
  const shows = (digest: Buffer): boolean => values.some((value) => placesOf(digest, value).length > 0);
  if (otherSecret !== null && otherSecret !== secret) {
    const [form] = verifyingForms(delivery, otherSecret, header);
    if (form) return `it is right under the other tenant's secret (${sayForm(form)})`;
  }
  for (const algorithm of ['sha1', 'sha512', 'sha384', 'sha224', 'md5', 'sha3-256', 'sha512-256']) {
    if (!getHashes().some((known) => known.toLowerCase() === algorithm)) continue;
    for (const { key } of keys)
      if (shows(createHmac(algorithm, key).update(delivery.wire).digest()))
        return `it is an HMAC with ${algorithm.toUpperCase()} over the raw body`;
  }
  for (const [said, bytes] of bodies(delivery))
    for (const { key } of keys) if (shows(hmacSha256(key, bytes))) return `it is the HMAC-SHA256 of ${said}`;
  for (const { key } of keys) {
    const digest = hmacSha256(key, delivery.wire);
    const cut = shortened(digest, values);
    if (cut !== null) return `it is the right digest, cut or lengthened: ${cut}`;
    if (shows(Buffer.from(digest).reverse())) return 'it is the right digest with its bytes reversed';
    if (shows(hmacSha256(key, digest)) || shows(hmacSha256(key, Buffer.from(digest.toString('hex')))))
      return 'it is the HMAC of the HMAC';
  }
  for (const other of help.others.slice(0, 500)) {
    if (other.seq === delivery.seq || other.wire.equals(delivery.wire)) continue;
    for (const { key } of keys)
      if (shows(hmacSha256(key, other.wire))) return `it is the signature of another delivery (${other.seq})`;
  }
  const hash = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
  if (shows(hash(delivery.wire))) return 'it is a plain SHA-256 of the body, without any secret';
  for (const { key } of keys) {
    if (shows(hash(key, delivery.wire)) || shows(hash(delivery.wire, key)))
      return 'it is a plain SHA-256 of secret and body, not an HMAC';
    if (shows(hmacSha256(delivery.wire, key))) return 'key and message are exchanged';
  }
  for (const [name, value] of help.suspects)
    for (const { key } of keyForms(value)) if (shows(hmacSha256(key, delivery.wire))) return `it is keyed with ${name}`;
  for (const [said, changed] of [
    ['the empty text', ''],
    ['the secret in upper case', secret.toUpperCase()],
    ['the secret in lower case', secret.toLowerCase()],
    ['the secret and a line feed', `${secret}\n`],
    ['the secret without white space around it', secret.trim()],
    ['the secret base64-encoded', Buffer.from(secret).toString('base64')],
    ['the secret hex-encoded', Buffer.from(secret).toString('hex')],
    ['the secret cut short', secret.slice(0, -1)],
  ] as const) {
    if (changed !== secret && shows(hmacSha256(Buffer.from(changed), delivery.wire))) return `it is keyed with ${said}`;
  }
  if (shows(hmacSha256(createHash('sha256').update(secret).digest(), delivery.wire)))
    return 'it is keyed with the SHA-256 of the secret';
  if (values.some((value) => /(?:^|[\s,])v1a,/.test(value)))
    return 'it is an asymmetric signature (v1a of Standard Webhooks), and §5.6 asks for an HMAC';
  return values.every((value) => value.trim().length < 16)
    ? 'the value is too short for any encoding of a SHA-256 digest'
    : null;
}
