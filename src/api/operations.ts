import { type Exchange, percentEncode } from '../http/index.js';
import type { Check, RequestOptions } from '../run/index.js';
import { idIn, idOf, isGone, isSuccess, itemsIn, paths, usualLimit } from '../service/index.js';
import { leadUpdate } from './leads/lead-change.js';
import { postLead } from './leads/leads.js';
import { plainLead } from './leads/lead-factory.js';
import { createUnit, unitCreation } from './units/unit-creation.js';
import { someUnitIds, unitsOnOffer } from './units/known-units.js';

/** The operation, as far as scopes are concerned. */
export type Resource = 'inventory' | 'leads' | 'deals';

/** Who asks, and where. */
export type Asking = Pick<RequestOptions, 'as' | 'tenant' | 'form' | 'surface'>;

type Attempt = (asking: Asking) => Promise<Exchange>;

/** One live production operation that can be tried under any key without harm. */
export interface ScopedOperation {
  readonly name: string;
  readonly resource: Resource;
  readonly writes: boolean;
  /** Sends it once under the given credentials. */
  readonly attempt: Attempt;
  /** Whether the answer gave or changed anything. */
  succeeded(exchange: Exchange): boolean;
  /** How often it is tried by callers who have no right to it, and by each who has; all of them, and in each address form, unless said. */
  readonly most?: number | undefined;
  /** Whether an answer gives something away that no rule over the answer alone sees. */
  givesAway?(exchange: Exchange, asking: Asking): Promise<boolean>;
}

/** Whether an answer is a list without a record: it gives nothing away, and does not tell whether it would. */
export function isEmptyList(exchange: Exchange): boolean {
  return isSuccess(exchange) && itemsIn(exchange)?.length === 0;
}

const reading = { writes: false, succeeded: (one: Exchange) => isSuccess(one) && !isEmptyList(one) };

/**
 * The live operations this target offers, as the document declares them or, without one, as the specification names them, on records of the tenant of
 * `owner`, a key with full access.
 */
export async function liveOperations(
  check: Check,
  owner: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<ScopedOperation[]> {
  const { contract } = await check.contract();
  const has = (method: string, path: string): boolean => contract.operation(method, path) !== null;
  const offered = owner.as === undefined ? await someUnitIds(check, 1) : (await unitsOnOffer(check, owner)).map(idOf);
  const [unitId] = offered.filter((id) => id !== null);
  const list: ScopedOperation[] = [];
  const limit = ['limit', String(await usualLimit(check))] as const;
  const add = (name: string, resource: Resource, attempt: Attempt, more: Partial<ScopedOperation> = {}): void => {
    list.push({ name, resource, writes: true, succeeded: isSuccess, attempt, ...more });
  };
  const read = (name: string, resource: Resource, path: string): void => {
    const own = path === paths.units ? [limit] : [];
    add(name, resource, (asking) => check.send({ ...asking, path, query: own }), reading);
  };
  read('list units', 'inventory', paths.units);
  if (unitId !== undefined) {
    const path = paths.unit(unitId);
    if (has('GET', path) || isSuccess(await check.send({ ...owner, path }))) read('get a unit', 'inventory', path);
  }
  // Reading an empty list shows nothing of what a key may read.
  if ((has('GET', paths.leads) || has('GET', `${paths.leads}/x`)) && !check.target.readOnly) {
    const made = await check.once(
      `a lead to be read${owner.as === undefined ? '' : ' in the other tenant'}`,
      async () => postLead(check, await plainLead(check, owner), owner),
    );
    const id = idIn(made);
    const path = `${paths.leads}/${percentEncode(id ?? '')}`;
    if (id !== null && has('GET', path)) read('get a lead', 'leads', path);
  }
  if (has('GET', paths.leads)) read('list leads', 'leads', paths.leads);
  const firstDeals = await check.send({ ...owner, path: paths.deals });
  if (has('GET', paths.deals) || isSuccess(firstDeals)) read('list deals', 'deals', paths.deals);
  const deal = (itemsIn(firstDeals) ?? []).map(idOf).find((id) => id !== null);
  if (deal && has('GET', `${paths.deals}/${deal}`))
    read('get a deal', 'deals', `${paths.deals}/${percentEncode(deal)}`);
  if (check.target.readOnly) return list;
  add('create a lead', 'leads', async (options) => postLead(check, await plainLead(check, owner), options));
  const update = await leadUpdate(check, owner);
  if (update !== null) add('update a lead', 'leads', update);
  const creation = await unitCreation(check);
  if (creation === null) return list;
  add('create a unit', 'inventory', (options) => creation.attempt(check, options));
  const throwaway = await createUnit(check, owner);
  if (throwaway === null) return list;
  const path = paths.unit(throwaway);
  let isDeleted = false;
  for (const [name, method, body] of [
    ['update', 'PATCH', () => creation.patch(check)],
    ['replace', 'PUT', () => creation.body(check)],
    ['delete', 'DELETE', () => undefined],
  ] as const) {
    const attempt = async (asking: Asking): Promise<Exchange> => {
      const exchange = await check.send({ ...asking, method, path, json: body() });
      isDeleted ||= method === 'DELETE' && isSuccess(exchange);
      return exchange;
    };
    // A key that is answered "gone" for a unit that was deleted before has the right to delete it.
    const succeeded = (one: Exchange): boolean => isSuccess(one) || (isDeleted && isGone(one));
    if (has(method, path)) add(`${name} a unit`, 'inventory', attempt, { succeeded });
  }
  return list;
}
