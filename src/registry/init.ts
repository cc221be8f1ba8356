import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeOutput, wrongFile } from '../settings/index.js';
import { packageRoot } from '../version.js';

/** Throws SettingsError unless a folder is empty, or not there. */
export function assertEmpty(file: string, by: string): void {
  const names = writeOutput(by, file, 'folder', () => (existsSync(file) ? readdirSync(file) : []));
  if (names.some((name) => name !== '.git'))
    throw wrongFile({ file, by, expected: 'a folder that is new or empty' }, 'is not empty');
}

/** Writes the submission repository of a new programme; throws SettingsError. */
export function writeRepository(folder: string): void {
  assertEmpty(folder, 'registry init');
  const template = join(packageRoot, 'templates/registry');
  writeOutput('registry init', folder, 'folder', () => cpSync(template, folder, { recursive: true }));
}
