import { succeeded } from '../http/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import { isRefusal, paths } from '../service/index.js';

/** Whether HEAD distinguishes existing from unknown units for this caller: a service that answers 200 to every HEAD reveals nothing. */
export async function headTells(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'>): Promise<boolean> {
  return isRefusal(await check.send({ ...options, method: 'HEAD', path: paths.unit(check.fresh('unknown unit')) }));
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
    code: 'head-tells',
    expected: "a key never to learn of another tenant's data, by HEAD either",
    actual: `${describe(exchange)} under the other X-Tenant, and ${here.response?.status ?? 0} under its own`,
    exchanges: [here, exchange],
  });
}
