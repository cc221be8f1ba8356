import { type Delivery } from '../delivery.js';
import type { EventPayload } from '../event-payload.js';
import { type HookReport, isAbout, type OwnWrite } from './hook-report.js';
import type { KindedEvent } from './judge-kinds.js';

const idNames = ['id', 'eventId', 'event_id', 'deliveryId', 'delivery_id', 'messageId', 'message_id', 'uuid'];
const timeNames = 'createdAt created_at created timestamp occurredAt occurred_at time at date'.split(' ');

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
  report: HookReport,
  events: readonly KindedEvent[],
  writes: readonly OwnWrite[],
): void {
  const say = (question: string, observed: string): void => report.observe('HOOK-07', question, observed);
  const unique = (texts: readonly string[]): string => [...new Set(texts)].slice(0, 5).join(', ');
  for (const write of writes) {
    const caused = events.filter(({ delivery }) => isAbout(delivery, write));
    say(
      `Which events does ${write.operation}${write.tenant === 'other' ? ' (second tenant)' : ''} emit?`,
      unique(caused.map(({ kind }) => kind ?? 'an unknown kind')) || 'none that was seen',
    );
  }
  const ids = events.map(eventId).filter((id) => id !== null);
  const twice = ids.length - new Set(ids).size;
  const repeats = twice === 0 ? ', all different' : `; ${twice} came more than once`;
  say('Do events carry an id?', ids.length === 0 ? 'no' : `${ids.length} of ${events.length} do${repeats}`);
  const times = events.map(eventTime).filter((time) => time !== null);
  const backwards = times.filter((time, at) => time < (times[at - 1] ?? -Infinity)).length;
  if (times.length > 1)
    say(
      'Do events arrive in the order of their time stamps?',
      backwards === 0 ? 'yes' : `${backwards} of ${times.length} came after a later one`,
    );
}

/** Whether a later delivery brings the same event again: the same bytes, or the same id of an event. */
export function isRepeat(first: Delivery, later: Delivery, idOf: (delivery: Delivery) => string | null): boolean {
  if (later.seq === first.seq || later.tenant !== first.tenant) return false;
  const id = idOf(first);
  return later.wire.equals(first.wire) || (id !== null && idOf(later) === id);
}
