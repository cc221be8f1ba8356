import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import { guardedRegExp } from './patterns.js';

const compile = Object.assign((pattern: string) => guardedRegExp(pattern), { code: 'guardedRegExp' });

/** Whether a text is a day that the calendar has: `Date` reads February 30 as a day in March, or not at all. */
function isDate(text: string): boolean {
  const date = new Date(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d:?\d\d)$/i;

/**
 * Formats that are judged, each by what every reading of it agrees on: JSON Schema 2020-12 makes `format` an annotation, so only
 * values that nobody would take for one are refused. Other formats say nothing.
 */
const formats: NonNullable<Options['formats']> = {
  date: isDate,
  'date-time': (text: string) =>
    isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && time.test(text.slice(11)),
  uuid: /^(urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  int32: { type: 'number', validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 31 },
  int64: { type: 'number', validate: (value: number) => Number.isInteger(value) },
};

/** An Ajv for OpenAPI 3.1 Schema Objects: JSON Schema 2020-12 plus OpenAPI's annotations; cents survive `multipleOf: 0.01`. */
export function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats,
    validateSchema: false,
    addUsedSchema: false,
    ownProperties: true,
    multipleOfPrecision: 6,
    logger: false,
    // Ajv's optimizer takes time that grows with the square of a schema's properties.
    code: { regExp: compile, optimize: false },
    ...options,
  });
  ajv.addVocabulary(['example', 'xml', 'discriminator', 'externalDocs']);
  return ajv;
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
