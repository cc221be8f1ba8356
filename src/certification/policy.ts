import { readInput } from '../settings/index.js';
import { type Accepted, objectOf } from '../typed-schema.js';
import { mostWritten, parseYamlAs } from './schema-file.js';

const days = { type: 'string', pattern: '^[1-9][0-9]{0,3}$' } as const;
const textsLike = (pattern: string) =>
  ({ type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', maxLength: 200, pattern } }) as const;

const schema = {
  description: 'name, url, validityDays, expiringDays, maxAgeDays, replyDays (whole numbers), levels, suites and sets',
  ...objectOf({
    name: { type: 'string', minLength: 1, maxLength: 100 },
    // The address of the registry's site.
    url: { type: 'string', maxLength: 500, pattern: '^https?://[^\\s"\'<>]+$' },
    // From the run until a certificate expires, and before that, in which it counts as expiring.
    validityDays: days,
    expiringDays: days,
    // From the run, within which it may be submitted, and in which a vendor may answer before a certificate is withdrawn.
    maxAgeDays: days,
    replyDays: days,
    // Packs may add levels of their own.
    levels: textsLike('^[A-Za-z][A-Za-z0-9 :.-]*$'),
    suites: textsLike('^[0-9]+(\\.[0-9]+){0,2}$'),
    sets: textsLike('^[0-9]{4}-[0-9]{2}$'),
  }),
  additionalProperties: false,
};

/** The rules of a certification programme, as its `programme.yaml` names them; of suites, `0.1` stands for every `0.1.x`. */
export type Policy = {
  readonly [Name in keyof Accepted<typeof schema>]: Name extends `${string}Days`
    ? number
    : Accepted<typeof schema>[Name];
};

/** Reads the text of a `programme.yaml`; throws SettingsError. */
export function parsePolicy(text: string, shownName: string): Policy {
  const found = parseYamlAs(text, shownName, schema);
  const numbers = Object.entries(found).map(([name, value]) => [name, name.endsWith('Days') ? Number(value) : value]);
  return Object.fromEntries(numbers) as Policy;
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
