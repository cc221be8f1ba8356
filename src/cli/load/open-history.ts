import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../reports/make-folder.js';
import { SettingsError } from '../../settings/settings-error.js';

/** Checks, before any load is sent, that the history folder can be written: writes a file and removes it. Throws SettingsError. */
export function openHistory(out: string): void {
  const folder = join(out, 'history');
  const probe = join(folder, `${randomUUID()}.part`);
  try {
    makeFolder(folder);
    readdirSync(folder);
    writeFileSync(probe, '', { flag: 'wx' });
    unlinkSync(probe);
  } catch (error) {
    throw new SettingsError(
      `the run cannot be kept in ${folder} (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): expected a folder that can be made, read and written to; fix it, or name another by --out.`,
    );
  }
}
