import { expect, test } from '@playwright/test';
import { judgeService } from '../mutation/judge-service.js';
import type { RequirementResult } from '../../src/requirement/types.js';
import type { Loopback } from '../../src/loopback.test-kit.js';
import type { Limit } from '../../src/settings/limits.js';
import type { LimitModel } from '../../src/settings/target.js';
import { hasNginx, startNginx } from './nginx.test-kit.js';
import {
  startBursty,
  startExpress,
  startFastify,
  startFlexible,
  startHono,
  startUnion,
} from './real-limiters.test-kit.js';

const single: Limit = { count: 60, windowSeconds: 6 };
const burst: Limit = { count: 120, windowSeconds: 6 };
const sustained: Limit = { count: 40, windowSeconds: 0.5 };
const both = [burst, sustained];
const more = (limit: Limit): Limit => ({ ...limit, count: limit.count * 1.2 });

interface Trial {
  readonly name: string;
  readonly limits: readonly Limit[];
  readonly model: LimitModel;
  readonly start: () => Promise<Loopback>;
}

/**
 * What the stores of the installed versions do: express-rate-limit, @fastify/rate-limit, hono-rate-limiter and rate-limiter-flexible
 * count in a fixed window that a key's first request opens, refused requests included. A union charges both limits and accepts what
 * both accept; a bursty limiter has a second pool of as many requests as the longer limit names, which is the model `spill`.
 */
const right: readonly Trial[] = [
  ...(['auto', 'fixed'] as const).flatMap((model): Trial[] => [
    { name: 'express-rate-limit', limits: [single], model, start: () => startExpress(single) },
    { name: '@fastify/rate-limit', limits: [single], model, start: () => startFastify(single) },
    { name: 'hono-rate-limiter', limits: [single], model, start: () => startHono(single) },
    { name: 'rate-limiter-flexible', limits: [single], model, start: () => startFlexible(single) },
    { name: 'rate-limiter-flexible union', limits: both, model, start: () => startUnion(both) },
  ]),
  ...(['auto', 'spill'] as const).map((model): Trial => ({
    name: 'rate-limiter-flexible bursty',
    limits: both,
    model,
    start: () => startBursty(sustained, burst),
  })),
];

const shorter = { single: { count: 60, windowSeconds: 4 }, both: [{ count: 120, windowSeconds: 4 }, sustained] };

/** The same libraries, set up with numbers that were not sold, or with a pool that the pinned model does not know. */
const wrong: readonly Trial[] = [
  {
    name: 'express-rate-limit with a fifth more',
    limits: [shorter.single],
    model: 'fixed',
    start: () => startExpress(more(shorter.single)),
  },
  {
    name: 'rate-limiter-flexible union with a fifth more',
    limits: shorter.both,
    model: 'fixed',
    start: () => startUnion(shorter.both.map(more)),
  },
  {
    name: 'rate-limiter-flexible bursty where no second pool is sold',
    limits: both,
    model: 'fixed',
    start: () => startBursty(sustained, burst),
  },
];

async function judge({ limits, model, start }: Trial): Promise<readonly RequirementResult[]> {
  const service = await start();
  const sold = limits.map((limit) => `${limit.count}/${limit.windowSeconds}s`).join(',');
  const settings = {
    BASE_URL: service.url,
    // For the control behind every pass, which must not wait for a quota that the load has spent.
    API_KEY: 'another-key',
    API_KEY_INDEPENDENT: 'independent-key',
    LIMITS_INDEPENDENT: sold,
    LIMITS_DEMO: sold,
    LIMIT_MODEL: model,
  };
  const judged = await judgeService(
    { settings, register: null, close: () => service.close() },
    { seed: 1, depth: 'certify', sections: ['LIMIT'] },
  );
  return judged.results;
}

const verdictsOf = (results: readonly RequirementResult[]): Record<string, string> =>
  Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]));

