import { asArray, dataOf, isFailureEnvelope, isRefusal, isSuccess, quote } from '../service/index.js';
import { describe, type Exchange } from '../http/index.js';
import { matcher, type Matcher } from '../run/index.js';

/** An answer with its body; that of a page is in its description. */
const withBody = (exchange: Exchange): string =>
  exchange.response !== null && exchange.response.json === undefined
    ? describe(exchange)
    : `${describe(exchange)}: ${quote(exchange.response?.json ?? exchange.failure?.message)}`;

/** A success envelope with an object `data` (§2 Envelope). */
export const isSuccessWithData: Matcher<Exchange> = matcher(
  'no-success',
  'a success envelope {ok: true, data: {…}}',
  (exchange) => dataOf(exchange) !== null,
  withBody,
);

/** A failure envelope, under any status (§7). */
export const isFailure: Matcher<Exchange> = matcher(
  'no-failure-envelope',
  'a failure envelope {ok: false, error}',
  isFailureEnvelope,
  withBody,
);

/** A success or a failure envelope. */
export const isEnvelope: Matcher<Exchange> = matcher(
  'no-envelope',
  'a success or a failure envelope',
  (exchange) => dataOf(exchange) !== null || isFailureEnvelope(exchange),
  withBody,
);

/** Anything but a success. */
export const isNoSuccess: Matcher<Exchange> = matcher(
  'success',
  'no success',
  (exchange) => !isSuccess(exchange),
  withBody,
  'status',
);

/** A success, or a refusal with 4xx or `ok: false`. */
export const isSuccessOrRefusal: Matcher<Exchange> = matcher(
  'neither-success-nor-refusal',
  'a 2xx or a 4xx',
  (exchange) => isSuccess(exchange) || isRefusal(exchange),
  describe,
  'status',
);

/** A refusal with 4xx or `ok: false`; `why` follows it in the report. */
export function isRefused(why: string): Matcher<Exchange> {
  return matcher('not-refused', `4xx ${why}`, isRefusal, describe, 'status');
}

/** An answer whose status is below 500: a status of 500 or more admits an error of the service (RFC 9110 §15.6). */
export const isBelow500: Matcher<Exchange> = matcher(
  'server-error',
  'an answer below 500',
  ({ response }) => response !== null && response.status < 500,
  (exchange) => `${describe(exchange)}${exchange.failure ? ` (${exchange.failure.message})` : ''}`,
  'status',
);

/** This very status; `why` follows it in the report: `hasStatus(404, 'for a planned path')`. */
export function hasStatus(status: number, why: string): Matcher<Exchange> {
  return matcher(
    `not-${status}`,
    `${status} ${why}`,
    ({ response }) => response?.status === status,
    describe,
    'status',
  );
}

/** The type of a cursor is not shown: a text, a number, or an object of its parts. False says that there is none. */
const isCursor = (value: unknown): boolean => value !== true && asArray(value) === null;

/** A success envelope whose data is a page of a list: an array `items`, and a cursor or none (§2 Envelope). */
export const isListPage: Matcher<Exchange> = (exchange) => {
  const data = dataOf(exchange);
  if (data === null)
    return {
      ...isSuccessWithData(exchange),
      code: 'no-page',
      expected: 'a success envelope whose data is {items, nextCursor}',
    };
  if (asArray(data['items']) === null)
    return {
      pass: false,
      code: 'no-items',
      expected: 'data.items to be an array',
      actual: quote(data['items']),
      part: { value: data, pointer: '/items' },
    };
  const cursor = data['nextCursor'];
  return {
    pass: isCursor(cursor),
    code: 'odd-cursor',
    expected: 'data.nextCursor to be a cursor, null, false, empty or absent',
    actual: quote(cursor),
    part: { value: data, pointer: '/nextCursor' },
  };
};
