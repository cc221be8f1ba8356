import { cursorParameterOf } from './cursor-parameter.js';
import { exampleBodyFor, type ExampleOptions } from './schema/example-body.js';
import { findBelow, findSchema } from './schema/find-schema.js';
import { findOperation, jsonContent, operationsOf, type Operation } from './operations.js';
import { child } from './schema/pointer.js';
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
  /** A body that the declaration of an operation allows, unlike all before it; undefined where none could be made. */
  exampleBody(method: string, path: string, options: ExampleOptions): unknown;
}

/** Makes a contract of a raw document. Never throws, whatever the document holds. */
export function createContract(document: Record<string, unknown> | null): Contract {
  const operations = operationsOf(document);
  const validators = createValidators(document ?? {}, 'writeOnly');
  const requestValidators = createValidators(document ?? {}, 'readOnly');
  const find = (method: string, path: string): Operation | null => findOperation(operations, method, path);

  function validateResponse(answer: Answer): AnswerVerdict {
    const none: AnswerVerdict = {
      statusDeclared: true,
      contentTypeDeclared: true,
      schemaDeclared: false,
      schemaErrors: [],
      headersDeclared: [],
      headerErrors: [],
    };
    const operation = find(answer.method, answer.path);
    if (operation === null) return none;
    if (!declaresStatus(operation, answer.status)) return { ...none, statusDeclared: false };
    const response = responseFor(document, operation, answer.status);
    if (response === null) return none;
    const said = {
      ...none,
      headersDeclared: declaredHeaders(document, response),
      headerErrors: headerErrors(document, response, answer.status, answer.headers, validators),
    };
    const content = asObject(response.node['content']);
    if (content === null || Object.keys(content).length === 0 || answer.method === 'HEAD') return said;
    const media = mediaFor(document, response, answer.contentType);
    if (media === null) return { ...said, contentTypeDeclared: false };
    if (media.node['schema'] === undefined) return said;
    const schemaErrors =
      answer.json === undefined ? [] : validators.errors(child(media.pointer, 'schema'), answer.json);
    return { ...said, schemaDeclared: true, schemaErrors };
  }

  /** The place of the schema of one unit, or null. */
  function unitPointer(): string | null {
    for (const [role, paths] of [
      ['units', [['data', 'items', '*']]],
      ['unit', [['data', 'unit'], ['data']]],
    ] as const) {
      const operation = operations.find((one) => one.role === role && one.method === 'GET');
      const response = operation === undefined ? null : responseFor(document, operation, 200);
      const media = response === null ? null : jsonContent(document, response);
      for (const path of paths) {
        const found = findBelow(document, media, path);
        if (found !== null) return found;
      }
    }
    return null;
  }

  const unitAt = unitPointer();
  const validateRequest = (method: string, path: string, body: unknown): readonly string[] => {
    const operation = find(method, path);
    return operation?.requestPointer
      ? requestValidators.errors(operation.requestPointer, body).map(({ text }) => text)
      : [];
  };
  return {
    document,
    operations,
    operation: find,
    cursorParameter(method, path) {
      const operation = find(method, path);
      return operation === null ? null : cursorParameterOf(operation);
    },
    requiredParameters: (operation, sources) =>
      requiredParameters(operation).map((one) => ({
        in: one.in,
        name: one.name,
        values: valuesFor(
          document,
          operation,
          one,
          sources,
          (pointer, value) => requestValidators.errors(pointer, value).length === 0,
        ),
      })),
    validateResponse,
    validateUnit: (record) => (unitAt === null ? [] : validators.errors(unitAt, record).map(({ text }) => text)),
    validateRequest,
    declaresField(method, path, name) {
      const operation = find(method, path);
      return (
        operation?.requestPointer != null &&
        findSchema(document, operation.requestSchema, operation.requestPointer, [name]) !== null
      );
    },
    exampleBody(method, path, options) {
      const operation = find(method, path);
      return operation === null
        ? undefined
        : exampleBodyFor(document, operation, options, (body) => validateRequest(method, path, body));
    },
  };
}
