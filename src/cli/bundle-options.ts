import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  assertAddress,
  assertGenerator,
  type BundleParts,
  readPolicy,
  readKey,
  readProduct,
  reasonsBefore,
  writeBundle,
} from '../certification/index.js';
import type { RunFile } from '../run/index.js';
import { SettingsError, writeOutput } from '../settings/index.js';
import type { Options } from './command-table.js';

/** The bundle that was asked for. */
export type BundleOptions = Pick<BundleParts, 'file' | 'privateKey' | 'allowIncomplete' | 'product' | 'policy'>;

/** The options of a bundle, or null where none is asked for; throws SettingsError before anything is sent. */
export function bundleOptions(options: Options): BundleOptions | null {
  const { bundle: file, key: [key] = [], product } = options;
  if (file === undefined || key === undefined) return null;
  const privateKey = readKey(key, 'private');
  assertWritable(file);
  const programme = product === undefined ? null : join(dirname(product), 'programme.yaml');
  return {
    file,
    privateKey,
    allowIncomplete: options['allow-incomplete'] === true,
    ...(product === undefined ? {} : { product: readProduct(product) }),
    ...(programme === null || !existsSync(programme) ? {} : { policy: readPolicy(programme) }),
  };
}

/** Makes the folder of a bundle and tries to write there; throws SettingsError. */
function assertWritable(file: string): void {
  writeOutput('--bundle', file, 'file', () => {
    mkdirSync(dirname(file), { recursive: true });
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      throw Object.assign(new Error(), { code: 'EISDIR' });
    writeFileSync(`${file}.part`, '');
    rmSync(`${file}.part`);
  });
}

/** Refuses a run that could never be certified, before it starts. */
export function refuseEarly(
  options: BundleOptions | null,
  run: Pick<RunFile, 'depth' | 'only' | 'requestBudget' | 'embedded' | 'settings'>,
  baseUrl: string,
): void {
  if (options === null) return;
  assertGenerator('--bundle');
  if (options.product !== undefined) assertAddress(options.product.product, baseUrl);
  if (options.allowIncomplete) return;
  const reasons = reasonsBefore(run);
  if (reasons.length > 0)
    throw new SettingsError(
      `--bundle cannot certify this run: ${reasons.join('; ')}. Add --allow-incomplete for a rehearsal that says so.`,
    );
}

/** Writes the bundle that was asked for, or says why none is written; the exit status of the run, 2 where only the bundle failed. */
export async function finishBundle(
  options: BundleOptions,
  parts: Pick<BundleParts, 'out' | 'nonce' | 'checks' | 'settings'>,
  status: number,
): Promise<number> {
  try {
    const { standing, reasons } = await writeBundle({ ...parts, ...options });
    process.stdout.write(
      standing === 'rehearsal'
        ? `Bundle: ${options.file}, a rehearsal, which certifies nothing: ${reasons.join('; ')}\n`
        : `Bundle: ${options.file}\n`,
    );
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return status === 0 ? 2 : status;
  }
  return status;
}
