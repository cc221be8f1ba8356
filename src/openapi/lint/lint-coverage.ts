import type { Role } from '../canonical-path.js';
import { operationsOf, type Operation } from '../operations.js';
import { member, typesOf } from '../schema/resolve.js';
import type { Breach } from './lint-rules.js';

/** Whether the live operations of the specification are described (DOC-04), and the planned ones not as live (DOC-07). */
export function lintCoverage(document: Record<string, unknown>, breach: Breach): void {
  const operations = operationsOf(document).filter(({ method }) => !['OPTIONS', 'TRACE', 'HEAD'].includes(method));
  const of = (...roles: Role[]): Operation[] => operations.filter(({ role }) => roles.includes(role));
  for (const [code, role, isOne] of [
    ['no-unit-list', 'units', (method: string) => method === 'GET'],
    ['no-second-unit-operation', 'units', (method: string) => method !== 'GET'],
    ['no-single-unit', 'unit', () => true],
    ['no-lead-creation', 'leads', (method: string) => method === 'POST'],
    ['no-second-lead-operation', 'leads', (method: string) => method !== 'POST'],
    ['no-deals', 'deals', () => true],
    ['no-demo', 'demo', (method: string) => method === 'GET'],
  ] as const)
    if (!of(role).some(({ method }) => isOne(method)))
      breach(code, '/paths', `the document describes ${operations.length === 0 ? 'no operation at all' : 'none'}`);
  for (const { method, parameters, template } of of('units', 'demo')) {
    const limit = parameters.find((parameter) => parameter.in === 'query' && parameter.name === 'limit');
    const types = limit === undefined ? [] : typesOf(member(document, limit, 'schema')?.node);
    const fits = types.length === 0 || types.some((type) => ['integer', 'number', 'string'].includes(type));
    if (method === 'GET' && limit !== undefined && !fits)
      breach('limit-type', limit.pointer, `${types.join(' or ')} in ${method} ${template}`);
  }
  for (const one of of('planned')) {
    const statuses = Object.keys(Object(one.operation['responses']) as object);
    if (statuses.some((status) => status !== '404') && !isMarked(one))
      breach('planned-as-live', one.pointer, `${one.method} ${one.template} is declared as live`);
  }
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
