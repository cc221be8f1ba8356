import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asObject, type EventKind, isEventKind } from '../openapi/index.js';

/** A record of which only the fields named are known (§2). */
export interface Open {
  readonly [field: string]: unknown;
}

/** The deal that `deal.funded` carries (§6). */
export interface FundedDealRecord extends Open {
  readonly id: string;
  readonly totalGross: number;
}

/** The argument of the listener of each kind: the record of the event. */
export type EventData = { readonly [Kind in EventKind]: Kind extends 'deal.funded' ? FundedDealRecord : Open };

/** One verified event as it came. */
export interface ReceivedEvent<Kind extends EventKind = EventKind> {
  readonly kind: Kind;
  /** The whole payload. */
  readonly payload: Open;
  /** The exact bytes that were signed. */
  readonly rawBody: Buffer;
}

/** Handles an event. If it throws or rejects, the listener answers the delivery with 500, so that the sender may repeat it. */
export type EventHandler<Kind extends EventKind> = (
  data: EventData[Kind],
  event: ReceivedEvent<Kind>,
) => void | Promise<void>;

/** A webhook listener for `node:http`. */
export interface Listener {
  /** Adds a handler for a kind; several are called in the order added. */
  on<Kind extends EventKind>(kind: Kind, handler: EventHandler<Kind>): Listener;
  /** Answers a request: `http.createServer(listener.handler)`. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
}

/** How a listener verifies. */
export interface ListenerOptions {
  /** The tenant's webhook secret. */
  readonly secret: string;
  /** Name of the signature header. */
  readonly header?: string;
  /** Larger bodies are refused with 413, in bytes. */
  readonly maxBytes?: number;
}

const valueShape =
  /^(?:t=\d{1,19}[,;] ?)?(?:[A-Za-z][A-Za-z0-9-]{0,15}[=,])?([0-9a-f]{64}|[0-9A-F]{64}|[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/;

/** Whether `value` is the HMAC-SHA256 of the raw body: hex, base64 or base64url, with or without a time stamp (`t=…,`) and a short prefix before it; compared in constant time. */
export function verifySignature(secret: string, rawBody: Buffer, value: string): boolean {
  const text = valueShape.exec(value)?.[1];
  if (text === undefined) return false;
  const given = Buffer.from(text, text.length === 64 ? 'hex' : 'base64');
  const right = createHmac('sha256', secret).update(rawBody).digest();
  return given.length === right.length && timingSafeEqual(given, right);
}

function kindOf(payload: Open): unknown {
  const inner = asObject(payload['event']);
  const places = [
    payload['type'],
    payload['event'],
    payload['kind'],
    payload['name'],
    inner?.['type'],
    inner?.['kind'],
    inner?.['name'],
  ];
  return places.find(isEventKind) ?? places.find((value) => typeof value === 'string');
}

function recordOf(kind: EventKind, payload: Open): Open {
  const subject = kind.slice(0, kind.indexOf('.'));
  for (const holder of [asObject(payload['data']), asObject(payload['payload']), payload]) {
    const record = holder === null ? null : (asObject(holder[subject]) ?? asObject(holder['object']));
    if (record !== null) return record;
  }
  return asObject(payload['data']) ?? asObject(payload['payload']) ?? payload;
}

function isFundedDeal(record: Open): boolean {
  return typeof record['id'] === 'string' && typeof record['totalGross'] === 'number';
}

function parse(rawBody: Buffer): Open | null {
  try {
    return asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody)));
  } catch {
    return null;
  }
}

/**
 * Creates a listener that verifies the signature of the raw bytes before it parses them. It answers 204 to a verified event, 401 to an
 * absent, doubled or wrong signature, and 400, 405, 413, 415 or 422 to an unreadable request.
 */
export function createListener(options: ListenerOptions): Listener {
  const { secret, header = 'X-Service-Signature', maxBytes = 1_000_000 } = options;
  if (secret === '') throw new Error('the webhook secret is empty: anybody could sign with it');
  const handlers = new Map<EventKind, ((data: Open, event: ReceivedEvent) => void | Promise<void>)[]>();

  async function judge(request: IncomingMessage, rawBody: Buffer): Promise<number> {
    const values = request.headersDistinct[header.toLowerCase()] ?? [];
    const [value] = values;
    if (values.length !== 1 || value === undefined || !verifySignature(secret, rawBody, value)) return 401;
    const payload = parse(rawBody);
    if (payload === null) return 400;
    const kind = kindOf(payload);
    if (kind === undefined) return 422;
    // A kind of a later version is no error of the sender: it is taken and left alone.
    if (!isEventKind(kind)) return 204;
    const data = recordOf(kind, payload);
    if (kind === 'deal.funded' && !isFundedDeal(data)) return 422;
    for (const handle of handlers.get(kind) ?? []) await handle(data, { kind, payload, rawBody });
    return 204;
  }

  const listener: Listener = {
    on(kind, handler) {
      const known = handlers.get(kind) ?? [];
      // The map forgets which kind goes with which data; `judge` hands each list only its own kind.
      known.push(handler as unknown as (data: Open, event: ReceivedEvent) => void | Promise<void>);
      handlers.set(kind, known);
      return listener;
    },
    handler(request, response) {
      const end = (status: number): void => {
        if (response.headersSent || response.destroyed) return;
        response.writeHead(status, { 'content-length': '0', ...(status === 413 ? { connection: 'close' } : {}) }).end();
      };
      const chunks: Buffer[] = [];
      let size = 0;
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else end(413);
      });
      request.on('end', () => {
        if (size > maxBytes) return;
        if (request.method !== 'POST') end(405);
        else if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? '')) end(415);
        else judge(request, Buffer.concat(chunks)).then(end, () => end(500));
      });
    },
  };
  return listener;
}
