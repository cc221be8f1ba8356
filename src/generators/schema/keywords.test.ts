import { expect, test } from '@playwright/test';
import { bundle } from './bundle.js';
import { readLeadSchema, sampleLeads } from '../leads/lead-schema.js';
import { bundledPairs } from './minimal-pairs.js';
import { guardedRegExp, surelyMatches, UndecidedPattern } from '../../openapi/schema/patterns.js';
import { isValid, judgeOf, undecided } from './validity.js';
import type { JsonSchema } from './schema.js';

test('unknown keywords and references that lead nowhere are reported, extensions are not', () => {
  const properties = { a: { divisibleBy: 3 }, b: { $ref: '#/components/nothing' } };
  const schema = { type: 'object', frobnicate: 1, 'x-note': 'y', properties };
  const { unknownKeywords } = readLeadSchema(schema, schema);
  expect(unknownKeywords).toEqual(['frobnicate', 'divisibleBy', '$ref #/components/nothing (leads nowhere)']);
});

test('read-only properties are neither sent nor demanded, write-only ones are sent', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['id', 'pin'],
    properties: { id: { type: 'string', readOnly: true }, pin: { type: 'string', writeOnly: true } },
    additionalProperties: false,
  };
  for (const value of sampleLeads(readLeadSchema(schema, schema), 8)) expect(Object.keys(value)).toEqual(['pin']);
  const pairs = bundledPairs(bundle(schema).schema, { pin: 'x' });
  expect(
    pairs
      .filter((pair) => pair.keyword === 'required')
      .map((pair) => pair.description)
      .join(),
  ).not.toContain('"id"');
});

test('a nullable of OpenAPI 3.0 is noted, and null is then no breach', () => {
  const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string', nullable: true } } };
  expect(bundle(schema).unknownKeywords).toEqual(['nullable']);
  const invalid = bundledPairs(bundle(schema).schema, { a: 'x' }).map((pair) => JSON.stringify(pair.invalid));
  expect(invalid).not.toContain('{"a":null}');
  expect(invalid).toContain('{"a":0}');
});

test('a value that a service may repair or ignore breaks no assertion', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['s'],
    properties: { s: { type: 'string', default: 'web' }, u: { type: 'string', format: 'uuid' } },
  };
  const pairs = bundledPairs(bundle(schema).schema, { s: 'web', u: '550e8400-e29b-41d4-a716-446655440000' });
  const soft = pairs.filter((pair) => pair.force === 'annotation').map((pair) => pair.keyword);
  expect(soft.sort()).toEqual(['format', 'required']);
});

test('a pair says what it takes away or puts in place', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string', maxLength: 3 } },
    additionalProperties: false,
  };
  const pairs = bundledPairs(bundle(schema).schema, { a: 'abc' });
  expect(pairs.find((pair) => pair.keyword === 'required')).toMatchObject({ remove: true, pointer: '', invalid: {} });
  expect(pairs.find((pair) => pair.keyword === 'maxLength')).toMatchObject({
    pointer: '/a',
    value: 'abca',
    invalid: { a: 'abca' },
  });
  expect(pairs.find((pair) => pair.keyword === 'additionalProperties')?.invalid).toMatchObject({ a: 'abc' });
});

test('a length that the pattern states once more is broken together with it, any other by itself', () => {
  const keywords = (pattern: string): string[] =>
    bundledPairs({ type: 'string', pattern, minLength: 3, maxLength: 8 }, 'abcde')
      .filter((pair) => pair.keyword.endsWith('Length'))
      .map((pair) => `${pair.id.trim()}: ${String(pair.value)}`);
  expect(keywords('^[a-z]{3,8}$')).toEqual(['minLength and pattern: ab', 'maxLength and pattern: abcdeeeee']);
  expect(keywords('^[a-z]+$').map((text) => text.split(':')[0])).toEqual(['minLength', 'maxLength']);
});

test('a demand is broken alone only where nothing else comes to be broken without it', () => {
  const short = { type: 'string', maxLength: 3 };
  const open = { type: 'object', properties: { a: { $ref: '#/$defs/Short' }, b: { type: 'string' } } };
  const lengths = (schema: JsonSchema): unknown[] =>
    bundledPairs(bundle(schema).schema, { a: 'abc', b: 'abcdef' })
      .filter(({ keyword }) => keyword === 'maxLength')
      .map(({ pointer }) => pointer);
  expect(lengths({ ...open, $defs: { Short: short } })).toEqual(['/a']);
  // Where it is the length that keeps `b` from being forbidden, a longer `a` is not all that would be taken without it.
  const forbidden = { properties: { b: { $ref: '#/$defs/Short' } }, required: ['b'] };
  expect(lengths({ ...open, not: forbidden, $defs: { Short: short } })).toEqual([]);
});

test('nothing is a pair where nothing can be broken', () => {
  expect(bundledPairs(true, { a: 1 })).toEqual([]);
  expect(bundledPairs({}, 'x')).toEqual([]);
  expect(bundledPairs({ type: 'integer' }, 'not valid itself')).toEqual([]);
});

test('a text that a pattern takes too long on is not judged', () => {
  const slow = `${'a'.repeat(60)}!`;
  expect(() => guardedRegExp('^(a+)+$').test(slow)).toThrow(UndecidedPattern);
  expect(surelyMatches('^(a+)+$', slow)).toBe(false);
  for (const schema of [{ pattern: '^(a+)+$' }, { not: { pattern: '^(a+)+$' } }]) {
    expect(isValid(schema, slow)).toBe(false);
    expect(judgeOf(schema)(slow)).toEqual([undecided]);
  }
});
