import { expect, test } from '@playwright/test';
import { detectForeignUse } from './detect-foreign-use.js';
import { httpDate, quotaItems, serviceLimits } from './fields.js';
import { blockSize, judgeUncountedWrites } from '../judge-uncounted.js';
import { judgeHeaders } from './judge-headers.js';
import { record, randomFrom, traceOf } from '../../../testing/limiter-simulators/test-kit.js';
import type { TraceRecord } from '../trace.js';

const limits = [{ count: 100, windowSeconds: 60 }];
const options = { alone: true };
type Change = (honest: TraceRecord, k: number) => Partial<TraceRecord>;

/** 120 requests at once, one half-way through the window, one when it is over: a fixed window with correct headers, unless changed. */
function story(change: Change = () => ({})): ReturnType<typeof traceOf> {
  const random = randomFrom(3);
  const sends = [...Array.from({ length: 120 }, (_, k) => 2 * k), 30_000, 61_000];
  const records = sends.map((sentMs, index) => {
    const fresh = index === 121;
    const accepted = index < 100 || fresh;
    const reset = fresh ? '60' : String(Math.ceil(60 - sentMs / 1000));
    const honest = record(index, sentMs, sentMs + 1 + random(), {
      outcome: accepted ? 'accepted' : 'refused',
      status: accepted ? 200 : 429,
      limit: '100',
      remaining: String(fresh ? 99 : Math.max(0, 99 - index)),
      reset,
      date: 'Wed, 01 Jul 2026 10:00:00 GMT',
      ...(accepted ? {} : { retryAfter: reset }),
    });
    return { ...honest, ...change(honest, index) };
  });
  return traceOf(records);
}

const verdicts = (change?: Change): string[] => [
  ...new Set(judgeHeaders(story(change), limits, options).map(({ id, severity }) => `${id} ${severity}`)),
];
const onRefusal =
  (change: Partial<TraceRecord>): Change =>
  ({ outcome }) =>
    outcome === 'refused' ? change : {};

test('truthful headers in every form the drafts know draw no finding', () => {
  expect(verdicts()).toEqual([]);
  expect(verdicts(() => ({ limit: '100, 100;w=60' }))).toEqual([]);
  expect(verdicts(() => ({ limit: '100', policy: '100;w=60;comment="fair, use"' }))).toEqual([]);
  expect(verdicts(() => ({ policy: '"burst";q=100;w=60' }))).toEqual([]);
  expect(verdicts(() => ({ policy: '"a \\"b\\", c";q=100;w=60;pk=:cGs9PQ==:;strict=?1' }))).toEqual([]);
  expect(verdicts(onRefusal({ retryAfter: 'Wed, 01 Jul 2026 10:00:59 GMT', reset: '59' }))).not.toContain(
    'LIMIT-05 fail',
  );
  expect(verdicts(onRefusal({ cacheControl: 'no-store, max-age=60' }))).toEqual([]);
  expect(verdicts(onRefusal({ cacheControl: 'no-store', cdnCacheControl: 'no-store' }))).toEqual([]);
  expect(verdicts(onRefusal({ cacheControl: 'no-cache, max-age=60' }))).toEqual([]);
  expect(verdicts(({ remaining }) => ({ remaining: `${10 * Math.floor(Number(remaining) / 10)}` }))).toEqual([]);
});

test('each incorrect header is reported under its own requirement', () => {
  expect(verdicts(({ remaining }) => ({ remaining: `${remaining ?? ''}.5` }))).toContain('LIMIT-06 fail');
  expect(verdicts(() => ({ reset: '1782900000' }))).toEqual(['LIMIT-06 fail']);
  expect(verdicts(() => ({ limit: '100 per minute' }))).toContain('LIMIT-06 fail');
  expect(verdicts(() => ({ limit: '500' }))).toEqual(['LIMIT-07 fail']);
  expect(verdicts((_, k) => (k > 110 ? { remaining: '-3' } : {}))).toEqual(['LIMIT-07 fail']);
  expect(verdicts((_, k) => (k < 5 ? { remaining: '101' } : {}))).toEqual(['LIMIT-07 fail']);
  expect(verdicts(({ outcome }) => (outcome === 'accepted' ? { remaining: '42' } : {}))).toContain('LIMIT-07 fail');
  expect(
    verdicts(() => ({ remaining: '0' })),
    'of requests that were accepted',
  ).toEqual(['LIMIT-07 fail']);
  expect(verdicts(onRefusal({ remaining: '42' }))).toEqual(['LIMIT-07 fail']);
  expect(verdicts(() => ({ reset: '60000', retryAfter: '60000' }))).toContain('LIMIT-07 fail');
  expect(verdicts(() => ({ reset: '60' }))).toContain('LIMIT-07 fail');
  expect(verdicts(onRefusal({ cacheControl: 'public, max-age=30' }))).toEqual(['LIMIT-05 fail']);
  expect(verdicts(onRefusal({ cacheControl: 'no-cache="x-a, x-b", max-age=30' }))).toEqual(['LIMIT-05 fail']);
  expect(verdicts(onRefusal({ cacheControl: 'no-store', cdnCacheControl: 'max-age=30' }))).toEqual(['LIMIT-05 fail']);
  expect(verdicts(onRefusal({ expires: 'Wed, 01 Jul 2026 11:00:00 GMT' }))).toEqual(['LIMIT-05 fail']);
  expect(verdicts(onRefusal({ retryAfter: 'soon' }))).toEqual(['LIMIT-05 fail']);
});

