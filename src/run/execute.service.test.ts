import type { RequestListener } from 'node:http';
import { expect, test } from '@playwright/test';
import { BlockedSignal, NotApplicableSignal } from '../http/signals.js';
import { serve } from '../loopback.test-kit.js';
import type { CheckBody, CollectedCheck } from '../requirement/collector.js';
import type { Level, RequirementResult } from '../requirement/types.js';
import { readTarget } from '../target/read-target.js';
import { execute } from './execute.js';
import { openRun } from './open-run.js';

const json = { 'content-type': 'application/json' };

/** Knows the unit list and nothing else. */
const honest: RequestListener = (request, response) => {
  const known = /^\/api\/(v1|demo)\/units(\?|$)/.test(request.url ?? '');
  response
    .writeHead(known ? 200 : 404, json)
    .end(JSON.stringify(known ? { ok: true, data: { items: [] } } : { ok: false, error: {} }));
};

/** Runs one body against a server. */
async function verdictOf(
  body: CheckBody,
  wish: { level?: Level; server?: RequestListener; writes?: boolean; settings?: Record<string, string> } = {},
): Promise<RequirementResult> {
  const service = await serve(wish.server ?? honest);
  const target = readTarget({
    BASE_URL: service.url,
    API_KEY: 'key-for-this-test',
    ...wish.settings,
  });
  const run = openRun(target, { seed: 1, nonce: 'n', depth: 'certify' });
  const collected: CollectedCheck = {
    id: 'UNIT-01',
    section: 'UNIT',
    level: wish.level ?? 'MUST',
    source: '§2',
    title: 'It holds',
    writes: wish.writes ?? false,
    slow: false,
    body,
  };
  try {
    return await execute(collected, run);
  } finally {
    await run.close();
    await service.close();
  }
}

const breach = { expected: 'a', actual: 'b' };

const endings: readonly (readonly [string, CheckBody, Partial<Record<Level, string>>])[] = [
  ['nothing wrong', async () => undefined, { MUST: 'pass', SHOULD: 'pass', OBSERVE: 'pass' }],
  [
    'a breach',
    async ({ check }) => check.breach(breach),
    { MUST: 'fail', DECLARED: 'fail', SHOULD: 'warn', OBSERVE: 'warn' },
  ],
  ['a caution', async ({ check }) => check.caution(breach), { MUST: 'warn' }],
  [
    'a breach, then blocked',
    async ({ check }) => {
      check.breach(breach);
      check.blocked('x');
    },
    { MUST: 'fail', SHOULD: 'blocked' },
  ],
  [
    'a breach by an answer that was too long to read',
    async ({ check }) => {
      const read = await check.send({ path: '/api/v1/units', maxBytes: 20 });
      check.breach({ ...breach, exchanges: [read] });
    },
    { MUST: 'blocked', DECLARED: 'blocked', SHOULD: 'blocked' },
  ],
  ['blocked', async ({ check }) => check.blocked('x'), { MUST: 'blocked', OBSERVE: 'blocked' }],
  ['not applicable', async ({ check }) => check.notApplicable('x'), { MUST: 'not-applicable' }],
  [
    'a key that is not configured',
    async ({ check }) => {
      check.need('API_KEY_READ_LEADS');
    },
    { MUST: 'not-applicable' },
  ],
  [
    'an exception',
    async () => {
      throw new TypeError('x');
    },
    { MUST: 'error' },
  ],
  [
    'undefined thrown',
    async () => {
      throw undefined;
    },
    { MUST: 'error' },
  ],
  [
    'a breach, then an exception',
    async ({ check }) => {
      check.breach(breach);
      throw new Error('x');
    },
    { MUST: 'fail' },
  ],
  [
    'a caution, then an exception',
    async ({ check }) => {
      check.caution(breach);
      throw new Error('x');
    },
    { MUST: 'error' },
  ],
];

for (const [name, body, verdicts] of endings) {
  test(`how a check ends decides its verdict: ${name}`, async () => {
    for (const [level, verdict] of Object.entries(verdicts))
      expect((await verdictOf(body, { level: level as Level })).verdict, level).toBe(verdict);
  });
}

test('a pass before a server that answers everything alike is blocked, whatever it answers', async () => {
  for (const status of [200, 404, 500]) {
    const server: RequestListener = (_request, response) =>
      response.writeHead(status, json).end('{"ok":true,"data":{}}');
    const found = await verdictOf(async () => undefined, { server });
    expect([found.verdict, found.reason]).toEqual(['blocked', expect.stringContaining('prove nothing')]);
    expect((await verdictOf(async ({ check }) => check.breach(breach), { server })).verdict).toBe('fail');
    expect((await verdictOf(async () => undefined, { server, level: 'OBSERVE' })).verdict).toBe('pass');
  }
});

test('a pass is no pass where the control cannot be run', async () => {
  const found = await verdictOf(async () => undefined, { server: (request) => request.socket.destroy() });
  expect(found.verdict).toBe('blocked');
});

test('what writes is left out of a run that only reads', async () => {
  let ran = false;
  const body: CheckBody = async () => {
    ran = true;
  };
  expect((await verdictOf(body, { writes: true, settings: { READ_ONLY: 'true' } })).verdict).toBe('not-applicable');
  expect(ran).toBe(false);
  expect((await verdictOf(body, { writes: true })).verdict).toBe('pass');
});

test('what a shared computation was blocked by blocks all that ask for it, and it is tried once', async () => {
  let made = 0;
  const found = await verdictOf(async ({ check }) => {
    const once = (): Promise<never> =>
      check.once('x', async () => {
        made += 1;
        throw new BlockedSignal('no');
      });
    await expect(once()).rejects.toBeInstanceOf(BlockedSignal);
    await once();
  });
  expect([found.verdict, found.reason, made]).toEqual(['blocked', 'no', 1]);
  expect((await verdictOf(async ({ check }) => check.stop(new NotApplicableSignal('never offered')))).verdict).toBe(
    'not-applicable',
  );
});

test('two computations at the same time that are both blocked end the check as one does, also where a runner skips in its own way', async () => {
  let ended: unknown = null;
  await verdictOf(async ({ check }) => {
    check.skip = (reason) => {
      throw new Error(`skipped: ${reason}`);
    };
    const blocked = (name: string): Promise<void> =>
      check.once(name, async () => {
        await check.send({ path: '/api/v1/units' });
        check.once(`${name}, deeper`, async () => check.blocked(name)).catch(() => undefined);
        return check.blocked(name);
      });
    await Promise.all([blocked('first'), blocked('second')]).catch((error: unknown) => (ended = error));
    expect(check.signal).toBeInstanceOf(BlockedSignal);
  });
  expect(String(ended)).toMatch(/skipped: (first|second)/);
});

test('findings carry a replay and no secret, and requests are counted', async () => {
  const found = await verdictOf(async ({ check }) => {
    const exchange = await check.send({ path: '/api/v1/units', query: [['q', 'key-for-this-test']] });
    check.breach({ expected: 'key-for-this-test', actual: 'b', exchanges: [exchange] });
  });
  expect(JSON.stringify(found)).not.toContain('key-for-this-test');
  expect(found.findings[0]).toMatchObject({
    replay: expect.stringContaining('--seed 1'),
    // Before it, the suite looks whether the target is there, and reads the document by which requests are completed.
    exchanges: ['3'],
    curl: expect.stringContaining('curl'),
  });
  expect(found.requests).toBe(1);
});
