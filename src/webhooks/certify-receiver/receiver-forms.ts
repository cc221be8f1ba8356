import type { HeaderLine } from '../../http/exchange.js';
import { digestEncodings } from '../signatures/digest-encodings.js';
import { keyForms, type KeyForm } from '../signatures/key-forms.js';

/** Time and id that some forms sign along. */
export interface Stamp {
  /** Seconds since 1970, as text. */
  readonly time: string;
  readonly id: string;
}

/** One way to sign that a receiver may understand. */
export interface ReceiverForm {
  readonly name: string;
  /** Whether the message is the raw body alone (§5.6). */
  readonly raw: boolean;
  readonly key: KeyForm;
  encode(digest: Buffer): string;
  /** The header's value around an encoded digest. */
  wrap(text: string, stamp: Stamp): string;
  message(body: Buffer, stamp: Stamp): Buffer;
  extra(stamp: Stamp): readonly HeaderLine[];
}

const before = (text: string, body: Buffer): Buffer => Buffer.concat([Buffer.from(text), body]);

const rawLayouts = [
  ['hex', 'sha256='],
  ['hex', ''],
  ['base64', ''],
  ['base64', 'sha256='],
  ['hex', 'v1='],
  ['base64', 'v1='],
  ['base64', 'v1,'],
  ['hex', 'v1,'],
  ['base64url', ''],
  ['base64url with padding', ''],
  ['upper-case hex', ''],
  ['upper-case hex', 'sha256='],
  ['base64 without padding', ''],
  ['base64url', 'sha256='],
  ['base64url', 'v1='],
  ['base64url', 'v1,'],
  ['hex', 'v0='],
  ['hex', 'hmac-sha256='],
  ['hex', 'sha256:'],
  ['base64', 'hmac-sha256='],
  ['hex', 't={time},v1='],
  ['base64', 't={time},v1='],
  ['hex', 't={time};v1='],
  ['base64 of the hex text', ''],
] as const;

/** The ways to sign, the likeliest first: every encoding over the raw body with each key, then the stamped messages in use. */
export function receiverForms(secret: string): readonly ReceiverForm[] {
  const keys = keyForms(secret);
  const encoder = (name: string): ReceiverForm['encode'] =>
    digestEncodings.find((one) => one.name === name)?.write ?? ((digest) => digest.toString('hex'));
  const forms: ReceiverForm[] = [];
  for (const key of keys) {
    for (const [encoding, layout] of rawLayouts) {
      forms.push({
        name: `${layout === '' ? '' : `"${layout}" and `}${encoding}, over the raw body, keyed with ${key.name}`,
        raw: true,
        key,
        encode: encoder(encoding),
        wrap: (text, stamp) => layout.replace('{time}', stamp.time) + text,
        message: (body) => body,
        extra: () => [],
      });
    }
  }
  for (const key of [...keys].reverse()) {
    forms.push({
      name: `"t=…,v1=" and hex, over the time stamp, ".", the body, keyed with ${key.name}`,
      raw: false,
      key,
      encode: encoder('hex'),
      wrap: (text, stamp) => `t=${stamp.time},v1=${text}`,
      message: (body, stamp) => before(`${stamp.time}.`, body),
      extra: () => [],
    });
    for (const name of ['webhook', 'svix']) {
      forms.push({
        name: `"v1," and base64, over ${name}-id, ".", ${name}-timestamp, ".", the body, keyed with ${key.name}`,
        raw: false,
        key,
        encode: encoder('base64'),
        wrap: (text) => `v1,${text}`,
        message: (body, stamp) => before(`${stamp.id}.${stamp.time}.`, body),
        extra: (stamp) => [
          [`${name}-id`, stamp.id],
          [`${name}-timestamp`, stamp.time],
        ],
      });
    }
  }
  return forms;
}
