import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { isRefusal, paths, recordIn, settled } from '../../service/index.js';

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
