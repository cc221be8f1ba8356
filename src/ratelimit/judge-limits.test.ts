import { expect, test } from '@playwright/test';
import { judgeLimits, type LimitedRequest } from './judge-limits.js';

/** 20 requests a second for three seconds, of which `accepts` says which are accepted. */
function requests(accepts: (atMs: number, index: number) => boolean): LimitedRequest[] {
  return Array.from({ length: 60 }, (_, index) => {
    const sentMs = index * 50;
    return { sentMs, receivedMs: sentMs + 5, status: accepts(sentMs, index) ? 200 : 429 };
  });
}

const tenASecond = [{ count: 10, windowSeconds: 1 }];

test('a service that keeps its limit conforms, and the ways to count that explain it are named', () => {
  const kept = judgeLimits(
    requests((atMs) => atMs % 1000 < 500),
    tenASecond,
  );
  expect(kept).toMatchObject({ conforms: true, breaches: [] });
  expect(kept.models.filter(({ explains }) => explains).map(({ name }) => name)).toContain('fixed windows (fixed)');
});

test('a limit that is not kept, and a refusal within it, are breaches with the requests that show them', () => {
  const open = judgeLimits(
    requests(() => true),
    tenASecond,
  );
  expect(open.conforms).toBe(false);
  expect(open.breaches[0]).toMatchObject({ requirement: 'LIMIT-02', requests: [0, 10] });
  const strict = judgeLimits(
    requests((_, index) => index !== 2 && index % 20 < 10),
    tenASecond,
    { idleBeforeMs: 60_000 },
  );
  expect(strict).toMatchObject({ conforms: false, breaches: [{ requirement: 'LIMIT-01', requests: [2] }] });
});

test('what cannot be judged is refused', () => {
  expect(() => judgeLimits([], [])).toThrow(RangeError);
});
