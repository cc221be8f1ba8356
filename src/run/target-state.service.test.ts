import { createServer as createHttp2Server, createSecureServer as createSecureHttp2Server } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import type { RequestListener } from 'node:http';
import { connect, createServer as createSocketServer } from 'node:net';
import { expect, test } from '@playwright/test';
import { closing, listen, serve } from '../loopback.test-kit.js';
import { readTarget } from '../settings/read-target.js';
import { openRun } from './open-run.js';
import { forbiddenLists, type TargetState } from './target-state.js';
import { certificate, startForwardProxy } from '../proxy.test-kit.js';

/** What the probe says of an address, with a key. */
async function stateOf(baseUrl: string): Promise<TargetState> {
  await using run = closing(openRun(readTarget({ BASE_URL: baseUrl, API_KEY: 'key-for-this-test' })));
  return await run.targetState();
}

const json = { 'content-type': 'application/json' };

/** Answers below a prefix as the API does, and 404 elsewhere. */
const below =
  (prefix: string): RequestListener =>
  (request, response) => {
    const known = /^\/api\/(v1\/units|demo|openapi)/.test(request.url?.replace(prefix, '') ?? '');
    response.writeHead(known ? 200 : 404, json).end(known ? '{"ok":true}' : '{"ok":false}');
  };

test('https where http is spoken, and http where https is, name the other', async () => {
  const pem = await certificate();
  const keys: (string | undefined)[] = [];
  const plain = await serve((request, response) => {
    keys.push(request.headers.authorization);
    response.end('{}');
  });
  const secure = await listen(createSecureServer({ cert: pem.cert, key: pem.private }, below('')));
  const [toPlain, toSecure] = [plain.url.replace('http:', 'https:'), secure.url];
  expect(await stateOf(toPlain)).toMatchObject({
    isMistaken: true,
    unreachable: expect.stringContaining(`that port speaks http: did you mean ${plain.url}?`),
  });
  expect(await stateOf(toSecure)).toMatchObject({
    isMistaken: true,
    unreachable: expect.stringContaining(`did you mean ${toSecure.replace('http:', 'https:')}?`),
  });
  // A certificate that is not trusted is no reason to send a key without one.
  const untrusted = await stateOf(toSecure.replace('http:', 'https:'));
  expect(untrusted.isMistaken).toBeUndefined();
  expect(untrusted.unreachable).toMatch(
    /certificate is not trusted; .*NODE_EXTRA_CA_CERTS \(self-signed certificate\)/,
  );
  await Promise.all([plain.close(), secure.close()]);
  expect(new Set(keys)).toEqual(new Set([undefined]));
});

test('a certificate whose authority does not come with it leads to CA, and a server of HTTP/2 alone is named', async () => {
  const pem = await certificate(await certificate());
  const options = { cert: pem.cert, key: pem.private };
  for (const [server, scheme, says] of [
    [createSecureServer(options, below('')), 'https:', /intermediate certificates as well, or .* in CA or --ca/],
    [createHttp2Server(), 'http:', /it speaks HTTP\/2 only/],
    [createSecureHttp2Server({ ...options, allowHTTP1: false }), 'https:', /it speaks HTTP\/2 only/],
  ] as const) {
    await using target = await listen(server);
    const { unreachable, isMistaken } = await stateOf(target.url.replace('http:', scheme));
    expect(unreachable).toMatch(says);
    expect(isMistaken).toBeUndefined();
  }
});

test('a proxy that answers in the place of a service that it cannot reach is named beside it', async () => {
  await using proxy = await startForwardProxy();
  const settings = { BASE_URL: 'http://127.0.0.1:1', PROXY: proxy.url };
  await using run = closing(openRun(readTarget(settings)));
  const { unreachable, isMistaken } = await run.targetState();
  const { host } = new URL(proxy.url);
  expect(isMistaken).toBeUndefined();
  expect(unreachable).toBe(
    `http://127.0.0.1:1 cannot be judged: it, or the proxy ${host} of PROXY for it, answers 502 to everything`,
  );
});

