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

const where = (name: string, words: string, holds: Place['holds']): Place => ({ name, words: ` ${words}`, holds });
const isFull = (key: ApiKey | null): boolean => key?.scopes.includes('admin:*') === true;

/** The places that have names. */
// prettier-ignore
export const at = {
  everywhere: { name: '', words: '', holds: (): boolean => true },
  secondForm: where('second-form', 'under the second address form', ({ second }) => second),
  secondTenant: where('second-tenant', 'for the second tenant', (_, key) => key?.tenant === otherTenant),
  withoutTenant: where('no-tenant', 'where no tenant is named', ({ headers }) => headers['x-tenant'] === undefined),
  filtered: where('filtered', 'where a status is asked for', ({ query }) => query['status'] !== undefined),
  paged: where('paged', 'where a cursor is sent', isPaged),
  limited: where('limited', 'where a limit is sent', ({ query }) => query['limit'] !== undefined),
  head: where('head', 'by HEAD', ({ method }) => method === 'HEAD'),
  fullAccess: where('admin', 'with full access', (_, key) => key?.tenant === mainTenant && isFull(key)),
  scopedKeys: where('scoped', 'with a key of one scope', (_, key) => key !== null && !isFull(key)),
};
/** With a key of this scope alone. */
export const scoped = (scope: string): Place =>
  where(scope.replace(':', '-'), `with a key for ${scope}`, (_, key) => key?.scopes.includes(scope) === true);
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

/** What an operator makes of a place: `isThere` says whether a request is for the operation and in the place. */
type Hooks = (
  isThere: (exchange: Exchange, key?: ApiKey | null) => boolean,
  operation: OperationName,
) => FaultHooks | (() => FaultHooks);

/** The faults of an operator, one for each operation and place. `name` ends their ids; … stands for what is done in their sentence. */
export function product(
  name: string,
  requirement: string | ((operation: OperationName, place: Place) => string),
  sentence: string,
  hooks: Hooks,
  cells: readonly Cell[],
  { needs, extras = {} }: { needs?: Extras['needs']; extras?: Readonly<Record<string, Extras>> } = {},
): Fault[] {
  return cells.map(([operation, place]) => {
    const { name: own, doing, ...more }: Described = operations[operation];
    const id = [place.name, own, name].filter((part) => part !== '').join('-');
    const isThere = (exchange: Exchange, key: ApiKey | null = exchange.caller?.key ?? null): boolean =>
      (operation === 'any' || exchange.operation === operation) && place.holds(exchange, key);
    const broken = typeof requirement === 'string' ? requirement : requirement(operation, place);
    const options = { ...needs, ...more.needs, ...extras[id]?.needs };
    return fault(id, broken, `${sentence.replace('…', doing)}${place.words}`, hooks(isThere, operation), {
      ...extras[id],
      ...(Object.keys(options).length > 0 ? { needs: options } : {}),
    });
  });
}
