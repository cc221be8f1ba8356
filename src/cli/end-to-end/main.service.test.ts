import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { writeKeyPair } from '../../certification/bundle/keys.js';
import { startReference } from '../../reference/start-reference.js';
import { createListener } from '../../webhooks/listener.js';
import { closing, listen, serve, type Loopback } from '../../loopback.test-kit.js';
import { runInProcess as run, runProcess, startProcess } from '../run.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { handOn } from '../../proxy.test-kit.js';

const keys = scratch();
const signer = writeKeyPair(join(keys.folder, 'signer'));
test.afterAll(keys.remove);

const wrong: readonly (readonly [string, readonly string[], RegExp, NodeJS.ProcessEnv?])[] = [
  ['no command', [], /no command/],
  ['an unknown command', ['certfy'], /"certfy" is no command \(did you mean certify\?\): expected one of/],
  ['a misspelt flag', ['gate', '--base-ulr', 'x'], /'--base-ulr' \(did you mean --base-url\?\): expected the flags/],
  ['an unknown flag', ['gate', '--bse-url', 'x'], /bse-url/],
  ['an unknown id', ['gate', '--only', 'UNIT-99'], /UNIT-99/],
  ['an empty selection', ['gate', '--only', ','], /--only is empty/],
  ['a level that is none', ['gate', '--require', 'Gold'], /--require names "Gold": .*Core, Demo, Webhooks, Limits/],
  ['an operand', ['gate', 'UNIT-03'], /--only UNIT-03/],
  [
    'a value for a flag that takes none',
    ['gate', '--read-only', '1'],
    /"1" is not understood .*--read-only, .* take no value/,
  ],
  ['a gate without BASE_URL', ['gate'], /BASE_URL is missing or empty: .*--embedded/],
  ['a certification with an empty BASE_URL', ['certify'], /BASE_URL is missing or empty/, { BASE_URL: '' }],
  ['limits under load without BASE_URL', ['load', '--scenario', 'burst'], /BASE_URL is missing or empty/],
  ['a soak without BASE_URL', ['load', '--scenario', 'soak'], /BASE_URL is missing or empty/],
  [
    '--embedded beside a BASE_URL',
    ['gate', '--embedded', '--base-url', 'http://127.0.0.1:1'],
    /--embedded is given and/,
  ],
  ['a BASE_URL that is none', ['gate', '--base-url', 'staging'], /BASE_URL is "staging"/],
  ['a BASE_URL with a password', ['gate', '--base-url', 'https://u:p@example.com'], /without credentials/],
  ['a seed that is no number', ['gate', '--embedded', '--seed', 'many'], /SEED is "many"/],
  ['limits that are none', ['certify', '--embedded', '--limits-demo', '100'], /LIMITS_DEMO is "100"/],
  [
    'a key with a line break',
    ['gate'],
    /API_KEY is a value with blanks/,
    { BASE_URL: 'http://127.0.0.1:1', API_KEY: 'a b' },
  ],
  [
    'a pinned contract that is missing',
    ['gate', '--embedded', '--contract', 'nowhere.json'],
    /CONTRACT names nowhere.json/,
  ],
  [
    'a bundle that cannot be written',
    ['certify', '--embedded', '--bundle', '/dev/null/x.bundle', '--key', signer.privateFile],
    /--bundle names \/dev\/null\/x\.bundle, which cannot be written/,
  ],
  ['an output folder that cannot be', ['gate', '--embedded', '--out', '/dev/null/x'], /--out names/],
  ['an unknown fault', ['serve', '--fault', 'gremlin'], /--fault names "gremlin"/],
  ['an unknown option', ['serve', '--variant', 'colour=red'], /--variant holds "colour=red"/],
  [
    'a receiver that is no URL',
    ['serve', '--webhook', 'localhost:8080'],
    /--webhook is "localhost:8080": expected the URL/,
  ],
  ['explain of an unknown id', ['explain', 'UNIT-4'], /^explain names "UNIT-4"/],
  [
    'a header without a value',
    ['gate', '--header', 'X-Proxy-Token'],
    /HEADERS \(or --header\) is no header: expected NAME: VALUE/,
    { BASE_URL: 'http://127.0.0.1:1' },
  ],
  [
    'a threshold the wrong way round',
    ['load', '--embedded', '--scenario', 'soak', '--threshold', 'p95>200ms'],
    /"p95>200ms" is kept by a slow or failing service: expected an upper bound/,
  ],
  ['explain without an id', ['explain'], /explain takes one requirement/],
];

