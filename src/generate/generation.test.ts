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
    if (text === undefined) throw new Error('a value that JSON cannot hold');
    return validate(JSON.parse(text)) ? [] : (validate.errors ?? []);
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
    expect(values.filter((value) => judge(value).length > 0)).toEqual([]);
    expect(sampleOnce()).toEqual(values);
    const boundaries = boundaryValues(schema, root(schema));
    expect(boundaries.filter(({ value }) => judge(value).length > 0)).toEqual([]);
    expect(boundaries.length).toBeLessThanOrEqual(60);
    if (index % 8 === 0) expect(boundaryValues(schema, root(schema))).toEqual(boundaries);
    const wrong = minimalPairs(schema, root(schema), values[0]).filter((pair) => {
      const errors = judge(pair.invalid);
      if (errors.some((error) => ['anyOf', 'oneOf', 'if', 'not', 'contains'].includes(error.keyword))) return false;
      const wanted =
        pair.keyword === 'propertyNames' ? errors.filter((error) => error.keyword === 'propertyNames') : errors;
      return (
        wanted.map((error) => `${error.instancePath} ${error.keyword}`).join() !== `${pair.pointer} ${pair.keyword}`
      );
    });
    expect(wrong, 'breaks its own keyword, and nothing else').toEqual([]);
  });
}
