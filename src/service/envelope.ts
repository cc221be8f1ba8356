import { type Exchange, succeeded } from '../http/index.js';
import { asObject } from './json.js';

function okOf(exchange: Exchange): unknown {
  return asObject(exchange.response?.json)?.['ok'];
}

/**
 * The `data` object of a success, or null. Ignores errors of the envelope: its own requirements (ENV) report them, so that a missing flag
 * does not fail every other check.
 */
export function dataOf(exchange: Exchange): Record<string, unknown> | null {
  return isSuccess(exchange) ? asObject(asObject(exchange.response?.json)?.['data']) : null;
}

/** Whether the answer is a failure envelope: `ok: false` and an object `error`, under any status. */
export function isFailureEnvelope(exchange: Exchange): boolean {
  return okOf(exchange) === false && asObject(asObject(exchange.response?.json)?.['error']) !== null;
}

/** Whether the answer is 2xx and does not say `ok: false`: `ok` is the outcome flag (§2). */
export function isSuccess(exchange: Exchange): boolean {
  return succeeded(exchange) && okOf(exchange) !== false;
}

/** Whether the answer is a failure with a 2xx status: the statuses of failures are "not shown" (§7). */
function isFailureUnder2xx(exchange: Exchange): boolean {
  return succeeded(exchange) && okOf(exchange) === false;
}

/** Whether the request was refused: a status of 400 to 499, or `ok: false` with a 2xx status. */
export function isRefusal(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return (status >= 400 && status < 500) || isFailureUnder2xx(exchange);
}

/** Whether the answer has one of these statuses, or is a failure with a 2xx status, which may mean any of them. */
export function mayMean(exchange: Exchange, ...statuses: readonly number[]): boolean {
  return statuses.includes(exchange.response?.status ?? 0) || isFailureUnder2xx(exchange);
}

/** Whether the answer says that nothing is there: any other refusal may have a reason of its own. */
export function isGone(exchange: Exchange): boolean {
  if (!isFailureUnder2xx(exchange)) return [404, 410].includes(exchange.response?.status ?? 0);
  const said = JSON.stringify(asObject(exchange.response?.json)?.['error'] ?? null);
  return /not[ _-]?(found|exist)|no such|unknown|gone|\b(404|410)\b/i.test(said);
}
