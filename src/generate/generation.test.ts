import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { arbitraryFor } from './arbitrary.js';
import { boundaryValues } from './boundaries.js';
import { minimalPairs } from './minimal-pairs.js';
import type { JsonSchema } from './schema.js';
import { schemaTable, tableRoot } from './schema-table.js';

/** An Ajv of its own, over the raw document: shares nothing with the generator. */
function independent(schema: JsonSchema): (value: unknown) => readonly { keyword: string; instancePath: string }[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 9, validateSchema: false });
  formats.default(ajv);
  ajv.addKeyword('discriminator');
  ajv.addSchema({ ...tableRoot, $id: 'doc', body: schema });
  const validate = ajv.compile({ $ref: 'doc#/body' });
  return (value) => {
    const text = JSON.stringify(value) as string | undefined;
    expect(text).toBeDefined();
    return validate(JSON.parse(text ?? '')) ? [] : (validate.errors ?? []);
  };
}

const root = (schema: JsonSchema): unknown => ({ ...tableRoot, body: schema });

test('the table holds at least sixty schemas', () => {
  expect(Object.keys(schemaTable).length).toBeGreaterThanOrEqual(60);
});

for (const [index, [title, schema]] of Object.entries(schemaTable).entries()) {
  test(`values for ${title} are valid, and the same for a seed`, () => {
    const judge = independent(schema);
    const { arbitrary, unknownKeywords } = arbitraryFor(schema, root(schema));
    expect(unknownKeywords).toEqual([]);
    const sampleOnce = (): unknown[] => fc.sample(arbitrary, { seed: 5, numRuns: 20 });
    const values = sampleOnce();
    for (const value of values) expect(judge(value), JSON.stringify(value)).toEqual([]);
    expect(sampleOnce()).toEqual(values);
    const boundaries = boundaryValues(schema, root(schema));
    for (const { value, label } of boundaries) expect(judge(value), `${label}: ${JSON.stringify(value)}`).toEqual([]);
    expect(boundaries.length).toBeLessThanOrEqual(60);
    if (index % 8 === 0) expect(boundaryValues(schema, root(schema))).toEqual(boundaries);
    for (const valid of values.slice(0, 1)) {
      for (const pair of minimalPairs(schema, root(schema), valid)) {
        const errors = judge(pair.invalid);
        expect(errors.length, `${pair.description} is a breach`).toBeGreaterThan(0);
        if (errors.every((error) => !['anyOf', 'oneOf', 'if', 'not', 'contains'].includes(error.keyword))) {
          const wanted =
            pair.keyword === 'propertyNames' ? errors.filter((error) => error.keyword === 'propertyNames') : errors;
          expect(
            wanted.map((error) => `${error.instancePath} ${error.keyword}`),
            pair.description,
          ).toEqual([`${pair.pointer} ${pair.keyword}`]);
        }
      }
    }
  });
}
