import { expect, test } from '@playwright/test';
import type { Exchange } from '../http/exchange.js';
import { announcedEnds } from './announced-ends.js';

const answer = (path: string, headers: readonly (readonly [string, string])[]): Exchange =>
  ({ request: { method: 'GET', path }, response: { status: 200, headers } }) as unknown as Exchange;

test('an operation that is announced as deprecated or to end is named once, with the dates', () => {
  const headers = [
    ['deprecation', '@1688169599'],
    ['sunset', 'Sun, 30 Jun 2024 23:59:59 GMT'],
  ] as const;
  const seen = [answer('/api/v1/units?limit=1', headers), answer('/api/v1/units?limit=2', headers)];
  expect(announcedEnds([...seen, answer('/api/v1/deals', [['x-other', '1']])])).toEqual([
    'GET /api/v1/units: Deprecation: @1688169599 (2023-06-30), Sunset: Sun, 30 Jun 2024 23:59:59 GMT (2024-06-30)',
  ]);
});

test('a header that is no date is shown as such', () => {
  expect(announcedEnds([answer('/x', [['deprecation', 'true']]), answer('/y', [['sunset', 'soon']])])).toEqual([
    'GET /x: Deprecation: true (no date)',
    'GET /y: Sunset: soon (no date)',
  ]);
});
