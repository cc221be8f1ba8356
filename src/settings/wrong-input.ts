import { readFileSync, statSync } from 'node:fs';
import { flagOf, proxyVariables, type RawSettings } from './setting-table.js';
import { SettingsError } from './settings-error.js';

/** The code of a system error, such as `EACCES`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}

/** The result of work on a file or folder; where it fails, throws SettingsError with a sentence that names the error's code. */
export function orSettingsError<T>(work: () => T, sentenceOf: (code: string) => string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(sentenceOf(errorCode(error)));
  }
}

/** The error about the value of a setting: `SEED is "many": expected …; fix it in …`. */
export function wrongSetting(name: keyof RawSettings, found: string, expected: string): SettingsError {
  const isOfMachine = (proxyVariables as readonly string[]).includes(name);
  const places = isOfMachine ? 'the environment' : `.env, the environment or with ${flagOf(name)}`;
  return new SettingsError(`${name} is ${found}: expected ${expected}; fix it in ${places}.`);
}

/** A file that a person names: what names it, such as `--mix` or `CA`, and what it is expected to be. */
export interface InputFile {
  readonly file: string;
  readonly by?: string;
  readonly expected: string;
}

/** The error about such a file: `--mix names FILE, which is no JSON: expected …`. */
export function wrongFile({ file, by, expected }: InputFile, found: string): SettingsError {
  return new SettingsError(`${by === undefined ? file : `${by} names ${file}, which`} ${found}: expected ${expected}.`);
}

/** The bytes of such a file of at most `mostBytes`; throws SettingsError. */
export function readInput(input: InputFile, mostBytes = 2 ** 30): Buffer {
  try {
    const found = statSync(input.file);
    if (found.isDirectory()) throw wrongFile(input, 'is a folder without the expected file');
    if (found.size > mostBytes) throw wrongFile(input, `is larger than ${mostBytes / 1024} KiB`);
    return readFileSync(input.file);
  } catch (error) {
    throw error instanceof SettingsError ? error : wrongFile(input, `cannot be read (${errorCode(error)})`);
  }
}

/** The result of work that writes to a path which a flag names; throws SettingsError where it cannot be written. */
export function writeOutput<T>(by: string, path: string, kind: 'file' | 'folder', work: () => T): T {
  const expected = kind === 'file' ? 'a file in a folder that is there' : 'a folder that can be made and written to';
  return orSettingsError(
    work,
    (code) => `${by} names ${path}, which cannot be written (${code}): expected ${expected}.`,
  );
}

/** The error about a name that a flag gives, and that is none of those there are. */
export function unknownName(by: string, name: string, expected: string, is = 'is none'): SettingsError {
  return new SettingsError(`${by} names "${name}", which ${is}: expected ${expected}.`);
}
