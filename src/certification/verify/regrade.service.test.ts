import { expect, test } from '@playwright/test';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Requirement } from '../../requirement/requirement.js';
import type { RawSettings } from '../../settings/setting-table.js';
import type { RequirementResult } from '../../requirement/types.js';
import { regrade } from './regrade.js';
import { runInto, sampleCheck, startService, type Answerer } from '../run.test-kit.js';
import { scratch } from '../../folder.test-kit.js';

const settings = { API_KEY: 'sk_canary_0123456789', TENANT: 'north' };

/** A service that counts, refuses some requests for a moment, answers out of order and echoes the key. */
function lively(): Answerer {
  let made = 0;
  let refused = 0;
  const keys = new Map<string, number>();
  return (request, body, reply, response) => {
    const path = request.url ?? '';
    if (path === '/api/openapi.json')
      return reply(200, { openapi: '3.1.0', info: { title: 't', version: '1' }, paths: {} });
    if (path.startsWith('/api/v1/'))
      return path.startsWith('/api/v1/units?')
        ? reply(200, { ok: true, data: { items: [] } })
        : reply(404, { ok: false, error: {} });
    if (path.startsWith('/slow'))
      return setTimeout(() => reply(200, { at: (made += 1) }), Number(path.split('/').at(-1)));
    if (path === '/busy' && refused++ < 2) return reply(429, { ok: false, error: {} }, { 'retry-after': '0' });
    if (path === '/whoami') return reply(200, { ok: true, data: { you: request.headers.authorization } });
    if (path === '/cut') return response.destroy();
    const key = String(request.headers['idempotency-key'] ?? '');
    if (key !== '' && !keys.has(key)) keys.set(key, (made += 1));
    return reply(201, { ok: true, data: { number: keys.get(key) ?? (made += 1), body, path } });
  };
}

/** How long a check took is no verdict. */
const untimed = (results: readonly RequirementResult[]): RequirementResult[] =>
  results.map((result) => ({ ...result, seconds: 0 }));

/** What was sent while something was recorded is not sent again. */
const unnumbered = (results: readonly RequirementResult[]): unknown[] =>
  untimed(results).map((result) => ({
    ...result,
    requests: null,
    // A run that is graded again was not started by a command.
    findings: result.findings.map((finding) => ({ ...finding, replay: null })),
  }));