/** `LIMIT-02 fail: why` for what is not passed, of the ids asked for; a missing id is reported as well. */
function notPassed(results: readonly RequirementResult[], ids: readonly string[]): string[] {
  return ids.flatMap((id) => {
    const found = results.find((one) => one.id === id);
    return found?.verdict === 'pass' ? [] : [`${id} ${found?.verdict ?? 'missing'}: ${found?.reason ?? ''}`];
  });
}

test('limiters of other authors pass where they are configured with the sold numbers', async () => {
  test.setTimeout(180_000);
  const judged = await Promise.all(right.map(judge));
  for (const [at, { name, model, limits }] of right.entries()) {
    // All send the three fields in whole numbers, with seconds to go, on accepted and on refused answers, and refuse with a 429.
    const sustainedToo = limits.length > 1 ? ['LIMIT-03'] : [];
    const requirementIds = [
      'LIMIT-01',
      'LIMIT-02',
      ...sustainedToo,
      'LIMIT-04',
      'LIMIT-05',
      'LIMIT-06',
      'LIMIT-07',
      'LIMIT-08',
    ];
    // hono-rate-limiter leaves RateLimit-Reset out where it would be 0, which is so in the last millisecond of a window only.
    const forgiven = (line: string): boolean =>
      name === 'hono-rate-limiter' && line.startsWith('LIMIT-06 fail') && line.includes('without RateLimit-Reset');
    const shown = notPassed(judged[at] ?? [], requirementIds).filter((line) => !forgiven(line));
    expect.soft(shown, `${name}, read as ${model}`).toEqual([]);
  }
});

/** nginx as it is judged, once: whichever test comes first begins, as waiting is most of it. */
let nginx: Promise<(readonly RequirementResult[])[]> | null = null;
const judgedNginx = (): Promise<(readonly RequirementResult[])[]> =>
  (nginx ??= Promise.all([
    judge({ name: 'nginx', limits: [single], model: 'auto', start: () => startNginx(single) }),
    judge({ name: 'nginx', limits: [single], model: 'bucket', start: () => startNginx(single) }),
    judge({ name: 'nginx', limits: [single], model: 'bucket', start: () => startNginx(more(single)) }),
  ]));

test('the same limiters are convicted where they accept more than is sold', async () => {
  test.setTimeout(180_000);
  // Its own test reports what goes wrong with it.
  if (hasNginx) judgedNginx().catch(() => undefined);
  const judged = await Promise.all(wrong.map(judge));
  for (const [at, { name, limits }] of wrong.entries()) {
    const results = judged[at] ?? [];
    const said = verdictsOf(results);
    // Where both numbers are broken and the machine is busy, one may hide the other: it is left open then, not passed.
    const shown = limits.length > 1 && said['LIMIT-03'] === 'fail' ? ['fail', 'blocked'] : ['fail'];
    expect.soft(shown, `${name}: ${JSON.stringify(said)}`).toContain(said['LIMIT-02']);
    expect.soft(said['LIMIT-01'], `${name}: nothing is refused too early`).not.toBe('fail');
  }
});

test('nginx is a bucket that holds what is sold, and owes the headers; with a fifth more it is convicted', async () => {
  test.skip(!hasNginx, 'nginx is not installed');
  test.setTimeout(180_000);
  const [open = [], pinned = [], large = []] = await judgedNginx();
  for (const results of [open, pinned]) {
    expect.soft(notPassed(results, ['LIMIT-01', 'LIMIT-02', 'LIMIT-04', 'LIMIT-08'])).toEqual([]);
    const fields = results.find((one) => one.id === 'LIMIT-06');
    expect.soft(fields?.verdict).toBe('fail');
    expect.soft(fields?.reason).toContain('without RateLimit-Limit');
  }
  expect.soft(large.find((one) => one.id === 'LIMIT-02')?.verdict).toBe('fail');
  expect.soft(notPassed(large, ['LIMIT-01'])).toEqual([]);
});
