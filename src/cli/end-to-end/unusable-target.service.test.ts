import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { startReference } from '../../reference/start-reference.js';
import { closing, listen, serve, type Loopback } from '../../loopback.test-kit.js';
import { runInProcess as run } from '../run.test-kit.js';
import { handOn } from '../../proxy.test-kit.js';

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
