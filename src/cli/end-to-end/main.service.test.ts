import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { startReference } from '../../reference/start-reference.js';
import { createListener } from '../../webhooks/listener.js';
import { closing, serve } from '../../loopback.test-kit.js';
import { runInProcess as run, startProcess } from '../run.test-kit.js';
import { scratch } from '../../folder.test-kit.js';

test('list, explain, help and version answer', async () => {
  const [list, explain, help, version, faults] = await Promise.all([
    run(['list']),
    run(['explain', 'UNIT-03']),
    run(['--help']),
    run(['--version']),
    run(['serve', '--list']),
  ]);
  expect(list.out).toMatch(/^UNIT-03 +MUST/m);
  expect(explain.out).toContain('filter-lost-on-page-two');
  expect(help.out).toContain('--base-url');
  expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(faults.out).toContain('filter-lost-on-page-two');
  expect([list, explain, help, version, faults].map((one) => one.status)).toEqual([0, 0, 0, 0, 0]);
});

test('serve delivers events of both tenants to the receivers that it is given, signed so that the listener accepts them', async () => {
  const secrets: Record<string, string | undefined> = {};
  const accepted = new EventEmitter();
  const receiver = await serve((request, response) => {
    const listener = createListener({ secret: secrets[request.url ?? ''] ?? '' });
    listener.on('deal.funded', (deal) => void accepted.emit('deal', deal.id));
    listener.handler(request, response);
  });
  using place = scratch();
  const { child } = startProcess(['serve', '--host', '0.0.0.0', '--webhook', `${receiver.url}/{tenant}`], place.folder);
  try {
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const settings = parse(printed);
    secrets['/main'] = settings['SIGNING_SECRET'];
    secrets['/other'] = settings['OTHER_SIGNING_SECRET'];
    expect(settings['BASE_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(String(printed)).toContain(`go to ${receiver.url}/main`);
    const trigger = (settings['WEBHOOK_TRIGGER'] ?? '').replace('{kind}', 'deal.funded');
    for (const url of [trigger, `${trigger}?tenant=other`]) {
      const deal = once(accepted, 'deal');
      await fetch(url, { method: 'POST' });
      expect(String(await deal)).toMatch(/./);
    }
  } finally {
    child.kill();
    await receiver.close();
  }
});

test('the npm scripts judge the embedded service where BASE_URL is not set, and say so first', async () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['certify', 'gate', 'load']) expect(scripts[name]).toMatch(/ --embedded-if-unset$/);
  const args = ['gate', '--embedded-if-unset', '--only', 'PLAN-01'];
  const [unset, set] = await Promise.all([run(args), run([...args, '--base-url', 'http://127.0.0.1:1'])]);
  expect(unset.out).toMatch(/^BASE_URL is not set, so this judges the embedded reference service/);
  expect([unset.status, set.status]).toEqual([0, 3]);
  expect(set.out).toMatch(/^ {2}■ http:\/\/127\.0\.0\.1:1 cannot be reached/);
});

