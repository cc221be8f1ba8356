import { randomUUID } from 'node:crypto';
import type { Behaviour } from '../behaviour.js';
import { groupOf } from './kinds.js';
import type { EventKind } from './kinds.js';

type Json = Record<string, unknown>;

function shownKind(kind: EventKind, behaviour: Behaviour): string | undefined {
  const { has } = behaviour;
  if (has('event-kind-upper')) return kind.toUpperCase();
  if (has('event-kind-unknown') && kind === 'lead.qualified') return 'lead.scored';
  if (has('event-kind-underscored') && kind.startsWith('unit.')) return kind.replace('.', '_');
  return has('event-kind-missing') && kind === 'call.completed' ? undefined : kind;
}

function shownRecord(kind: EventKind, record: Json, behaviour: Behaviour): Json {
  const { has } = behaviour;
  const shown: Json = { ...record };
  if (kind === 'deal.funded') {
    if (has('funded-total-text')) shown['totalGross'] = String(record['totalGross']);
    if (has('funded-total-null')) shown['totalGross'] = null;
    if (has('funded-total-missing')) delete shown['totalGross'];
    if (has('funded-without-id')) delete shown['id'];
    if (has('funded-id-number')) shown['id'] = 4_711;
  }
  if (has('event-lead-score-text') && kind.startsWith('lead.')) shown['score'] = String(record['score']);
  if (has('event-unit-without-status') && kind.startsWith('unit.')) delete shown['status'];
  return shown;
}

/** The body of one event, as an object; keys with undefined values are left out when it is serialised. */
export function eventPayload(kind: EventKind, record: Json, behaviour: Behaviour): Json {
  const { has } = behaviour;
  const shown = shownRecord(kind, record, behaviour);
  const now = new Date();
  return {
    id: has('event-id-missing') && kind.startsWith('service.') ? undefined : `evt_${randomUUID().replaceAll('-', '')}`,
    [behaviour.dial('event-kind-field')]: shownKind(kind, behaviour),
    createdAt: has('event-created-at-number') ? now.getTime() : now.toISOString(),
    data: behaviour.dial('event-record') === 'named' ? { [groupOf(kind)]: shown } : shown,
  };
}
