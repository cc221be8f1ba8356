import { succeeded } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import type { RequestOptions } from '../run/request-options.js';
import { isRefusal } from '../service/envelope.js';
import { paths } from '../service/paths.js';
import type { Refused } from './access/refused-writes.js';

/** Whether HEAD distinguishes existing from unknown units for this caller: a service that answers 200 to every HEAD reveals nothing. */
async function headTells(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'>): Promise<boolean> {
  return isRefusal(await check.send({ ...options, method: 'HEAD', path: paths.unit(check.fresh('unknown unit')) }));
}

/** A caller whose GET of a list is refused must also be refused HEAD, where the service supports HEAD. */
export async function judgeRefusedHeads(check: Check, callers: readonly Refused[]): Promise<void> {
  const { contract } = await check.contract();
  const lists = [paths.units, paths.leads, paths.deals].filter(
    (path) => path === paths.units || contract.operation('GET', path) !== null,
  );
  for (const { label, as, path } of callers.flatMap((caller) => lists.map((path) => ({ ...caller, path })))) {
    const head = { method: 'HEAD', path };
    const exchange = await check.send({ ...head, as });
    if (!succeeded(exchange)) continue;
    const full = await check.send(head);
    const get = await check.send({ path, as });
    if (!succeeded(full) || !isRefusal(get) || !(await headTells(check, { as }))) continue;
    check.fail({
      expected: `HEAD to be refused as GET is for ${label}`,
      actual: `${describe(exchange)}, and ${describe(get)}`,
      exchanges: [get, exchange],
    });
  }
}

/** Another tenant's unit is not there for HEAD either, whatever tenant is named. */
export async function judgeForeignHead(
  check: Check,
  own: Pick<RequestOptions, 'as' | 'tenant'>,
  foreignTenant: string | null,
  id: string | undefined,
): Promise<void> {
  if (foreignTenant === null || id === undefined) return;
  const head = { method: 'HEAD', path: paths.unit(id) };
  const there = { ...own, tenant: foreignTenant };
  const exchange = await check.send({ ...head, ...there });
  if (!succeeded(exchange)) return;
  const here = await check.send({ ...head, ...own });
  if (!isRefusal(here) || !(await headTells(check, there))) return;
  check.fail({
    expected: "a key never to learn of another tenant's data, by HEAD either",
    actual: `${describe(exchange)} under the other X-Tenant, and ${here.response?.status ?? 0} under its own`,
    exchanges: [here, exchange],
  });
}
