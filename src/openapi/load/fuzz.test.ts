import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { BlockedSignal } from '../../http/signals.js';
import { compatible } from '../diff/compatible.js';
import { createContract } from '../contract.js';
import { judgeEnvelope } from '../judge-envelope.js';
import { lintDocument } from '../lint/lint-document.js';
import { parseDocument } from './parse-document.js';
import { personalData } from '../personal-data.js';
import { answered, plainDocument, put, refTo } from '../test-kit.js';

const keywords = (
  '$ref $id $anchor $schema type properties items allOf oneOf required enum const pattern nullable default paths get responses parameters ' +
  'schema content __proto__ constructor servers security name in'
).split(' ');
const unit = '#/components/schemas/Unit';
const values = [
  ...[null, true, 0, -1, [], {}, { type: 'string' }, { $ref: unit }],
  ...['', 'object', 'string', unit, '#', '#/paths', '/x', '([', '(a+)+$', 'path', 'https://x.example/a'],
];

/** Whatever a value may be replaced by, made of words that mean something. */
const junk = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...values),
    fc.dictionary(fc.constantFrom(...keywords), tie('any'), { maxKeys: 4 }),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
})).any;

/** A sound document with a few places overwritten. */
const mutated = fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 4 }).map((edits) => {
  const document = plainDocument() as Record<string, unknown>;
  for (const [pick, value] of edits) {
    const holders: [Record<string, unknown>, string][] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const name of Object.keys(node)) {
        holders.push([node as Record<string, unknown>, name]);
        visit((node as Record<string, unknown>)[name]);
      }
    };
    visit(document);
    const [holder, name] = holders[pick % holders.length] ?? [document, 'info'];
    holder[name] = structuredClone(value);
  }
  return document;
});

/** Puts a document through everything: it ends, and nothing is thrown that is no verdict. */
async function endure(document: Record<string, unknown>): Promise<void> {
  await lintDocument(document);
  compatible(document, plainDocument());
  compatible(plainDocument(), document);
  personalData(document);
  try {
    const contract = createContract(document);
    for (const path of ['/api/v1/units', '/api/v1/leads']) {
      contract.exampleBody('POST', path, { unique: 'x', like: [document] });
      contract.validateResponse({
        method: 'GET',
        path,
        status: 200,
        contentType: 'application/json',
        headers: [['ratelimit-limit', '5']],
        json: { ok: true, data: { items: [{ id: 'a' }] } },
      });
      contract.cursorParameter('GET', path);
    }
    contract.validateUnit({});
  } catch (error) {
    if (!(error instanceof BlockedSignal)) throw error;
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
}

test('documents with random damage are judged, never thrown at', async () => {
  test.setTimeout(60_000);
  await fc.assert(
    fc.asyncProperty(mutated, (document) => endure(document)),
    { numRuns: 15, seed: 7, endOnFailure: true },
  );
});

test('random JSON is judged, never thrown at', async () => {
  test.setTimeout(60_000);
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('openapi', 'paths', 'components', 'webhooks', ...keywords), junk, { maxKeys: 5 }),
      (document) => endure(document),
    ),
    { numRuns: 15, seed: 8, endOnFailure: true },
  );
});

test('random bytes and answers are judged, never thrown at', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.json(),
      fc.integer({ min: 200, max: 599 }),
      (bytes, json, status) => {
        parseDocument(Buffer.from(bytes));
        parseDocument(Buffer.from(json));
        judgeEnvelope(answered(status, json));
        judgeEnvelope(answered(status, null, { bytes: Buffer.from(bytes) }));
        personalData(JSON.parse(json));
      },
    ),
    { numRuns: 200, seed: 9 },
  );
});

test('bytes that are no document say why', () => {
  const problem = (bytes: Buffer | string): string | null => {
    const parsed = parseDocument(Buffer.from(bytes as string));
    return parsed.ok ? null : parsed.problem;
  };
  expect(problem('{"a":1}')).toBeNull();
  expect(problem('\ufeff{}')).toBeNull();
  for (const bytes of [
    '',
    ' ',
    '[]',
    'null',
    '1',
    '{',
    'openapi: 3.1.0',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '['.repeat(100_000),
    `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
  ])
    expect(problem(bytes)).toEqual(expect.any(String));
});

/** Schemas C0, C1 and so on, each made of a reference to the next one; the last is of an object. */
const chained = (length: number, of: (next: object) => object): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [`C${at}`, at === length - 1 ? { type: 'object' } : of(refTo(`C${at + 1}`))]),
  );
const bomb = (word: string): Record<string, unknown> =>
  chained(12, (next) => ({ [word]: Array.from({ length: 10 }, () => next) }));
const deep = (levels: number): unknown =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } };

const adversarial: Record<string, Record<string, unknown>> = {
  'a long chain of references': chained(1_500, (next) => next),
  'references in a circle': { C0: refTo('C1'), C1: refTo('C0') },
  'a schema that is its own part': { C0: { allOf: [refTo('C0')] } },
  'a bomb of allOf': bomb('allOf'),
  'a bomb of anyOf': bomb('anyOf'),
  'a deep schema': { C0: deep(60) },
  'patterns that explode': {
    C0: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', pattern: '^((a+)+)+$', example: `${'a'.repeat(200)}!` } },
    },
  },
  'names of prototypes': JSON.parse(
    '{"C0":{"type":"object","required":["__proto__"],"properties":{"__proto__":{"polluted":true},"constructor":{"type":"string"}}},"__proto__":{"polluted":true}}',
  ) as Record<string, unknown>,
};

for (const [name, schemas] of Object.entries(adversarial)) {
  test(`a hostile document ends: ${name}`, async () => {
    const document = plainDocument();
    for (const [key, value] of Object.entries(schemas))
      Object.defineProperty(document.components['schemas'], key, { value, enumerable: true });
    for (const path of ['/units', '/leads'])
      for (const place of ['get responses 200', 'post requestBody'])
        put(document, `paths ${path} ${place} content`, { 'application/json': { schema: refTo('C0') } });
    await endure(document);
  });
}
