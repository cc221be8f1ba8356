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

/** One validation error as words: where, and what is wrong. */
export function sayError(error: ErrorObject): string {
  const detail: string[] = [];
  for (const name of ['allowedValues', 'allowedValue', 'additionalProperty', 'unevaluatedProperty']) {
    if (name in error.params)
      detail.push(JSON.stringify((error.params as Record<string, unknown>)[name]).slice(0, 120));
  }
  return `${error.instancePath || 'the body'} ${error.message ?? 'is invalid'}${detail.length > 0 ? ` (${detail.join(', ')})` : ''}`;
}
