import { randomUUID } from 'node:crypto';
import type { Behaviour } from '../instance.js';
import { groupOf, type EventKind } from './kinds.js';

type Json = Record<string, unknown>;

/** The body of one event, as an object; keys with undefined values are left out when it is serialised. */
export function eventPayload(kind: EventKind, record: Json, { option, apply }: Behaviour): Json {
  const shown = apply('eventRecord', { ...record }, kind);
  const kindField = option('event-kind-field');
  const event = {
    id: `evt_${randomUUID().replaceAll('-', '')}`,
    [kindField]: kind,
    createdAt: new Date().toISOString(),
    data: option('event-record') === 'named' ? { [groupOf(kind)]: shown } : shown,
  };
  return apply('event', event, kind, kindField);
}
