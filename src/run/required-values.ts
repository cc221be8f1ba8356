import {
  asList,
  asObject,
  canonicalPath,
  type Contract,
  type Operation,
  type RequiredParameter,
  roleOf,
} from '../openapi/index.js';
import { type Exchange, header, succeeded } from '../http/index.js';
import type { RequestOptions } from './request-options.js';
import type { Run } from './run.js';

/** The required parameters of one operation with the values that its requests carry. */
export interface RequiredValues {
  readonly values: readonly { readonly in: string; readonly name: string; readonly value: string }[];
  /** Why no value that could be thought of was accepted, or null. */
  readonly unmet: string | null;
  /** A value is one that a record shows, which another tenant may not have. */
  readonly ofRecords: boolean;
}

/** Most requests that are spent on finding values that an operation accepts. */
const mostTries = 6;

/** Whether the answer says that the request was wrong, as it does for a value that the service cannot use; `ok` is the outcome flag (§2). */
export function isBadRequest(exchange: Exchange, ...more: readonly number[]): boolean {
  if (succeeded(exchange)) return asObject(exchange.response?.json)?.['ok'] === false;
  return [400, 404, 422, ...more].includes(exchange.response?.status ?? 0);
}

/** Records that an answer shows: the members of its arrays and of `data`, and `data` itself. */
function recordsIn(exchange: Exchange): Record<string, unknown>[] {
  if (!succeeded(exchange)) return [];
  const json = exchange.response?.json;
  const data: unknown = asObject(json)?.['data'] ?? json;
  const members: unknown[] = Array.isArray(data)
    ? [data as unknown[]]
    : [[data], ...Object.values(asObject(data) ?? {})];
  return members
    .flatMap((one) => (Array.isArray(one) ? asList(one).slice(0, 100) : [one]))
    .map(asObject)
    .filter((one) => one !== null && one['id'] !== undefined) as Record<string, unknown>[];
}

/** Records seen so far, by the role of one of them; one page of units is read where none was. */
async function seenRecords(
  run: Run,
  operation: Operation,
  ask: (options: RequestOptions) => Promise<Exchange>,
): Promise<Map<string, Record<string, unknown>[]>> {
  const found = new Map<string, Record<string, unknown>[]>();
  const take = (exchange: Exchange): void => {
    const role = roleOf(canonicalPath(exchange.request.path.split('?')[0] ?? '')).replace(/s$/, '');
    if (exchange.surface === 'production') found.set(role, [...(found.get(role) ?? []), ...recordsIn(exchange)]);
  };
  const own = (await run.exchanges()).filter(({ request }) => request.credential === 'API_KEY');
  // The first of all show what was there before the run.
  for (const exchange of new Set([...own.slice(0, 100), ...own.slice(-200)])) take(exchange);
  const lacksUnits = (found.get('unit') ?? []).length === 0 && !/^(units|demo)$/.test(operation.role);
  if (lacksUnits && run.target.keys.API_KEY !== undefined)
    take(await ask({ path: '/api/v1/units', query: [['limit', '50']] }));
  return found;
}

/** The set of values at a place: where one parameter has fewer than others, its last one stays. */
function valuesAt(parameters: readonly RequiredParameter[], at: number): RequiredValues['values'] {
  return parameters.flatMap(({ in: place, values }) => {
    const sent = values[Math.min(at, values.length - 1)] ?? [];
    return sent.map(([name, value]) => ({ in: place, name, value }));
  });
}

/**
 * Values for the required parameters of an operation. A read is tried with them, first as the document gives them, then as records have
 * them, until it is accepted, and preferably shows something; a write gets the likeliest ones.
 */
export async function findRequiredValues(
  run: Run,
  contract: Contract,
  operation: Operation,
  path: string,
  ask: (options: RequestOptions) => Promise<Exchange>,
): Promise<RequiredValues> {
  const records = await seenRecords(run, operation, ask);
  const shown = [...records.values()].flat();
  const isShown = ({ name, value }: RequiredValues['values'][number]): boolean =>
    shown.some((record) => [record['id'], record[name]].some((one) => one !== undefined && String(one) === value));
  const found = (values: RequiredValues['values'], unmet: string | null = null): RequiredValues => ({
    values,
    unmet,
    ofRecords: values.some(isShown),
  });
  const dated = (await run.exchanges()).map((one) => Date.parse(header(one, 'date') ?? '')).filter(Number.isFinite);
  const today = new Date(dated.at(-1) ?? 0).toISOString().slice(0, 10);
  const parameters = contract.requiredParameters(operation, { records, today, unique: run.nonce });
  const named = parameters.map((one) => `${one.in} parameter ${one.name}`).join(', ');
  const refused = `${operation.method} ${operation.fullTemplate} needs the ${named}, and no value was found that it accepts: declare an example of it`;
  const likeliest = valuesAt(parameters, 0);
  if (parameters.some(({ values }) => values.length === 0)) return found(likeliest, refused);
  const isDemo = operation.role === 'demo';
  if (operation.method !== 'GET' || (!isDemo && run.target.keys.API_KEY === undefined)) return found(likeliest);
  let accepted: RequiredValues['values'] | null = null;
  const tries = Math.min(mostTries, Math.max(...parameters.map(({ values }) => values.length)));
  for (let at = 0; at < tries; at += 1) {
    const values = valuesAt(parameters, at);
    const exchange = await ask({
      path: canonicalPath(path.split('?')[0] ?? ''),
      ...(isDemo ? { surface: 'demo' } : {}),
      ...partsOf(values),
    });
    // A path with an id that no record has says nothing of the values.
    const isUnknown = exchange.response?.status === 404 && operation.fullTemplate.includes('{');
    if (isBadRequest(exchange) && !isUnknown) continue;
    if (!isUnknown && (!succeeded(exchange) || recordsIn(exchange).length > 0)) return found(values);
    accepted ??= values;
  }
  return accepted === null ? found(likeliest, refused) : found(accepted);
}

type Parts = Required<Pick<RequestOptions, 'query' | 'headers'>>;

/** Values as the parts of a request. */
export function partsOf(values: RequiredValues['values']): Parts {
  const of = (place: string): [string, string][] =>
    values.filter((one) => one.in === place).map(({ name, value }) => [name, value]);
  return {
    query: of('query'),
    headers: of('header').map(([name, value]) => [name.toLowerCase(), value] as const),
  };
}

/** A request with the parts that it does not give itself. */
export function completed(options: RequestOptions, { query, headers }: Parts): RequestOptions {
  const [givenQuery, givenHeaders] = [options.query ?? [], options.headers ?? []];
  const isGiven = (name: string): boolean =>
    givenQuery.some(([given]) => given === name) || new URLSearchParams(options.path.split('?')[1]).has(name);
  return {
    ...options,
    query: [...query.filter(([name]) => !isGiven(name)), ...givenQuery],
    headers: [
      ...headers.filter(([name]) => !givenHeaders.some(([given]) => given.toLowerCase() === name)),
      ...givenHeaders,
    ],
  };
}
