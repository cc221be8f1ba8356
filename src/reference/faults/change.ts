import { ApiFailure } from '../api-failure.js';
import { derived, type ApiKey } from '../api-keys.js';
import { readCredentials } from '../credentials.js';
import { plannedIndex } from '../routes/absent.js';
import { callerOf, type Answer, type Behaviour, type Exchange, type FaultHooks, type Json } from '../instance.js';
import type { Lead, Unit } from '../data/records.js';
import type { Shelf, TenantStore } from '../data/tenant-store.js';

type Test = (exchange: Exchange) => boolean;
/** One operation, or all whose names match. */
type Operations = string | RegExp;

export const always = (): boolean => true;
/** Seen only where the document says nothing of answers, or of their statuses. */
export const vacuous = { needs: { 'document-schemas': 'vacuous' } } as const;
export const anyStatus = { needs: { 'document-statuses': 'default' } } as const;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOf = (operations: Operations, { operation }: Exchange): boolean =>
  typeof operations === 'string' ? operation === operations : operations.test(operation);

/** The answer of a broken service. */
export function crash(): ApiFailure {
  return new ApiFailure(500, 'internal', 'something went wrong');
}

/** What refuses with a status and a code. */
export const failing = (status: number, code: string) => (): ApiFailure => new ApiFailure(status, code, 'not accepted');

/** Changes successes of operations. */
export function success(operations: Operations, change: (answer: Answer, exchange: Exchange) => void): FaultHooks {
  return {
    answer: (answer, exchange, failure) => {
      if (failure === null && isOf(operations, exchange)) change(answer, exchange);
    },
  };
}

const dataOf = ({ body }: Answer): Json => ((body as Json)['data'] ?? body) as Json;
const listIn = (data: Json): Json[] => (Array.isArray(data) ? data : Object.values(data).find(Array.isArray)) as Json[];

/** Changes the records of lists. */
export function items(
  operations: Operations,
  change: (items: Json[], exchange: Exchange, data: Json, answer: Answer) => void,
): FaultHooks {
  return success(operations, (answer, exchange) => change(listIn(dataOf(answer)), exchange, dataOf(answer), answer));
}

/** Adds to each record that operations show; undefined takes a field away. */
export function records(
  operations: Operations,
  more: (record: Json, exchange: Exchange, at: number) => Json,
): FaultHooks {
  return success(operations, (answer, exchange) => {
    const data = dataOf(answer);
    const isList = /^(list|demo)/.test(exchange.operation);
    const shown = isList ? listIn(data) : [(data['unit'] ?? data['lead'] ?? data) as Json];
    shown.forEach((record, at) => Object.assign(record, more(record, exchange, at)));
  });
}

/** Changes the answer to what is refused with a code. */
export function refusal(
  code: string,
  change: (answer: Answer, failure: ApiFailure, exchange: Exchange) => void,
): FaultHooks {
  return {
    answer: (answer, exchange, failure) => {
      if (failure?.code === code) change(answer, failure, exchange);
    },
  };
}

/** Refuses with another status. */
export function status(code: string, value: number, when: Test = always): FaultHooks {
  return {
    failure: (failure, exchange) =>
      failure.code === code && when(exchange) ? new ApiFailure(value, code, failure.message, failure) : failure,
  };
}

/** Refuses without the envelope. */
export function bare(code: string, when: Test = always): FaultHooks {
  return refusal(code, (answer, { message }, exchange) => when(exchange) && (answer.body = { message }));
}

/** Adds to the error object of a refusal. */
export function errorWith(code: string, more: (failure: ApiFailure, exchange: Exchange) => Json): FaultHooks {
  return refusal(code, ({ body }, failure, exchange) =>
    Object.assign((body as { error: Json }).error, more(failure, exchange)),
  );
}

/** Crashes where a refusal with a code is due. */
export const crashes = (code: string, when?: Test): FaultHooks => status(code, 500, when);

/** Does something before anything of a request is done. */
export function before(operations: Operations, act: (exchange: Exchange) => void): FaultHooks {
  return {
    handle: (exchange) => {
      if (isOf(operations, exchange)) act(exchange);
    },
  };
}

/** Refuses operations before anything of them is done. */
export function refuses(operations: Operations, failure: () => ApiFailure, when: Test = always): FaultHooks {
  return before(operations, (exchange) => {
    if (when(exchange)) throw failure();
  });
}

/** The JSON that a request sends; undefined where it is none. */
export function sentJson({ body }: Exchange): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

/** Reads other fields than were sent; null for the same. */
export function takes(
  operations: Operations,
  instead: (fields: Json, exchange: Exchange) => Json | null | undefined,
): FaultHooks {
  return before(operations, (exchange) => {
    const fields = sentJson(exchange);
    const taken = isObject(fields) ? instead(fields, exchange) : null;
    if (taken) exchange.body = Buffer.from(JSON.stringify(taken));
  });
}

