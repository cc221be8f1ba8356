import SwaggerParser from '@apidevtools/swagger-parser';
import { expandedSize } from './expanded-size.js';
import { schemas } from './official-schema.js';
import { withPlainSchemes } from './scheme-names.js';
import { selfContained } from './self-contained.js';
import type { LintFinding } from './lint-types.js';

/** swagger-parser writes every reference out before it validates; above this many values the official schema alone judges. */
const mostValues = 200_000;

/** Judges a document by the official schema of OpenAPI 3.1, then by swagger-parser with external references off; not by that where references lead `outside`. */
export async function validateOpenApi(document: Record<string, unknown>, outside: boolean): Promise<LintFinding[]> {
  const version = document['openapi'];
  const findings: LintFinding[] = [];
  const expected = 'a document that is valid against the official OpenAPI 3.1 schema';
  if (typeof version !== 'string' || !/^3\.1\.\d+(-.+)?$/.test(version)) {
    const told =
      version === undefined
        ? document['swagger'] === undefined
          ? 'no openapi field'
          : `swagger: ${JSON.stringify(document['swagger'])}`
        : `openapi: ${JSON.stringify(version)}`;
    return [{ id: 'DOC-02', severity: 'breach', expected: 'openapi: 3.1.x', actual: told, pointer: '/openapi' }];
  }
  const plain = withPlainSchemes(document);
  const errors = schemas.openApi31(plain);
  for (const { pointer, message } of errors.slice(0, 5))
    findings.push({ id: 'DOC-02', severity: 'breach', expected, actual: message, pointer });
  if (findings.length > 0 || outside || expandedSize(document, mostValues) > mostValues) return findings;
  try {
    await SwaggerParser.validate(selfContained(plain) as never, {
      resolve: { external: false },
      dereference: { circular: 'ignore' },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    // References have a requirement of their own.
    if (!/token "|\$ref|pointer|resolv|URI malformed/i.test(message))
      findings.push({ id: 'DOC-02', severity: 'breach', expected, actual: message.slice(0, 300), pointer: '' });
  }
  return findings;
}
