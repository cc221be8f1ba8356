import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal, its shell and npx may each pass on the same Ctrl-C or hang-up. */
const sameMs = 500;

/** Hears the first signal that asks for an end; the next one ends this process at once. Hands back what stops listening. */
export function onInterrupt(hear: (signal: NodeJS.Signals) => void): () => void {
  let isHeard = false;
  let endsAtNext = false;
  const listen = (signal: NodeJS.Signals): void => {
    if (!isHeard) {
      isHeard = true;
      // Signals that arrived while this process was busy are delivered between a timer and setImmediate, so they still count as the same.
      setTimeout(() => setImmediate(() => (endsAtNext = true)), sameMs).unref();
      hear(signal);
      return;
    }
    if (!endsAtNext) return;
    stop();
    // Linux keeps signals without a listener from the first process of a container.
    if (process.pid === 1) process.exit(128 + constants.signals[signal]);
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    for (const signal of signals) process.off(signal, listen);
  };
  for (const signal of signals) process.on(signal, listen);
  return stop;
}
