import { join } from 'node:path';
import {
  type RawSettings,
  secretSettings,
  type SettingName,
  settingTable,
  shownUrl,
  writeWhole,
} from '../settings/index.js';
import { type Accepted, objectOf } from '../typed-schema.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** The name of a requirement set. */
export const setName = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** JSON Schema of `evidence/run.json`: what a run was started with; enough, with the exchanges, to grade it again. */
export const runFileSchema = {
  description: 'the evidence that certify or gate of dealership-conformance leaves',
  ...objectOf(
    {
      format: { const: 'dealership-conformance-run/1' },
      suite: objectOf({
        version: { ...text, pattern: '^\\d+\\.\\d+\\.\\d+(-[A-Za-z0-9.-]{1,40})?$' },
        catalogue: text,
      }),
      // An instant as the suite spells it: days are compared as texts, and dates of a feed must be so.
      started: { ...text, format: 'date-time', pattern: 'T\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$' },
      seed: { type: 'integer' },
      nonce: text,
      depth: { enum: ['gate', 'certify'] },
      requestBudget: { type: ['integer', 'null'] },
      only: { type: ['string', 'null'] },
      embedded: flag,
      // Whether the run came to its end.
      ended: flag,
      // Secret ones as `[set]`.
      settings: {
        type: 'object',
        propertyNames: { enum: settingTable.map(({ name }): string => name) },
        additionalProperties: text,
      },
      // Ids as they are judged.
      order: { type: 'array', items: text },
    },
    {
      // Absent in runs of version 0.1.0.
      set: { ...text, pattern: setName.source },
      // Those beside the suite's own.
      packs: { type: 'array', items: objectOf({ name: text }, { version: text }) },
    },
  ),
} as const;

export type RunFile = Accepted<typeof runFileSchema>;

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