const checks: Requirement[] = [
  sampleCheck('LEAD-01', 'MUST', async ({ check }) => {
    const first = await check.ask({ method: 'POST', path: '/leads', json: { name: check.fresh('name') } });
    const second = await check.ask({ method: 'POST', path: '/leads', json: { name: check.fresh('name') } });
    check.observe('two numbers', `${first.response.text ?? ''} ${second.response.text ?? ''}`);
  }),
  sampleCheck('IDEM-03', 'MUST', async ({ check }) => {
    const key = check.fresh('key');
    const race = await Promise.all(
      Array.from({ length: 6 }, () =>
        check.ask({ method: 'POST', path: '/leads', headers: [['idempotency-key', key]], json: {} }),
      ),
    );
    const others = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        check.ask({ method: 'POST', path: '/leads', headers: [['idempotency-key', `${key}${at}`]], json: {} }),
      ),
    );
    check.observe('race', race.map((one) => one.response.text).join());
    check.observe('others', others.map((one) => one.response.text).join());
    const order: string[] = [];
    await Promise.all(
      [60, 5, 30].map(async (ms) => {
        const answer = await check.ask({ path: `/slow/${ms}` });
        order.push(`${ms}: ${answer.response.text ?? ''}`);
        const next = await check.ask({ path: '/slow/1', headers: [['x-after', String(ms)]] });
        order.push(next.response.text ?? '');
      }),
    );
    check.observe('order of answers', order.join());
  }),
  sampleCheck('LIMIT-01', 'MUST', async ({ check }) => {
    // Which of two equal requests at the same time is which says nothing.
    const both = (await Promise.all([check.ask({ path: '/busy' }), check.ask({ path: '/busy' })])).toSorted(
      (one, other) => one.seq - other.seq,
    );
    check.observe('waited out', both.map((one) => one.throttled).join());
    check.fail({ code: 'odd', expected: 'never 429', actual: `${both[0]?.throttled ?? 0} of them`, exchanges: both });
  }),
  sampleCheck('AUTH-06', 'SHOULD', async ({ check }) => {
    const exchange = await check.ask({ path: '/whoami', query: [['key', check.target.keys.API_KEY ?? '']] });
    if (exchange.response.text?.includes('[redacted:'))
      check.fail({ code: 'odd', expected: 'no key echoed', actual: exchange.response.text, exchanges: [exchange] });
    await check.ask({
      path: '/whoami',
      as: { name: 'a changed key', authorization: `Bearer ${check.target.keys.API_KEY ?? ''}x` },
    });
  }),
  sampleCheck('DEAL-01', 'MUST', async ({ check }) => {
    const ids = await check.once('shared', async () => (await check.ask({ path: '/deals?limit=3' })).response.text);
    check.observe('shared', ids ?? '');
  }),
  sampleCheck('DEAL-02', 'MUST', async ({ check }) => {
    const ids = await check.once('shared', async () => (await check.ask({ path: '/deals?limit=3' })).response.text);
    check.observe('shared again', ids ?? '');
    const { present } = await check.contract();
    return check.blocked(present ? 'it cannot be told' : 'there is no document');
  }),
  sampleCheck('HOOK-01', 'MUST', async ({ check }) => {
    const value = await check.recorded('deliveries', async () => ({
      bytes: Buffer.from([0xff, 0]),
      worst: Infinity,
      sent: (await check.send({ path: '/hook' })).seq,
    }));
    check.observe('recorded', `${value.bytes.toString('hex')} ${value.worst} ${value.sent}`);
  }),
  sampleCheck('HOOK-02', 'MUST', async ({ check }) => {
    const value = await check.recorded('clock', () => Promise.resolve(Math.random()));
    check.observe('recorded chance', String(value));
  }),
  sampleCheck('UNIT-01', 'MUST', async ({ check }) => {
    const exchange = await check.send({ path: '/cut' });
    check.fail({ code: 'odd', expected: 'an answer', actual: exchange.failure?.kind ?? 'one', exchanges: [exchange] });
  }),
  sampleCheck('VER-01', 'MUST', () => Promise.reject(new TypeError('a defect of the suite'))),
  sampleCheck('ENV-01', 'MUST', async ({ check }) => {
    const all = await check.run.exchanges();
    check.observe('seen', all.map((one) => `${one.seq}:${one.asker}:${one.response?.status ?? 0}`).join());
  }),
];

/** Runs checks before a lively service: their report, and how the evidence is graded again with the service switched off. */
async function recorded(live: readonly Requirement[], more: RawSettings = {}) {
  const place = scratch();
  const service = await startService(lively());
  const report = await runInto(place.folder, { ...settings, ...more, BASE_URL: service.url }, live);
  await service.close();
  const evidenceDir = join(place.folder, 'evidence');
  return { ...place, report, again: (by = live, known = {}) => regrade({ evidenceDir, checks: by, known }) };
}

test('what is graded again from the evidence is what was graded live, with the service switched off', async () => {
  using run = await recorded(checks);
  const again = await run.again();
  expect(again.notAsked.size).toBe(0);
  expect(unnumbered(again.results)).toEqual(unnumbered(run.report.requirements));
  expect(again.observations).toEqual(run.report.observations);
  expect(run.report.target).toMatchObject(again.served);
  expect(run.report.counts).toMatchObject({ fail: 2, warn: 1, blocked: 1, error: 1 });
});

