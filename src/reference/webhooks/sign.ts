import { createHmac } from 'node:crypto';
import type { Behaviour, SignedBody } from '../instance.js';
import type { VariantOptionValue } from '../variant-options.js';

/** How a digest is written. */
export type Encoding = VariantOptionValue<'signature-encoding'>;

/** A digest as the header shows it. */
export function encode(digest: Buffer, encoding: Encoding): string {
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

/** The value of the signature header over the raw body. */
export function signatureOf(signed: Omit<SignedBody, 'encoding'>, { option, apply }: Behaviour): string {
  const encoding = option('signature-encoding');
  const digest = createHmac('sha256', signed.secret).update(signed.body).digest();
  return apply('signature', encode(digest, encoding), { ...signed, encoding });
}
