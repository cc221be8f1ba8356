import { join } from 'node:path';
import type { RunFile } from '../../run/index.js';
import { readInput, settingTable } from '../../settings/index.js';
import { setName } from '../requirement-sets.js';
import { objectOf, parseJsonAs } from '../schema-file.js';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const schema = {
  description: 'the evidence that certify or gate of dealership-conformance leaves',
  ...objectOf(
    {
      format: { const: 'dealership-conformance-run/1' },
      suite: objectOf({
        version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[A-Za-z0-9.-]{1,40})?$' },
        catalogue: text,
      }),
      // An instant as the suite spells it: days are compared as texts, and dates of a feed must be so.
      started: { type: 'string', format: 'date-time', pattern: 'T\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$' },
      seed: { type: 'integer' },
      nonce: text,
      depth: { enum: ['gate', 'certify'] },
      requestBudget: { type: ['integer', 'null'] },
      only: { type: ['string', 'null'] },
      embedded: flag,
      ended: flag,
      settings: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(settingTable.map(({ name }) => [name, text])),
      },
      order: { type: 'array', items: text },
    },
    {
      set: { type: 'string', pattern: setName.source },
      packs: { type: 'array', items: objectOf({ name: text }, { version: text }) },
    },
  ),
};

/** Validates the text of a `run.json`; throws SettingsError naming `shownName`. */
export const parseRunFile = (source: string, shownName: string): RunFile =>
  parseJsonAs(source, shownName, schema) as RunFile;

/** Reads `run.json` of an evidence folder; throws SettingsError. */
export function readRunFile(evidenceDir: string): RunFile {
  const file = join(evidenceDir, 'run.json');
  return parseRunFile(readInput({ file, expected: schema.description }).toString('utf8'), file);
}
