import { join } from 'node:path';
import {
  type RawSettings,
  secretSettings,
  type SettingName,
  settingTable,
  shownUrl,
  writeWhole,
} from '../settings/index.js';
import type { NamedPack } from '../requirement/index.js';
import type { Depth } from './run.js';

/** `evidence/run.json`: what a run was started with; enough, with the exchanges, to grade it again. */
export interface RunFile {
  readonly format: 'dealership-conformance-run/1';
  readonly suite: { readonly version: string; readonly catalogue: string };
  /** ISO 8601. */
  readonly started: string;
  readonly seed: number;
  readonly nonce: string;
  readonly depth: Depth;
  /** The requirement set; absent in runs of version 0.1.0. */
  readonly set?: string;
  /** The packs beside the suite's own; absent where there are none. */
  readonly packs?: readonly NamedPack[];
  readonly requestBudget: number | null;
  readonly only: string | null;
  readonly embedded: boolean;
  /** Settings by name; secret ones as `[set]`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ids in the order they are judged. */
  readonly order: readonly string[];
  /** Whether the run came to its end. */
  readonly ended: boolean;
}

/**
 * The part of a secret that may be written: that it is set, and the two properties that change the behaviour of checks: whether another
 * setting has the same value, and whether it contains letters. `[set]`, `[set, same as API_KEY]`, `[set, no letters]`.
 */
export function secretShape(name: SettingName, settings: RawSettings): string {
  const value = settings[name] ?? '';
  const same = secretSettings.find((other) => settings[other] === value);
  if (same !== undefined && same !== name) return `[set, same as ${same}]`;
  return /[a-z]/i.test(value) ? '[set]' : '[set, no letters]';
}

/** Settings that may be shown; of a secret, its shape. */
export function publicSettings(raw: RawSettings): Record<string, string> {
  return Object.fromEntries(
    settingTable.flatMap(({ name }) =>
      raw[name] === undefined
        ? []
        : [
            [
              name,
              (secretSettings as readonly string[]).includes(name) ? secretShape(name, raw) : shownUrl(name, raw[name]),
            ],
          ],
    ),
  );
}

/** Writes `run.json` into an evidence folder. */
export function writeRunFile(folder: string, file: RunFile): void {
  writeWhole(join(folder, 'run.json'), `${JSON.stringify(file, null, 2)}\n`);
}
