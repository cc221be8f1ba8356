import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { startReference } from '../reference/start-reference.js';
import { createListener } from '../webhook/listener.js';
import { listen, serve } from '../loopback.test-kit.js';
import type { Loopback } from '../loopback.test-kit.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the compiled command line in an empty folder and an environment without settings. */
async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  try {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        [main, ...args],
        { cwd: folder, env: { PATH: process.env['PATH'], NO_COLOR: '1', ...more }, timeout: 100_000, maxBuffer: 1e7 },
        (error, out, err) => {
          resolve({ status: error === null ? 0 : typeof error.code === 'number' ? error.code : 99, out, err });
        },
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const wrong: readonly (readonly [string, readonly string[], RegExp, NodeJS.ProcessEnv?])[] = [
  ['no command', [], /no command/],
  ['an unknown command', ['certfy'], /"certfy" is no command/],
  ['an unknown flag', ['gate', '--bse-url', 'x'], /bse-url/],
  ['an unknown id', ['gate', '--only', 'UNIT-99'], /UNIT-99/],
  ['an empty selection', ['gate', '--only', ','], /--only is empty/],
  ['a level that is none', ['gate', '--require', 'Gold'], /--require names "Gold": .*Core, Demo, Webhooks, Limits/],
  ['an operand', ['gate', 'UNIT-03'], /--only UNIT-03/],
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
  ['an output folder that cannot be', ['gate', '--embedded', '--out', '/dev/null/x'], /--out names/],
  ['an unknown fault', ['serve', '--fault', 'gremlin'], /--fault names "gremlin"/],
  ['an unknown dial', ['serve', '--variant', 'colour=red'], /--variant holds "colour=red"/],
  [
    'a receiver that is no URL',
    ['serve', '--webhook', 'localhost:8080'],
    /--webhook is "localhost:8080": expected the URL/,
  ],
  ['explain without an id', ['explain'], /explain takes one requirement/],
];

for (const [what, args, says, more] of wrong) {
  test(`${what} ends with status 2 and one sentence`, async () => {
    const { status, out, err } = await run(args, more);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(says);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\bat .*:\d+:\d+/);
  });
}

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

