import { Agent, request } from 'node:http';
import type { Behaviour } from '../instance.js';
import type { EventKind } from './kinds.js';
import { eventPayload } from './payload.js';
import { signatureOf } from './sign.js';

const waitsMs = [50, 100, 200];
const answerWithinMs = 5_000;

/** Whether events can be delivered there. */
export function isReceiverUrl(url: unknown): url is string {
  return typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'http:';
}

/** Delivers events to the tenants' receivers; what is not answered with 2xx is sent again up to three times. */
export class Sender {
  readonly #behaviour: Behaviour;
  readonly #secrets: ReadonlyMap<string, string>;
  readonly #receivers = new Map<string, string>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #timers = new Set<NodeJS.Timeout>();
  #deliveries = 0;
  #closed = false;

  constructor(behaviour: Behaviour, secrets: ReadonlyMap<string, string>) {
    this.#behaviour = behaviour;
    this.#secrets = secrets;
  }

  setReceiver(tenant: string, url: string): void {
    this.#receivers.set(tenant, url);
  }

  /** Sends one event of a tenant, if it has a receiver; returns at once. */
  emit(tenant: string, kind: EventKind, record: object): void {
    const deliveries = this.#behaviour.apply('deliveries', [{ tenant, receiver: tenant }], kind);
    for (const one of deliveries) this.#send(one.tenant, one.receiver, kind, record);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#agent.destroy();
  }

  #send(tenant: string, receiver: string, kind: EventKind, record: object): void {
    const url = this.#receivers.get(receiver);
    if (url === undefined || this.#closed) return;
    const { apply, option } = this.#behaviour;
    const payload = eventPayload(kind, record, this.#behaviour);
    const body = Buffer.from(JSON.stringify(payload));
    const secrets = this.#secrets;
    const encoding = option('signature-encoding');
    const secret = secrets.get(tenant) ?? '';
    const signed = { tenant, kind, body, payload, secret, secrets, nth: this.#deliveries, encoding };
    this.#deliveries += 1;
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'dealership-platform-webhooks/1',
      'X-Service-Signature': signatureOf(signed),
    };
    const message = apply('sent', { headers, body }, signed);
    this.#attempt(url, message.headers, message.body, 0);
  }

  #attempt(url: string, headers: Record<string, string>, body: Buffer, tried: number): void {
    let settled = false;
    const settle = (ok: boolean): void => {
      if (settled || this.#closed) return;
      settled = true;
      const waitMs = waitsMs[tried];
      if (ok || waitMs === undefined) return;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#attempt(url, headers, body, tried + 1);
      }, waitMs);
      timer.unref();
      this.#timers.add(timer);
    };
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, 'Content-Length': String(body.length) },
        timeout: answerWithinMs,
      },
      (answer) => {
        answer.resume();
        answer.on('error', () => settle(false));
        answer.on('end', () => settle((answer.statusCode ?? 0) >= 200 && (answer.statusCode ?? 0) < 300));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', () => settle(false));
    outgoing.end(body);
  }
}
