import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';

/** What `await using` closes at the end of its block, whatever comes of it. */
export function closing<T extends { close(): unknown }>(resource: T): T & AsyncDisposable {
  const dispose = async (): Promise<void> => {
    await resource.close();
  };
  return Object.assign(resource, { [Symbol.asyncDispose]: dispose });
}

/** A server that a test runs on a free loopback port. */
export interface Loopback extends AsyncDisposable {
  /** `http://127.0.0.1:` and the port. */
  readonly url: string;
  /** Ends it, with every connection that is still open. */
  close(): Promise<void>;
}

/** Lets a server, of HTTP or of plain sockets, listen on a free loopback port. */
export async function listen(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return closing({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

/** A handler of requests on a free loopback port. */
export function serve(handler: RequestListener): Promise<Loopback> {
  return listen(createServer(handler));
}

/** A handler of requests whose bodies have arrived. */
export function serveBodies(
  handler: (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown,
): Promise<Loopback> {
  return serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handler(request, Buffer.concat(chunks), response));
  });
}

/** The bytes of a request's body. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
