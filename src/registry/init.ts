import { cpSync, existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { orSettingsError, SettingsError } from '../settings/index.js';

/** Throws SettingsError unless a folder is empty, or not there. */
export function assertEmpty(folder: string, named: string): void {
  const found = orSettingsError(
    () => (existsSync(folder) ? readdirSync(folder) : []),
    (code) => `${named} ${folder}, which cannot be read (${code}): expected a folder that is new or empty.`,
  );
  if (found.some((name) => name !== '.git'))
    throw new SettingsError(`${named} ${folder}, which is not empty: expected a folder that is new or empty.`);
}

/** Writes the submission repository of a new programme; throws SettingsError. */
export function writeRepository(folder: string): void {
  assertEmpty(folder, 'registry init names');
  // The compiled file is one folder deeper than its source.
  const template = ['../../templates/registry', '../../../templates/registry']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  orSettingsError(
    () => cpSync(template ?? '', folder, { recursive: true }),
    (code) => `registry init names ${folder}, which cannot be written (${code}): expected a folder that can be made.`,
  );
}
