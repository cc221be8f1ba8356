/** The thirteen kinds of event, in the order of §6. */
export const eventKinds = [
  'lead.created',
  'lead.qualified',
  'lead.converted',
  'deal.created',
  'deal.signed',
  'deal.funded',
  'unit.created',
  'unit.sold',
  'unit.aged',
  'call.completed',
  'call.escalated',
  'service.opened',
  'service.completed',
] as const;

/** One of the thirteen kinds (§6). */
export type EventKind = (typeof eventKinds)[number];

const known: ReadonlySet<string> = new Set(eventKinds);

/** Whether a value is one of the thirteen kinds, letter by letter. */
export function isEventKind(value: unknown): value is EventKind {
  return typeof value === 'string' && known.has(value);
}
