import { join } from 'node:path';
import { makeFolder } from '../reports/index.js';
import { orSettingsError, SettingsError } from '../settings/index.js';
import { textOption, type Arguments } from './arguments.js';
import { claimFolder } from './claim-folder.js';
import { setAside } from '../certification/index.js';

/** A whole number from a flag, or undefined where it is not given; throws SettingsError. */
export function numberOption(parsed: Arguments, name: string, most: number): number | undefined {
  const text = textOption(parsed, name);
  if (text === null) return undefined;
  if (!/^\d+$/.test(text) || Number(text) > most)
    throw new SettingsError(`--${name} is "${text}": expected a whole number from 0 to ${most}.`);
  return Number(text);
}

/** The flags of these names as they were given. */
export function repeated(parsed: Arguments, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const text = textOption(parsed, name);
    return text === null ? [] : [`--${name}`, text];
  });
}

/**
 * The folder for output with `inner` inside, made where it is missing and claimed for this run; throws SettingsError where that cannot be
 * done. Where it is for evidence, an earlier run's report is set aside.
 */
export function openOut(parsed: Arguments, inner: 'evidence' | 'load'): string {
  const out = textOption(parsed, 'out') ?? 'reports';
  orSettingsError(
    () => {
      makeFolder(out);
      claimFolder(out);
      makeFolder(join(out, inner));
      if (inner === 'evidence') setAside(out);
    },
    (code) => `--out names "${out}", which cannot be written to (${code}): expected a folder that can be made.`,
  );
  return out;
}
