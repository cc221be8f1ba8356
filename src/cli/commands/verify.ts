import {
  assertGenerator,
  concludeVerification,
  describeVerification,
  readKey,
  verifyBundle,
} from '../../certification/index.js';
import { loadPacks } from '../../packs.js';
import { type RawSettings, readInput, wrongFile } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

/** Flags, and the webhook secrets from the environment too, where other users of the machine do not see them. */
export function knownSecrets(flags: RawSettings): RawSettings {
  const known: RawSettings = { ...flags };
  for (const name of ['SIGNING_SECRET', 'OTHER_SIGNING_SECRET'] as const) {
    const value = known[name] ?? process.env[name];
    if (value !== undefined && value !== '') known[name] = value;
  }
  return known;
}

/** `verify BUNDLE [--key PUB]…`: judges a bundle without a network; 0 sound, 1 changed or not borne out, 3 sound but certifying nothing. */
export async function verify(parsed: Arguments): Promise<number> {
  const trusted = (parsed.options.key ?? []).map((one) => readKey(one, 'public'));
  const [file = ''] = parsed.operands;
  const input = { file, expected: 'the file that certify --bundle wrote' };
  const archive = readInput(input);
  // A changed or cut bundle is not verified; another file is no bundle at all.
  if (!archive.includes('ustar')) throw wrongFile(input, 'is no bundle');
  assertGenerator('verify');
  const { requirements: checks, ...catalogue } = await loadPacks(readSettings(parsed.settings).PACKS);
  const found = await verifyBundle(archive, { trusted, checks, ...catalogue, known: knownSecrets(parsed.settings) });
  const { status } = concludeVerification(found);
  if (parsed.options.json) process.stdout.write(`${JSON.stringify({ ...found, status }, null, 2)}\n`);
  else process.stdout.write(describeVerification(found, trusted.length > 0));
  return status;
}
