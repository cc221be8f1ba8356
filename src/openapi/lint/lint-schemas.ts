import { Ajv2020 } from 'ajv/dist/2020.js';
import { addFormats } from '../schema/formats.js';
import { TookTooLong, withDeadline } from '../load/deadline.js';
import type { LintFinding } from './lint-types.js';
import { child } from '../schema/pointer.js';
import { readPattern } from '../schema/patterns.js';
import { isReferenceCycle } from '../schema/resolve.js';
import { schemaObjects } from '../schema/schema-objects.js';
import type { SchemaPlace } from '../schema/schema-objects.js';
import { createValidators } from '../schema/validators.js';
import { asObject } from '../values.js';

/** All schemas are compiled within this time; what is left is judged by the meta-schema and its patterns alone. */
const compileMs = 3_000;

const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const data = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** Patterns in a schema that are no regular expressions. */
function brokenPatterns(
  node: unknown,
  pointer: string,
  under: string,
  report: (pointer: string, pattern: string) => void,
  depth = 0,
): void {
  if (depth > 100) return;
  if (Array.isArray(node)) {
    node.forEach((one, index) => brokenPatterns(one, child(pointer, index), '', report, depth + 1));
    return;
  }
  const object = asObject(node);
  if (object === null) return;
  const judge = (place: string, pattern: string): void => {
    try {
      readPattern(pattern);
    } catch {
      report(place, pattern);
    }
  };
  if (!maps.has(under) && typeof object['pattern'] === 'string') judge(child(pointer, 'pattern'), object['pattern']);
  if (under === 'patternProperties') for (const name of Object.keys(object)) judge(child(pointer, name), name);
  for (const [name, value] of Object.entries(object)) {
    if (!maps.has(under) && (data.has(name) || name.startsWith('x-'))) continue;
    brokenPatterns(value, child(pointer, name), maps.has(under) ? '' : name, report, depth + 1);
  }
}

/** Only validates schemas by their meta-schema, so it keeps none of them. */
const meta = addFormats(new Ajv2020({ strict: false, logger: false, allErrors: true }));

/** Judges every Schema Object by the meta-schema of JSON Schema 2020-12 unless it names another dialect, its patterns by ECMA-262, and compiles it. */
export function lintSchemas(document: Record<string, unknown>): LintFinding[] {
  const findings: LintFinding[] = [];
  const breach = (pointer: string, expected: string, actual: string): void => {
    findings.push({ id: 'DOC-05', severity: 'fail', expected, actual, pointer });
  };
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
    const broken: string[] = [];
    brokenPatterns(judged, pointer, '', (place, pattern) => {
      broken.push(pattern);
      breach(place, 'a regular expression as ECMA-262 defines it', JSON.stringify(pattern).slice(0, 120));
    });
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
