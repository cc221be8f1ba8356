import { Ajv2020 } from 'ajv/dist/2020.js';
import { addFormats } from '../schema/formats.js';
import { TookTooLong, withDeadline } from '../load/deadline.js';
import { findingsOf, type LintFinding } from './lint-types.js';
import { child } from '../schema/pointer.js';
import { readPattern } from '../schema/patterns.js';
import { isReferenceCycle } from '../schema/resolve.js';
import { schemaObjects, type SchemaPlace } from '../schema/schema-objects.js';
import { createValidators } from '../schema/validators.js';
import { visitObjects } from '../load/references.js';
import { asObject } from '../values.js';

/** All schemas are compiled within this time; what is left is judged by the meta-schema and its patterns alone. */
const compileMs = 3_000;

/** Patterns in a schema that are no regular expressions, with their places in it. */
function brokenPatterns(schema: unknown): { readonly place: string; readonly pattern: string }[] {
  const patterns: { place: string; pattern: string }[] = [];
  visitObjects(asObject(schema) ?? {}, (node, pointer) => {
    if (typeof node['pattern'] === 'string')
      patterns.push({ place: child(pointer, 'pattern'), pattern: node['pattern'] });
    for (const name of Object.keys(asObject(node['patternProperties']) ?? {}))
      patterns.push({ place: child(child(pointer, 'patternProperties'), name), pattern: name });
  });
  return patterns.filter(({ pattern }) => {
    try {
      readPattern(pattern);
      return false;
    } catch {
      return true;
    }
  });
}

/** Only validates schemas by their meta-schema, so it keeps none of them. */
const meta = addFormats(new Ajv2020({ strict: false, logger: false, allErrors: true }));

/** Judges every Schema Object by the meta-schema of JSON Schema 2020-12 unless it names another dialect, its patterns by ECMA-262, and compiles it. */
export function lintSchemas(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-05');
  const validators = createValidators(document);
  const sound: SchemaPlace[] = [];
  let isForeign = false;
  for (const { pointer, schema } of schemaObjects(document)) {
    if (findings.length >= 20) break;
    if (typeof schema !== 'boolean' && asObject(schema) === null) {
      breach(pointer, 'a JSON Schema: an object or a boolean', JSON.stringify(schema).slice(0, 80));
      continue;
    }
    const judged = validators.schemaAt(pointer);
    if (judged === true && schema !== true) {
      isForeign = true;
      continue;
    }
    const broken = brokenPatterns(judged);
    for (const { place, pattern } of broken)
      breach(pointer + place, 'a regular expression as ECMA-262 defines it', JSON.stringify(pattern).slice(0, 120));
    if (meta.validateSchema(judged as boolean) !== true) {
      const errors = (meta.errors ?? []).filter(
        (error) => error.keyword !== 'anyOf' && error.params['format'] !== 'regex',
      );
      for (const error of errors.slice(0, 3))
        breach(
          pointer + error.instancePath,
          'a schema that meets the JSON Schema 2020-12 meta-schema',
          `${error.message ?? 'is invalid'}${error.params['allowedValues'] ? ` (${JSON.stringify(error.params['allowedValues']).slice(0, 100)})` : ''}`,
        );
      if (errors.length > 0) continue;
    }
    if (broken.length === 0) sound.push({ pointer, schema });
  }
  try {
    withDeadline(compileMs, () => {
      for (const { pointer, schema } of sound) {
        if (findings.length >= 20) return;
        const problem = validators.problem(pointer);
        if (problem?.isTooLarge && isReferenceCycle(document, schema))
          breach(pointer, 'a schema that compiles', 'its references go in a circle');
        // Another requirement judges the targets of references.
        else if (problem?.isTooLarge === false && !/can't resolve reference/.test(problem.text))
          breach(pointer, 'a schema that compiles', problem.text.slice(0, 200));
      }
    });
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
  }
  if (isForeign)
    findings.push({
      id: 'DOC-05',
      severity: 'warn',
      expected: 'schemas in the dialect of OpenAPI 3.1, JSON Schema 2020-12',
      actual: 'schemas of another dialect, which are not judged',
      pointer: '',
    });
  return findings;
}
