import { readInput } from '../settings/index.js';
import { mostWritten, objectOf, parseYamlAs } from './schema-file.js';

/** The rules of a certification programme, as its `programme.yaml` names them. */
export interface Policy {
  readonly name: string;
  /** The address of the registry's site. */
  readonly url: string;
  /** Days from the run until a certificate expires. */
  readonly validityDays: number;
  /** Days before that in which it counts as expiring. */
  readonly expiringDays: number;
  /** Days from the run within which it may be submitted. */
  readonly maxAgeDays: number;
  /** Days in which a vendor may answer before a certificate is withdrawn. */
  readonly replyDays: number;
  /** The levels that a submission must have been granted. */
  readonly levels: readonly string[];
  /** Versions of the suite that count; `0.1` stands for every `0.1.x`. */
  readonly suites: readonly string[];
  /** Requirement sets that count. */
  readonly sets: readonly string[];
}

const dayNames = ['validityDays', 'expiringDays', 'maxAgeDays', 'replyDays'] as const;
const days = { type: 'string', pattern: '^[1-9][0-9]{0,3}$' };
const textsLike = (pattern: string): object => ({
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', maxLength: 200, pattern },
});

const schema = {
  description: `name, url, ${dayNames.join(', ')} (whole numbers), levels, suites and sets`,
  ...objectOf({
    name: { type: 'string', minLength: 1, maxLength: 100 },
    url: { type: 'string', maxLength: 500, pattern: '^https?://[^\\s"\'<>]+$' },
    ...Object.fromEntries(dayNames.map((name) => [name, days])),
    // Packs may add levels of their own.
    levels: textsLike('^[A-Za-z][A-Za-z0-9 :.-]*$'),
    suites: textsLike('^[0-9]+(\\.[0-9]+){0,2}$'),
    sets: textsLike('^[0-9]{4}-[0-9]{2}$'),
  }),
  additionalProperties: false,
};

/** Reads the text of a `programme.yaml`; throws SettingsError. */
export function parsePolicy(text: string, shownName: string): Policy {
  const found = parseYamlAs(text, shownName, schema) as Record<string, unknown>;
  return { ...found, ...Object.fromEntries(dayNames.map((name) => [name, Number(found[name])])) } as unknown as Policy;
}

/** Reads a `programme.yaml`; throws SettingsError. */
export function readPolicy(file: string): Policy {
  return parsePolicy(readInput({ file, expected: schema.description }, mostWritten).toString('utf8'), file);
}

const dayMs = 86_400_000;

/** When a certificate of a run that began at `started` (ISO 8601) expires, `YYYY-MM-DD` in UTC: the last day on which it counts. */
export function validUntil(policy: Pick<Policy, 'validityDays'>, started: string): string {
  return new Date(Date.parse(started) + policy.validityDays * dayMs).toISOString().slice(0, 10);
}
