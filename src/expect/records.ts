import { asObject, quote } from '../service/index.js';
import { type Match, matcher, type Matcher } from '../run/index.js';

const first = (matches: readonly Match[]): Match | undefined => matches.find((match) => !match.pass);
const pass: Match = { pass: true, code: '', expected: 'anything', actual: 'it' };

/** All of these hold; reports the first that does not. */
export function allOf<T>(...matchers: readonly Matcher<T>[]): Matcher<T> {
  return (value) => first(matchers.map((one) => one(value))) ?? pass;
}

const isObject = (what: string): Matcher<unknown> =>
  matcher('no-object', `a ${what}, a JSON object`, (record) => asObject(record) !== null, quote);

/** A string, and no empty one but for a status. */
const isText = (name: 'id' | 'status', what: string): Matcher<unknown> =>
  matcher(
    `no-${name}`,
    `a string ${name} in every ${what}`,
    (record) => typeof asObject(record)?.[name] === 'string' && (name === 'status' || asObject(record)?.[name] !== ''),
    (record) => `${name}: ${quote(asObject(record)?.[name])} in ${quote(record)}`,
    `/${name}`,
  );

/** A unit has a string `id` and a string `status` (§2 Unit). */
export const isUnit: Matcher<unknown> = allOf(isObject('unit record'), isText('id', 'unit'), isText('status', 'unit'));

/** A deal has a string `id`, and a number `totalGross` where that is shown (§2). */
export const isDeal: Matcher<unknown> = allOf(
  isObject('deal'),
  isText('id', 'deal'),
  matcher(
    'odd-total',
    'totalGross to be a number',
    (record) => ['undefined', 'number'].includes(typeof asObject(record)?.['totalGross']),
    (record) => `totalGross: ${quote(asObject(record)?.['totalGross'])} in deal ${quote(asObject(record)?.['id'])}`,
    '/totalGross',
  ),
);

/** Whether a unit shows this status; a record without a status is another requirement's matter. */
export const isOfStatus = (status: string): Matcher<unknown> =>
  matcher(
    'other-status',
    `only units whose status is ${status}`,
    (record) => asObject(record)?.['status'] === status,
    (record) => `${quote(asObject(record)?.['id'])} has status ${quote(asObject(record)?.['status'])}`,
    '/status',
  );
