import { ApiFailure } from '../api-failure.js';
import { derived, type ApiKey } from '../api-keys.js';
import { callerOf, type Answer, type Behaviour, type Exchange, type FaultHooks } from '../instance.js';
import type { Unit } from '../data/records.js';
import type { TenantStore } from '../data/tenant-store.js';

export type Json = Record<string, unknown>;
type Test = (exchange: Exchange) => boolean;

export const always = (): boolean => true;
export const vacuous = { 'document-schemas': 'vacuous' } as const;
export const anyStatus = { 'document-statuses': 'default' } as const;

/** The answer of a broken service. */
export function crash(): ApiFailure {
  return new ApiFailure(500, 'internal', 'something went wrong');
}

/** Changes a success of an operation. */
export function success(operation: string, change: (answer: Answer, exchange: Exchange) => void): FaultHooks {
  return {
    answer: (answer, exchange, failure) => {
      if (failure === null && exchange.operation === operation) change(answer, exchange);
    },
  };
}

/** Changes the data of a success, or the record in it. */
export function data(operation: string, change: (data: Json, exchange: Exchange) => void): FaultHooks {
  return success(operation, ({ body }, exchange) => {
    const whole = (body as { data: Json }).data;
    change((whole['unit'] ?? whole['lead'] ?? whole) as Json, exchange);
  });
}

/** Changes the records of a list. */
export function items(
  operation: 'listUnits' | 'listLeads' | 'demoUnits',
  change: (items: Json[], exchange: Exchange, data: Json) => void,
): FaultHooks {
  return success(operation, ({ body }, exchange) => {
    const whole = operation === 'demoUnits' ? (body as Json) : (body as { data: Json }).data;
    const list = Array.isArray(whole) ? whole : Object.values(whole).find(Array.isArray);
    change(list as Json[], exchange, whole);
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
export function status(code: string, value: number): FaultHooks {
  return refusal(code, (answer) => (answer.status = value));
}

/** Refuses without the envelope. */
export function bare(code: string): FaultHooks {
  return refusal(code, (answer, { message }) => (answer.body = { message }));
}

/** Adds to the error object of a refusal. */
export function errorWith(code: string, more: (failure: ApiFailure) => Json): FaultHooks {
  return refusal(code, ({ body }, failure) => Object.assign((body as { error: Json }).error, more(failure)));
}

/** Crashes where a refusal with a code is due. */
export function crashes(code: string, when: Test = always): FaultHooks {
  return { failure: (failure, exchange) => (failure.code === code && when(exchange) ? crash() : failure) };
}

/** Refuses an operation before anything of it is done. */
export function unreachable(operation: string, failure: () => ApiFailure, when: Test = always): FaultHooks {
  return {
    handle: (exchange) => {
      if (exchange.operation === operation && when(exchange)) throw failure();
    },
  };
}

export const isSecond: Test = ({ second }) => second;

/** Lists every unit as it was before its first change. */
export function listKeepsOld(when: Test = () => true): FaultHooks {
  const before = new Map<string, Unit>();
  return {
    ...items('listUnits', (list, exchange) => {
      if (when(exchange)) list.forEach((item) => Object.assign(item, before.get(String(item['id']))));
    }),
    handle: ({ operation, id, caller }) => {
      const unit = caller?.tenant.units.get(id);
      if (operation === 'updateUnit' && unit !== undefined && !before.has(id)) before.set(id, unit);
    },
  };
}

/** Whether a page is asked for by a cursor. */
export function isPaged({ query, world }: Exchange): boolean {
  return query[world.behaviour.option('cursor-parameter')] !== undefined;
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
