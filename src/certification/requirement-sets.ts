import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setName } from '../run/index.js';
import { unknownName } from '../settings/index.js';
import { packageRoot } from '../version.js';
import { type Accepted, objectOf } from '../typed-schema.js';
import { parseYamlAs } from './schema-file.js';

const folder = join(packageRoot, 'requirements');
const schema = {
  description: 'set, and requirements with the level of each id',
  ...objectOf({
    set: { type: 'string', pattern: setName.source },
    requirements: { type: 'object', additionalProperties: { enum: ['MUST', 'DECLARED', 'SHOULD', 'OBSERVE'] } },
  }),
  additionalProperties: false,
};

/** The requirements that the API owes from a month on, with the level of each: `requirements/2026-11.yaml`. */
export type RequirementSet = Accepted<typeof schema>;

/** The sets that this suite knows, the oldest first. */
export function requirementSets(): readonly RequirementSet[] {
  return readdirSync(folder)
    .filter((name) => setName.test(name.replace('.yaml', '')))
    .sort()
    .map((name) => parseYamlAs(readFileSync(join(folder, name), 'utf8'), name, schema));
}

/** The set of runs that name none, as version 0.1.0 wrote them. */
export const firstSet = '2026-11';

/** The set of this name, or the newest one in force on a day; throws SettingsError. */
export function chooseSet(name: string | null, day = new Date()): string {
  const names = requirementSets().map(({ set }) => set);
  if (name === null) return names.findLast((one) => one <= day.toISOString().slice(0, 7)) ?? firstSet;
  if (!names.includes(name)) throw unknownName('--set', name, names.join(' or '), 'is no requirement set');
  return name;
}
