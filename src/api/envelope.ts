import { succeeded } from '../http/exchange.js';
import type { Exchange } from '../http/exchange.js';
import { asObject } from './json.js';

/**
 * The `data` object of a 2xx answer, or null. Whether the envelope around it is right is judged once, by the envelope's own
 * requirements, so that a wrong flag there does not turn every other check red.
 */
export function dataOf(exchange: Exchange): Record<string, unknown> | null {
  return succeeded(exchange) ? asObject(asObject(exchange.response?.json)?.['data']) : null;
}

/** Whether the answer is a failure envelope: not 2xx, `ok: false`, an object `error`. */
export function isFailureEnvelope(exchange: Exchange): boolean {
  const body = asObject(exchange.response?.json);
  return (
    exchange.response !== null && !succeeded(exchange) && body?.['ok'] === false && asObject(body['error']) !== null
  );
}

/** Whether the answer is 2xx with `ok: true`, whatever else it holds. */
export function isSuccess(exchange: Exchange): boolean {
  return succeeded(exchange) && asObject(exchange.response?.json)?.['ok'] !== false;
}

/** Whether the answer is a client error, 400 to 499. */
export function isClientError(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return status >= 400 && status < 500;
}

/** Whether the answer says that nothing is there: any other refusal may have a reason of its own. */
export function isGone(exchange: Exchange): boolean {
  return [404, 410].includes(exchange.response?.status ?? 0);
}
