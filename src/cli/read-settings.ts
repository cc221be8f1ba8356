import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { orSettingsError } from '../settings/file-error.js';
import { settingTable } from '../settings/setting-table.js';
import type { RawSettings } from '../settings/setting-table.js';

/** All variables of `.env` in the working folder; throws SettingsError. */
export function readSettingsFile(file = '.env'): Record<string, string> {
  if (!existsSync(file)) return {};
  return orSettingsError(
    () => parse(readFileSync(file)),
    (code) => `${file} cannot be read (${code}): expected lines NAME=value; fix or remove it.`,
  );
}

/** Settings from `.env` in the working folder, then the environment, then flags; the later wins. */
export function readSettings(flags: RawSettings, environment: NodeJS.ProcessEnv = process.env): RawSettings {
  const fromFile = readSettingsFile();
  const raw: RawSettings = {};
  for (const { name } of settingTable) {
    const value = flags[name] ?? (environment[name] === '' ? undefined : environment[name]) ?? fromFile[name];
    if (value !== undefined && value !== '') raw[name] = value;
  }
  return raw;
}
