import { createHash, createHmac } from 'node:crypto';
import type { Behaviour } from '../behaviour.js';

type Encoding = 'hex' | 'hex-upper' | 'base64' | 'base64url' | 'sha256=hex' | 'v1=hex' | 'timestamped';

function encode(digest: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'hex':
      return digest.toString('hex');
    case 'hex-upper':
      return digest.toString('hex').toUpperCase();
    case 'base64':
    case 'base64url':
      return digest.toString(encoding);
    case 'sha256=hex':
      return `sha256=${digest.toString('hex')}`;
    case 'v1=hex':
      return `v1=${digest.toString('hex')}`;
    case 'timestamped':
      return `t=${Math.floor(Date.now() / 1_000)},v1=${digest.toString('hex')}`;
  }
}

/** What the digest is taken over; the exact body unless a fault has it otherwise. */
function signedBytes(body: Buffer, payload: Record<string, unknown>, behaviour: Behaviour): Buffer {
  const { has } = behaviour;
  const text = body.toString('utf8');
  if (has('signature-reserialised')) return Buffer.from(JSON.stringify(payload, null, 1));
  if (has('signature-of-ascii'))
    return Buffer.from(text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));
  if (has('signature-of-data-only')) return Buffer.from(JSON.stringify(payload['data']));
  return has('signature-with-newline') ? Buffer.concat([body, Buffer.from('\n')]) : body;
}

/** The value of the signature header over the raw body. `nth` counts deliveries. */
export function signatureOf(
  body: Buffer,
  payload: Record<string, unknown>,
  secret: string,
  nth: number,
  behaviour: Behaviour,
): string {
  const { has } = behaviour;
  const bytes = signedBytes(body, payload, behaviour);
  const digest = has('signature-unkeyed')
    ? createHash('sha256').update(bytes).digest()
    : createHmac(has('signature-sha1') ? 'sha1' : 'sha256', secret)
        .update(bytes)
        .digest();
  const chosen = behaviour.dial('signature-encoding');
  const encoding =
    has('signature-encoding-changes') && nth % 2 === 1 ? (chosen === 'base64' ? 'hex' : 'base64') : chosen;
  const value = encode(digest, encoding);
  return has('signature-truncated') ? value.slice(0, Math.ceil(value.length / 2)) : value;
}
