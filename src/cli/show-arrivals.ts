import { arrivalList } from '../webhooks/arrival-list.js';
import type { EventKind } from '../openapi/event-kinds.js';

/** Prints which event kinds have come and which are awaited, each time one comes. */
export function showArrivals(): (kind: string) => void {
  const counts = new Map<EventKind, number>();
  return (kind) => {
    counts.set(kind as EventKind, (counts.get(kind as EventKind) ?? 0) + 1);
    process.stdout.write(`\n${arrivalList(counts).join('\n')}\n`);
  };
}
