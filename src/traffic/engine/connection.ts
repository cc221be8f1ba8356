import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { connectorFor, opened, plainNetwork, proxyHeaders, type TraceContext } from '../../http/index.js';
import type { Network } from '../../settings/index.js';

/** One request; `path` is the URL's own unless given, and the headers come on top of the usual ones. */
export interface RequestShape {
  readonly method: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The instant just before a request is written, and the number of its span. */
export interface Written {
  readonly sentMs: number;
  readonly span: number | undefined;
}

/** The outcome of a request that was written. Instants are `performance.now()`. */
export type Settled =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names and values in turn. */
      readonly headers: readonly string[];
      readonly headMs: number;
      /** When the last byte was in. */
      readonly endMs: number;
      /** The body, as much of it as is kept. */
      readonly body: () => string;
    }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'timeout' };

/** One connection that carries one request at a time and settles each exactly once. */
export interface Connection {
  isIdle(): boolean;
  idleSinceMs(): number;
  /** How long this connection may be idle before it is renewed instead of used. */
  idleLimitMs(): number;
  /** When the request in flight was written, or null. */
  sentMs(): number | null;
  lastError(): string | null;
  /** Writes one request. */
  send(settle: (settled: Settled) => void, shape?: RequestShape): Written;
  timeOut(): void;
  reset(): void;
  close(): void;
}

/** Where requests go, and the usual one; each gets a span of its own where there is a trace. */
export interface ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network?: Network | undefined;
  readonly trace?: TraceContext | undefined;
}

interface Asked {
  readonly settle: (settled: Settled) => void;
  readonly sentMs: number;
  readonly shape: RequestShape;
  readonly span: number | undefined;
  isRepeated: boolean;
}

/** Of a longer body only so much is kept. */
export const keptBodyBytes = 262_144;
const longestPauseMs = 250;
const usualIdleLimitMs = 15_000;
/** Longer than any load: the pool renews idle connections itself, in good time and a few at a time. */
const neverMs = 86_400_000;

/**
 * A connection that sends on demand and is opened anew whenever it closes. A request whose connection closes is settled as failed and never
 * sent again, but where a 408 says that the server gave the idle connection up: then once. Interim (1xx) answers and unsolicited bytes are
 * not counted as answers.
 */
