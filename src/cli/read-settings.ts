import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { orSettingsError } from '../settings/file-error.js';
import { settingTable, type RawSettings } from '../settings/setting-table.js';

/** The text of `.env` in the working folder, empty where there is none; throws SettingsError. */
export function settingsText(): string {
  const file = '.env';
  if (!existsSync(file)) return '';
  return orSettingsError(
    () => readFileSync(file, 'utf8'),
    (code) => `${file} cannot be read (${code}): expected lines NAME=value; fix or remove it.`,
  );
}

/** All variables of `.env` in the working folder; throws SettingsError. */
export function readSettingsFile(): Record<string, string> {
  return parse(settingsText());
}

/** Settings from `.env` in the working folder, then the environment, then flags; the later wins. */
export function readSettings(flags: RawSettings): RawSettings {
  const environment = process.env;
  const fromFile = readSettingsFile();
  const raw: RawSettings = {};
  for (const { name } of settingTable) {
    const value = flags[name] ?? (environment[name] === '' ? undefined : environment[name]) ?? fromFile[name];
    if (value !== undefined && value !== '') raw[name] = value;
  }
  return raw;
}
