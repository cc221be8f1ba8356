import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../settings/settings-error.js';
import { packageRoot } from '../version.js';
import { parseYamlAs } from './yaml-file.js';

/** The requirements that a version of the API owes from a month on: `requirements/2026-11.yaml`. */
export interface RequirementSet {
  /** `YYYY-MM`. */
  readonly set: string;
  readonly api: string;
  /** Whether it is released: it then never changes. */
  readonly released: 'yes' | 'no';
  /** The digest of what each requirement demands, by its id. */
  readonly requirements: Readonly<Record<string, string>>;
}

/** The name of a set. */
export const setName = /^\d{4}-(?:0[1-9]|1[0-2])$/;

const folder = join(packageRoot, 'requirements');
const schema = {
  description: 'set, api, released (yes or no), and requirements with a digest for each id',
  type: 'object',
  required: ['set', 'api', 'released', 'requirements'],
  additionalProperties: false,
  properties: {
    set: { type: 'string', pattern: setName.source },
    api: { type: 'string' },
    released: { enum: ['yes', 'no'] },
    requirements: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z]+-[0-9]+$' },
      additionalProperties: { type: 'string', pattern: '^[0-9a-f]{16}$' },
    },
  },
} as const;

/** The sets that this suite knows, the oldest first. */
export function requirementSets(): readonly RequirementSet[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => parseYamlAs(readFileSync(join(folder, name), 'utf8'), name, schema) as RequirementSet);
}

/** The set of runs that name none, as version 0.1.0 wrote them. */
export const firstSet = '2026-11';

/** The set of this name, or the newest one in force on a day; throws SettingsError. */
export function chooseSet(name: string | null, day = new Date()): string {
  const names = requirementSets().map(({ set }) => set);
  if (name === null) return names.findLast((one) => one <= day.toISOString().slice(0, 7)) ?? firstSet;
  if (!names.includes(name))
    throw new SettingsError(`--set is "${name}": expected a requirement set, ${names.join(' or ')}.`);
  return name;
}

const setOf = (name: string): RequirementSet | undefined => requirementSets().find(({ set }) => set === name);

/** Whether a set can no longer change; not so for one that this suite does not know. */
export function isReleased(name = firstSet): boolean {
  return setOf(name)?.released === 'yes';
}

/** `sha256:…` of what a set holds; of its name alone where this suite does not know it. */
export function setDigest(name: string): string {
  const { api, requirements } = setOf(name) ?? {};
  const plain = JSON.stringify([name, api, Object.entries(requirements ?? {}).sort()]);
  return `sha256:${createHash('sha256').update(plain).digest('hex')}`;
}
