import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { descriptionObjects } from '../visit-objects.js';
import type { Breach } from './lint-rules.js';
import { referenceTargets } from '../load/references.js';
import { createAjv } from '../schema/ajv.js';
import { at } from '../schema/pointer.js';
import { asList, asObject } from '../values.js';

const load = createRequire(import.meta.url);

type Loose = Record<string, Record<string, unknown>>;

/** The official schema of OpenAPI 3.1, and what its text allows beyond it: extensions of a Callback Object, and any value for a parameter of a Link. */
function officialSchema(): Record<string, unknown> {
  const schema = structuredClone(load('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json') as Loose);
  Object.assign((schema['$defs'] as Loose)['callbacks'] ?? {}, { patternProperties: { '^x-': true } });
  Object.assign((schema['$defs'] as { link?: Loose }).link?.['properties'] ?? {}, { parameters: { type: 'object' } });
  return schema;
}

const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | null = null;

/** The kinds of objects that may be written elsewhere, by the name of their schema. */
const parts: Readonly<Record<string, string>> = Object.fromEntries(
  'path-item parameter header link callbacks response request-body example security-scheme'
    .split(' ')
    .map((kind) => [kind, kind === 'path-item' ? kind : `${kind}-or-reference`]),
);

function validatorFor(part: string): ValidateFunction {
  if (ajv === null) {
    ajv = createAjv({ verbose: true });
    ajv.addSchema(officialSchema(), 'openapi');
  }
  const found = compiled.get(part) ?? ajv.compile({ $ref: `openapi${part}` });
  compiled.set(part, found);
  return found;
}

/** Fields that the text lists for an object, beyond where they apply: it does not forbid them there, the official schema does, so they are no breach. */
const idle: Readonly<Record<string, readonly string[]>> = {
  'parameter-object': ['style', 'explode', 'allowReserved', 'example', 'examples'],
  'header-object': ['style', 'explode', 'allowReserved', 'example', 'examples'],
  'security-scheme-object': ['name', 'in', 'scheme', 'bearerFormat', 'flows', 'openIdConnectUrl'],
};

const isIdle = ({ parentSchema, params }: ErrorObject): boolean =>
  idle[String(asObject(parentSchema)?.['$comment']).split('#')[1] ?? '']?.includes(
    String(params['unevaluatedProperty']),
  ) === true;

const requiredIn = (schema: unknown): string[] => asList(asObject(schema)?.['required']).map(String);

function say({ keyword, schema, schemaPath, params, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'oneOf') return `must have ${asList(schema).flatMap(requiredIn).join(' or ')}, and not both`;
  if (keyword === 'not')
    return `must not have both ${[
      ...schemaPath
        .split('/')
        .slice(-2, -1)
        .filter((name) => name === 'identifier'),
      ...requiredIn(schema),
    ].join(' and ')}`;
  const { unevaluatedProperty, additionalProperty, propertyName, allowedValues } = params;
  const extra: unknown = unevaluatedProperty ?? additionalProperty ?? propertyName ?? allowedValues;
  return `${message}${extra === undefined ? '' : ` (${JSON.stringify(extra).slice(0, 100)})`}`;
}

/** Errors of a value against a part of the official schema, deepest first; without those that only follow from others. */
function openApiErrors(node: unknown, part: string): { pointer: string; message: string }[] {
  const validate = validatorFor(part);
  if (validate(node)) return [];
  const told = (validate.errors ?? [])
    .filter((error) => error.keyword !== 'if' && !isIdle(error) && !/\/(oneOf|anyOf)\/\d+\//.test(error.schemaPath))
    .slice(0, 200);
  const places = told.filter((error) => error.keyword !== 'unevaluatedProperties').map((one) => one.instancePath);
  return told
    .filter(
      ({ keyword, instancePath }) =>
        keyword !== 'unevaluatedProperties' || !places.some((place) => place.startsWith(instancePath)),
    )
    .sort((a, b) => b.instancePath.length - a.instancePath.length)
    .map((error) => ({ pointer: error.instancePath, message: say(error) }));
}

/** Judges a document, and what its references outside schemas lead to, by the official schema of OpenAPI 3.1. */
export function validateOpenApi(document: Record<string, unknown>, breach: Breach): void {
  const { openapi: version, swagger } = document;
  if (typeof version !== 'string' || !/^3\.1\.\d+(-.+)?$/.test(version)) {
    const isNewer = typeof version === 'string' && /^3\.([2-9]|\d\d)/.test(version);
    const newer = ', newer than what is sold (§9); the run goes on with what can be read as 3.1';
    const found = version ?? swagger;
    const actual = `${version === undefined && swagger !== undefined ? 'swagger' : 'openapi'}: ${JSON.stringify(found)}`;
    breach('version', '/openapi', found === undefined ? 'no openapi' : `${actual}${isNewer ? newer : ''}`);
    return;
  }
  const wrong = openApiErrors(document, '').slice(0, 10);
  for (const { pointer, message } of wrong) breach('invalid', pointer, message);
  if (wrong.length > 0) return;
  const targets = referenceTargets(document);
  const seen = new Set<string>();
  for (const { kind, node, pointer } of descriptionObjects(document)) {
    const target = targets.get(node)?.['$ref'];
    const part = parts[kind];
    if (target === undefined || part === undefined || seen.has(`${kind} ${target}`)) continue;
    seen.add(`${kind} ${target}`);
    const [error] = openApiErrors(at(document, target), `#/$defs/${part}`);
    const expected = `a reference to a ${kind.replace('-', ' ')}`;
    if (error) breach('reference-kind', pointer, `the value at ${target} ${error.message}`, expected);
  }
}
