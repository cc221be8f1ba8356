import { expect, test } from '@playwright/test';
import { answered as answer } from '../openapi/test-kit.js';
import * as answers from './answers.js';
import { everyItem, hasUniqueIds, holdsAtMost, isEmpty } from './lists.js';
import { exchangesOf, type Matcher } from '../run/matcher.js';
import { allOf, isOfStatus, isDeal, isUnit } from './records.js';

const success = answer(200, { ok: true, data: { items: [], nextCursor: null } });
const failure = answer(404, { ok: false, error: { code: 'unknown' } });
const failureUnder200 = answer(200, { ok: false, error: {} });

/** A matcher, values that are as it expects, and values that are not. */
function row<T>(name: string, matcher: Matcher<T>, good: readonly T[], bad: readonly T[]) {
  return { name, good: good.map((value) => matcher(value)), bad: bad.map((value) => matcher(value)) };
}

const page = (items: unknown, nextCursor?: unknown) => answer(200, { ok: true, data: { items, nextCursor } });

const rows = [
  row('isSuccessWithData', answers.isSuccessWithData, [success], [failure, answer(200, { ok: true }), failureUnder200]),
  row(
    'isFailure',
    answers.isFailure,
    [failure, failureUnder200],
    [success, answer(404, {}), answer(404, { ok: false })],
  ),
  row('isEnvelope', answers.isEnvelope, [success, failure, failureUnder200], [answer(200, {}), answer(404, {})]),
  row('isNoSuccess', answers.isNoSuccess, [failure, failureUnder200, answer(500, {})], [success]),
  row(
    'isSuccessOrRefusal',
    answers.isSuccessOrRefusal,
    [success, failure, failureUnder200],
    [answer(302, {}), answer(500, {})],
  ),
  row('isBelow500', answers.isBelow500, [success, answer(302, {})], [answer(500, {}), { ...success, response: null }]),
  row('isRefused', answers.isRefused('for limit=0'), [failure, failureUnder200], [success, answer(500, {})]),
  row('hasStatus', answers.hasStatus(404, 'for an unknown id'), [failure], [success, failureUnder200]),
  row(
    'isListPage',
    answers.isListPage,
    [success, page([], undefined), page([{}], 'next'), page([], 7), page([], false), page([], { after: 7 })],
    [failure, page({}), page([], []), page([], true)],
  ),
  row(
    'isUnit',
    isUnit,
    [{ id: 'a', status: 'sold', more: 1 }],
    [null, {}, { id: 1, status: 'x' }, { id: '', status: 'x' }, { id: 'a' }],
  ),
  row(
    'isDeal',
    isDeal,
    [{ id: 'a' }, { id: 'a', totalGross: 0 }],
    [7, { id: 4 }, { id: 'a', totalGross: '1' }, { id: 'a', totalGross: null }],
  ),
  row('isOfStatus', isOfStatus('available'), [{ status: 'available' }], [{ status: 'sold' }, {}, null]),
  row(
    'allOf',
    allOf(isUnit, isOfStatus('available')),
    [{ id: 'a', status: 'available' }],
    [{ id: 'a', status: 'sold' }],
  ),
  row(
    'everyItem',
    everyItem(isOfStatus('available')),
    [[], [{ status: 'available' }]],
    [[{ status: 'available' }, { status: 'sold' }]],
  ),
  row('holdsAtMost', holdsAtMost(2), [[], [1, 2]], [[1, 2, 3]]),
  row<readonly (string | null)[]>('hasUniqueIds', hasUniqueIds, [['a', 'b', null, null]], [['a', 'b', 'a']]),
  row(
    'isEmpty',
    isEmpty('not-empty', 'nothing', (found) => found.join()),
    [[]],
    [['a']],
  ),
];

for (const { name, good, bad } of rows)
  test(`${name} accepts what it should, refuses what it should, and says what it expected`, () => {
    expect(good.map((match) => match.pass)).not.toContain(false);
    expect(bad.map((match) => match.pass)).not.toContain(true);
    for (const match of [...good, ...bad]) expect(match.expected).toMatch(/\S/);
    for (const match of bad) expect(match.actual).toMatch(/\S/);
  });

test('the exchanges behind a value are its own, its page’s, or those of all its pages', () => {
  expect(exchangesOf(success)).toEqual([success]);
  expect(exchangesOf({ exchange: success })).toEqual([success]);
  expect(exchangesOf({ pages: [{ exchange: success }, { exchange: failure }] })).toEqual([success, failure]);
});

test('every matcher is tried both ways', () => {
  const tried = rows.map(({ name }) => name);
  expect(Object.keys(answers).filter((name) => !tried.includes(name))).toEqual([]);
});
