import type { Check, RequestOptions } from '../run/index.js';
import { isRefusal, paths } from '../service/index.js';

/** Whether HEAD distinguishes existing from unknown units for this caller: a service that answers 200 to every HEAD reveals nothing. */
export async function headTells(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'>): Promise<boolean> {
  return isRefusal(await check.send({ ...options, method: 'HEAD', path: paths.unit(check.fresh('unknown unit')) }));
}