test('a count that arrives half a second late has not stopped counting', () => {
  // The first hundred requests take 200 ms.
  expect(verdicts((_, k) => (k < 60 ? { remaining: '99' } : {}))).toEqual([]);
  expect(verdicts(({ outcome }) => (outcome === 'accepted' ? { remaining: '99' } : {}))).toEqual(['LIMIT-07 fail']);
});

test('a Retry-After far beyond any window is a breach where requests are accepted soon, a long one is advice', () => {
  expect(verdicts(onRefusal({ retryAfter: '30000' }))).toContain('LIMIT-05 fail');
  expect(verdicts(onRefusal({ retryAfter: '1782900000' }))).toContain('LIMIT-05 fail');
  expect(verdicts(onRefusal({ retryAfter: 'Thu, 02 Jul 2026 10:00:00 GMT' }))).toContain('LIMIT-05 fail');
  expect(verdicts(onRefusal({ retryAfter: '300' }))).toEqual(['LIMIT-10 warn']);
  const headers = { limit: '100', remaining: '0', reset: '700', retryAfter: '700' };
  const refused = record(0, 0, 5, { outcome: 'refused', status: 429, ...headers });
  const acceptedAt = (ms: number) =>
    judgeHeaders(traceOf([refused, record(1, ms, ms + 5)]), limits, options).map(({ id }) => id);
  expect(acceptedAt(300_000)).toContain('LIMIT-05');
  expect(acceptedAt(701_000)).not.toContain('LIMIT-05');
});

test('a promise of acceptance broken in silence is found, in either header', () => {
  const banned: Change = (_, k) =>
    k === 121 ? { outcome: 'refused', status: 429, remaining: '0', retryAfter: '60' } : {};
  expect(verdicts((honest, k) => (k === 120 ? { reset: '5', retryAfter: '5' } : banned(honest, k)))).toEqual(
    expect.arrayContaining(['LIMIT-07 fail', 'LIMIT-05 fail']),
  );
});

test('a Retry-After that ends less than a second too early is warned of, and one that is rounded up is not', () => {
  const warnings = (retryAfter: string, againMs: number): string[] => {
    const refused = { outcome: 'refused', status: 429, limit: '100', remaining: '0', reset: '3', retryAfter } as const;
    const fresh = { limit: '100', remaining: '99', reset: '60' };
    const records = [
      record(0, 0, 5, refused),
      record(1, againMs, againMs + 5, refused),
      record(2, 2_700, 2_705, fresh),
    ];
    const found = judgeHeaders(traceOf(records), limits, options);
    return found.filter(({ code }) => code.includes('retry')).map(({ code, severity }) => `${code} ${severity}`);
  };
  expect(warnings('2', 2_500)).toEqual(['early-retry-after warn']);
  expect(warnings('2', 2_020), 'a timer that fires late').toEqual([]);
  expect(warnings('3', 2_500)).toEqual([]);
  expect(warnings('1', 2_500)).toEqual(['refused-after-retry fail']);
});

test('a reset that is always the whole window is a breach where windows are pinned as fixed, and a warning where they may be', () => {
  const judged = (fixed: 'pinned' | 'possible' | 'excluded', reset: (atMs: number) => string): string[] => {
    // Requests over half a minute, none refused: a window that stands, and ends a minute after the first.
    const records = Array.from({ length: 30 }, (_, k) =>
      record(k, 1_000 * k, 1_000 * k + 5, { limit: '100', remaining: String(99 - k), reset: reset(1_000 * k) }),
    );
    return judgeHeaders(traceOf(records), limits, { ...options, fixed }).map(({ id, severity }) => `${id} ${severity}`);
  };
  const whole = (): string => '60';
  expect(judged('pinned', whole)).toEqual(['LIMIT-07 fail']);
  expect(judged('possible', whole)).toEqual(['LIMIT-10 warn']);
  expect(judged('excluded', whole)).toEqual([]);
  const jittered = (atMs: number): string => String(60 - Math.floor(atMs / 1000) + ((atMs / 1000) % 3));
  for (const fixed of ['pinned', 'possible'] as const) {
    expect(judged(fixed, (atMs) => String(60 - atMs / 1000))).toEqual([]);
    expect(judged(fixed, jittered), 'spread').toEqual([]);
  }
});

