import { eventKinds } from '../openapi/index.js';

/** The lines of the list that shows which of the thirteen kinds have come, how often, and which are awaited. */
export function arrivalList(counts: ReadonlyMap<string, number>): readonly string[] {
  const width = Math.max(...eventKinds.map((kind) => kind.length));
  return eventKinds.map((kind) => {
    const count = counts.get(kind) ?? 0;
    return `  ${count > 0 ? '✓' : '·'} ${kind.padEnd(width)}  ${count > 0 ? `arrived${count > 1 ? ` ${count} times` : ''}` : 'awaited'}`;
  });
}

/** Prints which event kinds have come and which are awaited, each time one comes. */
export function showArrivals(): (kind: string) => void {
  const counts = new Map<string, number>();
  return (kind) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    process.stdout.write(`\n${arrivalList(counts).join('\n')}\n`);
  };
}
