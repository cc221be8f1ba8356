import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { leadFormOf, readLeadSchema, sampleLeads } from '../leads/lead-schema.js';
import { boundariesOf } from '../leads/leads.js';
import { arbitraryOf } from '../leads/lead-arbitrary.js';
import { bundledPairs } from './minimal-pairs.js';
import type { JsonSchema } from './schema.js';
import { usualSchema } from '../test-kit.js';

const text = { type: 'string' };
const three = {
  type: 'object',
  required: ['name', 'phone', 'vehicleId'],
  properties: { name: text, phone: text, vehicleId: text },
};
const withField = (field: JsonSchema): JsonSchema => ({
  ...three,
  required: [...three.required, 'more'],
  properties: { ...three.properties, more: field },
});
const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const components = {
    schemas: {
      Source: { type: 'string', enum: ['website', 'phone', 'walk-in'] },
      Lead: three,
      Person: { type: 'object', required: ['kind'], properties: { kind: { const: 'person' } } },
      Company: { type: 'object', required: ['kind', 'taxId'], properties: { kind: { const: 'company' }, taxId: { type: 'string', minLength: 5 } } },
      Node: { type: 'object', required: ['v'], properties: { v: { type: 'integer' }, next: ref('Node') } },
      'odd/name~1': { type: 'string', minLength: 2, maxLength: 4 },
  },
}; // prettier-ignore

/** Schemas of leads as documents hold them, by what they show. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  'the usual fields': usualSchema,
  'three texts': three,
  'a pattern with a length': { ...three, properties: { ...three.properties, name: { type: 'string', pattern: "^[\\p{L} .'-]+$", minLength: 2, maxLength: 80 } } },
  'a pattern with look-ahead': withField({ type: 'string', pattern: '^(?=.*\\d)[a-z0-9]{4,8}$' }),
  'a required UUID': withField({ type: 'string', format: 'uuid' }),
  'a required instant': withField({ type: 'string', format: 'date-time' }),
  'a required e-mail address': withField({ type: 'string', format: 'email', maxLength: 254 }),
  'a required number': withField({ type: 'integer', minimum: 1, maximum: 100 }),
  'exclusive bounds': withField({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }),
  'a list of texts': withField({ type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1, maxItems: 3 }),
  'a nested object': withField({ type: 'object', required: ['c'], properties: { c: { type: 'string', minLength: 2 } }, additionalProperties: false }),
  'a value or null': withField({ anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] }),
  'listed values or null': withField({ type: ['string', 'null'], enum: ['web', 'phone', null] }),
  'a constant': withField({ const: 'lead' }),
  'a name that needs escaping': withField(ref('odd~1name~01')),
  'a schema within itself': withField(ref('Node')),
  'an extension of a base': { allOf: [ref('Lead'), { properties: { extra: text }, required: ['extra'] }], unevaluatedProperties: false },
  'one of two kinds': { allOf: [ref('Lead'), { oneOf: [ref('Person'), ref('Company')], discriminator: { propertyName: 'kind' } }] },
  'a reason for some sources': { ...three, properties: { ...three.properties, source: ref('Source') }, if: { properties: { source: { const: 'phone' } }, required: ['source'] }, then: { required: ['name'] } },
}; // prettier-ignore

/** An Ajv of its own, over the raw document: shares nothing with the generator. */
function independent(schema: JsonSchema): (value: unknown) => readonly { keyword: string; instancePath: string }[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  ajv.addKeyword('discriminator');
  ajv.addSchema({ components, $id: 'doc', body: schema });
  const validate = ajv.compile({ $ref: 'doc#/body' });
  return (value) => (validate(JSON.parse(JSON.stringify(value))) ? [] : (validate.errors ?? []));
}

for (const [title, schema] of Object.entries(schemas)) {
  test(`leads are made of ${title}`, () => {
    const judge = independent(schema);
    const root = { components, body: schema };
    const read = readLeadSchema(schema, root);
    expect(read).toMatchObject({ problem: null, unknownKeywords: [] });
    const form = leadFormOf(schema, root, ['unit-1']);
    expect(form.base).toMatchObject({ vehicleId: 'unit-1' });
    const drawn = (): unknown[] => fc.sample(arbitraryOf(form), { seed: 5, numRuns: 20 }).map(({ lead }) => lead);
    const boundaries = boundariesOf(form).map(({ lead }) => lead);
    for (const lead of [form.base, ...sampleLeads(read, 16), ...drawn(), ...boundaries])
      expect(judge(lead), JSON.stringify(lead)).toEqual([]);
    expect(drawn()).toEqual(drawn());
    const wrong = bundledPairs(read.whole, form.base).filter((pair) => {
      const errors = judge(pair.invalid);
      if (errors.some((error) => ['anyOf', 'oneOf', 'if'].includes(error.keyword))) return false;
      return (
        errors.map((error) => `${error.instancePath} ${error.keyword}`).join() !== `${pair.pointer} ${pair.keyword}`
      );
    });
    expect(wrong, 'breaks its own keyword, and nothing else').toEqual([]);
  });
}

test('a schema that leads cannot be made of says why', () => {
  const bomb = Object.fromEntries(
    Array.from({ length: 12 }, (_, level) => [
      `L${String(level)}`,
      level === 11 ? {} : { allOf: Array.from({ length: 10 }, () => ref(`L${String(level + 1)}`)) },
    ]),
  );
  const body = ref('L0');
  expect(readLeadSchema(body, { components: { schemas: bomb }, body }).problem).not.toBeNull();
  expect(readLeadSchema(false, {}).problem).not.toBeNull();
  expect(readLeadSchema({ type: 'strng' }, {}).problem).not.toBeNull();
});
