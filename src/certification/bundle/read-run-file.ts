import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import type { RunFile } from '../../run/index.js';
import { orSettingsError, SettingsError, settingTable } from '../../settings/index.js';
import { setName } from '../requirement-sets.js';

function isNamedPack(value: unknown): boolean {
  const { name, version } = asObject(value) ?? {};
  return typeof name === 'string' && (version === undefined || typeof version === 'string');
}

/** Whether an instant is spelled as the suite does: days are compared as texts, and dates of a feed must be so. */
function isInstant(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** Validates the text of a `run.json`; throws SettingsError naming `shownName`. */
export function parseRunFile(text: string, shownName: string): RunFile {
  const wrong = (what: string): SettingsError =>
    new SettingsError(
      `${shownName} ${what}: expected the evidence that certify or gate of dealership-conformance leaves.`,
    );
  const value = decodeJson(text);
  if (value === undefined) throw wrong('is no JSON');
  if (typeof value !== 'object' || value === null) throw wrong('is no JSON object');
  const file = value as Partial<Record<keyof RunFile, unknown>>;
  if (file.format !== 'dealership-conformance-run/1') throw wrong('has another format');
  const suite = file.suite as { version?: unknown; catalogue?: unknown } | null | undefined;
  const settings = asObject(file.settings);
  const sound =
    typeof suite?.version === 'string' &&
    /^\d+\.\d+\.\d+(-[A-Za-z0-9.-]{1,40})?$/.test(suite.version) &&
    typeof suite.catalogue === 'string' &&
    typeof file.started === 'string' &&
    isInstant(file.started) &&
    Number.isInteger(file.seed) &&
    typeof file.nonce === 'string' &&
    (file.depth === 'gate' || file.depth === 'certify') &&
    (file.set === undefined || (typeof file.set === 'string' && setName.test(file.set))) &&
    (file.packs === undefined || (Array.isArray(file.packs) && file.packs.every(isNamedPack))) &&
    (file.requestBudget === null || Number.isInteger(file.requestBudget)) &&
    (file.only === null || typeof file.only === 'string') &&
    typeof file.embedded === 'boolean' &&
    typeof file.ended === 'boolean' &&
    settings !== null &&
    Object.values(settings).every((one) => typeof one === 'string') &&
    Array.isArray(file.order) &&
    file.order.every((id) => typeof id === 'string');
  if (!sound) throw wrong('lacks what a run was started with');
  const known = new Set<string>(settingTable.map((entry) => entry.name));
  const unknownSetting = Object.keys(settings).find((name) => !known.has(name));
  if (unknownSetting !== undefined) throw wrong(`names the setting "${unknownSetting.slice(0, 40)}", which is none`);
  return value as RunFile;
}

/** Reads `run.json` of an evidence folder; throws SettingsError. */
export function readRunFile(evidenceDir: string): RunFile {
  const file = join(evidenceDir, 'run.json');
  const text = orSettingsError(
    () => readFileSync(file, 'utf8'),
    (code) => `${file} cannot be read (${code}): expected the evidence that certify or gate leaves.`,
  );
  return parseRunFile(text, file);
}
