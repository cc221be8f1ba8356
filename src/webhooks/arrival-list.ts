import { eventKinds } from '../openapi/event-kinds.js';
import type { EventKind } from '../openapi/event-kinds.js';

/** The lines of the list that shows which of the thirteen kinds have come, how often, and which are awaited. */
export function arrivalList(counts: ReadonlyMap<EventKind, number>): readonly string[] {
  const width = Math.max(...eventKinds.map((kind) => kind.length));
  return eventKinds.map((kind) => {
    const count = counts.get(kind) ?? 0;
    return `  ${count > 0 ? '✓' : '·'} ${kind.padEnd(width)}  ${count > 0 ? `arrived${count > 1 ? ` ${count} times` : ''}` : 'awaited'}`;
  });
}
