import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBody, type HeaderLine, suspendAwareTimeout } from '../http/index.js';
import { headerValues, type Delivery, type HookTenant, type Scenario } from './delivery.js';

/** The address of a receiver, and the number of deliveries that it keeps. */
export interface ReceiverOptions {
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port?: number;
  /** The path registered for the tenant under test. */
  readonly path?: string;
  /** Deliveries kept at most; later ones are only answered. */
  readonly maxCount?: number;
  /** Bytes kept at most over all deliveries, before and after content-encoding. */
  readonly maxTotalBytes?: number;
  /** Bytes read of one body at most, before and after content-encoding. */
  readonly maxBodyBytes?: number;
  /** Called with every delivery kept. */
  readonly onDelivery?: (delivery: Delivery) => void;
}

/** A server that stores deliveries to `/hooks/main` (or another path) and `/hooks/other`. */
export interface Receiver {
  readonly port: number;
  url(tenant: HookTenant): string;
  readonly deliveries: readonly Delivery[];
  /** The first few other paths that something was sent to, each with its method and without its query. */
  readonly elsewhere: readonly string[];
  /** Chooses the answer to each coming delivery; null, or a chooser that gives null, answers 200. */
  answerWith(choose: ((delivery: Delivery) => Scenario | null) | null): void;
  /** Resolves true as soon as the predicate holds, false after `timeoutMs` or when the receiver is closed. */
  waitFor(predicate: (deliveries: readonly Delivery[]) => boolean, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

const mostElsewhere = 5;

function tenantOf(path: string, own: string): HookTenant | null {
  if (path.split('?', 1)[0] === own) return 'main';
  const match = /^\/hooks\/(main|other)(?:[/?]|$)/.exec(path);
  return match === null ? null : (match[1] as HookTenant);
}

/** Reads a body whole; gives null as soon as it is larger than `most` bytes, and drops what is left of it after the answer. */
function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  most: number,
  give: (body: Buffer | null) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else if (before <= most) {
      give(null);
      response.once('finish', () => request.destroy());
    }
  });
  request.on('end', () => {
    if (size <= most) give(Buffer.concat(chunks));
  });
  request.on('error', () => undefined);
}

/** A request as a delivery; `wire` is null for a body of more than `most` bytes. */
function deliveryOf(request: IncomingMessage, tenant: HookTenant, wire: Buffer | null, most: number) {
  const { rawHeaders, url: path = '' } = request;
  const headers = rawHeaders.flatMap((name, at): HeaderLine[] =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
  );
  const encoding = headerValues({ headers }, 'content-encoding').join(',');
  let body = wire ?? Buffer.alloc(0);
  let problem = wire === null ? `the body is larger than ${most} bytes` : null;
  try {
    if (wire !== null && encoding !== '') body = decodeBody(wire, encoding, most);
  } catch (error) {
    problem = `the body is not what Content-Encoding says: ${error instanceof Error ? error.message : ''}`;
  }
  const arrivedAtMs = performance.now();
  return { tenant, path, headers, wire: wire ?? body, body, problem, whole: wire !== null, arrivedAtMs };
}

/** The bytes that a delivery takes: its body before and after content-encoding, and its headers. */
function sizeOf({ wire, body, headers }: Pick<Delivery, 'wire' | 'body' | 'headers'>): number {
  return wire.length + (body === wire ? 0 : body.length) + headers.flat().join('').length;
}

/** The status that a scenario answers with; null where the connection is closed. */
function statusOf(scenario: Scenario | null): number | null {
  if (scenario?.kind === 'status') return scenario.status;
  if (scenario?.kind === 'redirect') return 307;
  return scenario?.kind === 'close' ? null : 200;
}

function answer(response: ServerResponse, scenario: Scenario | null): void {
  const status = statusOf(scenario);
  const location = scenario?.kind === 'redirect' ? { location: scenario.location } : {};
  const end = (): void => {
    if (status === null) response.socket?.destroy();
    else if (!response.destroyed) response.writeHead(status, { 'content-length': '0', ...location }).end();
  };
  if (scenario?.kind === 'slow') setTimeout(end, scenario.delayMs).unref();
  else end();
}

/** Deliveries within bounds, and those who wait for them. */
function createInbox({ maxCount = 20_000, maxTotalBytes = 256e6, onDelivery }: ReceiverOptions) {
  const deliveries: Delivery[] = [];
  const waiting = new Set<() => void>();
  let totalBytes = 0;
  let isReported = false;
  let isClosed = false;
  const lookAll = (): void => {
    isReported = false;
    for (const look of waiting) look();
  };
  return {
    deliveries,
    keep(delivery: Delivery): void {
      const size = sizeOf(delivery);
      if (deliveries.length < maxCount && totalBytes + size <= maxTotalBytes) {
        totalBytes += size;
        deliveries.push(delivery);
        onDelivery?.(delivery);
      }
      // A burst wakes the waiting once per turn of the loop, not once per delivery.
      if (!isReported) setImmediate(lookAll);
      isReported = true;
    },
    waitFor(predicate: (all: readonly Delivery[]) => boolean, timeoutMs: number): Promise<boolean> {
      if (isClosed || predicate(deliveries)) return Promise.resolve(predicate(deliveries));
      return new Promise((resolve) => {
        const look = (isLast = isClosed): void => {
          const held = predicate(deliveries);
          if (!held && !isLast) return;
          waiting.delete(look);
          callOff();
          resolve(held);
        };
        const callOff = suspendAwareTimeout(timeoutMs, () => look(true));
        waiting.add(look);
      });
    },
    close(): void {
      isClosed = true;
      lookAll();
    },
  };
}

/** Starts a receiver; rejects where the address cannot be had. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0, path = '/hooks/main', maxBodyBytes = 4e6 } = options;
  const { deliveries, keep, waitFor, close } = createInbox(options);
  const elsewhere: string[] = [];
  let choose: ((delivery: Delivery) => Scenario | null) | null = null;

  function arrived(request: IncomingMessage, response: ServerResponse, tenant: HookTenant, wire: Buffer | null): void {
    const fields = { seq: deliveries.length + 1, ...deliveryOf(request, tenant, wire, maxBodyBytes) };
    const scenario = choose?.({ ...fields, answered: 200 }) ?? null;
    keep({ ...fields, answered: statusOf(scenario) });
    answer(response, scenario);
  }

  const server = createServer(
    { maxHeaderSize: 65_536, requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout: 5_000 },
    (request, response) => {
      const tenant = tenantOf(request.url ?? '', path);
      response.on('error', () => undefined);
      if (tenant === null || request.method !== 'POST') {
        const place = `${request.method ?? ''} ${(request.url ?? '').split('?', 1)[0]?.slice(0, 80) ?? ''}`;
        if (elsewhere.length < mostElsewhere && !elsewhere.includes(place)) elsewhere.push(place);
        request.on('error', () => undefined).resume();
        answer(response, { kind: 'status', status: tenant === null ? 404 : 200 });
        return;
      }
      readBody(request, response, maxBodyBytes, (wire) => arrived(request, response, tenant, wire));
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: (tenant) =>
      `http://${host.includes(':') ? `[${host}]` : host}:${bound}${tenant === 'main' ? path : '/hooks/other'}`,
    deliveries,
    elsewhere,
    answerWith(next) {
      choose = next;
    },
    waitFor,
    async close() {
      close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
