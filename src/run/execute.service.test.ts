import type { RequestListener } from 'node:http';
import { expect, test } from '@playwright/test';
import { BlockedSignal } from '../http/signals.js';
import { asObject } from '../openapi/values.js';
import { closing, serve } from '../loopback.test-kit.js';
import { defineRequirement, type CheckBody, type Row, row } from '../requirement/requirement.js';
import type { Level, RequirementResult } from '../requirement/types.js';
import { readTarget } from '../settings/read-target.js';
import type { KeyName } from '../settings/index.js';
import { execute } from './execute.js';
import { openRun } from './open-run.js';

const json = { 'content-type': 'application/json' };

/** Knows the unit list and nothing else. */
const honest: RequestListener = (request, response) => {
  const known = /^\/api\/(v1|demo)\/units(\?|$)/.test(request.url ?? '');
  response
    .writeHead(known ? 200 : 404, json)
    .end(JSON.stringify(known ? { ok: true, data: { items: [], nextCursor: null } } : { ok: false, error: {} }));
};

/** Runs one body against a server. */
async function verdictOf(
  body: CheckBody,
  options: {
    level?: Level;
    server?: RequestListener;
    writes?: boolean;
    needs?: readonly KeyName[];
    settings?: Record<string, string>;
    /** Makes it a slow requirement, judged by the gate. */
    gateBody?: CheckBody;
    since?: string;
    rows?: readonly Row[];
    control?: () => Promise<string | null>;
  } = {},
): Promise<RequirementResult> {
  await using service = await serve(options.server ?? honest);
  const target = readTarget({
    BASE_URL: service.url,
    API_KEY: 'key-for-this-test',
    ...options.settings,
  });
  await using run = closing(
    openRun(target, { seed: 1, nonce: 'n', set: '2026-11', depth: options.gateBody ? 'gate' : 'certify' }),
  );
  const requirement = defineRequirement({
    id: 'UNIT-01',
    level: options.level ?? 'MUST',
    source: '§2',
    title: 'It holds',
    needs: options.needs ?? [],
    writes: options.writes ?? false,
    body,
    ...(options.rows === undefined ? {} : { rows: options.rows }),
    ...(options.since === undefined ? {} : { since: options.since }),
    ...(options.control === undefined ? {} : { control: options.control }),
    ...(options.gateBody ? { slow: true, gateBody: options.gateBody } : {}),
  });
  return await execute(requirement, run);
}

const breach = { code: 'odd', expected: 'a', actual: 'b' };

const fails: CheckBody = async ({ check }) => check.fail(breach);
const warns: CheckBody = async ({ check }) => check.warn(breach);
const blocks: CheckBody = async ({ check }) => check.blocked('x');
const throws =
  (what: unknown): CheckBody =>
  async () => {
    throw what;
  };
const inTurn =
  (...bodies: readonly CheckBody[]): CheckBody =>
  async (given) => {
    for (const body of bodies) await body(given);
  };
const failsUnread: CheckBody = async ({ check }) => {
  const read = await check.send({ path: '/api/v1/units', maxBytes: 20 });
  check.fail({ ...breach, exchanges: [read] });
};

const endings: readonly (readonly [string, CheckBody, Partial<Record<Level, string>>])[] = [
  ['nothing wrong', async () => undefined, { MUST: 'pass', SHOULD: 'pass', OBSERVE: 'pass' }],
  ['a breach', fails, { MUST: 'fail', DECLARED: 'fail', SHOULD: 'warn', OBSERVE: 'warn' }],
  ['a warning', warns, { MUST: 'warn' }],
  ['a breach, then blocked', inTurn(fails, blocks), { MUST: 'fail', SHOULD: 'blocked' }],
  [
    'a breach by an answer that was too long to read',
    failsUnread,
    { MUST: 'blocked', DECLARED: 'blocked', SHOULD: 'blocked' },
  ],
  ['blocked', blocks, { MUST: 'blocked', OBSERVE: 'blocked' }],
  ['not applicable', async ({ check }) => check.notApplicable('x'), { MUST: 'not-applicable' }],
  [
    'a key that is not configured',
    async ({ check }) => void check.need('API_KEY_READ_LEADS'),
    { MUST: 'not-applicable' },
  ],
  ['an exception', throws(new TypeError('x')), { MUST: 'error' }],
  ['undefined thrown', throws(undefined), { MUST: 'error' }],
  ['a breach, then an exception', inTurn(fails, throws(new Error('x'))), { MUST: 'fail' }],
  ['a warning, then an exception', inTurn(warns, throws(new Error('x'))), { MUST: 'error' }],
];

