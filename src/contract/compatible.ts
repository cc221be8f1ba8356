import { compareSchemas } from './compatible-schema.js';
import type { Incompatibility } from './compatible-schema.js';
import { jsonContent, operationsOf } from './operations.js';
import type { Operation } from './operations.js';
import { child } from './pointer.js';
import { declaresStatus, responseFor } from './responses.js';
import { asObject, objectsIn } from './values.js';

export type { Incompatibility } from './compatible-schema.js';

const shape = (one: Operation): string => `${one.method} ${one.fullTemplate.replace(/\{[^}]+\}/g, '{}')}`;

/** Where the served document takes away what the pinned one promised: an operation, an answer's field, an accepted input. Never throws. */
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
  const now = new Map(operationsOf(served).map((one) => [shape(one), one]));
  for (const before of operationsOf(pinned)) {
    const after = now.get(shape(before));
    const name = `${before.method} ${before.fullTemplate}`;
    if (after === undefined) {
      report({ pointer: '/paths', expected: `${name}, as pinned`, actual: 'it is no longer declared' });
      continue;
    }
    compareParameters(before, after, report);
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

function compareParameters(before: Operation, after: Operation, report: (found: Incompatibility) => void): void {
  const same = (a: { in: string; name: string }, b: { in: string; name: string }): boolean =>
    a.in === b.in && (a.in === 'header' ? a.name.toLowerCase() === b.name.toLowerCase() : a.name === b.name);
  for (const parameter of before.parameters) {
    if (parameter.in === 'path') continue;
    if (!after.parameters.some((other) => same(parameter, other)))
      report({
        pointer: after.pointer,
        expected: `the ${parameter.in} parameter ${parameter.name}, as pinned`,
        actual: 'it is no longer declared',
      });
  }
  for (const parameter of after.parameters) {
    if (parameter.in === 'path' || !parameter.required) continue;
    if (!before.parameters.some((other) => same(parameter, other) && other.required))
      report({
        pointer: parameter.pointer,
        expected: `the ${parameter.in} parameter ${parameter.name} to stay optional`,
        actual: 'it is required now',
      });
  }
}

function compareBodies(
  pinned: unknown,
  before: Operation,
  served: unknown,
  after: Operation,
  report: (found: Incompatibility) => void,
): void {
  const body = (one: Operation): Record<string, unknown> | null => asObject(one.operation['requestBody']);
  if (body(after)?.['required'] === true && body(before) === null)
    report({
      pointer: after.pointer,
      expected: 'no request body to be required, as pinned',
      actual: 'one is required now',
    });
  if (before.requestPointer === null) return;
  if (body(after) === null)
    report({
      pointer: after.pointer,
      expected: 'a JSON request body to be accepted, as pinned',
      actual: 'none is declared',
    });
  if (after.requestPointer === null) return;
  compareSchemas(
    'request',
    { document: pinned, schema: before.requestSchema, pointer: before.requestPointer },
    { document: served, schema: after.requestSchema, pointer: after.requestPointer },
    report,
  );
}
