import type { KeyObject } from 'node:crypto';
import { readPrivateKey } from '../certification/keys.js';
import { readNonce } from '../certification/nonce.js';
import { reasonsBefore } from '../certification/refusals.js';
import { writeBundle } from '../certification/write-bundle.js';
import { missingGenerator } from '../contract/generate-client.js';
import type { RunFile } from '../run/run-file.js';
import { SettingsError } from '../target/settings-error.js';
import type { RawSettings } from '../target/setting-table.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';

/** The bundle that was asked for. */
export interface BundleWish {
  readonly file: string;
  readonly privateKey: KeyObject;
  readonly allowIncomplete: boolean;
}

/** The certifier's nonce, or null; throws SettingsError. */
export function nonceOption(parsed: Arguments): string | null {
  const text = textOption(parsed, 'nonce');
  return text === null ? null : readNonce(text);
}

/** What --bundle, --key and --allow-incomplete ask for, or null; throws SettingsError before anything is sent. */
export function bundleWish(parsed: Arguments): BundleWish | null {
  const file = textOption(parsed, 'bundle');
  const key = textOption(parsed, 'key');
  if (file === null) {
    if (key !== null)
      throw new SettingsError('--key is given without --bundle: expected both, as the key signs the bundle.');
    return null;
  }
  if (key === null)
    throw new SettingsError(
      '--bundle is given without --key: expected the private key that "dealership-conformance keygen" wrote.',
    );
  return { file, privateKey: readPrivateKey(key), allowIncomplete: parsed.options['allow-incomplete'] === true };
}

/** Refuses a run that could never be certified, before it starts. */
export function refuseEarly(
  wish: BundleWish | null,
  run: Pick<RunFile, 'depth' | 'only' | 'requestBudget' | 'embedded' | 'settings'>,
): void {
  if (wish === null || wish.allowIncomplete) return;
  const reasons = [...reasonsBefore(run), missingGenerator() ?? []].flat();
  if (reasons.length > 0)
    throw new SettingsError(
      `--bundle cannot certify this run: ${reasons.join('; ')}. Add --allow-incomplete for a rehearsal that says so.`,
    );
}

/** Writes the bundle that was asked for, and says so. */
export async function finishBundle(
  wish: BundleWish | null,
  parts: { readonly out: string; readonly nonce: string | null; readonly settings: RawSettings },
): Promise<void> {
  if (wish === null) return;
  const { nonce, out, settings } = parts;
  await writeBundle({
    out,
    nonce,
    settings,
    file: wish.file,
    privateKey: wish.privateKey,
    allowIncomplete: wish.allowIncomplete,
  });
  process.stdout.write(`Bundle: ${wish.file}\n`);
}