for (const [name, body, verdicts] of endings) {
  test(`how a check ends decides its verdict: ${name}`, async () => {
    for (const [level, verdict] of Object.entries(verdicts))
      expect((await verdictOf(body, { level: level as Level })).verdict, level).toBe(verdict);
  });
}

test('rows are judged with what the body hands back, each whatever the others end in, and none after a body that ends', async () => {
  const rows = [
    row('nothing is there to be judged', async (check) => check.blocked('x')),
    row('one is one', async (check, given) => given === 1 || check.fail(breach)),
  ];
  const cases: readonly (readonly [CheckBody, string])[] = [
    [() => Promise.resolve(1), 'blocked'],
    [() => Promise.resolve(2), 'fail'],
    [() => Promise.resolve(null), 'pass'],
    [async ({ check }) => check.notApplicable('x'), 'not-applicable'],
  ];
  for (const [body, verdict] of cases) expect((await verdictOf(body, { rows })).verdict).toBe(verdict);
});

test('two ways may be gone at the same time: each changes its own requests, names its own findings and has texts of its own', async () => {
  const asked: string[] = [];
  const server: RequestListener = (request, response) => {
    if (request.url?.includes('way=') === true) asked.push(request.url);
    honest(request, response);
  };
  const texts: string[] = [];
  const said: string[] = [];
  const body: CheckBody = async ({ check }) => {
    const go = (name: string): Promise<void> =>
      check.through({ name, change: (options) => ({ ...options, query: [['way', name]] }) }, async () => {
        for (let at = 0; at < 2; at += 1) await check.send({ path: '/api/v1/units' });
        texts.push(check.fresh('text'));
        check.warn({ code: 'odd', expected: 'this', actual: 'that' });
        check.blocked('the way ends here, and the check goes on');
      });
    await Promise.all([go('east'), go('west')]);
    texts.push(check.fresh('text'));
    said.push(...check.run.observations.map(({ question, observed }) => `${question} ${observed}`));
  };
  const { verdict, findings } = await verdictOf(body, { server });
  expect(verdict).toBe('warn');
  expect(findings.map(({ expected }) => expected).sort()).toEqual(['this, east', 'this, west']);
  expect(asked.map((url) => new URL(url, 'http://a').searchParams.get('way')).sort()).toEqual([
    'east',
    'east',
    'west',
    'west',
  ]);
  expect(new Set(texts).size).toBe(3);
  expect(said.sort()).toEqual(
    ['east', 'west'].map((way) => `Why was this not judged ${way}? the way ends here, and the check goes on`),
  );
});

test('a pass before a server that answers everything alike is blocked, whatever it answers', async () => {
  for (const [status, why] of [
    [404, 'where the API is not'],
    [500, 'answers 500 to everything'],
  ] as const) {
    const server: RequestListener = (_request, response) => response.writeHead(status, json).end('{"ok":false}');
    const found = await verdictOf(async () => undefined, { server });
    expect([found.verdict, found.reason]).toEqual(['blocked', expect.stringContaining(why)]);
  }
  for (const status of [200, 400]) {
    const server: RequestListener = (_request, response) =>
      response.writeHead(status, json).end('{"ok":true,"data":{}}');
    const found = await verdictOf(async () => undefined, { server });
    expect([found.verdict, found.reason]).toEqual(['blocked', expect.stringContaining('prove nothing')]);
    expect((await verdictOf(fails, { server })).verdict).toBe('fail');
    expect((await verdictOf(async () => undefined, { server, level: 'OBSERVE' })).verdict).toBe('pass');
  }
});

test('a pass is no pass where the control cannot be run', async () => {
  const found = await verdictOf(async () => undefined, { server: (request) => request.socket.destroy() });
  expect(found.verdict).toBe('blocked');
});

