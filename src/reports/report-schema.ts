const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
const verdictNames = ['pass', 'fail', 'warn', 'not-applicable', 'blocked', 'error', 'waived'] as const;

/** An object with these members, all of them required but the optional ones. */
function objectOf<T extends object>(properties: T, optional: readonly (keyof T)[] = []) {
  const required = Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name));
  return { type: 'object', required, properties } as const;
}

/** JSON Schema (2020-12) of `conformance.json`, format 1; later versions may add members, never take one away. The package carries it as `conformance.schema.json`. */
export const reportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:dealership-conformance:report:1',
  title: 'Conformance report',
  description: 'What one run of dealership-conformance says of one service.',
  ...objectOf(
    {
      format: { const: 'dealership-conformance/1' },
      suite: {
        description: 'Which suite judged, and the digest of its list of requirements.',
        ...objectOf({ version: text, catalogue: digest, set: { ...text, pattern: '^[0-9]{4}-[0-9]{2}$' } }, ['set']),
      },
      target: {
        description:
          'What was judged; document is the digest of the OpenAPI document it served, null where it served none.',
        ...objectOf(
          {
            baseUrl: text,
            embedded: { type: 'boolean' },
            document: { anyOf: [{ type: 'null' }, digest] },
            version: { description: 'As its document names it.', ...text },
          },
          ['version'],
        ),
      },
      started: { type: 'string', format: 'date-time' },
      seconds: { description: 'Duration of the run.', type: 'number', minimum: 0 },
      seed: { description: 'Replays what was random.', type: 'integer' },
      traceId: {
        description: 'The trace id in traceparent of every request (W3C Trace Context).',
        type: 'string',
        pattern: '^[0-9a-f]{32}$',
      },
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
        ...objectOf(Object.fromEntries(verdictNames.map((name) => [name, count])), ['waived']),
        additionalProperties: false,
      },
      sections: {
        description: 'The sections of these requirements, in their order; level: what those of a pack grant.',
        type: 'array',
        items: objectOf({ id: text, title: text, level: text }, ['level']),
      },
      requirements: { type: 'array', items: { $ref: '#/$defs/requirement' } },
      observations: { type: 'array', items: { $ref: '#/$defs/observation' } },
      outdatedWaivers: {
        description: 'Waivers that are expired or no longer needed; any makes the outcome nonconformant.',
        type: 'array',
        items: text,
      },
    },
    ['traceId', 'sections', 'outdatedWaivers'],
  ),
  $defs: {
    requirement: {
      ...objectOf(
        {
          id: { type: 'string', pattern: '^[A-Z]+-[0-9]+$' },
          section: text,
          level: { enum: ['MUST', 'DECLARED', 'SHOULD', 'OBSERVE'] },
          title: text,
          source: { description: 'Where the obligation is laid down.', ...text },
          verdict: { enum: verdictNames },
          reason: { description: 'One sentence.', type: 'string', minLength: 1 },
          remedy: { $ref: '#/$defs/remedy' },
          required: { description: 'It is blocked only as --require asks for it.', const: true },
          findings: { type: 'array', items: { $ref: '#/$defs/finding' } },
          requests: { description: 'Requests sent for this requirement.', ...count },
          seconds: { description: 'Duration of its check; absent where it did not run.', type: 'number', minimum: 0 },
          upcoming: {
            description: 'The first requirement set that holds it, where the run was judged by an earlier one.',
            ...text,
          },
          waivedVerdict: {
            description: 'What a waiver replaced, where the verdict is waived.',
            enum: ['fail', 'blocked'],
          },
        },
        ['remedy', 'required', 'seconds', 'upcoming', 'waivedVerdict'],
      ),
      allOf: [
        { if: { properties: { verdict: { const: 'fail' } } }, then: { properties: { findings: { minItems: 1 } } } },
      ],
    },
    finding: objectOf(
      {
        code: { description: 'The kind of breach within its requirement, the same in every version.', ...text },
        expected: text,
        actual: text,
        place: {
          description: 'Where it shows: what was asked and answered last; refusal: the body of a refusal, cut.',
          ...objectOf(
            {
              operation: text,
              as: { description: 'The setting that holds the key.', ...text },
              way: { description: 'How the request went, unless as usual.', ...text },
              field: { description: 'The part of the document or of the answer, or the case.', ...text },
              status: { type: 'integer' },
              refusal: text,
              noJson: { description: 'The answer is no JSON.', const: true },
            },
            ['operation', 'as', 'way', 'field', 'status', 'refusal', 'noJson'],
          ),
        },
        curl: { description: 'A line for a POSIX shell; secrets are variables named as their settings.', ...text },
        replay: { description: 'The command that runs this check again.', ...text },
        exchanges: { description: 'Sequence numbers in the evidence.', type: 'array', items: text },
        part: {
          description: 'The answer that shows it, and where: a header, a JSON Pointer into its body, or its status.',
          ...objectOf({ exchange: text, header: text, pointer: text }, ['header', 'pointer']),
        },
        page: {
          description: 'The page that shows it, beside the report.',
          type: 'string',
          pattern: '^load/[a-z]+\\.html$',
        },
        fingerprint: { description: 'The same for the same breach in every run.', ...text },
      },
      ['code', 'place', 'curl', 'replay', 'part', 'page', 'fingerprint'],
    ),
    observation: objectOf(
      {
        id: text,
        question: text,
        observed: text,
        detail: { description: 'What goes with it and differs from run to run.', ...text },
        remedy: { $ref: '#/$defs/remedy' },
      },
      ['detail', 'remedy'],
    ),
    remedy: {
      description: 'What would let more be judged: settings, a command or packages.',
      ...objectOf({ act: { enum: ['set', 'unset', 'run', 'install'] }, names: { type: 'array', items: text } }),
    },
  },
} as const;
