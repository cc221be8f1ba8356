import { mainTenant, otherTenant, type ApiKey } from '../api-keys.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { isPaged } from './change.js';
import { fault, type Extras, type Fault } from './fault.js';

interface Described {
  readonly name: string;
  readonly doing: string;
  readonly needs?: Readonly<Record<string, string>>;
}

/** The operations of production: how each is called in an id and in a sentence, and the options that it needs. */
const operations = {
  any: { name: '', doing: 'any operation' },
  listUnits: { name: 'unit-list', doing: 'listing units' },
  getUnit: { name: 'unit', doing: 'reading a unit' },
  createUnit: { name: 'unit-creation', doing: 'creating a unit' },
  updateUnit: { name: 'unit-change', doing: 'changing a unit' },
  deleteUnit: { name: 'unit-deletion', doing: 'deleting a unit' },
  listLeads: { name: 'lead-list', doing: 'listing leads' },
  getLead: { name: 'lead', doing: 'reading a lead' },
  createLead: { name: 'lead-creation', doing: 'creating a lead' },
  updateLead: { name: 'lead-change', doing: 'changing a lead', needs: { 'lead-item': 'get-patch' } },
  listDeals: { name: 'deal-list', doing: 'listing deals' },
  getDeal: { name: 'deal', doing: 'reading a deal', needs: { 'deal-item': 'get' } },
} as const satisfies Record<string, Described>;

export type OperationName = keyof typeof operations;

/** Where something goes wrong, apart from the operation. */
export interface Place {
  /** Begins the ids of its faults; empty for everywhere. */
  readonly name: string;
  /** Ends their sentences. */
  readonly words: string;
  /** `key`: whose request it is, where the caller is not admitted yet. */
  holds(exchange: Exchange, key: ApiKey | null): boolean;
}

const at = (name: string, words: string, holds: Place['holds']): Place => ({ name, words: ` ${words}`, holds });
export const everywhere: Place = { name: '', words: '', holds: () => true };
export const secondForm = at('second-form', 'under the second address form', ({ second }) => second);
export const secondTenant = at('second-tenant', 'for the second tenant', (_, key) => key?.tenant === otherTenant);
export const withoutTenant = at(
  'no-tenant',
  'where no tenant is named',
  ({ headers }) => headers['x-tenant'] === undefined,
);
export const filtered = at('filtered', 'where a status is asked for', ({ query }) => query['status'] !== undefined);
export const paged = at('paged', 'where a cursor is sent', isPaged);
export const limitedTo = at('limited', 'where a limit is sent', ({ query }) => query['limit'] !== undefined);
export const head = at('head', 'by HEAD', ({ method }) => method === 'HEAD');
/** With a key of this scope alone. */
export const scoped = (scope: string): Place =>
  at(
    scope.replace(/\W+/g, '-').replace(/-$/, ''),
    `with a key for ${scope}`,
    (_, key) => key?.scopes.includes(scope) === true,
  );
export const fullAccess = at(
  'admin',
  'with full access',
  (_, key) => key?.tenant === mainTenant && key.scopes.includes('admin:*'),
);
export const scopedKeys = at(
  'scoped',
  'with a key of one scope',
  (_, key) => key?.scopes.includes('admin:*') === false,
);
/** In both places at once. */
export const within = (one: Place, other: Place): Place => ({
  name: `${one.name}-${other.name}`,
  words: other.words + one.words,
  holds: (exchange, key) => one.holds(exchange, key) && other.holds(exchange, key),
});

type Cell = readonly [OperationName, Place];

/** Every one of these operations in every one of these places. */
export const cross = (names: readonly OperationName[], places: readonly Place[]): Cell[] =>
  names.flatMap((name) => places.map((place): Cell => [name, place]));

/** What goes wrong, wherever it does. */
interface Operator {
  /** Ends the ids of its faults. */
  readonly name: string;
  readonly requirement: string | ((operation: OperationName, place: Place) => string);
  says(doing: string): string;
  /** `isThere`: whether a request is for the operation and in the place. */
  hooks(
    isThere: (exchange: Exchange, key?: ApiKey | null) => boolean,
    operation: OperationName,
  ): FaultHooks | (() => FaultHooks);
  readonly cells: readonly Cell[];
  /** Options without which none of its faults could be seen. */
  readonly needs?: Readonly<Record<string, string>>;
  /** What else a fault says of itself, by its id. */
  readonly extras?: Readonly<Record<string, Extras>>;
}

/** The faults of an operator: one for each operation and place. */
export function product({ name, requirement, says, hooks, cells, needs, extras = {} }: Operator): Fault[] {
  return cells.map(([operation, place]) => {
    const { name: own, doing, ...more }: Described = operations[operation];
    const id = [place.name, own, name].filter((part) => part !== '').join('-');
    const isThere = (exchange: Exchange, key: ApiKey | null = exchange.caller?.key ?? null): boolean =>
      (operation === 'any' || exchange.operation === operation) && place.holds(exchange, key);
    const broken = typeof requirement === 'string' ? requirement : requirement(operation, place);
    const options = { ...needs, ...more.needs, ...extras[id]?.needs };
    return fault(id, broken, `${says(doing)}${place.words}`, hooks(isThere, operation), {
      ...extras[id],
      ...(Object.keys(options).length > 0 ? { needs: options } : {}),
    });
  });
}
