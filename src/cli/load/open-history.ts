import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../reports/make-folder.js';
import { orSettingsError } from '../../settings/file-error.js';

/** Checks, before any load is sent, that the history folder can be written: writes a file and removes it. Throws SettingsError. */
export function openHistory(out: string): void {
  const folder = join(out, 'history');
  const probe = join(folder, `${randomUUID()}.part`);
  orSettingsError(
    () => {
      makeFolder(folder);
      readdirSync(folder);
      writeFileSync(probe, '', { flag: 'wx' });
      unlinkSync(probe);
    },
    (code) =>
      `the run cannot be kept in ${folder} (${code}): expected a folder that can be made, read and written to; fix it, or name another by --out.`,
  );
}
