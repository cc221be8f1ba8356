import { descriptionObjects } from './description-objects.js';
import type { LintFinding } from './lint-types.js';
import { openApiErrors } from './official-schema.js';
import { at } from '../schema/pointer.js';
import type { Reference } from '../load/references.js';
import { asObject, objectsIn } from '../values.js';

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
  const breach = (pointer: string, expected: string, actual: string): LintFinding => ({
    id: 'DOC-02',
    severity: 'fail',
    expected,
    actual,
    pointer,
  });
  if (typeof version !== 'string' || !/^3\.1\.\d+(-.+)?$/.test(version)) {
    const found = version === undefined && document['swagger'] !== undefined ? 'swagger' : 'openapi';
    return [
      breach(
        '/openapi',
        'openapi: 3.1.x',
        document[found] === undefined ? 'no openapi' : `${found}: ${JSON.stringify(document[found])}`,
      ),
    ];
  }
  const plain = withLowerCaseSchemes(document);
  const expected = 'a document that is valid against the official OpenAPI 3.1 schema';
  const errors = openApiErrors(plain).slice(0, 5);
  if (errors.length > 0) return errors.map(({ pointer, message }) => breach(pointer, expected, message));
  const targets = new Map(references.map(({ pointer, target }) => [pointer, target]));
  const seen = new Set<string>();
  return descriptionObjects(document).flatMap(({ kind, pointer }) => {
    const target = targets.get(`${pointer}/$ref`) ?? null;
    if (target === null || kind === 'other' || kind === 'operation' || seen.has(`${kind} ${target}`)) return [];
    seen.add(`${kind} ${target}`);
    return openApiErrors(at(plain, target), kind)
      .slice(0, 1)
      .map(({ message }) =>
        breach(pointer, `a reference to a ${kind.replace('-', ' ')}`, `the value at ${target} ${message}`),
      );
  });
}
