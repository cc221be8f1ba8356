import type { Exchange } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { idIn, isRefusal, paths, recordIn, settled } from '../../service/index.js';
import { unitsIfReadable } from './known-units.js';
import { creationLike, type UnitCreation } from './unit-body.js';

/** How this target creates units, or null where its second operation on units is no POST that creates one. */
export async function unitCreation(check: Check): Promise<UnitCreation | null> {
  return creationLike(check, await unitsIfReadable(check));
}

/** Creates a unit that checks may change and delete; null where the target offers no way that works. */
export async function createUnit(
  check: Check,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<string | null> {
  const creation = check.target.readOnly ? null : await unitCreation(check);
  return creation && idIn(await creation.attempt(check, options));
}

/** Takes a unit away that a check has made, where the document declares a way. */
export async function removeUnit(
  check: Check,
  id: string,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<void> {
  const { contract } = await check.contract();
  const path = paths.unit(id);
  if (contract.operation('DELETE', path) !== null) await check.send({ ...options, method: 'DELETE', path });
}

/** Reads a unit that was just created, again while nothing is there. */
export function readNewUnit(
  check: Check,
  id: string,
): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
  return settled(
    check,
    () => check.ask({ path: paths.unit(id) }),
    (exchange) => recordIn(exchange, id) !== null || !isRefusal(exchange),
  );
}
