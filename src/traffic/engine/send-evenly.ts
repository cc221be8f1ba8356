import { suspendAwareTimeout } from '../../http/index.js';
import type { Connection, RequestShape, Settled, Written } from './connection.js';
import type { Engine } from './engine.js';
import { openTicker, type Schedule } from './ticker.js';

/** One request of a schedule. */
export interface Slot {
  readonly index: number;
  readonly dueMs: number;
}

/** Requests at even instants, whatever the answers. */
export interface EvenLoad extends Schedule {
  /** How long a slot may wait for a free connection. */
  readonly queueMs: number;
  readonly timeoutMs: number;
  /** Nothing more is sent after it fires; what is in flight gets a second to come back. */
  readonly signal?: AbortSignal | undefined;
  readonly shapeOf?: ((index: number) => RequestShape) | undefined;
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
export async function sendEvenly(
  engine: Engine,
  load: EvenLoad,
): Promise<{ readonly startedMs: number; readonly queued: number }> {
  const { queueMs, timeoutMs, signal, shapeOf, onDue = () => true, onSettled } = load;
  const waiting: Slot[] = [];
  let first = 0;
  let [next, queued, inFlight] = [0, 0, 0];
  let startedMs = performance.now();
  let onIdle = (): void => undefined;
  const lookIdle = (): void => {
    if (inFlight === 0 && first === waiting.length) onIdle();
  };
  const send = (connection: Connection, slot: Slot): void => {
    inFlight += 1;
    // `send` hands its instant back before anything can settle: sockets report on a later turn.
    const written = connection.send((settled) => {
      inFlight -= 1;
      onSettled(slot, settled, written);
      lookIdle();
    }, shapeOf?.(slot.index));
  };
  /** Sends what waits; `due` are the last ones, which have not been tried before. */
  const pump = (due = 0): void => {
    const untried = waiting.length - due;
    for (let slot = waiting[first]; slot !== undefined; slot = waiting[(first += 1)]) {
      const isOver = signal?.aborted === true || performance.now() - slot.dueMs >= queueMs;
      const connection = signal?.aborted === true || (isOver && first < untried) ? null : engine.take();
      if (connection !== null) send(connection, slot);
      else if (isOver) onSettled(slot, null, null);
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
  const ticker = await openTicker(
    load,
    (offsets) => {
      const due = offsets.map((offset) => ({ index: next++, dueMs: startedMs + offset })).filter((slot) => onDue(slot));
      waiting.push(...due);
      pump(due.length);
    },
    finish,
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) finish();
  else startedMs = ticker.start(startLeadMs);
  await done;
  await ticker.stop();
  await new Promise<void>((resolve) => {
    const sweep = setInterval(pump, sweepMs);
    const end = (): void => {
      clearInterval(sweep);
      callOff();
      resolve();
    };
    const patience = (): (() => void) =>
      suspendAwareTimeout(
        signal?.aborted === true ? abortGraceMs(timeoutMs) : queueMs + timeoutMs + abortGraceMs(timeoutMs),
        end,
      );
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