test('a port that answers 400 to plain http, as nginx does where https is spoken, is named', async () => {
  const pem = await certificate();
  const secure = await listen(createSecureServer({ cert: pem.cert, key: pem.private }, below('')));
  const handshake = 22;
  const front = createSocketServer((socket) =>
    socket.once('data', (chunk) => {
      if (chunk[0] !== handshake) return socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      const inner = connect(Number(new URL(secure.url).port), '127.0.0.1');
      inner.write(chunk);
      return socket.pipe(inner).pipe(socket);
    }),
  );
  const [started, plain] = [
    await listen(front),
    await serve((_request, response) => response.writeHead(400, json).end('{"ok":false}')),
  ];
  expect((await stateOf(started.url)).unreachable).toContain(`did you mean ${started.url.replace('http:', 'https:')}?`);
  expect(await stateOf(plain.url)).toEqual({ unreachable: null, refused: null });
  await Promise.allSettled([started.close(), plain.close(), secure.close()]);
});

test('a BASE_URL that ends in /api names the root above it, unless the API is there', async () => {
  const [root, mounted] = await Promise.all([serve(below('')), serve(below('/api'))]);
  for (const end of ['/api', '/api/v1'])
    expect((await stateOf(`${root.url}${end}`)).unreachable).toContain(`did you mean ${root.url}?`);
  expect(await stateOf(`${mounted.url}/api`)).toEqual({ unreachable: null, refused: null });
  await Promise.all([root.close(), mounted.close()]);
});

test('a redirect stops a run only where everything is redirected, and says where to', async () => {
  const to =
    (target: string, only = ''): RequestListener =>
    (request, response) =>
      request.url?.startsWith(`/api/${only}`) === true
        ? response.writeHead(302, { location: `${target}${request.url}` }).end()
        : response.writeHead(200, json).end('{"ok":true}');
  const [moved, login, returning, partly] = await Promise.all([
    serve(to('https://new.example')),
    serve((_request, response) => response.writeHead(302, { location: 'https://login.example/?next=x' }).end()),
    serve(to('https://login.example/?next=')),
    serve(to('https://new.example', 'v1')),
  ]);
  expect((await stateOf(moved.url)).unreachable).toContain('did you mean https://new.example?');
  expect(await stateOf(login.url)).toMatchObject({
    isMistaken: true,
    unreachable: expect.stringContaining('/api/v1/units → 302 to https://login.example/?next=x): is it the root of'),
  });
  expect((await stateOf(returning.url)).unreachable).toContain('?next=/api/v1/units): is it the root of the API');
  expect(await stateOf(partly.url)).toEqual({ unreachable: null, refused: null });
  await Promise.all([moved.close(), login.close(), returning.close(), partly.close()]);
});

test('JSON that cannot be read is judged, a page in its place is not', async () => {
  const states = [json, { 'content-type': 'text/html' }].map(async (headers) => {
    await using server = await serve((_request, response) =>
      response.writeHead(200, headers).end(Buffer.from('{"ok":true,"data":{"name":"Zo\xeb"}}', 'latin1')),
    );
    return (await stateOf(server.url)).unreachable;
  });
  expect(await Promise.all(states)).toEqual([null, expect.stringContaining('where the API is not')]);
});

test('a key that the service forbids one list and shows another is named as a key without full access', async () => {
  const forbidden = async (pattern: RegExp): Promise<string | null> => {
    await using server = await serve((request, response) => {
      const isRefused = pattern.test(request.url ?? '');
      const body = isRefused ? '{"ok":false,"error":{"code":"scope_missing"}}' : '{"ok":true,"data":[]}';
      response.writeHead(isRefused ? 403 : 200, json).end(body);
    });
    await using run = closing(openRun(readTarget({ BASE_URL: server.url, API_KEY: 'key-for-this-test' })));
    return await forbiddenLists(run.target, run.client);
  };
  expect(await forbidden(/deals/)).toBe(
    'API_KEY must be a full-access key ("admin:*"): the service refuses it for /api/v1/deals (403 scope_missing)',
  );
  expect(await forbidden(/nothing/)).toBeNull();
  // A key that is refused everywhere is no key of this service.
  expect(await forbidden(/api/)).toBeNull();
});

for (const [refusals, title, unreachable] of [
  [
    Infinity,
    'a service that answers 429 to everything cannot be judged',
    expect.stringContaining('kept answering 429'),
  ],
  [4, 'a limit that was used up when a run begins is waited for', null],
] as const)
  test(title, async () => {
    let answered = 0;
    const { url, close } = await serve((_, response) => {
      const isRefused = (answered += 1) <= refusals;
      response
        .writeHead(isRefused ? 429 : 200, { ...json, 'retry-after': '0' })
        .end(isRefused ? '{"ok":false,"error":{}}' : '{"ok":true,"data":{}}');
    });
    expect(await stateOf(url)).toEqual({ unreachable, refused: null });
    await close();
  });
