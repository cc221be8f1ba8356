import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { createServer as createSocketServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { RawSettings } from '../../src/settings/setting-table.js';
import type { Service } from './judge-service.js';
import { listen } from '../../src/loopback.test-kit.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const bytes =
  (status: number, type: string, body: Buffer): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };
const failure = { ok: false, error: { code: 'no', message: 'no' } };

/** Servers that give everybody the same answer: none may pass a MUST. */
export const constantAnswers: Readonly<Record<string, Answer>> = {
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
  'always an empty body': bytes(200, 'application/json', Buffer.alloc(0)),
  'always null': json(200, null),
  'always HTML': bytes(200, 'text/html', Buffer.from('<!doctype html><title>Welcome</title>')),
  'always broken UTF-8': bytes(200, 'application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  'always broken gzip': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('no gzip at all');
  },
  'always a redirect to itself': (request, response) => {
    response.writeHead(302, { location: request.url ?? '/' }).end();
  },
};

/** Settings with every key set, for a server that knows none of them. */
export function settingsFor(baseUrl: string): RawSettings {
  const key = (name: string): string => `constant-${name}-0123456789abcdef`;
  return {
    BASE_URL: baseUrl,
    API_BASE_URL: `${baseUrl}/api`,
    API_KEY: key('main'),
    TENANT: 'main',
    API_KEY_READ_INVENTORY: key('read-inventory'),
    API_KEY_WRITE_INVENTORY: key('write-inventory'),
    API_KEY_READ_LEADS: key('read-leads'),
    API_KEY_WRITE_LEADS: key('write-leads'),
    API_KEY_READ_DEALS: key('read-deals'),
    API_KEY_READ_CALLS: key('read-calls'),
    OTHER_API_KEY: key('other'),
    OTHER_TENANT: 'other',
    SIGNING_SECRET: key('secret'),
    OTHER_SIGNING_SECRET: key('other-secret'),
  };
}

async function start(server: Server): Promise<Service> {
  const { url, close } = await listen(server);
  return { settings: settingsFor(url), register: null, close };
}

/** Starts a server that always answers the same way. */
export function startConstant(name: string): Promise<Service> {
  const answer = constantAnswers[name];
  if (answer === undefined) throw new Error(`there is no constant server "${name}"`);
  return start(
    createServer((request, response) => {
      request.on('error', () => undefined).resume();
      answer(request, response);
    }),
  );
}

/** Servers below HTTP: what arrives is met with silence, a reset, or a body cut short. */
export const brokenSockets: Readonly<Record<string, (socket: Socket) => void>> = {
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

/** Starts a server that is broken below HTTP. */
export function startBroken(name: string): Promise<Service> {
  const behave = brokenSockets[name];
  if (behave === undefined) throw new Error(`there is no broken server "${name}"`);
  return start(createSocketServer(behave));
}
