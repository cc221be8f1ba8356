import { existsSync } from 'node:fs';
import { readInput, unknownName } from '../settings/index.js';
import { type Accepted, day, objectOf } from '../typed-schema.js';
import { acceptedBy, mostWritten, parseYaml } from './schema-file.js';

const line = { type: 'string', pattern: '\\S' } as const;
const entry = objectOf(
  { id: { type: 'string', pattern: '^[A-Z]+-\\d+$' }, reason: line, expires: day },
  {
    link: { type: 'string', pattern: '^https?://[^\\s/]' },
    owner: line,
    // The fingerprint of the one finding that is accepted; without it the whole requirement is.
    finding: { type: 'string', pattern: '^[0-9a-f]{20}$' },
  },
);

/** A failure that is known and accepted until a day in UTC, the last on which it counts. */
export type Waiver = Accepted<typeof entry>;

const schema = {
  description:
    '"waivers:" with a list of entries that each have id, reason and expires (YYYY-MM-DD), and may have owner, link and finding (the fingerprint of 20 hex digits that a new report has for it)',
  ...objectOf({ waivers: { type: 'array', items: { ...entry, additionalProperties: false } } }),
  additionalProperties: false,
};

/** Validates the text of a waivers file; throws SettingsError in one sentence. `known` are the ids there are. */
export function parseWaivers(text: string, shownName: string, known?: readonly string[]): readonly Waiver[] {
  const value = parseYaml(text, shownName, schema);
  const whole = Array.isArray(value) ? { waivers: value as unknown } : value;
  const { waivers } = acceptedBy(schema, whole, shownName);
  waivers.forEach(({ id, finding = '' }, at) => {
    const by = `${shownName}, entry ${at + 1},`;
    if (waivers.findIndex((one) => one.id === id && (one.finding ?? '') === finding) !== at)
      throw unknownName(by, `${id} ${finding}`.trim(), 'one waiver for each', 'an entry before it names as well');
    if (known?.includes(id) === false)
      throw unknownName(by, id, 'an id that "npx dealership-conformance list" prints', 'is no requirement');
  });
  return waivers;
}

/** Reads a waivers file; `file` null means `./waivers.yaml` where there is one, else no waivers. Throws SettingsError. */
export function readWaivers(file: string | null, known?: readonly string[]): readonly Waiver[] {
  const name = file ?? 'waivers.yaml';
  if (file === null && !existsSync(name)) return [];
  return parseWaivers(
    readInput({ file: name, expected: schema.description }, mostWritten).toString('utf8'),
    name,
    known,
  );
}
