/** The kinds of events there are. */
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

/** One of the thirteen kinds. */
export type EventKind = (typeof eventKinds)[number];

/** `deal.funded` → `deal`. */
export function groupOf(kind: EventKind): string {
  return kind.slice(0, kind.indexOf('.'));
}