test('serve delivers events to the receiver that it is given, signed so that the listener accepts them', async () => {
  let secret = '';
  const accepted = new EventEmitter();
  const receiver = await serve((request, response) => {
    const listener = createListener({ secret });
    listener.on('deal.funded', (deal) => void accepted.emit('deal', deal.id));
    listener.handler(request, response);
  });
  const child = spawn(process.execPath, [main, 'serve', '--webhook', receiver.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const settings = parse(printed);
    secret = settings['SIGNING_SECRET'] ?? '';
    expect(String(printed)).toContain(`go to ${receiver.url}`);
    const deal = once(accepted, 'deal');
    await fetch((settings['WEBHOOK_TRIGGER'] ?? '').replace('{kind}', 'deal.funded'), { method: 'POST' });
    expect(String(await deal)).toMatch(/./);
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
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['certify', 'gate', 'load']) expect(scripts[name]).toMatch(/ --embedded-if-unset$/);
  const asked = ['gate', '--embedded-if-unset', '--only', 'PLAN-01'];
  const [unset, set] = await Promise.all([run(asked), run([...asked, '--base-url', 'http://127.0.0.1:1'])]);
  expect(unset.out).toMatch(/^BASE_URL is not set, so this judges the embedded reference service/);
  expect([unset.status, set.status]).toEqual([0, 3]);
  expect(set.out).toMatch(/^http:\/\/127\.0\.0\.1:1, /);
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
    () => listen(createSocketServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')) as unknown as Server),
    /does not speak HTTP|closes every connection/,
  ],
];

for (const [what, start, says] of away) {
  for (const key of [[], ['--api-key', 'nobody-knows-this-key']]) {
    test(`${what} ends with 3 and one sentence, ${key.length === 0 ? 'without' : 'with'} a key`, async () => {
      const target = await start();
      const { status, out, err } = await run(['gate', '--base-url', target.url, ...key]);
      await target.close().catch(() => undefined);
      expect(out).toContain('INCOMPLETE');
      expect(out.match(new RegExp(says, 'g'))).toHaveLength(1);
      expect(out).toContain(' requirements are blocked for this reason');
      expect(out.trim().split('\n').length).toBeLessThan(25);
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

test('a closed port is told within two seconds, and a silent one in about five', async () => {
  const silent = await listen(createSocketServer(() => undefined) as unknown as Server);
  const startedMs = performance.now();
  await run(['--version']);
  const bareMs = performance.now() - startedMs;
  for (const [url, mostMs] of [
    ['http://127.0.0.1:1', 2_000],
    [silent.url, 7_000],
  ] as const) {
    const beganMs = performance.now();
    const { status } = await run(['gate', '--base-url', url, '--api-key', 'any-key-at-all', '--quiet']);
    expect(status).toBe(3);
    expect(performance.now() - beganMs - 2 * bareMs).toBeLessThan(mostMs);
  }
  await silent.close().catch(() => undefined);
});

test('a gate without API_KEY is incomplete, and says how much it judged and what to set', async () => {
  // A service for each: together they would wait for the demo's limit.
  const gate = async (...more: string[]): ReturnType<typeof run> => {
    const reference = await startReference();
    return run(['gate', '--base-url', reference.baseUrl, ...more]).finally(() => reference.close());
  };
  const [all, quiet, demo] = await Promise.all([gate(), gate('--quiet'), gate('--quiet', '--only', 'DEMO')]);
  expect([all.status, quiet.status, demo.status]).toEqual([3, 3, 0]);
  expect(all.out).toMatch(/INCOMPLETE .*, 12 of 84 judged\n/);
  expect(all.out).toMatch(/^ {2}52 more: set API_KEY \(/m);
  expect(all.out).toMatch(/^ {2}10 more: run certify \(LIMIT-01, /m);
  expect(all.out.match(/no key is configured: set API_KEY /g)).toHaveLength(1);
  expect(quiet.out).toMatch(/^incomplete: http.*, 12 of 84 judged, 0 failed; 52 more: set API_KEY; .*see .*\n$/);
  expect(demo.out).toMatch(/^conformant: .*, 4 of 5 judged, 0 failed; 1 more: set API_KEY; see/);
});

test('--require makes a run incomplete that did not judge a level or a requirement, and no other', async () => {
  const asked = ['gate', '--embedded', '--only', 'DEMO,PLAN,DOC-10,LIMIT-02', '--quiet'];
  const [held, level, id, leftOut] = await Promise.all([
    run([...asked, '--require', 'demo', '--require', 'PLAN-01']),
    run([...asked, '--require', 'Limits']),
    run([...asked.slice(0, -1), '--require', 'Demo', '--require', 'doc-10']),
    run([...asked, '--require', 'VER-02']),
  ]);
  expect([held, level, id, leftOut].map(({ status }) => status)).toEqual([0, 3, 3, 3]);
  expect(id.out).toContain('set CONTRACT (or --contract); --require asks for it');
  expect(leftOut.out).toMatch(/^incomplete: .*, 10 of 13 judged/);
});

test('a key that the service accepts nowhere fails nothing and is named once, in the words of the service', async () => {
  const { status, out } = await run([
    'gate',
    '--embedded',
    '--api-key',
    'nobody-knows-this-key',
    '--only',
    'DEMO,UNIT,AUTH',
  ]);
  expect(out).toMatch(/does not accept API_KEY: it answers "401 key_unknown"/);
  expect(out).not.toContain('failed');
  expect(out).toMatch(/DEMO .* passed/);
  expect(out.trim().split('\n').length).toBeLessThan(25);
  expect(status).toBe(3);
});

test('a tenant that the service does not know fails nothing and is named once', async () => {
  const { status, out } = await run(['gate', '--embedded', '--tenant', 'nobody', '--only', 'DEMO,UNIT,AUTH']);
  expect(out).toContain('does not accept the tenant of TENANT: it answers "403 tenant_forbidden"');
  expect(out).not.toContain('failed');
  expect(status).toBe(3);
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
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  await writeFile(join(folder, '.env'), 'BASE_URL=nonsense\n');
  const ended = await new Promise<Ended>((resolve) => {
    execFile(process.execPath, [main, 'gate'], { cwd: folder, env: { PATH: process.env['PATH'] } }, (error, out, err) =>
      resolve({ status: Number(error?.code ?? 0), out, err }),
    );
  });
  await rm(folder, { recursive: true, force: true });
  expect(ended.status).toBe(2);
  expect(ended.err).toMatch(/BASE_URL is "nonsense"/);
});

test('doctor foretells what a gate judges, and names what keeps it from more', async () => {
  const compare = async (hooked: boolean, status: number): Promise<void> => {
    // A service for each: together they would wait for the demo's limit.
    const reference = await startReference();
    const { API_KEY = '', TENANT = '', SIGNING_SECRET = '', WEBHOOK_TRIGGER = '' } = reference.settings;
    const keyed = ['--api-key', API_KEY, '--tenant', TENANT, '--signing-secret', SIGNING_SECRET];
    const more = hooked ? [...keyed, '--webhook-trigger', WEBHOOK_TRIGGER, '--read-only'] : [];
    const settings = ['--base-url', reference.baseUrl, ...more];
    const [foretold, judged] = await Promise.all([run(['doctor', ...settings]), run(['gate', ...settings])]).finally(
      () => reference.close(),
    );
    expect([foretold.status, judged.status], judged.out).toEqual([status, status]);
    const missing = (text: string): string[] => text.match(/^ {2}\d+ more: .*$/gm) ?? [];
    const gate = foretold.out.split('\ncertify: ')[0] ?? '';
    expect(missing(gate)).toEqual(missing(judged.out));
    expect(gate).toContain(`gate: ${/\b\d+ of 84 judged/.exec(judged.out)?.[0] ?? ''}, about `);
  };
  await Promise.all([compare(false, 3), compare(true, 0)]);
});

test('doctor names a wrong key with the words of the service, a wrong address and a closed port', async () => {
  const reference = await startReference();
  const [key, address, closed] = await Promise.all([
    run(['doctor', '--base-url', reference.baseUrl, '--api-key', 'nobody-knows-this-key']),
    run(['doctor', '--base-url', `${reference.baseUrl}/api`]),
    run(['doctor', '--base-url', 'http://127.0.0.1:1']),
  ]);
  await reference.close();
  expect([key.status, address.status, closed.status]).toEqual([2, 2, 3]);
  expect(key.out).toContain('it answers "401 key_unknown"');
  expect(address.err).toContain(`did you mean ${reference.baseUrl}?`);
  expect(closed.out).toMatch(/^ {2}✗ address +http:\/\/127\.0\.0\.1:1 cannot be reached: it refuses connections.*\n$/);
});
