import { randomUUID } from 'node:crypto';
import type { Behaviour } from '../instance.js';
import { groupOf, type EventKind } from './kinds.js';

type Json = Record<string, unknown>;

/** The body of one event, as an object; keys with undefined values are left out when it is serialised. */
export function eventPayload(kind: EventKind, record: object, { option, apply }: Behaviour): Json {
  const field = option('event-kind-field');
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const event = apply('event', { id, [field]: kind, createdAt: new Date().toISOString(), data: record }, kind, field);
  return option('event-record') === 'named' ? { ...event, data: { [groupOf(kind)]: event['data'] } } : event;
}
