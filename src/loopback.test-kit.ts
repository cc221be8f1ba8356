import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that a test runs on a free loopback port. */
export interface Loopback {
  /** `http://127.0.0.1:` and the port. */
  readonly url: string;
  /** Ends it, with every connection that is still open. */
  close(): Promise<void>;
}

/** Lets a server listen on a free loopback port. */
export async function listen(server: Server): Promise<Loopback> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A handler of requests on a free loopback port. */
export function serve(handler: RequestListener): Promise<Loopback> {
  return listen(createServer(handler));
}
