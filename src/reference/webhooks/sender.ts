import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Behaviour, Delivery, Json, Message, World } from '../instance.js';
import { groupOf, type EventKind } from './kinds.js';
import { signatureOf } from './sign.js';

/** How long each attempt waits after the one before it. */
const waitsMs = [0, 50, 100, 200];
const answerWithinMs = 5_000;

/** Whether events can be delivered there. */
export function isReceiverUrl(url: unknown): url is string {
  return typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'http:';
}

/** The body of one event, as an object; keys with undefined values are left out when it is serialised. */
function eventPayload(kind: EventKind, record: object, { option, apply }: Behaviour): Json {
  const field = option('event-kind-field');
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const event = apply('event', { id, [field]: kind, createdAt: new Date().toISOString(), data: record }, kind, field);
  return option('event-record') === 'named' ? { ...event, data: { [groupOf(kind)]: event['data'] } } : event;
}

/** Sends what is not answered with 2xx again, up to three times. */
async function deliver(url: string, { headers, body }: Message, closed: AbortSignal): Promise<void> {
  for (const waitMs of waitsMs) {
    await wait(waitMs, null, { ref: false, signal: closed });
    const signal = AbortSignal.any([closed, AbortSignal.timeout(answerWithinMs)]);
    const isTaken = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
      .then((answer) => answer.arrayBuffer().then(() => answer.ok))
      .catch(() => false);
    if (isTaken) return;
  }
}

/** Delivers events to the tenants' receivers. */
export function makeSender(behaviour: Behaviour, secrets: ReadonlyMap<string, string>): World['sender'] {
  const { apply, option } = behaviour;
  const receivers = new Map<string, string>();
  const closing = new AbortController();
  let nth = 0;
  const send = ({ tenant, receiver }: Delivery, kind: EventKind, record: object): void => {
    const url = receivers.get(receiver);
    if (url === undefined || closing.signal.aborted) return;
    const payload = eventPayload(kind, record, behaviour);
    const body = Buffer.from(JSON.stringify(payload));
    const secret = secrets.get(tenant) ?? '';
    const signed = { tenant, kind, body, payload, secret, secrets, nth, encoding: option('signature-encoding') };
    nth += 1;
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'dealership-platform-webhooks/1',
      'X-Service-Signature': signatureOf(signed),
    };
    deliver(url, apply('sent', { headers, body }, signed), closing.signal).catch(() => undefined);
  };
  return {
    setReceiver: (tenant, url) => void receivers.set(tenant, url),
    emit(tenant, kind, record) {
      for (const one of apply('deliveries', [{ tenant, receiver: tenant }], kind)) send(one, kind, record);
    },
    close: () => closing.abort(),
  };
}