test('the exchanges of a run as an archive carry their date and the version', async () => {
  using place = scratch();
  const { folder } = place;
  const out = join(folder, 'reports');
  const gate = ['gate', '--embedded', '--only', 'PLAN-01,LIMIT-01', '--out', out];
  expect((await run(gate)).status).toBe(0);
  const archive = JSON.parse((await run(['har', 'PLAN-01', '--out', out])).out) as {
    log: { creator: { version: string }; entries: { startedDateTime: string }[] };
  };
  expect(archive.log.creator.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(Math.abs(Date.parse(archive.log.entries[0]?.startedDateTime ?? '') - Date.now())).toBeLessThan(60_000);
  for (const [id, says] of [
    ['UNIT-03', `UNIT-03 was not judged in the run in ${out}: expected one of PLAN, LIMIT; name another run`],
    ['LIMIT-01', `LIMIT-01 sent no request of its own in the run in ${out}: `],
  ] as const) {
    const without = await run(['har', id, '--out', out]);
    expect(without).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
    expect(without.err).toContain(says);
  }
});

test('what is waived is no failure anywhere on the terminal', async () => {
  using place = scratch();
  const file = join(place.folder, 'waivers.yaml');
  await writeFile(file, 'waivers:\n  - id: DEAL-01\n    reason: known\n    expires: 2999-01-01\n');
  await using reference = closing(await startReference({ faults: ['deals-bare'] }));
  const key = ['--api-key', reference.settings['API_KEY'] ?? '', '--only', 'DEAL-01,PLAN-01'];
  const { status, out } = await run(['gate', '--base-url', reference.baseUrl, ...key, '--waivers', file]);
  expect(status, out).toBe(0);
  expect(out).toMatch(/~ DEAL .* 1 waived\n/);
  expect(out).not.toMatch(/✗|1 failed/);
});

test('a gate without API_KEY is incomplete, and says how much it judged and what to set', async () => {
  // A service for each: together they would wait for the demo's limit.
  const gate = async (...more: string[]): ReturnType<typeof run> => {
    const reference = await startReference();
    return run(['gate', '--base-url', reference.baseUrl, ...more]).finally(() => reference.close());
  };
  const [all, quiet, demo] = await Promise.all([gate(), gate('--quiet'), gate('--quiet', '--only', 'DEMO')]);
  expect([all.status, quiet.status, demo.status]).toEqual([3, 3, 0]);
  expect(all.out).toMatch(/INCOMPLETE .*, 12 of 84 judged: /);
  expect(all.out).toMatch(
    /^ {2}■ no key is configured: set API_KEY .*\n {4}\d\d requirements are blocked for this reason/,
  );
  expect(all.out.trim().split('\n').length, all.out).toBeLessThanOrEqual(5);
  expect(quiet.out).toMatch(/^incomplete: http.*, 12 of 84 judged, 0 failed; 52 more: set API_KEY; .*see .*\n$/);
  expect(demo.out).toMatch(/^conformant: .*, 4 of 5 judged, 0 failed; 1 more: set API_KEY; see/);
});

test('--require makes a run incomplete that did not judge a level or a requirement, and no other', async () => {
  const args = ['gate', '--embedded', '--only', 'DEMO,PLAN,DOC-10,LIMIT-02', '--quiet'];
  const [held, level, id, leftOut] = await Promise.all([
    run([...args, '--require', 'demo', '--require', 'PLAN-01']),
    run([...args, '--require', 'Limits']),
    run([...args.slice(0, -1), '--require', 'Demo', '--require', 'doc-10']),
    run([...args, '--require', 'VER-02']),
  ]);
  expect([held, level, id, leftOut].map(({ status }) => status)).toEqual([0, 3, 3, 3]);
  expect(id.out).toMatch(/■ DOC-10 .*\n {4}why {7}.*: set CONTRACT \(or --contract\); --require asks for it\n/);
  expect(leftOut.out).toMatch(/^incomplete: .*, 10 of 13 judged/);
});

test('a wrong second key and what --require asks for are each named once', async () => {
  const args = ['gate', '--embedded', '--other-api-key', 'nobody-knows', '--only', 'AUTH-04,IDEM-06,IDEM-07,HOOK-08'];
  const { status, out } = await run([...args, '--require', 'HOOK-08', '--require', 'LIMIT-01']);
  expect(status, out).toBe(3);
  expect(out).toMatch(
    /■ OTHER_API_KEY with OTHER_TENANT is refused with "401 key_unknown": [^\n]*\n {4}3 requirements are blocked for this reason/,
  );
  expect(out).toMatch(/■ HOOK-08 .*\n {4}why .*: set WEBHOOK_RECEIVER .*; --require asks for it\n/);
  expect(out).toMatch(/■ LIMIT-01 .*\n {4}why {7}--only leaves it out; --require asks for it\n/);
});

test('a misspelt setting is named before the run is refused for want of it, and .env is read', async () => {
  using place = scratch();
  const misspelt = await run(['gate'], { BASE_ULR: 'http://127.0.0.1:1' });
  await writeFile(join(place.folder, '.env'), 'BASE_URL=nonsense\n');
  const ended = await run(['gate'], {}, place.folder);
  expect([misspelt.status, ended.status]).toEqual([2, 2]);
  expect(misspelt.err).toMatch(/^BASE_ULR: did you mean BASE_URL\?\nBASE_URL is missing/);
  expect(ended.err).toMatch(/BASE_URL is "nonsense"/);
});
