import type { Observation } from '../../requirement/index.js';
import { headerValues, signatureSchemes, type Delivery } from '../delivery.js';
import type { EventKind } from '../../openapi/index.js';
import type { EventPayload } from '../event-payload.js';
import type { OwnWrite } from './hook-findings.js';

const idNames = ['id', 'eventId', 'event_id', 'deliveryId', 'delivery_id', 'messageId', 'message_id', 'uuid'];
const timeNames = [
  'createdAt',
  'created_at',
  'created',
  'timestamp',
  'occurredAt',
  'occurred_at',
  'time',
  'at',
  'date',
];

/** An event's own id, from its payload or a header that is named like one; null where it has none. */
export function eventId(payload: EventPayload): string | null {
  for (const name of idNames.slice(1)) if (typeof payload.event?.[name] === 'string') return payload.event[name];
  const line = payload.delivery.headers.find(([name]) => /(?:webhook|event|delivery|svix|message)-?id$/.test(name));
  if (line) return line[1];
  const id = payload.event?.['id'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

function eventTime(payload: EventPayload): number | null {
  for (const name of timeNames) {
    const value = payload.event?.[name];
    if (typeof value === 'number') return value < 1e11 ? value * 1_000 : value;
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return Date.parse(value);
  }
  return null;
}

/** HOOK-07, from the deliveries alone: what emitted what, ids, order, and how they are sent. */
export function observeDeliveries(
  events: readonly EventPayload[],
  kinds: readonly (EventKind | null)[],
  writes: readonly OwnWrite[],
): readonly Observation[] {
  const out: Observation[] = [];
  const say = (question: string, observed: string): void => void out.push({ id: 'HOOK-07', question, observed });
  for (const write of writes) {
    const caused = events.map((event, at) =>
      write.markers.some((text) => event.delivery.body.includes(text)) ? (kinds[at] ?? 'an unknown kind') : null,
    );
    const seen = [...new Set(caused.filter((kind) => kind !== null))];
    say(
      `Which events does ${write.operation}${write.tenant === 'other' ? ' (second tenant)' : ''} emit?`,
      seen.length === 0 ? 'none that was seen' : seen.join(', '),
    );
  }
  const ids = events.map(eventId);
  const given = ids.filter((id) => id !== null);
  const twice = given.length - new Set(given).size;
  say(
    'Do events carry an id?',
    given.length === 0
      ? 'no'
      : `${given.length} of ${events.length} do${twice === 0 ? ', all different' : `; ${twice} came more than once`}`,
  );
  const times = events.map(eventTime).filter((time) => time !== null);
  const backwards = times.filter((time, at) => time < (times[at - 1] ?? -Infinity)).length;
  if (times.length > 1)
    say(
      'Do events arrive in the order of their time stamps?',
      backwards === 0 ? 'yes' : `${backwards} of ${times.length} came after a later one`,
    );
  const schemes = [...new Set(events.flatMap(({ delivery }) => signatureSchemes(delivery)))];
  if (schemes.length > 0)
    say('Which other signatures do deliveries carry? None of them is asked for.', schemes.join(', '));
  const kindsOf = (name: string): string =>
    [...new Set(events.flatMap(({ delivery }) => [...headerValues(delivery, name)]))].slice(0, 5).join(', ') || 'none';
  say(
    'What Content-Type and Content-Encoding do deliveries have?',
    `${kindsOf('content-type')}; ${kindsOf('content-encoding')}`,
  );
  return out;
}

/** Whether a later delivery brings the same event again: the same bytes, or the same id of an event. */
export function isRepeat(first: Delivery, later: Delivery, idOf: (delivery: Delivery) => string | null): boolean {
  if (later.seq === first.seq || later.tenant !== first.tenant) return false;
  const id = idOf(first);
  return later.wire.equals(first.wire) || (id !== null && idOf(later) === id);
}
