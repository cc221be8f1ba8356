import { type Accepted, objectOf } from '../typed-schema.js';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const digest = { ...text, pattern: '^sha256:[0-9a-f]{64}$' } as const;
const yes = { const: true } as const;
const listOf = <const I extends object>(items: I) => ({ type: 'array', items }) as const;
const verdict = { enum: ['pass', 'fail', 'warn', 'not-applicable', 'blocked', 'error', 'waived'] } as const;

/** The verdict of one requirement after a run. */
export type Verdict = Accepted<typeof verdict>;

const remedy = {
  description: 'What would let more be judged: settings, a command or packages.',
  ...objectOf({ act: { enum: ['set', 'unset', 'run', 'install'] }, names: listOf(text) }),
} as const;

const place = {
  description: 'Where it shows: what was asked and answered last. Each part is absent where there is none.',
  ...objectOf(
    {},
    {
      operation: { description: 'GET /api/v1/units/{id}', ...text },
      as: { description: 'The setting that holds the key.', ...text },
      way: { description: 'How the request went, unless as usual: at API_BASE_URL.', ...text },
      field: { description: 'The part of the document or of the answer, or the case.', ...text },
      status: { type: 'integer' },
      refusal: { description: 'The body of a refusal, cut to 200 characters.', ...text },
      noJson: { description: 'The answer is no JSON.', ...yes },
    },
  ),
} as const;

/** Where a breach shows. */
export type Place = Accepted<typeof place>;

const finding = objectOf(
  { expected: text, actual: text, exchanges: { description: 'Sequence numbers in the evidence.', ...listOf(text) } },
  {
    code: { description: 'The kind of breach within its requirement, the same in every version.', ...text },
    place,
    curl: { description: 'A line for a POSIX shell; secrets are variables named as their settings.', ...text },
    replay: { description: 'The command that runs this check again.', ...text },
    part: {
      description: 'The answer that shows it, and where: a header, a JSON Pointer into its body, or its status.',
      ...objectOf({ exchange: text }, { header: text, pointer: text }),
    },
    page: {
      description: 'The page that shows it, beside the report: load/independent.html.',
      ...{ ...text, pattern: '^load/[a-z]+\\.html$' },
    },
    fingerprint: { description: 'The same for the same breach in every run.', ...text },
  },
);

/** One breach, with all that a reader needs to reproduce it. */
export type Finding = Accepted<typeof finding>;

const observation = objectOf(
  { id: text, question: text, observed: text },
  { detail: { description: 'What goes with it and differs from run to run: ids, times, numbers.', ...text }, remedy },
);

/** An answer to something that the specification leaves open. */
export type Observation = Accepted<typeof observation>;

const requirement = {
  ...objectOf(
    {
      id: { ...text, pattern: '^[A-Z]+-[0-9]+$' },
      section: text,
      level: { enum: ['MUST', 'DECLARED', 'SHOULD', 'OBSERVE'] },
      title: text,
      source: { description: 'Where the obligation is laid down.', ...text },
      verdict,
      reason: { description: 'One sentence: what was expected, what was seen.', ...text, minLength: 1 },
      findings: listOf(finding),
      requests: { description: 'Requests sent for this requirement.', ...count },
    },
    {
      remedy,
      required: { description: 'It is blocked only as --require asks for it.', ...yes },
      seconds: { description: 'Duration of its check; absent where it did not run.', type: 'number', minimum: 0 },
      upcoming: {
        description:
          'The first requirement set that holds it, where an earlier one judged: a breach is then a warning.',
        ...text,
      },
      waivedVerdict: {
        description: 'What a waiver replaced, where the verdict is waived.',
        enum: ['fail', 'blocked'],
      },
    },
  ),
  allOf: [{ if: { properties: { verdict: { const: 'fail' } } }, then: { properties: { findings: { minItems: 1 } } } }],
} as const;

/** The verdict on one requirement, computed once; every report renders this. */
export type RequirementResult = Accepted<typeof requirement>;

/** The origin of an obligation. It decides whether a breach fails, warns or is only recorded. */
export type Level = RequirementResult['level'];

/**
 * JSON Schema (2020-12) of `conformance.json`, format 1, which the package carries as `conformance.schema.json`. Later versions may add
 * members, never take one away; what is not required was not there in an earlier one, or is there where it applies.
 */
export const reportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:dealership-conformance:report:1',
  title: 'Conformance report',
  description: 'What one run of dealership-conformance says of one service.',
  ...objectOf(
    {
      format: { const: 'dealership-conformance/1' },
      suite: {
        description: 'Which suite judged, the digest of its list of requirements, and the requirement set.',
        ...objectOf({ version: text, catalogue: digest }, { set: { ...text, pattern: '^[0-9]{4}-[0-9]{2}$' } }),
      },
      target: {
        description:
          'What was judged; document is the digest of the OpenAPI document it served, null where it served none.',
        ...objectOf(
          { baseUrl: text, embedded: { type: 'boolean' }, document: { ...digest, type: ['string', 'null'] } },
          { version: { description: 'As its document names it.', ...text } },
        ),
      },
      started: { ...text, format: 'date-time' },
      seconds: { description: 'Duration of the run.', type: 'number', minimum: 0 },
      seed: { description: 'Replays what was random.', type: 'integer' },
      requests: {
        description:
          'Requests sent in the whole run: for its requirements, load included, and to look at the service before it.',
        ...count,
      },
      outcome: {
        description:
          'One breach that is not waived: nonconformant. Else, where something could not be judged: incomplete.',
        enum: ['conformant', 'nonconformant', 'incomplete'],
      },
      counts: {
        description: 'Requirements by verdict.',
        ...{ type: 'object', required: verdict.enum.filter((name) => name !== 'waived') },
        ...{ propertyNames: verdict, additionalProperties: count },
      },
      requirements: listOf(requirement),
      observations: listOf(observation),
    },
    {
      traceId: {
        description: 'The trace id in traceparent of every request (W3C Trace Context).',
        ...{ ...text, pattern: '^[0-9a-f]{32}$' },
      },
      sections: {
        description: 'The sections of these requirements, in their order; level: what those of a pack grant.',
        ...listOf(objectOf({ id: text, title: text }, { level: text })),
      },
      outdatedWaivers: {
        description: 'Waivers that are expired or no longer needed; any makes the outcome nonconformant.',
        ...listOf(text),
      },
    },
  ),
} as const;

/** `conformance.json`. */
export type Report = Accepted<typeof reportSchema>;
