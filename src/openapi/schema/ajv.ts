import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { addFormats } from './formats.js';
import { guardedRegExp } from './patterns.js';

const compile = Object.assign((pattern: string) => guardedRegExp(pattern), { code: 'guardedRegExp' });

/** An Ajv for OpenAPI 3.1 Schema Objects: JSON Schema 2020-12 plus OpenAPI's annotations; cents survive `multipleOf: 0.01`. */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    validateSchema: false,
    addUsedSchema: false,
    ownProperties: true,
    multipleOfPrecision: 6,
    logger: false,
    // Ajv's optimizer takes time that grows with the square of a schema's properties.
    code: { regExp: compile, optimize: false },
  });
  ajv.addVocabulary(['example', 'xml', 'discriminator', 'externalDocs']);
  return addFormats(ajv);
}

/** Whether a `$schema` or `jsonSchemaDialect` names a dialect other than that of OpenAPI 3.1; what it governs is not judged. */
export function isForeignDialect(uri: unknown): boolean {
  return typeof uri === 'string' && !/2020-12|spec\.openapis\.org/.test(uri);
}

/** What of a value does not meet a schema: its place, the keyword, what is wrong there, and all of that in words. */
export interface SchemaError {
  readonly pointer: string;
  readonly keyword: string;
  readonly wrong: string;
  readonly text: string;
}

export function schemaError({ instancePath: pointer, keyword, message, params }: ErrorObject): SchemaError {
  const details = ['allowedValues', 'allowedValue', 'additionalProperty', 'unevaluatedProperty'].flatMap((name) =>
    name in params ? JSON.stringify((params as Record<string, unknown>)[name]).slice(0, 120) : [],
  );
  const wrong = `${message ?? 'is invalid'}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
  return { pointer, keyword, wrong, text: `${pointer || 'the body'} ${wrong}` };
}
