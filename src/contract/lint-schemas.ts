import type { LintFinding } from './lint-types.js';
import { isCircle } from './circle.js';
import { compileCost } from './compile-cost.js';
import { dialectAt, dialectOf, metaOf, ofOneDialect } from './dialects.js';
import { child } from './pointer.js';
import { readPattern } from './patterns.js';
import { schemaObjects } from './schema-objects.js';
import { createValidators, tooDeep } from './validators.js';
import { asObject } from './values.js';

/** Schemas are compiled one by one up to this cost; what is left is judged by the meta-schema and its patterns alone. */
const compileBudget = 100_000;

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
  const tell = (place: string, pattern: string): void => {
    try {
      readPattern(pattern);
    } catch {
      report(place, pattern);
    }
  };
  if (!maps.has(under) && typeof object['pattern'] === 'string') tell(child(pointer, 'pattern'), object['pattern']);
  if (under === 'patternProperties') for (const name of Object.keys(object)) tell(child(pointer, name), name);
  for (const [name, value] of Object.entries(object)) {
    if (!maps.has(under) && (data.has(name) || name.startsWith('x-'))) continue;
    brokenPatterns(value, child(pointer, name), maps.has(under) ? '' : name, report, depth + 1);
  }
}

/** Judges every Schema Object by the meta-schema of its dialect (JSON Schema 2020-12 unless it names another), its patterns by ECMA-262, and compiles it. */
export function lintSchemas(document: Record<string, unknown>): LintFinding[] {
  const findings: LintFinding[] = [];
  const breach = (pointer: string, expected: string, actual: string): void => {
    findings.push({ id: 'DOC-05', severity: 'breach', expected, actual, pointer });
  };
  const base = dialectOf(document['jsonSchemaDialect']);
  const metas = new Map<string, ReturnType<typeof metaOf>>();
  const validators = createValidators(document);
  let left = compileBudget;
  for (const { pointer, schema } of schemaObjects(document)) {
    if (findings.length >= 20) break;
    if (typeof schema !== 'boolean' && asObject(schema) === null) {
      breach(pointer, 'a JSON Schema: an object or a boolean', JSON.stringify(schema).slice(0, 80));
      continue;
    }
    const dialect = dialectAt(schema, base);
    if (dialect === 'unknown') continue;
    const meta = metas.get(dialect) ?? metaOf(dialect);
    metas.set(dialect, meta);
    const broken: string[] = [];
    brokenPatterns(schema, pointer, '', (place, pattern) => {
      broken.push(pattern);
      breach(place, 'a regular expression as ECMA-262 defines it', JSON.stringify(pattern).slice(0, 120));
    });
    const plain = ofOneDialect(schema, dialect) as Record<string, unknown> | boolean;
    if (meta.validateSchema(plain) !== true) {
      const errors = (meta.errors ?? []).filter(
        (error) => error.keyword !== 'anyOf' && error.params['format'] !== 'regex',
      );
      for (const error of errors.slice(0, 3))
        breach(
          pointer + error.instancePath,
          `a schema that meets the JSON Schema ${dialect} meta-schema`,
          `${error.message ?? 'is invalid'}${error.params['allowedValues'] ? ` (${JSON.stringify(error.params['allowedValues']).slice(0, 100)})` : ''}`,
        );
      if (errors.length > 0) continue;
    }
    if (broken.length > 0 || left <= 0) continue;
    left -= compileCost(document, schema, left);
    const problem = validators.problem(pointer);
    // What is too deep or too large is this program's limit; what a reference leads to, or does not, is for another requirement.
    if (problem !== null && tooDeep(problem) && !isCircle(document, schema)) continue;
    if (problem !== null && !/can't resolve reference/.test(problem))
      breach(
        pointer,
        'a schema that compiles',
        tooDeep(problem) ? 'its references go in a circle' : problem.slice(0, 200),
      );
  }
  return findings;
}
