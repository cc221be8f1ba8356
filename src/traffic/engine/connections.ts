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

/** A request that was written: just after `sentMs`, with a span of that number. Instants are `performance.now()`. */
interface Written {
  readonly sentMs: number;
  readonly span: number | undefined;
}

/** What came of a request that was written. */
export type Settled = { readonly written: Written } & (
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Dispatcher.ResponseData['headers'];
      readonly headMs: number;
      /** When the last byte was in. */
      readonly endMs: number;
      /** The body, as much of it as is kept. */
      readonly body: () => string;
    }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'timeout' }
);

/** One connection that carries one request at a time, settles each exactly once, and is opened anew whenever it closes. */
export interface Connection {
  /** The request under way, or null. */
  inFlight: Asked | null;
  idleSinceMs: number;
  /** How long it may be idle before it is renewed instead of used. */
  idleLimitMs: number;
  lastError: string | null;
  /** Writes one request. */
  send(settle: (settled: Settled) => void, shape?: RequestShape): void;
  /** Ends a request that takes too long. */
  timeOut(): void;
  renew(): void;
  close(): void;
}

/** Where requests go, and the usual one; each gets a span of its own where there is a trace. */
interface ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network?: Network | undefined;
  readonly trace?: TraceContext | undefined;
}

interface Asked extends Written {
  readonly settle: (settled: Settled) => void;
  readonly shape: RequestShape;
  isRepeated: boolean;
}

/** Of a longer body only so much is kept. */
export const keptBodyBytes = 262_144;
const longestPauseMs = 250;
const usualIdleLimitMs = 15_000;
/** Longer than any load: the pool renews idle connections itself, in good time and a few at a time. */
const neverMs = 86_400_000;

/**
 * A connection that sends on demand. A request whose connection closes is settled as failed and never sent again, but where a 408 says that
 * the server gave the idle connection up: then once. Interim (1xx) answers and unsolicited bytes are not counted as answers. While it waits
 * for a request, it is the last of those that are `idle`.
 */
function openConnection(
  { url, headers: usual, network = plainNetwork, trace }: ConnectionOptions,
  idle: Set<Connection>,
  onIdle: () => void,
): Connection {
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url);
  const connect = connectorFor(network);
  // Plain http goes to the proxy itself, in absolute form.
  const proxy = protocol === 'http:' ? network.proxyFor(url) : null;
  const added = proxy === null ? {} : proxyHeaders(proxy);
  let socket: Socket | null = null;
  let client: Client | null = null;
  let barren = 0;
  let pause: NodeJS.Timeout | null = null;
  let closed = false;

  const settle = (settled: Settled): void => {
    const { inFlight } = connection;
    if (inFlight !== settled.written) return;
    connection.inFlight = null;
    inFlight?.settle(settled);
  };
  const rest = (): void => {
    if (connection.inFlight !== null) {
      dispatch(connection.inFlight);
      return;
    }
    connection.idleSinceMs = performance.now();
    idle.add(connection);
    onIdle();
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
        if (connection.lastError !== null) {
          settle({ written: asked, kind: 'failed', reason: connection.lastError });
          return;
        }
        const endMs = performance.now();
        const carrier = socket;
        // Once the bytes that came with this answer are read, too, it shows whether the connection stays.
        queueMicrotask(() => {
          const isGone = carrier?.destroyed !== false;
          // Every request is written whole, so that this answer was sent before it arrived (RFC 9110 §15.5.9).
          if (status === 408 && isGone && !asked.isRepeated && connection.inFlight === asked) {
            asked.isRepeated = true;
            return;
          }
          barren = 0;
          connection.idleLimitMs = keepAliveMs(headers['keep-alive']) ?? usualIdleLimitMs;
          const text = (): string => Buffer.concat(body).toString();
          settle({ written: asked, kind: 'answered', status, headers, headMs, endMs, body: text });
          if (!isGone && carrier === socket && !closed) rest();
        });
      },
      onResponseError(_, { message }) {
        queueMicrotask(() => settle({ written: asked, kind: 'failed', reason: message }));
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
            if (isGiven || fresh.destroyed)
              callback(new Error(connection.lastError ?? 'the connection was closed'), null);
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
          if (code !== 'UND_ERR_INFO') connection.lastError = message;
        })
        .once('close', () => {
          idle.delete(connection);
          // What was in flight is settled first.
          setImmediate(again);
        })
        .resume();
      connection.idleLimitMs = usualIdleLimitMs;
      connection.lastError = null;
      rest();
    } catch (error) {
      connection.lastError =
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

  const renew = (): void => {
    idle.delete(connection);
    socket?.destroy();
  };
  const timeOut = (): void => {
    if (connection.inFlight !== null) settle({ written: connection.inFlight, kind: 'timeout' });
    renew();
  };
  const connection: Connection = {
    inFlight: null,
    idleSinceMs: 0,
    idleLimitMs: usualIdleLimitMs,
    lastError: null,
    send(onSettled, shape = { method: 'GET', headers: {} }) {
      const asked = { settle: onSettled, shape, span: trace?.next(), isRepeated: false, sentMs: performance.now() };
      connection.inFlight = asked;
      dispatch(asked);
    },
    timeOut,
    renew() {
      barren = 0;
      renew();
    },
    close() {
      closed = true;
      if (pause !== null) clearTimeout(pause);
      timeOut();
    },
  };
  again();
  return connection;
}

