import type { IncomingMessage, RequestListener } from 'node:http';
import { closing, serve } from '../loopback.test-kit.js';
import { createClient, type Ask, type Client } from './client.js';
import type { Exchange } from './exchange.js';
import { createPacer } from './pacer.js';
import { createRedactor } from './redactor.js';
import { createTraceContext } from './trace-context.js';
import { createTransport, type Transport } from './transport.js';

export const secret = 'sk_live_Zq7/xK+9=pQ2"w';

interface TestBench {
  readonly client: Client;
  /** The request that `ask` sends where nothing else is said. */
  readonly usual: Ask;
  readonly recorded: Exchange[];
  readonly waits: number[];
  readonly seen: IncomingMessage[];
  ask(request?: Partial<Ask>): Promise<Exchange>;
}

/** A client before a server of its own, with waiting made instant. */
export async function openTestBench(
  answer: RequestListener,
  budgetMs = 600_000,
  rate?: number,
  transport: Transport = createTransport(),
): Promise<TestBench & AsyncDisposable> {
  const seen: IncomingMessage[] = [];
  const server = await serve((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  const [recorded, waits]: [Exchange[], number[]] = [[], []];
  const redactor = createRedactor();
  redactor.add('API_KEY', secret);
  let seq = 0;
  let clockMs = 0;
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    const endMs = clockMs + ms;
    // Concurrent waits must start before the clock advances.
    await new Promise(setImmediate);
    clockMs = Math.max(clockMs, endMs);
  };
  const pacer = createPacer(budgetMs, wait, () => clockMs);
  const client = createClient({
    transport,
    redactor,
    pacer,
    record: (one) => recorded.push(one),
    userAgent: 'test',
    trace: createTraceContext('n'),
    nextSeq: () => (seq += 1),
    outage: { mostMs: 2_000, wait },
    ...(rate === undefined ? {} : { rate }),
  });
  const usual: Ask = {
    method: 'GET',
    url: `${server.url}/a`,
    surface: 'production',
    headers: [],
    credential: null,
    body: null,
  };
  const ask = (request: Partial<Ask> = {}): Promise<Exchange> =>
    client.send('T-01', {
      ...usual,
      ...request,
      ...(request.url === undefined ? {} : { url: server.url + request.url }),
    });
  const close = (): Promise<unknown> => Promise.all([transport.close(), server.close()]);
  return closing({ client, usual, recorded, waits, seen, ask, close });
}

/** Refuses `times` requests with these headers, then answers. */
export const refusing = (times: number, headers: Record<string, string>): RequestListener => {
  let left = times;
  return (_request, response) => {
    left -= 1;
    response.writeHead(left < 0 ? 200 : 429, { 'content-type': 'application/json', ...headers }).end('{"ok":true}');
  };
};
