import { createServer, type Socket } from 'node:net';
import { listen, type Loopback } from '../../loopback.test-kit.js';

/** A TCP server that answers each request head by hand. */
export interface RawServer extends Loopback {
  /** Request heads received, one for each that was complete. */
  readonly heads: string[];
}

/** Serves on a free loopback port; `answer` is called for each request head with its number from 0. */
export async function startRaw(answer: (socket: Socket, index: number) => unknown): Promise<RawServer> {
  const heads: string[] = [];
  const server = createServer((socket) => {
    let buffered = '';
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      for (let end = buffered.indexOf('\r\n\r\n'); end >= 0; end = buffered.indexOf('\r\n\r\n')) {
        heads.push(buffered.slice(0, end));
        buffered = buffered.slice(end + 4);
        answer(socket, heads.length - 1);
      }
    });
  });
  return { ...(await listen(server)), heads };
}

/** A whole response with a length. */
export function response(status: number, body = '{}', headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${status} Said`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');
}
