import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Network } from '../settings/index.js';
import { connectorFor, plainNetwork, ProxyError, proxyHeaders, proxyRefusal } from './connector.js';
import { suspendAwareTimeout } from './suspend-aware-timeout.js';
import type { Failure, FailureKind, HeaderLine } from './exchange.js';

/** A request as it is sent. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Whether the body goes out in pieces, with pauses in which an early answer is read. */
  readonly slowly?: boolean;
}

/** The answer, or the reason that there is none; instants in milliseconds on the monotonic clock. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly raw: Buffer;
  readonly failure: Failure | null;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** A SETTINGS frame, which is how a server of HTTP/2 begins (RFC 9113 §3.4, §6.5). */
const settingsFrame = /^\0\0[^]\x04\0{5}/;

/** How a request failed, by its error and the errors that caused it. */
function failureOf(error: unknown): Pick<Failure, 'kind' | 'codes'> {
  const codes: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ProxyError) return { kind: at.kind };
    if ('data' in at && settingsFrame.test(String(at.data))) return { kind: 'http2' };
    codes.push(at.name, 'code' in at ? String(at.code) : '');
    if (at instanceof AggregateError)
      for (const one of at.errors) codes.push(one instanceof Error && 'code' in one ? String(one.code) : '');
  }
  return { kind: kindOf(codes.join(' ')), codes };
}

function kindOf(said: string): FailureKind {
  if (/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|UND_ERR_CONNECT_TIMEOUT/.test(said)) return 'unreachable';
  if (/TimeoutError|TIMEOUT|ETIMEDOUT/i.test(said)) return 'timeout';
  if (/ECONNREFUSED/.test(said)) return 'refused';
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return 'dns';
  if (/ALERT_NO_APPLICATION_PROTOCOL/.test(said)) return 'http2';
  if (/CERT|SSL|TLS|UNABLE_TO_VERIFY/.test(said)) return 'tls';
  if (/HPE_|ERR_HTTP_PARSER|HTTPParserError|RESPONSE_CONTENT_LENGTH|UND_ERR_RES_/.test(said)) return 'malformed';
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_CLOSED/.test(said)) return 'reset';
  if (/AbortError|UND_ERR_ABORTED/.test(said)) return 'aborted';
  return 'other';
}

function lines(raw: Record<string, string | string[] | undefined>): HeaderLine[] {
  const out: HeaderLine[] = [];
  for (const [name, value] of Object.entries(raw)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) out.push([name.toLowerCase(), one]);
  }
  return out;
}

/** Sends without following redirects and without ever sending twice. */
export interface Transport {
  send(wire: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** A connection idle for this long may have been closed by the target without this process having seen it yet. */
const idleMs = 900;

function createAgent(network: Network): Agent {
  return new Agent({
    pipelining: 1,
    keepAliveTimeout: 4_000,
    connect: connectorFor(network),
    maxHeaderSize: 65_536,
  });
}

const pieceBytes = 32_768;
const pauseMs = 20;

/** A body piece by piece: a service that refuses it midway and closes has its answer read before the next piece finds nobody. */
async function* inPieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) {
    if (at > 0) await sleep(pauseMs);
    yield body.subarray(at, at + pieceBytes);
  }
}

/** Whether the client sends a request again if its answer is lost. */
const isRepeatable = ({ method, headers }: WireRequest): boolean =>
  method === 'GET' || method === 'HEAD' || headers.some(([name]) => name.toLowerCase() === 'idempotency-key');

/** A transport over keep-alive connections, one request at a time on each; after a pause it starts with new ones. */
export function createTransport(network: Network = plainNetwork): Transport {
  let agent = createAgent(network);
  let pending = 0;
  let usedAtMs = performance.now();
  /** While the suite computes, a target's goodbye waits unread: a request on that connection would be lost, by nobody's fault. */
  const refresh = (): void => {
    if (pending > 0 || performance.now() - usedAtMs < idleMs) return;
    const stale = agent;
    agent = createAgent(network);
    void stale.destroy();
  };
  return {
    async send(wire) {
      refresh();
      pending += 1;
      const { origin, protocol, pathname, search } = new URL(wire.url);
      const proxy = network.proxyFor(origin);
      // A proxy may close an idle connection at any time, and what cannot be sent again must not be lost that way.
      const alone = proxy === null || isRepeatable(wire) ? null : createAgent(network);
      const dispatcher = alone ?? agent;
      const sentAtMs = performance.now();
      const patience = new AbortController();
      const callOff = suspendAwareTimeout(wire.timeoutMs, () => patience.abort());
      const slow = wire.slowly === true ? wire.body : null;
      let status = 0;
      let headers: HeaderLine[] = [];
      const chunks: Buffer[] = [];
      const answer = (failure: WireAnswer['failure']): WireAnswer => ({
        status,
        headers,
        raw: Buffer.concat(chunks),
        failure,
        sentAtMs,
        receivedAtMs: performance.now(),
      });
      try {
        // Plain http goes to the proxy itself, in absolute form.
        const receiver = protocol === 'http:' ? proxy : null;
        const added = {
          ...(slow === null ? {} : { 'content-length': String(slow.length) }),
          ...(receiver === null ? {} : proxyHeaders(receiver)),
        };
        const got = await dispatcher.request({
          origin,
          path: `${receiver === null ? '' : origin}${pathname}${search}`,
          method: wire.method,
          headers: [...wire.headers, ...Object.entries(added)].flat(),
          body: slow === null ? wire.body : Readable.from(inPieces(slow)),
          signal: patience.signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        if (receiver !== null && got.statusCode === 407) {
          await got.body.dump();
          return answer({ kind: 'proxy-login', message: proxyRefusal(receiver) });
        }
        status = got.statusCode;
        headers = lines(got.headers);
        let size = 0;
        for await (const chunk of got.body as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > wire.maxBytes) {
            got.body.destroy();
            return answer({ kind: 'too-large', message: `the body is larger than ${wire.maxBytes} bytes` });
          }
          chunks.push(chunk);
        }
        return answer(null);
      } catch (error) {
        const { kind, codes = [] } = patience.signal.aborted ? { kind: 'timeout' as const } : failureOf(error);
        const said = error instanceof Error ? error.message : String(error);
        return answer({
          kind,
          message: kind === 'timeout' ? `no complete answer within ${wire.timeoutMs / 1000} s` : said || kind,
          ...(kind === 'tls' ? { codes } : {}),
        });
      } finally {
        callOff();
        void alone?.destroy();
        pending -= 1;
        usedAtMs = performance.now();
      }
    },
    close: () => agent.destroy(),
  };
}
