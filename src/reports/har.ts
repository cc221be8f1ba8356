import { STATUS_CODES } from 'node:http';
import { decodeText, type Exchange, type HeaderLine } from '../http/index.js';
import { version } from '../version.js';

function pairs(lines: readonly HeaderLine[]): { name: string; value: string }[] {
  return lines.map(([name, value]) => ({ name, value }));
}

function valueOf(lines: readonly HeaderLine[], headerName: string): string {
  return lines.find(([name]) => name.toLowerCase() === headerName)?.[1] ?? '';
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
      queryString: URL.canParse(request.url) ? pairs([...new URL(request.url).searchParams]) : [],
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

/** The exchanges as an HTTP Archive 1.2, which browser tools open; `epochMs` is the wall clock at the run's instant 0, in milliseconds since 1970. */
export function toHar(exchanges: Iterable<Exchange>, epochMs: number): object {
  const entries = [...exchanges].map((exchange) => entry(exchange, epochMs));
  const creator = { name: 'dealership-conformance', version };
  return { log: { version: '1.2', creator, pages: [], entries } };
}
