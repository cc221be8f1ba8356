import type { Socket } from 'node:net';
import { connectorFor, opened, plainNetwork, proxyHeaders, type TraceContext } from '../../http/index.js';
import type { Network } from '../../settings/index.js';
import type { EngineClient } from './autocannon-internals.js';

/** One request as autocannon builds it; `path` is the URL's own unless given. */
export interface RequestShape {
  readonly method: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a connection is opened and its requests are written, where that is not what autocannon does by itself. */
export interface Wiring {
  /** Opens a socket, TLS included; null where autocannon opens it. */
  readonly open: (() => Promise<Socket>) | null;
  /** Gives each request a span of its own, or null for none. */
  readonly trace: TraceContext | null;
  /** The shape as it is written. */
  readonly written: (shape: RequestShape) => RequestShape;
}

/** How the connections to a URL are wired: autocannon opens them itself, but where a proxy leads there. */
export function wiringFor(url: string, network: Network = plainNetwork, trace: TraceContext | null = null): Wiring {
  const traced = trace === null ? {} : { traceparent: trace.header(0) };
  const written = ({ headers, ...shape }: RequestShape): RequestShape => ({
    ...shape,
    headers: { ...headers, ...traced },
  });
  const proxy = network.proxyFor(url);
  if (proxy === null) return { open: null, trace, written };
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url);
  const connect = connectorFor(network);
  const to = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port };
  const open = (): Promise<Socket> => opened(connect, to);
  if (protocol === 'https:') return { open, trace, written };
  // Plain http goes to the proxy itself, in absolute form.
  const absolute = ({ path = pathname + search, headers, ...shape }: RequestShape): RequestShape =>
    written({ ...shape, path: origin + path, headers: { ...headers, ...proxyHeaders(proxy) } });
  return { open, trace, written: absolute };
}

/** Has a client of autocannon use a socket that it did not open, and hear of it what it hears of its own. */
export function adopt(client: EngineClient, conn: Socket): void {
  client.conn = conn;
  conn
    .on('error', () => client._connect())
    .on('data', (chunk: Buffer) => {
      client.pipelinedRequests.addByteCount(chunk.length);
      client.parser.execute(chunk);
    })
    .on('end', () => client._connect());
}
