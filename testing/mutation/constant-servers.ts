import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import type { RawSettings } from '../../src/settings/index.js';
import type { Service } from './judge-service.js';
import { listen } from '../../src/loopback.test-kit.js';

const bytes =
  (status: number, type: string, body: string | Buffer): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const json = (status: number, body: unknown): RequestListener =>
  bytes(status, 'application/json', JSON.stringify(body));
const failure = { ok: false, error: { code: 'no', message: 'no' } };

/** Servers that give everybody the same answer: none may pass a MUST. */
const constantAnswers: Readonly<Record<string, RequestListener>> = {
  'always an empty success': json(200, { ok: true, data: {} }),
  'always an empty list': json(200, { ok: true, data: { items: [], nextCursor: null } }),
  'always one unit': json(200, { ok: true, data: { items: [{ id: 'u1', status: 'available' }], nextCursor: null } }),
  'always 201': json(201, {
    ok: true,
    data: { id: 'x', status: 'available', name: 'x', phone: '+1', vehicleId: 'x', totalGross: 1 },
  }),
  'always 400': json(400, failure),
  'always 401': json(401, failure),
  'always 404': json(404, failure),
  'always 429': json(429, failure),
  'always 500': json(500, failure),
  'always 503': json(503, failure),
  'always an empty body': bytes(200, 'application/json', ''),
  'always null': json(200, null),
  'always HTML': bytes(200, 'text/html', '<!doctype html><title>Welcome</title>'),
  'always broken UTF-8': bytes(200, 'application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  'always broken gzip': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('no gzip at all');
  },
  'always a redirect to itself': (request, response) => {
    response.writeHead(302, { location: request.url ?? '/' }).end();
  },
};

/** Settings with every key set, for a server that knows none of them. */
function settingsFor(baseUrl: string): RawSettings {
  const secrets = [
    'API_KEY',
    'API_KEY_READ_INVENTORY',
    'API_KEY_WRITE_INVENTORY',
    'API_KEY_READ_LEADS',
    'API_KEY_WRITE_LEADS',
    'API_KEY_READ_DEALS',
    'API_KEY_READ_CALLS',
    'OTHER_API_KEY',
    'SIGNING_SECRET',
    'OTHER_SIGNING_SECRET',
  ];
  return {
    ...Object.fromEntries(secrets.map((name) => [name, `constant-${name}-0123456789abcdef`])),
    BASE_URL: baseUrl,
    API_BASE_URL: `${baseUrl}/api`,
    TENANT: 'main',
    OTHER_TENANT: 'other',
  };
}

async function start(server: Server): Promise<Service> {
  const { url, close } = await listen(server);
  return { settings: settingsFor(url), register: null, close };
}

/** Servers below HTTP: what arrives is met with silence, a reset, or a body cut short. */
const brokenSockets: Readonly<Record<string, (socket: Socket) => void>> = {
  'accepts and says nothing': (socket) => {
    socket.resume();
  },
  'resets at once': (socket) => {
    socket.resetAndDestroy();
  },
  'resets in mid-body': (socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"ok":true,', () =>
        socket.resetAndDestroy(),
      );
    });
  },
  'speaks no HTTP': (socket) => {
    socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  },
};

/** How each of these servers is started, by its name. */
export const constantServers: readonly (readonly [name: string, start: () => Promise<Service>])[] = [
  ...Object.entries(constantAnswers).map(([name, answer]) => {
    const server = (): Server =>
      createServer((request, response) => {
        request.on('error', () => undefined).resume();
        answer(request, response);
      });
    return [name, () => start(server())] as const;
  }),
  ...Object.entries(brokenSockets).map(([name, behave]) => [name, () => start(createSocketServer(behave))] as const),
];
