import { eventKinds } from '../openapi/index.js';

/** Prints which of the thirteen event kinds have come, how often, and which are awaited, each time one comes. */
export function showArrivals(
  write: (text: string) => unknown = (text) => process.stdout.write(text),
): (kind: string) => void {
  const counts = new Map<string, number>();
  const width = Math.max(...eventKinds.map((kind) => kind.length));
  return (kind) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const lines = eventKinds.map((one) => {
      const count = counts.get(one) ?? 0;
      return `  ${count > 0 ? '✓' : '·'} ${one.padEnd(width)}  ${count > 0 ? `arrived${count > 1 ? ` ${count} times` : ''}` : 'awaited'}`;
    });
    write(`\n${lines.join('\n')}\n`);
  };
}
