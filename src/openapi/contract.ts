import { cursorParameterOf } from './cursor-parameter.js';
import { exampleBodyFor, type ExampleOptions } from './schema/example-body.js';
import { findBelow, findSchema } from './schema/joined-schemas.js';
import { findOperation, jsonContent, operationsOf, type Operation } from './operations.js';
import { at, child } from './schema/pointer.js';
import { requiredParameters, valuesFor, type RequiredParameter, type ValueSources } from './required-parameters.js';
import type { SchemaError } from './schema/ajv.js';
import { declaredHeaders, headerErrors, type DeclaredHeader } from './response-headers.js';
import { declaresStatus, mediaFor, responseFor } from './responses.js';
import { createValidators } from './schema/validators.js';
import { asObject } from './values.js';

/** One answer as far as a document can judge it. */
export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: readonly (readonly [string, string])[];
  /** Parsed body, or undefined where it is no JSON; then the envelope's own requirement has it, and no schema is applied. */
  readonly json: unknown;
}

/** The declaration of an answer. */
export interface AnswerVerdict {
  readonly statusDeclared: boolean;
  readonly contentTypeDeclared: boolean;
  /** Whether a schema is declared for the body of this status and content type. */
  readonly schemaDeclared: boolean;
  readonly schemaErrors: readonly SchemaError[];
  /** Why the declared schema does not compile, and so says nothing; null where it does. */
  readonly schemaProblem: string | null;
  /** Declared response headers, in lower case, and whether the declaration leaves them out expressly (`required: false`). */
  readonly headersDeclared: readonly DeclaredHeader[];
  readonly headerErrors: readonly string[];
}

/** A document, ready to be asked. Without a document everything is undeclared and nothing is wrong. */
export interface Contract {
  readonly document: Record<string, unknown> | null;
  readonly operations: readonly Operation[];
  operation(method: string, path: string): Operation | null;
  cursorParameter(method: string, path: string): string | null;
  /** The query and header parameters that a request to an operation has to carry, each with values for it. */
  requiredParameters(operation: Operation, sources: ValueSources): readonly RequiredParameter[];
  validateResponse(answer: Answer): AnswerVerdict;
  /** Errors of a unit record against the schema that the unit list (or the single unit) declares for it. */
  validateUnit(record: unknown): readonly string[];
  /** Validation errors of a request body against the operation's declaration; empty where it declares none. */
  validateRequest(method: string, path: string, body: unknown): readonly string[];
  /** Whether the request body of an operation declares a property of this name. */
  declaresField(method: string, path: string, name: string): boolean;
  /** What an answer declares at the first of these places that it has, each as names of properties from the root of the body; undefined where it has none. */
  answerSchema(method: string, path: string, status: number, ...places: readonly (readonly string[])[]): unknown;
  /** A body that the declaration of an operation allows, unlike all before it; undefined where none could be made. */
  exampleBody(method: string, path: string, options: ExampleOptions): unknown;
}

/** Makes a contract of a raw document. Never throws, whatever the document holds. */
export function createContract(document: Record<string, unknown> | null): Contract {
  const operations = operationsOf(document);
  const validators = createValidators(document ?? {}, 'writeOnly');
  const requestValidators = createValidators(document ?? {}, 'readOnly');
  const find = (method: string, path: string): Operation | null => findOperation(operations, method, path);

  function validateResponse({ method, path, status, contentType, headers, json }: Answer): AnswerVerdict {
    const none: AnswerVerdict = {
      statusDeclared: true,
      contentTypeDeclared: true,
      schemaDeclared: false,
      schemaErrors: [],
      schemaProblem: null,
      headersDeclared: [],
      headerErrors: [],
    };
    const operation = find(method, path);
    if (operation === null) return none;
    if (!declaresStatus(operation, status)) return { ...none, statusDeclared: false };
    const response = responseFor(document, operation, status);
    if (response === null) return none;
    const said = {
      ...none,
      headersDeclared: declaredHeaders(document, response),
      headerErrors: headerErrors(document, response, status, headers, validators),
    };
    const isBodiless = Object.keys(asObject(response.node['content']) ?? {}).length === 0;
    if (isBodiless || method === 'HEAD') return said;
    const media = mediaFor(document, response, contentType);
    if (media === null) return { ...said, contentTypeDeclared: false };
    if (media.node['schema'] === undefined) return said;
    const pointer = child(media.pointer, 'schema');
    const problem = validators.problem(pointer);
    if (problem !== null && problem.kind !== 'too large') return { ...said, schemaProblem: problem.text };
    const schemaErrors = json === undefined ? [] : validators.errors(pointer, json);
    return { ...said, schemaDeclared: true, schemaErrors };
  }

  /** The places where the schema of one unit may stand in an answer, the list first. */
  const unitPlaces = [
    ['units', ['data', 'items', '*']],
    ['unit', ['data', 'unit']],
    ['unit', ['data']],
  ] as const;
  const [unitAt] = unitPlaces.flatMap(([role, path]) => {
    const operation = operations.find((one) => one.role === role && one.method === 'GET');
    const response = operation === undefined ? null : responseFor(document, operation, 200);
    return findBelow(document, response && jsonContent(document, response), path) ?? [];
  });
  const validateRequest = (method: string, path: string, body: unknown): readonly string[] => {
    const pointer = find(method, path)?.requestPointer;
    return pointer ? requestValidators.errors(pointer, body).map(({ text }) => text) : [];
  };
  return {
    document,
    operations,
    operation: find,
    cursorParameter(method, path) {
      const operation = find(method, path);
      return operation === null ? null : cursorParameterOf(operation);
    },
    requiredParameters(operation, sources) {
      const isValid = (pointer: string, value: unknown): boolean =>
        requestValidators.errors(pointer, value).length === 0;
      return requiredParameters(operation).map((one) => ({
        in: one.in,
        name: one.name,
        values: valuesFor(document, operation, one, sources, isValid),
      }));
    },
    validateResponse,
    validateUnit: (record) => (unitAt === undefined ? [] : validators.errors(unitAt, record).map(({ text }) => text)),
    validateRequest,
    declaresField(method, path, name) {
      const { requestPointer = null, requestSchema } = find(method, path) ?? {};
      return requestPointer !== null && findSchema(document, requestSchema, requestPointer, [name]) !== null;
    },
    answerSchema(method, path, status, ...places) {
      const operation = find(method, path);
      const response = operation && responseFor(document, operation, status);
      const media = response && jsonContent(document, response);
      const [pointer] = places.flatMap((place) => findBelow(document, media, place) ?? []);
      return pointer === undefined ? undefined : at(document, pointer);
    },
    exampleBody(method, path, options) {
      const operation = find(method, path);
      return operation === null
        ? undefined
        : exampleBodyFor(document, operation, options, (body) => validateRequest(method, path, body).length === 0);
    },
  };
}
