import { findingsOf, type LintFinding } from './lint-types.js';
import { operationsOf, type Operation } from '../operations.js';
import { follow } from '../schema/resolve.js';
import { asList } from '../values.js';
import type { Role } from '../canonical-path.js';

const live = (one: Operation): boolean => one.method !== 'OPTIONS' && one.method !== 'TRACE' && one.method !== 'HEAD';

/** Whether the live operations of the specification are described (DOC-04), and the planned ones not as live (DOC-07). */
export function lintCoverage(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-04');
  const planned = findingsOf('DOC-07', 'warn');
  const operations = operationsOf(document).filter(live);
  const of = (role: Role, except?: string): Operation[] =>
    operations.filter((one) => one.role === role && one.method !== except);
  const need = (found: boolean, code: string, expected: string): void => {
    const actual = `the document describes ${operations.length === 0 ? 'no operation at all' : 'none'}`;
    if (!found) breach('/paths', code, expected, actual);
  };
  need(
    of('units').some((one) => one.method === 'GET'),
    'no-unit-list',
    'GET on the unit collection',
  );
  need(of('units', 'GET').length > 0, 'no-second-unit-operation', 'a second operation on the unit collection');
  need(of('unit').length > 0, 'no-single-unit', 'an operation on a single unit');
  need(
    of('leads').some((one) => one.method === 'POST'),
    'no-lead-creation',
    'POST on the lead collection',
  );
  need(of('leads', 'POST').length > 0, 'no-second-lead-operation', 'a second operation on the lead collection');
  need(of('deals').length > 0, 'no-deals', 'an operation on deals');
  need(
    of('demo').some((one) => one.method === 'GET'),
    'no-demo',
    'GET on the demo units',
  );
  for (const one of [...of('units'), ...of('demo')].filter((other) => other.method === 'GET')) {
    const limit = one.parameters.find((parameter) => parameter.in === 'query' && parameter.name === 'limit');
    const schema = limit === undefined ? null : follow(document, limit.node['schema'], limit.pointer)?.node;
    const types = [schema?.['type'], ...asList(schema?.['type'])].filter((type) => typeof type === 'string');
    if (types.length > 0 && !types.some((type) => type === 'integer' || type === 'number' || type === 'string'))
      breach(
        limit?.pointer ?? one.pointer,
        'limit-type',
        `limit of ${one.method} ${one.template} to be an integer`,
        types.join(' or '),
      );
  }
  for (const one of of('planned')) {
    const only404 = Object.keys((one.operation['responses'] as Record<string, unknown> | undefined) ?? {}).every(
      (status) => status === '404',
    );
    if (only404 || isMarked(one)) continue;
    const actual = `${one.method} ${one.template} is declared as live`;
    planned.breach(one.pointer, 'planned-as-live', 'planned paths to be absent or marked as not live', actual);
  }
  return [...findings, ...planned.findings];
}

function isMarked(one: Operation): boolean {
  const nodes = [one.operation, one.pathItem];
  if (nodes.some((node) => node['deprecated'] === true)) return true;
  const notes = nodes.flatMap((node) =>
    Object.entries(node).filter(([name]) => name.startsWith('x-') || ['summary', 'description', 'tags'].includes(name)),
  );
  return notes.some(([name, value]) =>
    /planned|not[ _-]?(yet[ _-]?)?(live|available|implemented)|upcoming|preview|coming|future|q3 2026/i.test(
      `${name}=${JSON.stringify(value)}`,
    ),
  );
}
