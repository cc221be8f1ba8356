import { createHmac } from 'node:crypto';
import type { SignedBody } from '../instance.js';

/** A digest as the header shows it. */
export function encode(digest: Buffer, encoding: SignedBody['encoding']): string {
  if (encoding === 'base64' || encoding === 'base64url') return digest.toString(encoding);
  const hex = digest.toString('hex');
  if (encoding === 'hex-upper') return hex.toUpperCase();
  return encoding === 'timestamped' ? `t=${Math.floor(Date.now() / 1_000)},v1=${hex}` : encoding.replace('hex', hex);
}

/** The value of the signature header over the raw body. */
export function signatureOf({ body, secret, encoding }: SignedBody): string {
  return encode(createHmac('sha256', secret).update(body).digest(), encoding);
}
