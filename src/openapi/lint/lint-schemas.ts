import { Ajv2020 } from 'ajv/dist/2020.js';
import { addFormats } from '../schema/formats.js';
import { TookTooLong, withDeadline } from '../load/deadline.js';
import { findingsOf, type LintFinding } from './lint-types.js';
import { child } from '../schema/pointer.js';
import { isReadable } from '../schema/patterns.js';
import { isReferenceCycle } from '../schema/resolve.js';
import { schemaObjects, type SchemaPlace } from '../schema/schema-objects.js';
import { createValidators } from '../schema/validators.js';
import { visitObjects } from '../load/references.js';
import { asList, asObject } from '../values.js';

/** All schemas are compiled within this time; what is left is judged by the meta-schema and its patterns alone. */
const compileMs = 3_000;

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
}).map(([name, schema]) => ({ name, validate: new Ajv2020().compile({ type: 'object', ...schema }) }));

/** Only validates schemas by their meta-schema, so it keeps none of them. */
const meta = addFormats(new Ajv2020({ strict: false, logger: false, allErrors: true }));

/** Judges every Schema Object by the meta-schema of JSON Schema 2020-12 unless it names another dialect, and compiles it (DOC-05); what it holds of OpenAPI is DOC-02's. */
export function lintSchemas(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-05');
  const objects = findingsOf('DOC-02');
  const unwise = findingsOf('DOC-05', 'warn');
  const validators = createValidators(document);
  const sound: SchemaPlace[] = [];
  let isForeign = false;
  const nullable: string[] = [];
  for (const { pointer, schema } of schemaObjects(document)) {
    if (findings.length >= 20) break;
    if (typeof schema !== 'boolean' && asObject(schema) === null) {
      breach(pointer, 'no-schema', 'a JSON Schema: an object or a boolean', JSON.stringify(schema).slice(0, 80));
      continue;
    }
    const judged = validators.schemaAt(pointer);
    if (judged === true && schema !== true) {
      isForeign = true;
      continue;
    }
    visitObjects(asObject(schema) ?? {}, (node, below) => {
      if (validators.schemaAt(pointer + below) === true) return;
      const place = pointer + below;
      const patterns = [node['pattern'], ...Object.keys(asObject(node['patternProperties']) ?? {})];
      for (const pattern of patterns.filter((one) => typeof one === 'string' && !isReadable(one)))
        unwise.breach(
          place,
          'odd-pattern',
          'a regular expression of ECMA-262, as JSON Schema recommends',
          `${JSON.stringify(pattern).slice(0, 120)}, which is not judged`,
        );
      if (Array.isArray(node['enum']) && node['enum'].length === 0)
        unwise.breach(
          place,
          'empty-enum',
          'an enum with a value, as JSON Schema recommends',
          'none, so that nothing is valid',
        );
      if (node['nullable'] === true && !asList(node['type']).includes('null')) nullable.push(place);
      for (const { name, validate } of held)
        if (node[name] !== undefined && !validate(node[name]))
          objects.breach(
            child(place, name),
            'odd-object',
            `what OpenAPI says of ${name}`,
            `${validate.errors?.[0]?.instancePath ?? ''} ${validate.errors?.[0]?.message ?? ''}`.trim(),
          );
    });
    if (meta.validateSchema(judged as boolean) !== true) {
      // The meta-schema still knows what 2019-09 had in place of $dynamicAnchor and $dynamicRef; the text of 2020-12 does not.
      const errors = (meta.errors ?? []).filter(
        ({ keyword, instancePath }) => keyword !== 'anyOf' && !/\/\$recursive(Anchor|Ref)$/.test(instancePath),
      );
      for (const error of errors.slice(0, 3))
        breach(
          pointer + error.instancePath,
          'odd-schema',
          'a schema that meets the JSON Schema 2020-12 meta-schema',
          `${error.message ?? 'is invalid'}${error.params['allowedValues'] ? ` (${JSON.stringify(error.params['allowedValues']).slice(0, 100)})` : ''}`,
        );
      if (errors.length > 0) continue;
    }
    sound.push({ pointer, schema });
  }
  try {
    withDeadline(compileMs, () => {
      for (const { pointer, schema } of sound) {
        if (findings.length >= 20) return;
        const problem = validators.problem(pointer);
        if (problem?.kind === 'too large' && isReferenceCycle(document, schema))
          breach(pointer, 'reference-cycle', 'a schema that compiles', 'its references go in a circle');
        // Another requirement judges the targets of references.
        else if (problem?.kind === 'invalid')
          breach(pointer, 'no-compile', 'a schema that compiles', problem.text.slice(0, 200));
      }
    });
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
  }
  if (isForeign)
    unwise.breach(
      '',
      'other-dialect',
      'schemas in the dialect of OpenAPI 3.1, JSON Schema 2020-12',
      'schemas of another dialect, which are not judged',
    );
  const [first = ''] = nullable;
  if (nullable.length > 0)
    unwise.breach(
      first,
      'nullable',
      'null among the types where null is sent',
      `nullable, which OpenAPI 3.1 does not know, in ${nullable.length} schemas`,
    );
  return [...findings, ...objects.findings.slice(0, 20), ...unwise.findings.slice(0, 20)];
}
