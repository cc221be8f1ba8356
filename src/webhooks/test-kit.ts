import { createHmac } from 'node:crypto';
import { request as httpRequest, type ServerResponse } from 'node:http';
import type { HeaderLine } from '../http/exchange.js';
import type { Delivery, HookTenant } from './delivery.js';
import { eventKinds } from '../openapi/event-kinds.js';

/** Secrets and header name that the tests use. */
export const secret = 'main-secret-of-the-tests-0001';
export const otherSecret = 'other-secret-of-the-tests-0002';
export const header = 'X-Service-Signature';

/** Hex HMAC-SHA256. */
export function hex(key: string | Buffer, message: string | Buffer): string {
  return createHmac('sha256', key).update(message).digest('hex');
}

/** The payload of an event as an ordinary sender writes it. */
export function payload(kind: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  const record = kind.startsWith('deal.')
    ? { id: 'deal-17', totalGross: 41_250.5, buyer: 'Zoë Łódź' }
    : { id: `${kind}-9`, note: 'Citroën a/b' };
  return { id: `evt-${kind}`, type: kind, createdAt: '2026-01-02T03:04:05.000Z', data: record, ...extra };
}

/** One recorded delivery; signed in hex under the tenant's secret unless `options` say otherwise. */
export function delivery(
  seq: number,
  body: unknown,
  options: { headers?: readonly HeaderLine[]; tenant?: HookTenant; wire?: Buffer } = {},
): Delivery {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const tenant = options.tenant ?? 'main';
  const wire = options.wire ?? bytes;
  const signature = ['x-service-signature', hex(tenant === 'main' ? secret : otherSecret, wire)] as const;
  return {
    seq,
    tenant,
    path: `/hooks/${tenant}`,
    headers: options.headers ?? [['content-type', 'application/json'], signature],
    wire,
    body: bytes,
    problem: null,
    whole: true,
    arrivedAtMs: seq,
    answered: 200,
  };
}

/** One delivery of each kind, made by `make`. */
export function oneOfEach(
  make: (kind: string, seq: number) => Delivery = (kind, seq) => delivery(seq, payload(kind)),
): Delivery[] {
  return eventKinds.map((kind, at) => make(kind, at + 1));
}

/** Ends an answer with a status alone. */
export function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '0' }).end();
}

/** POSTs bytes and gives the status, or 0 where no answer came. */
export function post(url: string, body: Buffer | string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(
      url,
      { method: 'POST', headers: { 'content-length': String(Buffer.byteLength(body)), ...headers } },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', () => resolve(0));
      },
    );
    outgoing.on('error', () => resolve(0));
    outgoing.end(body);
  });
}