/** Adds fields to the schema of a new lead, or replaces them: the service goes by it, and the document shows it. */
export const leadInputs = (more: (fields: Record<string, Json>, seed: number) => Json): FaultHooks => ({
  inputSchema: (schema, name, seed) => {
    const fields = schema['properties'] as Record<string, Json>;
    if (name === 'LeadCreate') Object.assign(fields, more(fields, seed));
  },
});

/** A schema of an object, as faults change it. */
interface Declared {
  required: readonly string[];
  properties: Record<string, Json>;
}

/** Declares a schema otherwise than the service goes by it. */
export const declares = (name: string, change: (schema: Declared, seed: number) => void): FaultHooks => ({
  document: ({ components: { schemas = {} } }, seed) => {
    change(schemas[name] as unknown as Declared, seed);
  },
});

/** Has a planned path answer otherwise. */
export const planned = (
  at: number,
  status: number,
  when: (exchange: Exchange, key: ApiKey | null) => boolean = always,
): FaultHooks => ({
  answer: (answer, exchange) => {
    if (plannedIndex(exchange.path) === at && when(exchange, readCredentials(exchange).key))
      Object.assign(answer, status < 300 ? { status, body: { ok: true, data: {} } } : { status });
  },
});

/** Reads another limit than was sent, where that is a whole number from 1. */
export function takesLimit(operations: Operations, instead: (limit: number, exchange: Exchange) => number): FaultHooks {
  return before(operations, (exchange) => {
    const { query } = exchange;
    if (/^[1-9]\d{0,8}$/.test(String(query['limit'])))
      query['limit'] = String(instead(Number(query['limit']), exchange));
  });
}

export const shelfOf = (operation: string, tenant: TenantStore): Shelf<Unit | Lead> =>
  operation.includes('Lead') ? tenant.leads : tenant.units;

/** Does something with what a request created, changed or deleted, once it was answered. `before`: the record as it was. */
export function afterwards(
  operation: string,
  act: (shelf: Shelf<Unit | Lead>, record: Unit | Lead, isNew: boolean, exchange: Exchange) => void,
  isThere: Test = always,
): () => FaultHooks {
  return () => {
    const known = new WeakMap<object, Unit | Lead>();
    return {
      ...before(operation, (exchange) => {
        const record = shelfOf(operation, ownTenant(exchange)).get(exchange.id);
        if (record && isThere(exchange)) known.set(exchange, record);
      }),
      ...success(operation, ({ headers }, exchange) => {
        if (!isThere(exchange)) return;
        const shelf = shelfOf(operation, ownTenant(exchange));
        const record = known.get(exchange) ?? shelf.get(headers['Location']?.split('/').at(-1) ?? '');
        if (record !== undefined) act(shelf, record, !known.has(exchange), exchange);
      }),
    };
  };
}

export const isSecond: Test = ({ second }) => second;

/** Lists every unit as it was before its first change. */
export function listKeepsOld(when: Test = always): FaultHooks {
  const old = new Map<string, Unit>();
  return {
    ...records('listUnits', ({ id }, exchange) => (when(exchange) ? { ...old.get(String(id)) } : {})),
    ...before('updateUnit', (exchange) => {
      const unit = ownTenant(exchange).units.get(exchange.id);
      if (unit !== undefined && !old.has(unit.id)) old.set(unit.id, unit);
    }),
  };
}

/** Whether a page is asked for by a cursor. */
export function isPaged({ query, world }: Exchange): boolean {
  return query[world.option('cursor-parameter')] !== undefined;
}

/** The tenant of an admitted request. */
export function ownTenant(exchange: Exchange): TenantStore {
  return callerOf(exchange).tenant;
}

/** The tenant after the own one. */
export function otherThan(tenant: TenantStore, { world }: Exchange): TenantStore {
  return Array.from(world.tenants.values()).find((one) => one.slug !== tenant.slug) ?? tenant;
}

/** Where no key was sent, or another test holds, the request counts as made with full access. */
export function opens(when: (presented: string | null, exchange: Exchange) => boolean): FaultHooks {
  return {
    key: (key: ApiKey | null, presented, exchange) =>
      key ?? (when(presented, exchange) ? (exchange.world.keys[0] ?? null) : null),
  };
}

/** A number for an id. */
export function numberOf(id: string): number {
  return Array.from(id).reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
}

/** Somebody made up from the seed. */
export function person({ seed }: Behaviour): Json {
  const made = (label: string): string => derived(seed, `person/${label}`, 7).replace(/\d/g, 'a');
  return { fullName: `${made('first')} ${made('last')}`, email: `${made('box').toLowerCase()}@example.net` };
}

/** Adds to the seeded units, which are counted from 0. */
export function seededUnit(more: (unit: Unit, index: number) => object): FaultHooks {
  return { seededUnits: (units) => units.map((unit, index) => ({ ...unit, ...more(unit, index) })) };
}
