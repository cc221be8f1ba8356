import { suspendAwareTimeout } from '../../http/index.js';
import type { Connection, RequestShape, Settled, Written } from './connection.js';
import type { Engine } from './engine.js';
import { openTicker, type Schedule } from './ticker.js';

/** One request of a schedule. */
export interface Slot {
  readonly index: number;
  readonly dueMs: number;
}

/** Requests at even instants, whatever the answers; without a rate, all as fast as the connections carry them. */
export interface Load extends Omit<Schedule, 'ratePerSecond'> {
  readonly ratePerSecond: number | null;
  /** How long a slot may wait for a free connection, from when it was due; without a rate, once nothing is in flight. */
  readonly queueMs: number;
  readonly timeoutMs: number;
  /** Nothing more is sent after it fires; what is in flight gets a second to come back. */
  readonly signal?: AbortSignal | undefined;
  readonly shapeOf?: ((index: number) => RequestShape) | undefined;
  /** Whether nothing more is to be sent; what is in flight is waited for. */
  readonly isEnough?: () => boolean;
  /** Hears of a slot when it is due; false leaves it out. */
  readonly onDue?: (slot: Slot) => boolean;
  /** Hears what became of a slot, also after the end, as connections close; nulls where it was never sent. */
  readonly onSettled: (slot: Slot, settled: Settled | null, written: Written | null) => void;
}

const startLeadMs = 30;
const sweepMs = 20;

/** How long requests in flight may still be answered after a load is ended early; at most the timeout. */
export const abortGraceMs = (timeoutMs: number): number => Math.min(1_000, timeoutMs);

/** Sends a schedule over a pool; its instant zero, and how many slots found no free connection when they were due. */
export async function sendLoad(
  engine: Engine,
  load: Load,
): Promise<{ readonly startedMs: number; readonly queued: number }> {
  const { ratePerSecond, queueMs, timeoutMs, signal, shapeOf, onDue = () => true, onSettled } = load;
  const waiting: Slot[] = [];
  let first = 0;
  let [next, queued, inFlight] = [0, 0, 0];
  let startedMs = performance.now();
  let settledMs = startedMs;
  let onIdle = (): void => undefined;
  const lookIdle = (): void => {
    if (inFlight === 0 && first === waiting.length) onIdle();
  };
  const send = (connection: Connection, slot: Slot): void => {
    inFlight += 1;
    // `send` hands its instant back before anything can settle: sockets report on a later turn.
    const written = connection.send((settled) => {
      inFlight -= 1;
      settledMs = performance.now();
      onSettled(slot, settled, written);
      lookIdle();
    }, shapeOf?.(slot.index));
  };
  /** Sends what waits; `due` are the last ones, which have not been tried before. */
  const pump = (due = 0): void => {
    const untried = waiting.length - due;
    for (let slot = waiting[first]; slot !== undefined; slot = waiting[(first += 1)]) {
      const isEnd = signal?.aborted === true || load.isEnough?.() === true;
      const nowMs = performance.now();
      const isLate = ratePerSecond !== null && nowMs - slot.dueMs >= queueMs;
      const isLost = ratePerSecond === null && inFlight === 0 && nowMs - settledMs >= queueMs;
      const connection = isEnd || (isLate && first < untried) ? null : engine.take();
      if (connection !== null) send(connection, slot);
      else if (isEnd || isLate || isLost) onSettled(slot, null, null);
      else break;
    }
    queued += Math.min(waiting.length - first, due);
    // To shift them one by one would take the longer, the longer the queue is.
    if (first === waiting.length || first >= 1_000) first -= waiting.splice(0, first).length;
    lookIdle();
  };
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  let hurry = finish;
  const onAbort = (): void => hurry();
  engine.onFree = () => pump();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (ratePerSecond === null) for (; next < load.count; next += 1) waiting.push({ index: next, dueMs: startedMs });
  else {
    const ticker = await openTicker(
      { ...load, ratePerSecond },
      (offsets) => {
        const due = offsets
          .map((offset) => ({ index: next++, dueMs: startedMs + offset }))
          .filter((slot) => onDue(slot));
        waiting.push(...due);
        pump(due.length);
      },
      finish,
    );
    if (signal?.aborted === true) finish();
    else startedMs = ticker.start(startLeadMs);
    await done;
    await ticker.stop();
  }
  await new Promise<void>((resolve) => {
    const sweep = setInterval(pump, sweepMs);
    const end = (): void => {
      clearInterval(sweep);
      callOff();
      resolve();
    };
    const patience = (): (() => void) => {
      const fromMs = settledMs;
      const graceMs = abortGraceMs(timeoutMs);
      return suspendAwareTimeout(signal?.aborted === true ? graceMs : queueMs + timeoutMs + graceMs, () => {
        if (signal?.aborted === true || settledMs === fromMs) end();
        else callOff = patience();
      });
    };
    let callOff = patience();
    onIdle = end;
    hurry = () => {
      callOff();
      callOff = patience();
    };
    pump();
  });
  onIdle = () => undefined;
  engine.onFree = () => undefined;
  signal?.removeEventListener('abort', onAbort);
  for (const slot of waiting.splice(first)) onSettled(slot, null, null);
  return { startedMs, queued };
}