test('missing headers and missing Retry-After weigh differently', () => {
  const { reset: _, ...bare } = record(0, 0, 5, { limit: '100', remaining: '99', reset: '60' });
  expect(judgeHeaders(traceOf([bare]), limits, options).map(({ id }) => id)).toEqual(['LIMIT-06']);
  const refused = record(0, 0, 5, { outcome: 'refused', status: 429, limit: '100', remaining: '0', reset: '60' });
  expect(judgeHeaders(traceOf([refused]), limits, options)).toMatchObject([{ id: 'LIMIT-10', severity: 'warn' }]);
});

test('the field of later drafts takes the place of none, and is compared with the three', () => {
  const later = '"plan";r=99;t=60;pk=:c2VjcmV0:, "day";r=4000';
  expect(serviceLimits(later)).toEqual([
    { remaining: 99, resetSeconds: 60 },
    { remaining: 4000, resetSeconds: null },
  ]);
  for (const raw of ['limit=100, remaining=99', '"plan";t=60', '"plan";r=1.5', 'plan;r=5', ''])
    expect(serviceLimits(raw), raw).toBeNull();
  const [, missing] = judgeHeaders(traceOf([record(0, 0, 5, { combined: later })]), limits, options);
  expect(missing?.actual).toContain('without RateLimit-Remaining, but with RateLimit: "plan";r=99;t=60;pk=…, "day"');
  const both = (combined: Change): string[] => verdicts((honest, k) => combined(honest, k));
  expect(
    both(({ remaining, reset }) => ({ combined: `"day";r=9000, "plan";r=${remaining ?? ''};t=${reset ?? ''}` })),
  ).toEqual([]);
  expect(both(() => ({ combined: 'anything;else' }))).toEqual([]);
  expect(both(({ remaining }) => ({ combined: `"plan";r=${Number(remaining) + 5}` }))).toEqual(['LIMIT-10 warn']);
  expect(both(({ remaining, reset }) => ({ combined: `"plan";r=${remaining ?? ''};t=${Number(reset) + 9}` }))).toEqual([
    'LIMIT-10 warn',
  ]);
});

test('a promise is broken by who spent the limit alone, in two places, not where somebody else may have', () => {
  const answer = (index: number, atMs: number, remaining: string, refused = false) =>
    record(index, atMs, atMs + 5, { limit: '100', remaining, ...(refused ? { outcome: 'refused', status: 429 } : {}) });
  const twice = [0, 63_000].flatMap((fromMs, at) => [
    answer(2 * at, fromMs, '99'),
    answer(2 * at + 1, fromMs + 3_000, '0', true),
  ]);
  const broken = (records: readonly TraceRecord[], alone: boolean): boolean =>
    judgeHeaders(traceOf(records), limits, { ...options, alone }).some(({ expected }) =>
      expected.startsWith('as many requests'),
    );
  expect(broken(twice, true)).toBe(true);
  expect(broken(twice, false), 'another client').toBe(false);
  expect(broken(twice.slice(0, 2), true), 'one place').toBe(false);
  // This run alone spent the whole limit, and a later answer claimed more: other clients cannot explain that.
  const spent = [0, 63_000].flatMap((fromMs, at) => [
    ...Array.from({ length: 100 }, (_, k) => answer(101 * at + k, fromMs + 100 * k, k < 90 ? '99' : '98')),
    answer(101 * at + 100, fromMs + 12_000, '0', true),
  ]);
  expect(broken(spent, false)).toBe(true);
});

test('lists of quotas are read, and nonsense is not', () => {
  expect(quotaItems('600, 600;w=60, 100;w=1')?.map(({ count }) => count)).toEqual([600, 600, 100]);
  for (const wrong of ['', '600,', 'six', '6.5', '-1', '600;=1', '600 600'])
    expect(quotaItems(wrong), wrong).toBeNull();
});

const hundred = { count: 100, windowSeconds: 60 };

