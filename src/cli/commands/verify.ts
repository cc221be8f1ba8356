import { existsSync, statSync } from 'node:fs';
import { describeVerification, statusOf } from '../../certification/verify/describe-verification.js';
import { readPublicKey } from '../../certification/bundle/keys.js';
import { whyUnreadable } from '../../certification/bundle/why-unreadable.js';
import { readNamed } from '../../certification/load-report.js';
import { verifyBundle } from '../../certification/verify/verify-bundle.js';
import { missingGenerator } from '../../openapi/client/generate-client.js';
import { loadPacks } from '../../packs.js';
import type { RawSettings } from '../../settings/setting-table.js';
import { SettingsError } from '../../settings/settings-error.js';
import { onlyOperand, textOption, type Arguments } from '../arguments.js';
import { verifyLoad } from '../load/verify-load.js';
import { readSettings } from '../read-settings.js';

/** Flags, and the webhook secrets from the environment too, where other users of the machine do not see them. */
function knownSecrets(flags: RawSettings): RawSettings {
  const known: RawSettings = { ...flags };
  for (const name of ['SIGNING_SECRET', 'OTHER_SIGNING_SECRET'] as const) {
    const value = known[name] ?? process.env[name];
    if (value !== undefined && value !== '') known[name] = value;
  }
  return known;
}

/** The reports of loads in a folder; nobody signed them. */
function verifyLoadIn(parsed: Arguments, folder: string): Promise<number> {
  if (textOption(parsed, 'key') !== null)
    throw new SettingsError('--key is for a bundle: leave it out, as nobody signs the reports of a load.');
  return verifyLoad(folder, parsed.options['json'] === true);
}

/** `verify BUNDLE [--key PUB]`: judges a bundle without a network; 0 sound, 1 changed or not borne out, 3 sound but certifying nothing. */
export async function verify(parsed: Arguments): Promise<number> {
  const file = onlyOperand(
    parsed,
    'verify takes one bundle, or one folder: expected the file that certify --bundle wrote, or reports/load.',
  );
  if (existsSync(file) && statSync(file).isDirectory()) return verifyLoadIn(parsed, file);
  const keyFile = textOption(parsed, 'key');
  const trusted = keyFile === null ? null : readPublicKey(keyFile);
  const archive = readNamed(file, 'the bundle that certify --bundle wrote');
  const missing = missingGenerator();
  if (missing !== null) throw new SettingsError(`verify judges everything again, and ${missing}.`);
  const unreadable = whyUnreadable(archive);
  if (unreadable !== null) throw new SettingsError(`${file} ${unreadable}.`);
  const found = await verifyBundle(archive, {
    trusted,
    checks: (await loadPacks(readSettings(parsed.settings).PACKS)).requirements,
    known: knownSecrets(parsed.settings),
  });
  if (parsed.options['json'] === true)
    process.stdout.write(`${JSON.stringify({ ...found, status: statusOf(found) }, null, 2)}\n`);
  else process.stdout.write(describeVerification(found, trusted !== null));
  return statusOf(found);
}
