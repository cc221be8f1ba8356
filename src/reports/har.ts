import { STATUS_CODES } from 'node:http';
import { decodeText } from '../http/decode-body.js';
import type { Exchange, HeaderLine } from '../http/exchange.js';

/** The data that HAR needs and exchanges lack. */
export interface HarOptions {
  /** The wall clock at the run's instant 0, in milliseconds since 1970. */
  readonly epochMs: number;
  /** Version of the suite. */
  readonly version: string;
}

function pairs(lines: readonly HeaderLine[]): { name: string; value: string }[] {
  return lines.map(([name, value]) => ({ name, value }));
}

function valueOf(lines: readonly HeaderLine[], headerName: string): string {
  return lines.find(([name]) => name.toLowerCase() === headerName)?.[1] ?? '';
}

function queryOf(url: string): { name: string; value: string }[] {
  return URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];
}

/** Text as it is; other bytes in base64, marked so (HAR 1.2 knows the mark for responses only). */
function content(body: Buffer): { text: string; encoding?: 'base64' } {
  const text = decodeText(body);
  return text === null ? { text: body.toString('base64'), encoding: 'base64' } : { text };
}

function entry(exchange: Exchange, epochMs: number): object {
  const { request, response, failure } = exchange;
  const tookMs = Math.max(0, exchange.receivedAtMs - exchange.sentAtMs);
  const sentHeaders = request.headers;
  const received = response?.headers ?? [];
  return {
    startedDateTime: new Date(epochMs + exchange.sentAtMs).toISOString(),
    time: tookMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(sentHeaders),
      queryString: queryOf(request.url),
      ...(request.body === null
        ? {}
        : { postData: { mimeType: valueOf(sentHeaders, 'content-type'), params: [], ...content(request.body) } }),
      headersSize: -1,
      bodySize: request.body?.length ?? 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: STATUS_CODES[response?.status ?? 0] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(received),
      content: {
        size: response?.body.length ?? 0,
        mimeType: valueOf(received, 'content-type') || 'x-unknown',
        ...(response === null ? {} : content(response.body)),
      },
      redirectURL: valueOf(received, 'location'),
      headersSize: -1,
      bodySize: -1,
      ...(failure === null ? {} : { _error: `${failure.kind}: ${failure.message}` }),
    },
    cache: {},
    timings: { send: 0, wait: tookMs, receive: 0 },
    comment: `exchange ${exchange.seq}, asked by ${exchange.asker}`,
  };
}

/** The exchanges as an HTTP Archive 1.2, which browser tools open. */
export function toHar(exchanges: Iterable<Exchange>, options: HarOptions): object {
  const entries = [...exchanges].map((exchange) => entry(exchange, options.epochMs));
  return {
    log: {
      version: '1.2',
      creator: { name: 'dealership-conformance', version: options.version },
      pages: [],
      entries,
    },
  };
}
