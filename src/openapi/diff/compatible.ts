import { schemaBelow } from './compatible-branches.js';
import { compareParameters, type DeclaredOperation } from './compatible-parameters.js';
import { compareSchemas, gone, type Incompatibility, type Report } from './compatible-schema.js';
import { jsonContent, needsCredentials, operationsOf, type Operation } from '../operations.js';
import { child } from '../schema/pointer.js';
import { member } from '../schema/resolve.js';
import { declaresStatus, responseFor } from '../responses.js';
import { asObject, objectsIn } from '../values.js';

const shape = (one: Operation): string => `${one.method} ${one.fullTemplate.replace(/\{[^{}]+\}/g, '{}')}`;

/** Lists what the pinned document declares and the served one lacks: an operation, a field of an answer, an accepted input. Never throws. */
export function compatible(pinned: Record<string, unknown>, served: Record<string, unknown>): Incompatibility[] {
  const found = new Map<string, Incompatibility>();
  const report: Report = (pointer, code, expected, actual, member) => {
    const key = JSON.stringify([pointer, expected, actual]);
    if (found.size < 50 && !found.has(key)) found.set(key, { pointer, code, expected, actual, member });
  };
  compareWebhooks(pinned, served, report);
  const now = new Map(operationsOf(served).map((one) => [shape(one), one]));
  for (const before of operationsOf(pinned)) {
    const after = now.get(shape(before));
    const name = `${before.method} ${before.fullTemplate}`;
    if (after === undefined) {
      report('/paths', 'operation-gone', `${name}, as pinned`, gone, name);
      continue;
    }
    const sides = [
      { document: pinned, operation: before },
      { document: served, operation: after },
    ] as const;
    compareParameters(...sides, report);
    if (isOpen(sides[0]) && needsCredentials(served, after))
      report(
        after.pointer,
        'credentials-needed',
        `${name} without credentials, as pinned`,
        'it is declared to need them',
      );
    compareBodies(...sides, report);
    for (const [status] of objectsIn(before.operation['responses']))
      if (/^2\d\d$/.test(status)) compareAnswers(Number(status), name, ...sides, report);
  }
  return [...found.values()];
}

function compareAnswers(
  status: number,
  name: string,
  pinned: DeclaredOperation,
  served: DeclaredOperation,
  report: Report,
): void {
  const { pointer } = served.operation;
  const code = String(status);
  if (!declaresStatus(served.operation, status)) {
    report(pointer, 'answer-gone', `the answer ${code} of ${name}, as pinned`, gone, code);
    return;
  }
  const [old, now] = [pinned, served].map(({ document, operation }) => responseFor(document, operation, status));
  const [before, after] = [old && jsonContent(pinned.document, old), now && jsonContent(served.document, now)];
  if (before && !after) {
    const expected = `a JSON body for ${code} of ${name}, as pinned`;
    report(now?.pointer ?? pointer, 'answer-body-gone', expected, 'none is declared', code);
  }
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
    report(after.pointer, 'body-required', 'no request body to be required, as pinned', 'one is required now');
  if (old !== null && asObject(after.operation['requestBody']) === null)
    report(after.pointer, 'body-gone', 'a request body to be accepted, as pinned', 'none is declared');
  for (const type of old === null || now === null ? [] : lostMediaTypes(old, now)) {
    const expected = `a body of ${type} to be accepted, as pinned`;
    report(child(after.pointer, 'requestBody'), 'media-type-gone', expected, gone, type);
  }
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
  const [old = [], now = []] = [before, after].map((body) =>
    objectsIn(body['content']).map(([type]) => (type.split(';')[0] ?? '').trim().toLowerCase()),
  );
  return old.filter((type) => ![type, `${type.split('/')[0] ?? ''}/*`, '*/*'].some((wide) => now.includes(wide)));
}

/** Webhooks are known by their names, however they are spelt. */
function compareWebhooks(pinned: Record<string, unknown>, served: Record<string, unknown>, report: Report): void {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const now = new Set(objectsIn(served['webhooks']).map(([name]) => plain(name)));
  for (const [name] of objectsIn(pinned['webhooks']))
    if (!now.has(plain(name))) report('/webhooks', 'webhook-gone', `the webhook ${name}, as pinned`, gone, name);
}

/** Whether an operation is declared to need no credentials; a document that says nothing of any says it of no production operation. */
function isOpen({ document, operation: one }: DeclaredOperation): boolean {
  if (Array.isArray(one.operation['security'] ?? document['security'])) return !needsCredentials(document, one);
  const elsewhere = operationsOf(document).some((other) => other.operation['security'] !== undefined);
  return elsewhere || one.role === 'demo' || one.role === 'document';
}
