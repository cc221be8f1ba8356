import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { startReference } from '../../reference/start-reference.js';
import { closing, listen, serve, type Loopback } from '../../loopback.test-kit.js';
import { runInProcess as run } from '../run.test-kit.js';
import { handOn } from '../../proxy.test-kit.js';

/** Answers every request alike. */
const always = (status: number, type: string, body: string) => (): Promise<Loopback> =>
  serve((_, response) => void response.writeHead(status, { 'content-type': type }).end(body));
const page = '<!doctype html><title>Console</title><style>a{}</style><body>Please <b>sign in</b></body>';
const json = 'application/json';
const closedPort = async (): Promise<Loopback> => {
  const closed = await serve(() => undefined);
  await closed.close();
  return closed;
};
const noHttp = (): Promise<Loopback> => listen(createSocketServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));

const key = ['--api-key', 'nobody-knows-this-key'];
const embedded = ['--embedded'];

/** What the target is, how a run with these flags ends, and what it says. */
const unusable: readonly (readonly [string, (() => Promise<Loopback>) | null, readonly string[][], 2 | 3, RegExp])[] = [
  ['a closed port', closedPort, [[], key], 3, /it refuses connections/g],
  ['503 to everything', always(503, 'text/html', '<h1>Away</h1>'), [[], key], 3, /it answers 503 to everything/g],
  ['a service that only fails', always(500, json, '{"ok":false}'), [[], key], 3, /answers 500 to everything/g],
  ['a port that speaks no HTTP', noHttp, [[], key], 3, /does not speak HTTP|closes every connection/g],
  ['a name that is not known', null, [['--base-url', 'http://no-such-name.invalid']], 3, /its name is not known/g],
  ['an unknown key', null, [[...embedded, ...key]], 2, /not accept API_KEY: it answers "401 key_unknown"/g],
  [
    'an unknown tenant',
    null,
    [[...embedded, '--tenant', 'nobody']],
    2,
    /not accept the tenant of TENANT \("nobody"\): it answers "403 tenant_forbidden"/g,
  ],
  [
    'a console',
    always(200, 'text/html', page),
    [[], key],
    2,
    /200 text\/html "Console Please sign in"\): is it the root/g,
  ],
  ['a proxy', always(403, 'text/html', page), [[], key], 2, /→ 403 text\/html "Console Please sign in"\): .*--header/g],
  ['a path without the API', always(404, json, '{"error":"none"}'), [[], key], 2, /→ 404 application\/json/g],
  ['a proxy for certificates', always(400, 'text/html', page), [[], key], 2, /→ 400 text\/html .*CLIENT_CERT/g],
  [
    'a proxy that asks for a login, which is not blamed on the key',
    always(401, json, '{"ok":false,"error":{"code":"login_needed"}}'),
    [key],
    2,
    /^(?!.*API_KEY).*answers "401 login_needed" to every request, also where no key is needed .*--header/g,
  ],
];

for (const [what, start, flags, expected, says] of unusable)
  test(`${what} is named once, in at most five lines, and ends with ${expected}`, async () => {
    await using target = start === null ? null : await start();
    for (const more of flags) {
      const url = target === null ? [] : ['--base-url', target.url];
      const { status, out, err } = await run(['gate', ...url, ...more]);
      const said = out + err;
      expect(said.match(says), said).toHaveLength(1);
      expect(said.trim().split('\n').length, said).toBeLessThanOrEqual(expected === 2 ? 1 : 5);
      expect(said).not.toMatch(/\bat .*:\d+:\d+/);
      if (expected === 3) expect(out).toMatch(/ requirements are blocked for this reason[^]*INCOMPLETE/);
      else expect(out).toBe('');
      expect(status).toBe(expected);
    }
  });

test('a closed port is reported within two seconds, and a silent one in about five', async () => {
  await using silent = await listen(createSocketServer(() => undefined));
  for (const [url, mostMs] of [
    ['http://127.0.0.1:1', 2_000],
    [silent.url, 7_000],
  ] as const) {
    const beganMs = performance.now();
    const { status } = await run(['gate', '--base-url', url, ...key, '--quiet']);
    expect(status).toBe(3);
    expect(performance.now() - beganMs).toBeLessThan(mostMs);
  }
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

test('doctor shows how the lists of a service are asked for, as it was found', async () => {
  const variant = { 'cursor-parameter': 'starting_after', 'required-parameters': 'everywhere' } as const;
  const reference = await startReference({ variant });
  const { API_KEY = '', TENANT = '' } = reference.settings;
  const options = ['--base-url', reference.baseUrl, '--api-key', API_KEY, '--tenant', TENANT];
  const [found, wrong] = await Promise.all([
    run(['doctor', ...options]),
    run(['doctor', '--embedded', '--cursor-param', 'page']),
  ]);
  await reference.close();
  expect(found.out).toMatch(
    /dialect +\/api\/v1\/units: GET POST, by id .*starting_after.*locale is required, such as en-US/,
  );
  expect(wrong.out).toMatch(/dialect .*CURSOR_PARAM is "page", and the document declares "cursor"/);
});