for (const [what, args, says, more] of wrong) {
  test(`${what} is refused in one sentence`, async () => {
    const { status, out, err } = await run(args, more);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(says);
    expect(err).toMatch(/^[^\n]+\n$/);
  });
}

test('the process ends with the status, and with the sentence on stderr alone', async () => {
  for (const args of [[], ['gate']]) {
    const { status, out, err } = await runProcess(args, keys.folder);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^[^\n]+\n$/);
  }
});

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
  const { child } = startProcess(['serve', '--webhook', `${receiver.url}/{tenant}`], keys.folder);
  try {
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const settings = parse(printed);
    secrets['/main'] = settings['SIGNING_SECRET'];
    secrets['/other'] = settings['OTHER_SIGNING_SECRET'];
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

test('a conforming service ends with 0, and a section alone can be judged', async () => {
  const { status, out } = await run(['gate', '--embedded', '--only', 'PLAN,DEMO', '--seed', '7']);
  expect(out).toContain('CONFORMANT');
  expect(out).toContain('seed 7');
  expect(status).toBe(0);
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

test('a run in GitHub Actions leaves a summary, and its exchanges as an archive carry their date and the version', async () => {
  using place = scratch();
  const { folder } = place;
  const summary = join(folder, 'summary.md');
  const out = join(folder, 'reports');
  const gate = ['gate', '--embedded', '--only', 'PLAN-01,LIMIT-01', '--out', out];
  expect((await run(gate, { GITHUB_STEP_SUMMARY: summary })).status).toBe(0);
  expect(readFileSync(summary, 'utf8')).toMatch(/^### Conformant: http.*, 1 of 2 judged\n\n- 1 more: run certify\n/);
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

test('a misspelt setting is named before the run is refused for want of it', async () => {
  const { status, err } = await run(['gate'], { BASE_ULR: 'http://127.0.0.1:1' });
  expect(err).toMatch(/^BASE_ULR: did you mean BASE_URL\?\nBASE_URL is missing/);
  expect(status).toBe(2);
});

const away: readonly (readonly [string, () => Promise<Loopback>, RegExp])[] = [
  [
    'a closed port',
    async () => {
      const closed = await serve(() => undefined);
      await closed.close();
      return closed;
    },
    /it refuses connections/,
  ],
  [
    '503 to everything',
    () => serve((_request, response) => response.writeHead(503).end('<h1>Service Unavailable</h1>')),
    /it answers 503 to everything/,
  ],
  [
    'a port that speaks no HTTP',
    () => listen(createSocketServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))),
    /does not speak HTTP|closes every connection/,
  ],
];

for (const [what, start, says] of away) {
  for (const key of [[], ['--api-key', 'nobody-knows-this-key']]) {
    test(`${what} ends with 3 and one sentence, ${key.length === 0 ? 'without' : 'with'} a key`, async () => {
      await using target = await start();
      const { status, out, err } = await run(['gate', '--base-url', target.url, ...key]);
      expect(out).toContain('INCOMPLETE');
      expect(out.match(new RegExp(says, 'g'))).toHaveLength(1);
      expect(out).toContain(' requirements are blocked for this reason');
      expect(out.trim().split('\n').length).toBeLessThanOrEqual(5);
      expect(out + err).not.toMatch(/\bat .*:\d+:\d+/);
      expect(status).toBe(3);
    });
  }
}

test('a name that is not known ends with 3', async () => {
  const { status, out } = await run(['gate', '--base-url', 'http://no-such-name.invalid']);
  expect(status).toBe(3);
  expect(out).toContain('its name is not known');
});

test('a closed port is reported within two seconds, and a silent one in about five', async () => {
  await using silent = await listen(createSocketServer(() => undefined));
  for (const [url, mostMs] of [
    ['http://127.0.0.1:1', 2_000],
    [silent.url, 7_000],
  ] as const) {
    const beganMs = performance.now();
    const { status } = await run(['gate', '--base-url', url, '--api-key', 'any-key-at-all', '--quiet']);
    expect(status).toBe(3);
    expect(performance.now() - beganMs).toBeLessThan(mostMs);
  }
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
  expect(id.out).toMatch(
    /--require asks for 1 requirement that was not judged\n {4}DOC-10: .*: set CONTRACT \(or --contract\)\n/,
  );
  expect(leftOut.out).toMatch(/^incomplete: .*, 10 of 13 judged/);
});

for (const [what, flags, says] of [
  [
    'a key that the service accepts nowhere',
    ['--api-key', 'nobody-knows-this-key'],
    'does not accept API_KEY: it answers "401 key_unknown"',
  ],
  [
    'a tenant that the service does not know',
    ['--tenant', 'nobody'],
    'does not accept the tenant of TENANT ("nobody"): it answers "403 tenant_forbidden"',
  ],
] as const) {
  test(`${what} ends with 2 and one sentence in the words of the service`, async () => {
    const { status, out, err } = await run(['gate', '--embedded', ...flags]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(says);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
}

/** Answers every request alike. */
const always =
  (status: number, type: string, body: string): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const page = '<!doctype html><title>Console</title><style>a{}</style><body>Please <b>sign in</b></body>';

for (const [what, handler, expected, says] of [
  [
    'a console',
    always(200, 'text/html', page),
    2,
    /→ 200 text\/html "Console Please sign in"\): is it the root of the API/,
  ],
  ['the page of a proxy', always(403, 'text/html', page), 2, /→ 403 text\/html "Console Please sign in"\): .*--header/],
  ['a path without the API', always(404, 'application/json', '{"error":"none"}'), 2, /→ 404 application\/json/],
  ['a proxy that wants a client certificate', always(400, 'text/html', page), 2, /→ 400 text\/html .*CLIENT_CERT/],
  ['a service that only fails', always(500, 'application/json', '{"ok":false}'), 3, /answers 500 to everything/],
] as const) {
  test(`${what} is named in at most five lines and ends with ${expected}`, async () => {
    await using target = await serve(handler);
    for (const key of [[], ['--api-key', 'any-key-at-all']]) {
      const { status, out, err } = await run(['gate', '--base-url', target.url, ...key]);
      expect(out + err).toMatch(says);
      expect((out + err).trim().split('\n').length, out).toBeLessThanOrEqual(5);
      expect(status).toBe(expected);
    }
  });
}

test('401 for everything, also where no key is needed, is not blamed on the key', async () => {
  await using target = await serve(always(401, 'application/json', '{"ok":false,"error":{"code":"login_needed"}}'));
  const { status, out, err } = await run(['gate', '--base-url', target.url, '--api-key', 'any-key-at-all']);
  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(err).toMatch(/answers "401 login_needed" to every request, also where no key is needed .*--header/);
  expect(err).not.toContain('API_KEY');
});

/** A service whose document is answered by `answer`, and everything else by a reference service. */
async function documented(status: number, body: string) {
  const reference = await startReference();
  const front = await serve((request, response) => {
    if (request.url !== '/api/openapi.json') handOn(reference.baseUrl, request, response);
    else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  return closing({
    url: front.url,
    key: reference.settings['API_KEY'] ?? '',
    close: () => Promise.all([front.close(), reference.close()]),
  });
}

for (const [what, status, body, says] of [
  [
    'missing',
    404,
    '{"ok":false}',
    /^ {2}✗ DOC-01 .*\n {2}■ there is no OpenAPI document .*: 12 requirements are blocked/,
  ],
  ['empty', 200, '{}', /^ {2}✗ DOC-02, DOC-04, DOC-06 /],
] as const)
  test(`a document that is ${what}, and what waits for it, take at most five lines`, async () => {
    await using target = await documented(status, body);
    const args = ['--base-url', target.url, '--api-key', target.key, '--only', 'DOC,ENV,UNIT-11'];
    const ended = await run(['gate', ...args]);
    expect(ended.out).toMatch(says);
    expect(ended.out.trim().split('\n').length, ended.out).toBeLessThanOrEqual(5);
    expect(ended.status).toBe(1);
  });

test('a wrong second key and what --require asks for are each named once', async () => {
  const args = ['gate', '--embedded', '--other-api-key', 'nobody-knows', '--only', 'AUTH-04,IDEM-06,IDEM-07,HOOK-08'];
  const { status, out } = await run([...args, '--require', 'HOOK-08', '--require', 'LIMIT-01']);
  expect(status, out).toBe(3);
  expect(out).toMatch(
    /■ OTHER_API_KEY with OTHER_TENANT is refused with "401 key_unknown": [^\n]*\n {4}3 requirements are blocked for this reason/,
  );
  expect(out).toMatch(
    /■ --require asks for 2 requirements that were not judged\n {4}HOOK-08: .*: set WEBHOOK_RECEIVER .*\n {4}LIMIT-01: --only leaves it out\n/,
  );
});

test('--wait-ready waits for a service that is starting', async () => {
  const closed = await serve(() => undefined);
  await closed.close();
  const { port } = new URL(closed.url);
  const running = run(['gate', '--base-url', closed.url, '--only', 'DEMO-01,DEMO-02', '--wait-ready', '60']);
  const server = createServer((request, response) =>
    response
      .writeHead(request.url?.startsWith('/api/demo/units') === true ? 200 : 404, {
        'content-type': 'application/json',
      })
      .end('[{"id":"u1","status":"available"}]'),
  );
  await sleep(4_000);
  server.listen(Number(port), '127.0.0.1');
  const { status, out } = await running;
  server.closeAllConnections();
  server.close();
  expect(out).toContain('CONFORMANT');
  expect(status).toBe(0);
});

test('a .env file is read, and what cannot be understood in it is one sentence', async () => {
  using place = scratch();
  const { folder } = place;
  await writeFile(join(folder, '.env'), 'BASE_URL=nonsense\n');
  const ended = await run(['gate'], {}, folder);
  expect(ended.status).toBe(2);
  expect(ended.err).toMatch(/BASE_URL is "nonsense"/);
});

test('doctor names a wrong key with the words of the service, a wrong address and a closed port', async () => {
  const reference = await startReference();
  const { API_KEY = '' } = reference.settings;
  const second = ['--api-key', API_KEY, '--api-base-url', `${reference.baseUrl}/nothing`];
  const [elsewhere, key, address, closed] = await Promise.all([
    run(['doctor', '--base-url', reference.baseUrl, ...second]),
    run(['doctor', '--base-url', reference.baseUrl, '--api-key', 'nobody-knows-this-key']),
    run(['doctor', '--base-url', `${reference.baseUrl}/api`]),
    run(['doctor', '--base-url', 'http://127.0.0.1:1']),
  ]);
  await reference.close();
  expect([key.status, address.status, closed.status]).toEqual([2, 2, 3]);
  expect(elsewhere.out).toContain(`API_BASE_URL is ${reference.baseUrl}/nothing, and GET /v1/units there → 404`);
  expect(key.out).toContain('it answers "401 key_unknown"');
  expect(address.err).toContain(`did you mean ${reference.baseUrl}?`);
  expect(closed.out).toMatch(/^ {2}✗ address +http:\/\/127\.0\.0\.1:1 cannot be reached: it refuses connections.*\n$/);
});
