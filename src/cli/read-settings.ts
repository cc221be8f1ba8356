import { existsSync } from 'node:fs';
import { parse } from 'dotenv';
import { proxyVariables, type RawSettings, readInput, settingTable, withBodies } from '../settings/index.js';

/** The text of `.env` in the working folder, empty where there is none; throws SettingsError. */
export function settingsText(): string {
  const file = '.env';
  if (!existsSync(file)) return '';
  return readInput({ file, expected: 'lines NAME=value; fix or remove it' }).toString('utf8');
}

/** All variables of `.env` in the working folder; throws SettingsError. */
export function readSettingsFile(): Record<string, string> {
  return parse(settingsText());
}

/** The environment, with the variables of OpenTelemetry that `.env` adds to it; throws SettingsError. */
export function telemetryEnvironment(): NodeJS.ProcessEnv {
  const fromFile = Object.entries(readSettingsFile()).filter(([name]) => name.startsWith('OTEL_'));
  return { ...Object.fromEntries(fromFile), ...process.env };
}

/** Settings from `.env` in the working folder, then the environment, then flags, the later wins; and the machine's proxies. */
export function readSettings(flags: RawSettings): RawSettings {
  const fromFile = readSettingsFile();
  const raw: RawSettings = {};
  for (const { name } of settingTable) {
    const value = flags[name] ?? (process.env[name] || fromFile[name]);
    if (value) raw[name] = value;
  }
  for (const name of proxyVariables) {
    // First in lower case, as curl reads them.
    const value = process.env[name.toLowerCase()] || process.env[name];
    if (value) raw[name] = value;
  }
  return withBodies(raw);
}
