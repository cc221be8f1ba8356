import { digestOf } from '../../certification/bundle/manifest.js';
import { fingerprint, readPrivateKey, readPublicKey } from '../../certification/bundle/keys.js';
import { countersignBundle } from '../../certification/bundle/write-bundle.js';
import { readPolicy, validUntil } from '../../certification/policy.js';
import { describeVerification, statusOf } from '../../certification/verify/describe-verification.js';
import type { Verification } from '../../certification/verify/verify-bundle.js';
import { writeWhole } from '../../reports/write-reports.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { listOption, textOption, type Arguments } from '../arguments.js';
import { readBundle, verifyAs } from './verify.js';

/** Why a sound bundle does not keep to a programme's rules on what it names; null where it does. */
function whyNotByPolicy({ manifest }: Verification, file: string): string | null {
  const due = validUntil(readPolicy(file), manifest?.clock.started ?? '');
  if (manifest?.product === undefined) return 'it names no product: expected one of certify --product';
  if (manifest.validUntil === due) return null;
  return `it counts until ${manifest.validUntil ?? 'no day'}, and by ${file} it counts until ${due}: expected one of certify --programme with that file`;
}

/**
 * `countersign BUNDLE --key PRIVATE --signer PUBLIC`: verifies a bundle, and adds a signature to it only where it is sound in every way. The
 * exit status of the verification; 2 where the bundle may not be signed.
 */
export async function countersign(parsed: Arguments): Promise<number> {
  const [key, policy] = [textOption(parsed, 'key'), textOption(parsed, 'programme')];
  const signers = listOption(parsed, 'signer').map((one) => readPublicKey(one, '--signer'));
  if (key === null || signers.length === 0)
    throw new SettingsError(
      'countersign needs --key and --signer: expected your private key, and the public key of the one who ran the suite.',
    );
  const privateKey = readPrivateKey(key);
  const { file, archive } = readBundle(parsed);
  const found = await verifyAs(parsed, archive, signers);
  process.stdout.write(describeVerification(found, true));
  const status = statusOf(found);
  if (status !== 0) {
    process.stderr.write(`${file} is not countersigned: expected a bundle that verify accepts.\n`);
    return status;
  }
  const wrong = policy === null ? null : whyNotByPolicy(found, policy);
  if (wrong !== null) throw new SettingsError(`${file} is not countersigned: ${wrong}.`);
  if (found.signers.some((one) => one.fingerprint === fingerprint(privateKey)))
    throw new SettingsError(`${file} has a signature by this key already: expected another key with --key.`);
  const signed = await countersignBundle(archive, privateKey);
  const out = textOption(parsed, 'out') ?? file;
  orSettingsError(
    () => writeWhole(out, signed),
    (code) => `--out names ${out}, which cannot be written (${code}): expected a file in a folder that is there.`,
  );
  process.stdout.write(`Countersigned: ${out} (${digestOf(signed)})\n`);
  return 0;
}
