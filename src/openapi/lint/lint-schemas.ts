import { createAjv } from '../schema/ajv.js';
import { TookTooLong, withDeadline } from '../load/deadline.js';
import type { Breach } from './lint-rules.js';
import { child } from '../schema/pointer.js';
import { isReadable } from '../schema/patterns.js';
import { isReferenceCycle } from '../schema/resolve.js';
import { schemaObjects, visitObjects } from '../visit-objects.js';
import { createValidators } from '../schema/validators.js';
import { asList, asObject, quote } from '../values.js';

/** All schemas are compiled within this time; what is left is judged by the meta-schema and its patterns alone. */
const compileMs = 3_000;

const ajv = createAjv();

/** The objects of OpenAPI that a schema may hold (§4.8.11, §4.8.25, §4.8.26), which the official schema leaves to the meta-schema of its dialect. */
const held = Object.entries({
  discriminator: {
    required: ['propertyName'],
    properties: {
      propertyName: { type: 'string' },
      mapping: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
  xml: {
    properties: {
      ...Object.fromEntries(['name', 'namespace', 'prefix'].map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(['attribute', 'wrapped'].map((name) => [name, { type: 'boolean' }])),
    },
  },
  externalDocs: { required: ['url'], properties: { url: { type: 'string' }, description: { type: 'string' } } },
}).map(([name, schema]) => ({ name, validate: ajv.compile({ type: 'object', ...schema }) }));

/** Judges every Schema Object by the meta-schema of JSON Schema 2020-12 unless it names another dialect, and compiles it (DOC-05); what it holds of OpenAPI is DOC-02's. */
export function lintSchemas(document: Record<string, unknown>, breach: Breach): void {
  const validators = createValidators(document);
  const sound: string[] = [];
  const nullable: string[] = [];
  let isForeign = false;
  let wrong = 0;
  for (const { pointer, schema } of schemaObjects(document)) {
    if (wrong >= 20) break;
    if (typeof schema !== 'boolean' && asObject(schema) === null) {
      breach('no-schema', pointer, quote(schema, 80));
      wrong += 1;
      continue;
    }
    const judged = validators.schemaAt(pointer);
    if (judged === true && schema !== true) {
      isForeign = true;
      continue;
    }
    visitObjects(asObject(schema) ?? {}, ({ node, pointer: below }) => {
      const place = pointer + below;
      if (validators.schemaAt(place) === true) return;
      for (const pattern of [node['pattern'], ...Object.keys(asObject(node['patternProperties']) ?? {})])
        if (typeof pattern === 'string' && !isReadable(pattern))
          breach('odd-pattern', place, `${quote(pattern, 120)}, which is not judged`);
      if (node['nullable'] === true && !asList(node['type']).includes('null')) nullable.push(place);
      for (const { name, validate } of held)
        if (node[name] !== undefined && !validate(node[name])) {
          const { instancePath = '', message = '' } = validate.errors?.[0] ?? {};
          breach('odd-object', child(place, name), `${instancePath} ${message}`.trim());
        }
    });
    // The meta-schema still knows what 2019-09 had in place of $dynamicAnchor and $dynamicRef; the text of 2020-12 does not.
    const errors = (ajv.validateSchema(judged as boolean) === true ? [] : (ajv.errors ?? [])).filter(
      ({ keyword, instancePath }) => keyword !== 'anyOf' && !/\/\$recursive(Anchor|Ref)$/.test(instancePath),
    );
    for (const { instancePath, message = 'is invalid', params } of errors.slice(0, 3)) {
      const { allowedValues } = params as { allowedValues?: unknown };
      const details = allowedValues === undefined ? '' : ` (${quote(allowedValues, 100)})`;
      breach('odd-schema', pointer + instancePath, message + details);
      wrong += 1;
    }
    if (isReferenceCycle(document, schema)) breach('reference-cycle', pointer, 'its references go in a circle');
    else if (errors.length === 0) sound.push(pointer);
  }
  try {
    withDeadline(compileMs, () => {
      for (const pointer of wrong >= 20 ? [] : sound) {
        const problem = validators.problem(pointer);
        // Another requirement judges the targets of references, and what is too large says nothing.
        if (problem?.kind === 'invalid') breach('no-compile', pointer, problem.text.slice(0, 200));
      }
    });
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
  }
  if (isForeign) breach('other-dialect', '', 'schemas of another dialect, which are not judged');
  const [first] = nullable;
  if (first !== undefined)
    breach('nullable', first, `nullable, which OpenAPI 3.1 does not know, in ${nullable.length} schemas`);
}
