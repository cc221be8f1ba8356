import { schemaBelow } from './compatible-branches.js';
import { compareParameters, type DeclaredOperation } from './compatible-parameters.js';
import { compareSchemas, type Incompatibility } from './compatible-schema.js';
import { jsonContent, operationsOf, type Operation } from '../operations.js';
import { child } from '../schema/pointer.js';
import { member } from '../schema/resolve.js';
import { declaresStatus, responseFor } from '../responses.js';
import { asList, asObject, objectsIn } from '../values.js';

export type { Incompatibility } from './compatible-schema.js';

type Report = (found: Incompatibility) => void;

const shape = (one: Operation): string => `${one.method} ${one.fullTemplate.replace(/\{[^{}]+\}/g, '{}')}`;

/** Lists what the pinned document declares and the served one lacks: an operation, a field of an answer, an accepted input. Never throws. */
export function compatible(pinned: Record<string, unknown>, served: Record<string, unknown>): Incompatibility[] {
  const found: Incompatibility[] = [];
  const report: Report = (one) => {
    if (
      found.length < 50 &&
      !found.some(
        (other) => other.pointer === one.pointer && other.actual === one.actual && other.expected === one.expected,
      )
    )
      found.push(one);
  };
  compareWebhooks(pinned, served, report);
  const now = new Map(operationsOf(served).map((one) => [shape(one), one]));
  for (const before of operationsOf(pinned)) {
    const after = now.get(shape(before));
    const name = `${before.method} ${before.fullTemplate}`;
    if (after === undefined) {
      report({
        pointer: '/paths',
        code: 'operation-gone',
        member: name,
        expected: `${name}, as pinned`,
        actual: 'it is no longer declared',
      });
      continue;
    }
    const sides = [
      { document: pinned, operation: before },
      { document: served, operation: after },
    ] as const;
    compareParameters(...sides, report);
    compareSecurity(...sides, report);
    compareBodies(...sides, report);
    for (const [status] of objectsIn(before.operation['responses']))
      if (/^2\d\d$/.test(status)) compareAnswers(Number(status), name, ...sides, report);
  }
  return found;
}

function compareAnswers(
  status: number,
  name: string,
  pinned: DeclaredOperation,
  served: DeclaredOperation,
  report: Report,
): void {
  const { pointer } = served.operation;
  if (!declaresStatus(served.operation, status)) {
    report({
      pointer,
      code: 'answer-gone',
      member: String(status),
      expected: `the answer ${status} of ${name}, as pinned`,
      actual: 'it is no longer declared',
    });
    return;
  }
  const [old, now] = [pinned, served].map(({ document, operation }) => responseFor(document, operation, status));
  const [before, after] = [old && jsonContent(pinned.document, old), now && jsonContent(served.document, now)];
  if (before && !after)
    report({
      pointer: now?.pointer ?? pointer,
      code: 'answer-body-gone',
      member: String(status),
      expected: `a JSON body for ${status} of ${name}, as pinned`,
      actual: 'none is declared',
    });
  const [was, is] = [schemaBelow(pinned.document, before ?? null), schemaBelow(served.document, after ?? null)];
  if (was !== null && is !== null) compareSchemas('response', was, is, report);
}

function compareBodies(pinned: DeclaredOperation, served: DeclaredOperation, report: Report): void {
  const [before, after] = [pinned.operation, served.operation];
  const [old = null, now = null] = [pinned, served].map(
    ({ document, operation: { operation, pointer } }) =>
      member(document, { node: operation, pointer }, 'requestBody')?.node,
  );
  if (now?.['required'] === true && old === null)
    report({
      pointer: after.pointer,
      code: 'body-required',
      expected: 'no request body to be required, as pinned',
      actual: 'one is required now',
    });
  if (old !== null && asObject(after.operation['requestBody']) === null)
    report({
      pointer: after.pointer,
      code: 'body-gone',
      expected: 'a request body to be accepted, as pinned',
      actual: 'none is declared',
    });
  if (old !== null && now !== null)
    for (const type of lostMediaTypes(old, now))
      report({
        pointer: child(after.pointer, 'requestBody'),
        code: 'media-type-gone',
        member: type,
        expected: `a body of ${type} to be accepted, as pinned`,
        actual: 'it is no longer declared',
      });
  if (before.requestPointer === null || after.requestPointer === null) return;
  compareSchemas(
    'request',
    { document: pinned.document, schema: before.requestSchema, pointer: before.requestPointer },
    { document: served.document, schema: after.requestSchema, pointer: after.requestPointer },
    report,
  );
}

/** Media types of a request that the declaration no longer covers, compared without parameters. */
function lostMediaTypes(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const typesOf = (body: Record<string, unknown>): string[] =>
    objectsIn(body['content']).map(([type]) => (type.split(';')[0] ?? '').trim().toLowerCase());
  const now = typesOf(after);
  return typesOf(before).filter(
    (type) => ![type, `${type.split('/')[0] ?? ''}/*`, '*/*'].some((wide) => now.includes(wide)),
  );
}

/** Webhooks are known by their names, however they are spelt. */
function compareWebhooks(pinned: Record<string, unknown>, served: Record<string, unknown>, report: Report): void {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const now = new Set(objectsIn(served['webhooks']).map(([name]) => plain(name)));
  for (const [name] of objectsIn(pinned['webhooks']))
    if (!now.has(plain(name)))
      report({
        pointer: '/webhooks',
        code: 'webhook-gone',
        member: name,
        expected: `the webhook ${name}, as pinned`,
        actual: 'it is no longer declared',
      });
}

/** Whether an operation is declared to need credentials; null where its document says nothing of any. */
function needsCredentials({ document, operation: one }: DeclaredOperation): boolean | null {
  const declared = one.operation['security'] ?? document['security'];
  if (Array.isArray(declared)) {
    const ways = asList(declared).map(asObject);
    return ways.length > 0 && ways.every((way) => way !== null && Object.keys(way).length > 0);
  }
  const elsewhere = operationsOf(document).some((other) => other.operation['security'] !== undefined);
  return elsewhere || one.role === 'demo' || one.role === 'document' ? false : null;
}

function compareSecurity(pinned: DeclaredOperation, served: DeclaredOperation, report: Report): void {
  if (needsCredentials(pinned) !== false || needsCredentials(served) !== true) return;
  const { method, fullTemplate } = pinned.operation;
  report({
    pointer: served.operation.pointer,
    code: 'credentials-needed',
    expected: `${method} ${fullTemplate} without credentials, as pinned`,
    actual: 'it is declared to need them',
  });
}
