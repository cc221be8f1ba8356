import { randomUUID } from 'node:crypto';

/** An event to send to a receiver, in one of a few layouts, as the specification leaves the layout open (§6). */
export type EventLayout = 'many names' | 'event object' | 'type and data' | 'deal at the top';

/** The layouts, the one that most receivers can read first. */
export const eventLayouts: readonly EventLayout[] = ['many names', 'type and data', 'event object', 'deal at the top'];

/** A `deal.funded` event that no other is equal to; `note` is free text in it. */
export function sampleEvent(layout: EventLayout, note: string): Record<string, unknown> {
  const id = `evt_${randomUUID()}`;
  const deal = { id: `deal_${randomUUID().slice(0, 8)}`, totalGross: 41_250.5, note };
  const createdAt = new Date().toISOString();
  const kind = 'deal.funded';
  if (layout === 'type and data') return { id, type: kind, createdAt, data: deal };
  if (layout === 'event object') return { event: { id, type: kind, createdAt }, data: { deal } };
  if (layout === 'deal at the top') return { event: kind, ...deal };
  return {
    id,
    type: kind,
    event: kind,
    kind,
    name: kind,
    createdAt,
    timestamp: createdAt,
    data: { ...deal, deal },
    deal,
  };
}
