import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretSettings, settingTable } from '../target/setting-table.js';
import type { RawSettings } from '../target/setting-table.js';
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

/** Settings that may be shown; in place of a secret stands that it was set. */
export function publicSettings(raw: RawSettings): Record<string, string> {
  return Object.fromEntries(
    settingTable.flatMap(({ name }) => (raw[name] === undefined ? [] : [[name, (secretSettings as readonly string[]).includes(name) ? '[set]' : raw[name]]])),
  );
}

/** Writes `run.json` into an evidence folder. */
export function writeRunFile(folder: string, file: RunFile): void {
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify(file, null, 2)}\n`);
}
