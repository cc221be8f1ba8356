import { compareParameters } from './compatible-parameters.js';
import { compareSchemas } from './compatible-schema.js';
import type { Incompatibility } from './compatible-schema.js';
import { jsonContent, operationsOf } from '../operations.js';
import type { Operation } from '../operations.js';
import { child } from '../schema/pointer.js';
import { follow } from '../schema/resolve.js';
import { declaresStatus, responseFor } from '../responses.js';
import { asList, asObject, objectsIn } from '../values.js';

export type { Incompatibility } from './compatible-schema.js';

const shape = (one: Operation): string => `${one.method} ${one.fullTemplate.replace(/\{[^{}]+\}/g, '{}')}`;

/** Lists what the pinned document declares and the served one lacks: an operation, a field of an answer, an accepted input. Never throws. */
export function compatible(pinned: Record<string, unknown>, served: Record<string, unknown>): Incompatibility[] {
  const found: Incompatibility[] = [];
  const report = (one: Incompatibility): void => {
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
      report({ pointer: '/paths', expected: `${name}, as pinned`, actual: 'it is no longer declared' });
      continue;
    }
    compareParameters(pinned, before, served, after, report);
    compareSecurity(pinned, before, served, after, report);
    compareBodies(pinned, before, served, after, report);
    for (const [status] of objectsIn(before.operation['responses'])) {
      if (!/^2\d\d$/.test(status)) continue;
      if (!declaresStatus(after, Number(status))) {
        report({
          pointer: after.pointer,
          expected: `the answer ${status} of ${name}, as pinned`,
          actual: 'it is no longer declared',
        });
        continue;
      }
      const answers = [
        responseFor(pinned, before, Number(status)),
        responseFor(served, after, Number(status)),
      ] as const;
      const media = [
        answers[0] && jsonContent(pinned, answers[0]),
        answers[1] && jsonContent(served, answers[1]),
      ] as const;
      if (media[0] && !media[1])
        report({
          pointer: answers[1]?.pointer ?? after.pointer,
          expected: `a JSON body for ${status} of ${name}, as pinned`,
          actual: 'none is declared',
        });
      if (!media[0] || !media[1] || media[0].node['schema'] === undefined || media[1].node['schema'] === undefined)
        continue;
      compareSchemas(
        'response',
        { document: pinned, schema: media[0].node['schema'], pointer: child(media[0].pointer, 'schema') },
        { document: served, schema: media[1].node['schema'], pointer: child(media[1].pointer, 'schema') },
        report,
      );
    }
  }
  return found;
}

function compareBodies(
  pinned: unknown,
  before: Operation,
  served: unknown,
  after: Operation,
  report: (found: Incompatibility) => void,
): void {
  const bodyOf = (document: unknown, one: Operation): Record<string, unknown> | null =>
    follow(document, one.operation['requestBody'], child(one.pointer, 'requestBody'))?.node ?? null;
  const [old, now] = [bodyOf(pinned, before), bodyOf(served, after)];
  if (now?.['required'] === true && old === null)
    report({
      pointer: after.pointer,
      expected: 'no request body to be required, as pinned',
      actual: 'one is required now',
    });
  if (old !== null && asObject(after.operation['requestBody']) === null)
    report({
      pointer: after.pointer,
      expected: 'a request body to be accepted, as pinned',
      actual: 'none is declared',
    });
  if (old !== null && now !== null)
    for (const type of lostMediaTypes(old, now))
      report({
        pointer: child(after.pointer, 'requestBody'),
        expected: `a body of ${type} to be accepted, as pinned`,
        actual: 'it is no longer declared',
      });
  if (before.requestPointer === null || after.requestPointer === null) return;
  compareSchemas(
    'request',
    { document: pinned, schema: before.requestSchema, pointer: before.requestPointer },
    { document: served, schema: after.requestSchema, pointer: after.requestPointer },
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
function compareWebhooks(
  pinned: Record<string, unknown>,
  served: Record<string, unknown>,
  report: (found: Incompatibility) => void,
): void {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const now = new Set(objectsIn(served['webhooks']).map(([name]) => plain(name)));
  for (const [name] of objectsIn(pinned['webhooks']))
    if (!now.has(plain(name)))
      report({ pointer: '/webhooks', expected: `the webhook ${name}, as pinned`, actual: 'it is no longer declared' });
}

/** Whether an operation is declared to need credentials; null where its document says nothing of any. */
function needsCredentials(document: Record<string, unknown>, one: Operation): boolean | null {
  const declared = one.operation['security'] ?? document['security'];
  if (Array.isArray(declared)) {
    const ways = asList(declared).map(asObject);
    return ways.length > 0 && ways.every((way) => way !== null && Object.keys(way).length > 0);
  }
  const elsewhere = operationsOf(document).some((other) => other.operation['security'] !== undefined);
  return elsewhere || one.role === 'demo' || one.role === 'document' ? false : null;
}

function compareSecurity(
  pinned: Record<string, unknown>,
  before: Operation,
  served: Record<string, unknown>,
  after: Operation,
  report: (found: Incompatibility) => void,
): void {
  if (needsCredentials(pinned, before) !== false || needsCredentials(served, after) !== true) return;
  report({
    pointer: after.pointer,
    expected: `${before.method} ${before.fullTemplate} without credentials, as pinned`,
    actual: 'it is declared to need them',
  });
}
