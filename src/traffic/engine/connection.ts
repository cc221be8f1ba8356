import { Socket } from 'node:net';
import { parserSlots, type EngineClient, type ParsedHead } from './autocannon-internals.js';
import { adopt, type RequestShape, type Wiring } from './wiring.js';

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

/** The place of a header's value in the head of a request. */
const placeOf = (request: Buffer, name: string): number => request.indexOf(`\r\n${name}: `) + name.length + 4;

const keptBodyBytes = 262_144;
const longestPauseMs = 250;

/** The usual request, and the longest rest of a connection. */
interface ConnectionOptions {
  readonly shape: RequestShape;
  readonly idleLimitMs: number;
}

/**
 * Takes over an autocannon client before it connects, so that it sends only on demand. A request whose connection closes is settled as
 * failed and never sent again, but where a 408 says that the server gave the idle connection up: then once. Interim (1xx) answers and
 * unsolicited bytes are not counted as answers.
 */
export function createConnection(
  client: EngineClient,
  { shape: usual, idleLimitMs: idleLimit }: ConnectionOptions,
  { open, written, trace }: Wiring,
  onFree: (connection: Connection) => void,
): Connection {
  const prototype = Object.getPrototypeOf(client) as EngineClient;
  let inFlight: { readonly sentMs: number; readonly settle: (settled: Settled) => void; repeated?: true } | null = null;
  let unheard = false;
  let head: ParsedHead | null = null;
  let headMs = 0;
  let interim = false;
  let body: Buffer[] = [];
  let bodyBytes = 0;
  let completed = false;
  let reusable = true;
  let idle = false;
  let idleSince = 0;
  let limitMs = idleLimit;
  let closed = false;
  let barren = 0;
  let lastError: string | null = null;
  let built: RequestShape | null = null;
  let spanAt = 0;
  let pause: NodeJS.Timeout | null = null;
  let wrapped = false;

  const settle = (settled: Settled): void => {
    const asked = inFlight;
    inFlight = null;
    asked?.settle(settled);
  };
  const rest = (): void => {
    if (inFlight !== null) {
      prototype._doRequest.call(client);
      return;
    }
    idle = true;
    idleSince = performance.now();
    onFree(connection);
  };
  const wrapParser = (): void => {
    wrapped = true;
    const { parser } = client;
    const onHead = parser[parserSlots.headersComplete] as (info: ParsedHead) => unknown;
    const onComplete = parser[parserSlots.messageComplete] as () => unknown;
    parser[parserSlots.headersComplete] = (info: ParsedHead): unknown => {
      interim = info.statusCode >= 100 && info.statusCode < 200;
      if (interim || inFlight === null) return undefined;
      headMs = performance.now();
      head = info;
      return onHead(info);
    };
    parser[parserSlots.body] = (chunk: Buffer, start: number, length: number): void => {
      if (inFlight === null || bodyBytes >= keptBodyBytes) return;
      bodyBytes += length;
      body.push(chunk.subarray(start, start + length));
    };
    parser[parserSlots.messageComplete] = (): void => {
      if (interim) {
        interim = false;
        return;
      }
      if (inFlight === null || head === null) return;
      const endMs = performance.now();
      const { statusCode, headers, shouldKeepAlive } = head;
      // Every request is written whole, so that this answer was sent before it arrived (RFC 9110 §15.5.9).
      unheard = statusCode === 408 && !shouldKeepAlive && inFlight.repeated === undefined;
      if (unheard) return;
      const kept = body;
      completed = true;
      reusable = shouldKeepAlive;
      limitMs = keepAliveMs(headers) ?? idleLimit;
      onComplete();
      barren = 0;
      settle({
        kind: 'answered',
        status: statusCode,
        headers,
        headMs,
        endMs,
        body: () => Buffer.concat(kept).toString('utf8'),
      });
      head = null;
    };
    const execute = parser.execute.bind(parser);
    parser.execute = (chunk: Buffer): number | Error => {
      const asked = inFlight !== null;
      const conn = client.conn;
      const result = execute(chunk);
      if (conn !== client.conn || closed) return result;
      if (unheard) {
        client._resetConnection();
        return result;
      }
      const leftOver = completed && (parser.state !== 'RESPONSE_LINE' || parser.line !== '');
      if (result instanceof Error || !asked || leftOver) {
        if (inFlight !== null)
          settle({
            kind: 'failed',
            reason: `not an HTTP/1.1 response: ${result instanceof Error ? result.message : 'stray bytes'}`,
          });
        completed = false;
        client._resetConnection();
      } else if (completed) {
        completed = false;
        if (reusable) rest();
        else client._resetConnection();
      }
      return result;
    };
  };
  const hear = (conn: Socket): void => {
    conn.setNoDelay(true);
    // Before autocannon's own listener, which connects anew at once.
    conn.prependListener('error', (error) => {
      lastError = error.message || String((error as NodeJS.ErrnoException).code);
    });
    conn.once('close', () => {
      if (conn === client.conn && !closed && pause === null) client._connect();
    });
  };
  const connectBy = async (dial: () => Promise<Socket>): Promise<void> => {
    // Holds the place until the socket is open.
    const waiting = new Socket();
    client.conn = waiting;
    try {
      const conn = await dial();
      if (client.conn !== waiting || closed) {
        conn.destroy();
        return;
      }
      if (conn.destroyed) throw new Error('the connection was closed at once');
      adopt(client, conn);
      hear(conn);
      lastError = null;
      rest();
    } catch (error) {
      if (client.conn !== waiting || closed) return;
      lastError = error instanceof Error ? error.message : String(error);
      client._connect();
    }
  };
  const connect = (): void => {
    pause = null;
    if (closed) return;
    head = null;
    body = [];
    bodyBytes = 0;
    interim = false;
    completed = false;
    unheard = false;
    limitMs = idleLimit;
    client.parser.initialize('RESPONSE');
    client.pipelinedRequests.clear();
    if (open !== null) {
      void connectBy(open);
      return;
    }
    prototype._connect.call(client);
    const conn = client.conn;
    hear(conn);
    conn.once(client.secure ? 'secureConnect' : 'connect', () => {
      if (conn !== client.conn || closed) return;
      if (client.secure && client.conn.authorized === false && process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') {
        // autocannon itself accepts any certificate; a key must not be sent to another server.
        lastError = `the certificate is not trusted: ${String(client.conn.authorizationError)}`;
        barren += 8;
        client._resetConnection();
        return;
      }
      lastError = null;
      rest();
    });
  };
  client._doRequest = () => undefined;
  client._connect = () => {
    if (!wrapped) wrapParser();
    else {
      const old = client.conn;
      old.removeAllListeners();
      old.on('error', () => undefined);
      // A body without a length ends with the connection, unless that broke (RFC 9112 §6.3, §8).
      const whole = lastError === null && client.parser.state === 'BODY_RAW';
      if (inFlight !== null && head !== null && whole) client.parser.finish();
      old.destroy();
    }
    idle = false;
    if (unheard && inFlight !== null) inFlight.repeated = true;
    else if (inFlight !== null)
      settle({ kind: 'failed', reason: lastError ?? 'the connection was closed before the whole answer' });
    if (closed || pause !== null) return;
    barren += 1;
    if (barren <= 2) connect();
    else pause = setTimeout(connect, Math.min(2 ** barren, longestPauseMs));
  };

  const connection: Connection = {
    isIdle: () => idle,
    idleSinceMs: () => idleSince,
    idleLimitMs: () => limitMs,
    sentMs: () => inFlight?.sentMs ?? null,
    lastError: () => lastError,
    send(onSettled, shape = usual) {
      if (shape !== built) {
        client.setRequests([written(shape)]);
        spanAt = placeOf(client.getRequestBuffer(), 'traceparent');
        built = shape;
      }
      const span = trace?.next();
      // In place: to build the whole request anew for each span would cost its slot.
      if (trace !== null && span !== undefined) client.getRequestBuffer().write(trace.header(span), spanAt, 'latin1');
      idle = false;
      head = null;
      body = [];
      bodyBytes = 0;
      const sentMs = performance.now();
      inFlight = { sentMs, settle: onSettled };
      prototype._doRequest.call(client);
      return { sentMs, span };
    },
    timeOut() {
      settle({ kind: 'timeout' });
      client._resetConnection();
    },
    reset() {
      idle = false;
      barren = 0;
      client._resetConnection();
    },
    close() {
      if (closed) return;
      closed = true;
      idle = false;
      if (pause !== null) clearTimeout(pause);
      settle({ kind: 'failed', reason: 'ended by the suite' });
      client.destroy();
    },
  };
  return connection;
}

/** `Keep-Alive: timeout=5` → 4,000 ms: a second before the other side closes. */
function keepAliveMs(headers: readonly string[]): number | null {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== 'keep-alive') continue;
    const seconds = /timeout=(\d+)/i.exec(headers[at + 1] ?? '')?.[1];
    return seconds === undefined ? null : Math.max(200, Number(seconds) * 1000 - 1000);
  }
  return null;
}
