import { join } from 'node:path';
import { type RunFile, runFileSchema } from '../../run/index.js';
import { readInput } from '../../settings/index.js';
import { parseJsonAs } from '../schema-file.js';

/** Validates the text of a `run.json`; throws SettingsError naming `shownName`. */
export const parseRunFile = (source: string, shownName: string): RunFile =>
  parseJsonAs(source, shownName, runFileSchema);

/** Reads `run.json` of an evidence folder; throws SettingsError. */
export function readRunFile(evidenceDir: string): RunFile {
  const file = join(evidenceDir, 'run.json');
  return parseRunFile(readInput({ file, expected: runFileSchema.description }).toString('utf8'), file);
}
