import { writeKeyPair } from '../../certification/index.js';
import type { Arguments } from '../arguments.js';

/** `keygen --out PREFIX`: writes an Ed25519 pair that signs bundles. */
export async function keygen(parsed: Arguments): Promise<number> {
  const { out: prefix = '' } = parsed.options;
  const made = writeKeyPair(prefix);
  process.stdout.write(
    `${made.privateFile}  private key: signs bundles (certify --bundle FILE --key ${made.privateFile}); keep it to yourself\n` +
      `${made.publicFile}  public key: give it to the verifier\n` +
      `${made.fingerprint}  its fingerprint: send it over another channel\n`,
  );
  return Promise.resolve(0);
}
