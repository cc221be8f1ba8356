import {
  createServer,
  request as send,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { listen, type Loopback } from './loopback.test-kit.js';

/** A certificate for 127.0.0.1 and its key, as PEM: of its own making, or signed by the `ca`. */
export function certificate(ca?: { cert: string; private: string }): Promise<{ cert: string; private: string }> {
  const names = { name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] };
  return generate([{ name: 'commonName', value: ca === undefined ? '127.0.0.1' : 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(ca === undefined ? {} : { ca: { key: ca.private, cert: ca.cert } }),
    extensions: [{ name: 'basicConstraints', cA: true }, names],
  });
}

/** Hands a request on to the service at `url`, and its answer back with these headers besides. */
export function handOn(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  more: OutgoingHttpHeaders = {},
): void {
  const { method, headers, url: path = '/' } = request;
  const inner = send(`${url}${path}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...more });
    answer.pipe(response);
  });
  inner.on('error', () => response.destroy());
  request.pipe(inner);
}

/** A forward proxy, and what it has passed on. */
export interface ForwardProxy extends Loopback {
  /** `CONNECT 127.0.0.1:443`, `GET http://127.0.0.1/a`. */
  readonly seen: readonly string[];
  /** How many connections were made to it. */
  connections(): number;
  /** Whether the connection that a request came on to a service was opened by this proxy. */
  opened(request: IncomingMessage): boolean;
}

/** Starts a forward proxy that tunnels and takes the absolute form; it asks for `login` (user:password), or answers every CONNECT with `status`, or with nothing if that is -1. */
export async function startForwardProxy({ login = '', status = 0 } = {}): Promise<ForwardProxy> {
  const seen: string[] = [];
  /** The open connections to services: the port of a closed one may be another client's. */
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    if (!open.has(socket)) socket.once('close', () => open.delete(socket));
    open.add(socket);
  };
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    login === '' || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (!isAllowed(request)) return void response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('who?');
    const { method, rawHeaders, url: target = '' } = request;
    const from = target.indexOf('/', 'http://'.length);
    const [host, path] = [target.slice('http://'.length, from), target.slice(from)];
    const headers = rawHeaders.flatMap((name, at): string[] =>
      at % 2 === 0 && name.toLowerCase() !== 'proxy-authorization' ? [name, rawHeaders[at + 1] ?? ''] : [],
    );
    const [hostname, port] = host.split(':');
    const inner = send({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    inner.on('socket', keep);
    inner.on('error', () => response.writeHead(502).end());
    request.pipe(inner);
  });
  server.on('connect', (request: IncomingMessage, socket, head: Buffer) => {
    const { url: authority = '' } = request;
    seen.push(`CONNECT ${authority}`);
    if (status < 0) return;
    const refused = status > 0 ? status : isAllowed(request) ? 0 : 407;
    if (refused > 0) return void socket.end(`HTTP/1.1 ${refused} No\r\nContent-Length: 0\r\n\r\n`);
    const [host, port] = authority.split(':');
    const inner = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      inner.write(head);
      inner.pipe(socket).pipe(inner);
    });
    keep(inner);
    for (const end of [inner, socket]) end.on('error', () => [inner, socket].forEach((one) => one.destroy()));
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const proxy = await listen(server);
  const opened = (request: IncomingMessage): boolean =>
    [...open].some(({ localPort }) => localPort === request.socket.remotePort);
  return { ...proxy, seen, connections: () => connections, opened };
}
