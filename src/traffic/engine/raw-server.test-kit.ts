import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP server that answers each request head by hand. */
export interface RawServer {
  readonly url: string;
  /** Request heads received, one for each that was complete. */
  readonly heads: string[];
  readonly atMs: number[];
  close(): Promise<void>;
}

/** Serves on a free loopback port; `answer` is called for each request head with its number from 0. */
export async function startRaw(answer: (socket: Socket, index: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  const atMs: number[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let buffered = '';
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      for (let end = buffered.indexOf('\r\n\r\n'); end >= 0; end = buffered.indexOf('\r\n\r\n')) {
        heads.push(buffered.slice(0, end));
        atMs.push(performance.now());
        buffered = buffered.slice(end + 4);
        answer(socket, heads.length - 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heads,
    atMs,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A whole response with a length. */
export function response(status: number, body = '{}', headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${status} Said`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');
}
