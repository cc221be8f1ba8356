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