/** `timeout=5` → 4,000 ms: a second before the other side closes. */
function keepAliveMs(header: string | string[] | undefined): number | null {
  const seconds = /timeout=(\d+)/i.exec(String(header))?.[1];
  return seconds === undefined ? null : Math.max(200, Number(seconds) * 1000 - 1000);
}

/** The options of a pool of connections. Requests use the path of the URL unless a shape names another. */
export interface EngineOptions extends ConnectionOptions {
  readonly connections: number;
  /** A request without its whole answer by then is a timeout, and its connection is dropped. */
  readonly timeoutMs: number;
}

/** Open connections that send nothing of their own accord. */
export interface Engine {
  /** A connection that is established and idle, in turn, to be used at once; or null. */
  take(): Connection | null;
  /** Hears each time a connection becomes idle. */
  onIdle: () => void;
  /** Whether this process stood still at some time from then on, so that what happened meanwhile was seen late. */
  stoodStill(sinceMs: number): boolean;
  /** How long it stood still, all together. */
  readonly standstillMs: () => number;
  /** The last reason why a connection could not be opened, or null. */
  readonly connectError: () => string | null;
  /** Ends what is still under way as timed out. */
  close(): void;
}

/** Among connections idle for longer than this, the last used one is taken: the server may be about to close the others. */
const inTurnMs = 1_000;
const sweepMs = 20;
/** Timers that fire this late show that the process stood still: it was suspended, or its machine was. */
const standstillMs = 250;
/** After a long standstill, answers are still unread in their sockets: no request times out for this long. */
const sparedMs = 1_000;
/** In how many sweeps all connections are renewed: half a second, which is half of what a server's word on its patience leaves. */
const sweepsToRenew = 25;

/** How long connections may take to open, and requests wait for the first of them. */
export const connectPatienceMs = 3_000;

/** Opens the pool and waits until every connection stands, or its patience is over. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  /** The longest idle first. */
  const idle = new Set<Connection>();
  const standstills: { readonly fromMs: number; readonly toMs: number }[] = [];
  let lookedMs = performance.now();
  let sparedUntilMs = 0;
  const look = (): number => {
    const now = performance.now();
    if (now - lookedMs >= standstillMs) standstills.push({ fromMs: lookedMs, toMs: now });
    if (now - lookedMs >= sparedMs) sparedUntilMs = now + sparedMs;
    lookedMs = now;
    return now;
  };
  const isWithin = (now: number, most: number, { idleSinceMs, idleLimitMs }: Connection): boolean =>
    now - idleSinceMs < Math.min(most, idleLimitMs);
  const engine: Engine = {
    onIdle: () => undefined,
    take() {
      const now = performance.now();
      // In turn, so that a limit kept for each connection, or by one of several workers, shows in a slower stream as well.
      for (const connection of idle)
        if (isWithin(now, inTurnMs, connection)) {
          idle.delete(connection);
          return connection;
        }
      for (const connection of [...idle].reverse()) {
        idle.delete(connection);
        if (isWithin(now, Infinity, connection)) return connection;
        connection.renew();
      }
      return null;
    },
    stoodStill(sinceMs) {
      look();
      return standstills.some(({ toMs }) => toMs > sinceMs);
    },
    standstillMs: () => standstills.reduce((sum, one) => sum + one.toMs - one.fromMs, 0),
    connectError: () => pool.map(({ lastError }) => lastError).find((error) => error !== null) ?? null,
    close() {
      clearInterval(sweep);
      engine.onIdle = () => undefined;
      for (const connection of pool) connection.close();
    },
  };
  const pool = Array.from({ length: options.connections }, () => openConnection(options, idle, () => engine.onIdle()));
  const sweep = setInterval(() => {
    const now = look();
    for (const connection of now < sparedUntilMs ? [] : pool)
      if (now - (connection.inFlight?.sentMs ?? now) >= options.timeoutMs) connection.timeOut();
    // Idle connections are renewed before the other side gives them up, a few at a time: most of them can always be used, and to connect
    // takes no slot its time.
    [...idle]
      .filter((connection) => !isWithin(now, Infinity, connection))
      .slice(0, Math.ceil(options.connections / sweepsToRenew))
      .forEach((connection) => connection.renew());
  }, sweepMs);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, connectPatienceMs);
    engine.onIdle = () => {
      if (idle.size < options.connections) return;
      clearTimeout(timer);
      resolve();
    };
  });
  engine.onIdle = () => undefined;
  return engine;
}