test('a question that the evidence does not answer blocks its requirement, and nothing else', async () => {
  using run = await recorded(checks);
  const other = sampleCheck('DEAL-01', 'MUST', async ({ check }) => {
    await check.ask({ path: '/deals?limit=4' });
  });
  const again = await run.again(checks.map((check) => (check.id === other.id ? other : check)));
  const changed = again.results.filter(
    (result) => result.verdict !== run.report.requirements.find((one) => one.id === result.id)?.verdict,
  );
  expect(changed.map((one: RequirementResult) => [one.id, one.verdict, one.reason])).toEqual([
    ['DEAL-01', 'blocked', 'the evidence holds no answer to GET /deals?limit=4'],
  ]);
});

test('a verifier with the secret computes the signature verdicts again; one without it takes them as recorded', async () => {
  const secret = 'whsec_0123456789';
  const signed = sampleCheck('HOOK-02', 'MUST', async ({ check }) => {
    const right = await check.recorded('signatures', () => Promise.resolve(check.target.signingSecret === secret), [
      'SIGNING_SECRET',
      'OTHER_SIGNING_SECRET',
    ]);
    if (!right) check.fail({ code: 'odd', expected: 'the right secret', actual: 'another' });
  });
  using run = await recorded([signed], { SIGNING_SECRET: secret });
  for (const [known, verdict, taken] of [
    [{}, 'pass', ['signatures']],
    [{ SIGNING_SECRET: secret }, 'pass', []],
    [{ SIGNING_SECRET: 'whsec_another_one' }, 'fail', []],
  ] as const) {
    const { results, takenAsRecorded } = await run.again([signed], known);
    expect([results[0]?.verdict, takenAsRecorded]).toEqual([verdict, taken]);
  }
});

test('a service that goes away in mid-run is found gone again', async () => {
  using place = scratch();
  const service = await startService(lively());
  const dying = [
    sampleCheck('UNIT-01', 'MUST', async ({ check }) => {
      await check.ask({ path: '/units' });
    }),
    sampleCheck('UNIT-02', 'MUST', async ({ check }) => {
      await service.close();
      const exchange = await check.send({ path: '/units/1' });
      check.fail({ code: 'odd', expected: 'a service', actual: 'none', exchanges: [exchange] });
    }),
    sampleCheck('UNIT-03', 'MUST', async ({ check }) => {
      await check.send({ path: '/units' });
    }),
  ];
  const live = await runInto(place.folder, { ...settings, BASE_URL: service.url }, dying, { outageMs: 300 });
  const again = await regrade({ evidenceDir: join(place.folder, 'evidence'), checks: dying });
  expect(live.requirements.map((one) => one.verdict)).toEqual(['pass', 'blocked', 'blocked']);
  expect(untimed(again.results)).toEqual(untimed(live.requirements));
});

test('nothing is sent while a run is graded again, even by a check that goes its own way', async () => {
  using place = scratch();
  let heard = 0;
  await using service = await startService((request, _body, reply) => {
    heard += 1;
    reply(request.url?.startsWith('/api/v1/units') ? 200 : 404, { ok: true, data: {} });
  });
  const wayward = [
    sampleCheck('LIMIT-01', 'MUST', async ({ check }) => {
      const said = await new Promise<string>((resolve) => {
        get(`${check.target.baseUrl}/api/v1/units`, { agent: false }, (answer) =>
          resolve(String(answer.resume().statusCode)),
        ).on('error', (error) => resolve(error.message));
      });
      if (said !== '200') check.fail({ code: 'odd', expected: 'an answer', actual: said });
    }),
  ];
  await runInto(place.folder, { ...settings, BASE_URL: service.url }, wayward);
  const before = heard;
  const again = await regrade({ evidenceDir: join(place.folder, 'evidence'), checks: wayward });
  expect(again.results[0]?.reason).toContain('nothing is sent while a run is graded again');
  expect(heard).toBe(before);
  expect((await fetch(`${service.url}/api/v1/units`)).status).toBe(200);
});