export function openConnection(
  { url, headers: usual, network = plainNetwork, trace }: ConnectionOptions,
  onFree: (connection: Connection) => void,
): Connection {
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url);
  const connect = connectorFor(network);
  // Plain http goes to the proxy itself, in absolute form.
  const proxy = protocol === 'http:' ? network.proxyFor(url) : null;
  const added = proxy === null ? {} : proxyHeaders(proxy);
  let socket: Socket | null = null;
  let client: Client | null = null;
  let inFlight: Asked | null = null;
  let idle = false;
  let idleSince = 0;
  let limitMs = usualIdleLimitMs;
  let barren = 0;
  let lastError: string | null = null;
  let pause: NodeJS.Timeout | null = null;
  let closed = false;

  const settle = (asked: Asked, settled: Settled): void => {
    if (inFlight !== asked) return;
    inFlight = null;
    asked.settle(settled);
  };
  const rest = (): void => {
    if (inFlight !== null) {
      dispatch(inFlight);
      return;
    }
    idle = true;
    idleSince = performance.now();
    onFree(connection);
  };
  /** How an answer is heard, part by part. */
  const listen = (asked: Asked): Dispatcher.DispatchHandler => {
    let status = 0;
    let headers: Dispatcher.ResponseData['headers'] = {};
    let headMs = 0;
    let bytes = 0;
    const body: Buffer[] = [];
    return {
      // Without it the handler is taken for one of the older form.
      onRequestStart: () => undefined,
      onResponseStart(_, code, lines) {
        if (code < 200) return;
        headMs = performance.now();
        status = code;
        headers = lines;
      },
      onResponseData(_, chunk) {
        if (bytes < keptBodyBytes) body.push(chunk);
        bytes += chunk.length;
      },
      onResponseEnd() {
        // A body without a length ends with the connection, unless that broke (RFC 9112 §6.3, §8).
        if (lastError !== null) {
          settle(asked, { kind: 'failed', reason: lastError });
          return;
        }
        const endMs = performance.now();
        const flat = Object.entries(headers).flatMap(([name, value = []]) =>
          [value].flat().flatMap((one) => [name, one]),
        );
        const carrier = socket;
        // Once the bytes that came with this answer are read, too, it shows whether the connection stays.
        queueMicrotask(() => {
          const isGone = carrier?.destroyed !== false;
          // Every request is written whole, so that this answer was sent before it arrived (RFC 9110 §15.5.9).
          if (status === 408 && isGone && !asked.isRepeated && inFlight === asked) {
            asked.isRepeated = true;
            return;
          }
          barren = 0;
          limitMs = keepAliveMs(headers['keep-alive']) ?? usualIdleLimitMs;
          settle(asked, {
            kind: 'answered',
            status,
            headers: flat,
            headMs,
            endMs,
            body: () => Buffer.concat(body).toString(),
          });
          if (!isGone && carrier === socket && !closed) rest();
        });
      },
      onResponseError(_, { message }) {
        queueMicrotask(() => settle(asked, { kind: 'failed', reason: message }));
      },
    };
  };
  const dispatch = (asked: Asked): void => {
    const { method, path = pathname + search, headers, body } = asked.shape;
    const span = asked.span === undefined || trace === undefined ? {} : { traceparent: trace.header(asked.span) };
    client?.dispatch(
      {
        ...{ origin, method: method, path: proxy === null ? path : origin + path },
        headers: { ...usual, ...headers, ...added, ...span },
        body: body ?? null,
      },
      listen(asked),
    );
  };
  const open = async (): Promise<void> => {
    pause = null;
    try {
      const fresh = await opened(connect, { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port });
      if (closed) {
        fresh.destroy();
        return;
      }
      if (fresh.destroyed) throw new Error('the connection was closed at once');
      socket = fresh;
      let isGiven = false;
      client = new Client(origin, {
        // Once: the client would ask again for a socket, without end, where this one has closed before the request is written.
        connect: (_, callback) =>
          queueMicrotask(() => {
            if (isGiven || fresh.destroyed) callback(new Error(lastError ?? 'the connection was closed'), null);
            else callback(null, fresh);
            isGiven = true;
          }),
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: 65_536,
        keepAliveTimeout: neverMs,
        keepAliveMaxTimeout: neverMs,
        keepAliveTimeoutThreshold: -neverMs,
      });
      // Until the first request nobody else reads it, and its end would not be heard.
      fresh
        .on('error', ({ message, code }: NodeJS.ErrnoException) => {
          // So the client ends what it needs no longer.
          if (code !== 'UND_ERR_INFO') lastError = message;
        })
        .once('close', () => {
          idle = false;
          // What was in flight is settled first.
          setImmediate(again);
        })
        .resume();
      limitMs = usualIdleLimitMs;
      lastError = null;
      rest();
    } catch (error) {
      lastError =
        error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
      again();
    }
  };
  const again = (): void => {
    if (closed || pause !== null) return;
    barren += 1;
    if (barren <= 2) void open();
    else pause = setTimeout(() => void open(), Math.min(2 ** barren, longestPauseMs));
  };

  const connection: Connection = {
    isIdle: () => idle,
    idleSinceMs: () => idleSince,
    idleLimitMs: () => limitMs,
    sentMs: () => inFlight?.sentMs ?? null,
    lastError: () => lastError,
    send(onSettled, shape = { method: 'GET', headers: {} }) {
      idle = false;
      const span = trace?.next();
      const sentMs = performance.now();
      inFlight = { settle: onSettled, sentMs, shape, span, isRepeated: false };
      dispatch(inFlight);
      return { sentMs, span };
    },
    timeOut() {
      if (inFlight !== null) settle(inFlight, { kind: 'timeout' });
      socket?.destroy();
    },
    reset() {
      idle = false;
      barren = 0;
      socket?.destroy();
    },
    close() {
      closed = true;
      idle = false;
      if (pause !== null) clearTimeout(pause);
      if (inFlight !== null) settle(inFlight, { kind: 'failed', reason: 'ended by the suite' });
      socket?.destroy();
    },
  };
  again();
  return connection;
}

/** `timeout=5` → 4,000 ms: a second before the other side closes. */
function keepAliveMs(header: string | string[] | undefined): number | null {
  const seconds = /timeout=(\d+)/i.exec([header ?? []].flat().join())?.[1];
  return seconds === undefined ? null : Math.max(200, Number(seconds) * 1000 - 1000);
}