test('the gate reports the breaches that it sees of a slow requirement, and else leaves it to certify', async () => {
  const body: CheckBody = () => Promise.reject(new Error('the gate runs this'));
  for (const [gateBody, verdict] of [
    [fails, 'fail'],
    [async () => undefined, 'not-applicable'],
    [blocks, 'not-applicable'],
    [throws(new Error('x')), 'error'],
  ] satisfies [CheckBody, string][])
    expect((await verdictOf(body, { gateBody })).verdict).toBe(verdict);
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

test('a key that is needed and not configured makes it not applicable, and API_KEY blocks it', async () => {
  const { verdict, reason } = await verdictOf(fails, { needs: ['API_KEY', 'OTHER_API_KEY'] });
  expect([verdict, reason]).toEqual(['not-applicable', 'a setting is missing: set OTHER_API_KEY (or --other-api-key)']);
  expect((await verdictOf(fails, { needs: ['API_KEY'], settings: { API_KEY: '' } })).verdict).toBe('blocked');
  expect((await verdictOf(fails, { needs: ['API_KEY'] })).verdict).toBe('fail');
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
  expect((await verdictOf(async ({ check }) => check.notApplicable('never offered'))).verdict).toBe('not-applicable');
});

test('findings carry a replay and no secret, and requests are counted', async () => {
  const found = await verdictOf(async ({ check }) => {
    const exchange = await check.send({ path: '/api/v1/units', query: [['q', 'key-for-this-test']] });
    const part = { value: asObject(exchange.response?.json)?.['data'], pointer: '/items' };
    check.fail({ code: 'odd', expected: 'key-for-this-test', actual: 'b', exchanges: [exchange], part });
    const refused = await check.send({ path: '/api/v1/none' });
    const exchanges = [refused];
    check.fail({ code: 'odd', expected: 'a', actual: 'b', exchanges, part: { value: null, pointer: '/id' } });
  });
  expect(JSON.stringify(found)).not.toContain('key-for-this-test');
  // A record that no answer shows is not the first null of one.
  expect(found.findings[1]?.part).toBeUndefined();
  expect(found.findings[1]?.place).toMatchObject({ status: 404, refusal: '{"ok":false,"error":{}}' });
  expect(found.findings[0]).toMatchObject({
    replay: expect.stringContaining(' rerun reports --only '),
    // Before it, the suite looks whether the target is there, and reads the document by which requests are completed.
    exchanges: ['3'],
    part: { exchange: '3', pointer: '/data/items' },
    curl: expect.stringContaining('curl'),
  });
  expect(found.requests).toBe(2);
});

test('a failure that a control explains is judged again, at most four times, and then blocked; where the control fails, it stands', async () => {
  const judged = async (control: (round: number) => Promise<string | null>): Promise<readonly [string, number]> => {
    let rounds = 0;
    const { verdict, requests } = await verdictOf(
      async ({ check }) => {
        rounds += 1;
        await check.send({ path: '/api/v1/units' });
        if (rounds < 6) check.fail(breach);
      },
      { control: () => control(rounds) },
    );
    expect(requests, 'the requests of every round count').toBe(rounds);
    return [verdict, rounds];
  };
  expect(await judged(() => Promise.resolve('sold'))).toEqual(['blocked', 5]);
  expect(await judged((round) => Promise.resolve(round === 1 ? 'sold' : null))).toEqual(['fail', 2]);
  expect(await judged(() => Promise.resolve(null))).toEqual(['fail', 1]);
  expect(await judged(() => Promise.reject(new Error('gone')))).toEqual(['fail', 1]);
});

test('what only a later requirement set demands warns, and says so', async () => {
  expect(await verdictOf(fails, { since: '2027-05' })).toMatchObject({
    verdict: 'warn',
    upcoming: '2027-05',
    reason: 'upcoming in the set 2027-05; today it would fail: expected a; seen: b',
  });
  expect(await verdictOf(blocks, { since: '2027-05' })).toMatchObject({ verdict: 'warn', upcoming: '2027-05' });
  expect(await verdictOf(async () => undefined, { since: '2027-05' })).toMatchObject({
    verdict: 'pass',
    upcoming: '2027-05',
  });
  expect(await verdictOf(fails, { since: '2026-11' })).toMatchObject({ verdict: 'fail' });
  expect(await verdictOf(fails, { since: '2026-11' })).not.toHaveProperty('upcoming');
  // A further demand of a requirement that is owed already.
  const further: CheckBody = async ({ check }) => check.fail({ ...breach, since: '2027-05' });
  expect(await verdictOf(further)).toMatchObject({
    verdict: 'warn',
    findings: [{ expected: 'a, upcoming in the set 2027-05' }],
  });
});