test('somebody else on the key is noticed, concurrency of our own is not', () => {
  const noticed = (count: number, remaining: (k: number) => number, apartMs = 100, tookMs = 10): string | null => {
    const answer = (k: number): TraceRecord =>
      record(k, apartMs * k, apartMs * k + tookMs, { limit: '100', remaining: String(remaining(k)) });
    return detectForeignUse(traceOf(Array.from({ length: count }, (_, k) => answer(k))), [hundred]);
  };
  expect(noticed(20, (k) => 99 - k)).toBeNull();
  expect(noticed(20, (k) => 99 - 2 * k)).toContain('by more than this run had sent');
  const inTens = noticed(60, (k) => 10 * Math.floor((99 - k) / 10));
  expect(inTens, 'rounded to tens').toBeNull();
  const inTwos = noticed(60, (k) => 2 * (59 - k));
  expect(inTwos, 'each takes two').toBeNull();
  const together = noticed(20, (k) => 99 - ((7 * k) % 20), 1, 50);
  expect(together).toBeNull();
});

test('somebody else who came once is noticed within one window, a switch between two windows is not', () => {
  const both = [hundred, { count: 50, windowSeconds: 1 }];
  const once = (after: number, resetAfter: string, other = '100') => {
    const found = detectForeignUse(
      traceOf([
        record(0, 0, 10, { limit: '100', remaining: '99', reset: '40' }),
        record(1, 1_000, 1_010, { limit: other, remaining: '98', reset: '1' }),
        record(2, 2_000, 2_010, { limit: '100', remaining: String(after), reset: resetAfter }),
      ]),
      both,
    );
    return found === null ? null : Number(/first by (\d+) more/.exec(found)?.[1]);
  };
  expect(once(97, '38', '50')).toBeNull();
  expect(once(96, '38', '50'), 'one too many may be a matter of rounding').toBeNull();
  expect(once(60, '38', '50')).toBe(37);
  expect(once(60, '1', '50'), 'what names its limit cannot be the other one').toBe(37);
  expect(once(60, '1', '700'), 'another number than those sold is no name of a limit').toBeNull();
  expect(once(60, '38'), 'the answer before is of another window').toBeNull();
});

test('a failure without the headers is a breach only where the limiter counted it', () => {
  const headers = { limit: '100', reset: '60' };
  const found = (after: string, rest: Partial<TraceRecord> = {}): string[] => {
    const missing = { outcome: 'other', status: 404, asked: 'missing', ...rest } as const;
    const records = [
      record(0, 0, 5, { ...headers, remaining: '99' }),
      record(1, 10, 15, missing),
      record(2, 20, 25, missing),
      record(3, 30, 35, { ...headers, remaining: after }),
    ];
    return judgeHeaders(traceOf(records), limits, options).map(({ id, severity }) => `${id} ${severity}`);
  };
  expect(found('96')).toEqual(['LIMIT-06 fail']);
  expect(found('98'), 'not counted').toEqual([]);
  expect(found('100'), 'a window began anew').toEqual([]);
  expect(found('96', { ...headers, remaining: '97' })).toEqual([]);
});

test('creates are uncounted only where all are accepted among reads that are refused', () => {
  const random = randomFrom(5);
  const judged = (share: number, isAccepted: (place: number) => boolean): string | null =>
    judgeUncountedWrites(
      Array.from({ length: 6 * blockSize }, (_, k) => {
        const create = k % blockSize === (7 * Math.floor(k / blockSize)) % blockSize;
        const accepted = create ? isAccepted(Math.floor(k / blockSize)) : random() < share;
        return record(k, k, k + 5, {
          ...(accepted ? {} : { outcome: 'refused', status: 429 }),
          ...(create ? { asked: 'create' } : {}),
        });
      }),
    );
  expect(judged(0, () => true)).toContain('all 6 creates were accepted');
  expect(judged(0, (at) => at !== 3)).toBeNull();
  expect(judged(0, (at) => at === 0)).toBeNull();
  expect(
    judged(0.9, () => true),
    'nothing was spent',
  ).toBeNull();
  // Creates counted like reads are accepted now and then.
  expect(Array.from({ length: 2_000 }, () => judged(0.1, () => random() < 0.1)).filter((one) => one !== null)).toEqual(
    [],
  );
});

test('a day that its month does not have is no HTTP date', () => {
  expect(httpDate('Fri, 28 Feb 2025 08:49:37 GMT')).toBe(Date.UTC(2025, 1, 28, 8, 49, 37));
  expect(httpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  expect(httpDate('Sun Nov  6 08:49:37 1994')).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  for (const text of ['Mon, 31 Feb 2028 08:49:37 GMT', 'Sunday, 31-Nov-94 08:49:37 GMT', 'Sun Feb 30 08:49:37 1994'])
    expect(httpDate(text), text).toBeNull();
});
