import { setTimeout as wait } from 'node:timers/promises';
import type { Behaviour, Message } from '../instance.js';
import type { EventKind } from './kinds.js';
import { eventPayload } from './payload.js';
import { signatureOf } from './sign.js';

/** How long each attempt waits after the one before it. */
const waitsMs = [0, 50, 100, 200];
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
  readonly #closing = new AbortController();
  #deliveries = 0;

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
    this.#closing.abort();
  }

  #send(tenant: string, receiver: string, kind: EventKind, record: object): void {
    const url = this.#receivers.get(receiver);
    if (url === undefined || this.#closing.signal.aborted) return;
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
    this.#deliver(url, apply('sent', { headers, body }, signed)).catch(() => undefined);
  }

  async #deliver(url: string, { headers, body }: Message): Promise<void> {
    const { signal: closed } = this.#closing;
    for (const waitMs of waitsMs) {
      await wait(waitMs, null, { ref: false, signal: closed });
      const signal = AbortSignal.any([closed, AbortSignal.timeout(answerWithinMs)]);
      const isTaken = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
        .then((answer) => answer.arrayBuffer().then(() => answer.ok))
        .catch(() => false);
      if (isTaken) return;
    }
  }
}
