import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample } from '../../settings/env-example.js';
import { SettingsError } from '../../settings/settings-error.js';
import type { Arguments } from '../arguments.js';

/** `init`: writes a `.env` with every setting explained and none set. */
export function init({ operands }: Pick<Arguments, 'operands'>, folder = '.'): number {
  if (operands.length > 0) throw new SettingsError('init takes no operand: it writes .env in this folder.');
  try {
    // Secrets will be filled in: the file is for its owner alone.
    writeFileSync(join(folder, '.env'), envExample(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new SettingsError(
      code === 'EEXIST'
        ? '.env is there already and stays as it is: expected a folder without one; remove or rename it for a new one.'
        : `.env cannot be written (${code}): expected a folder that you may write to.`,
    );
  }
  process.stdout.write(
    '.env is written: fill in BASE_URL, API_KEY and TENANT, then run "npx dealership-conformance doctor".\n',
  );
  return 0;
}
