import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { SettingsError } from '../settings/settings-error.js';
import { settingTable } from '../settings/setting-table.js';
import type { RawSettings } from '../settings/setting-table.js';

/** All variables of `.env` in the working folder; throws SettingsError. */
export function readSettingsFile(file = '.env'): Record<string, string> {
  if (!existsSync(file)) return {};
  try {
    return parse(readFileSync(file));
  } catch (error) {
    throw new SettingsError(
      `${file} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): expected lines NAME=value; fix or remove it.`,
    );
  }
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
