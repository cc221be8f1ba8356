import { Worker } from 'node:worker_threads';
import { suspendAwareTimeout } from '../../http/index.js';
import type { Connection, Engine, RequestShape, Settled, Written } from './connections.js';

/** When requests are due: `ratePerSecond`, evenly. */
export interface Schedule {
  readonly ratePerSecond: number;
  readonly count: number;
  /** The first slot stands alone, so long before the others. */
  readonly afterFirstSeconds?: number;
}

/**
 * How long before a slot the wake-up message is sent; the rest of the wait is spent spinning. A sleeping thread wakes a few tenths of a
 * millisecond late, sometimes a whole one, and so does the thread that it wakes. At most a fifth of the interval between slots,
 * up to 4,000 a second; beyond, so many slots are announced together that messages do not take the time of requests.
 */
function aheadMs(ratePerSecond: number): number {
  return ratePerSecond > 4_000 ? 0.25 : Math.min(0.7, 190 / ratePerSecond);
}

// Plain JavaScript as text: it must run alike from compiled files and beneath a loader of TypeScript.
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const { ratePerSecond, count, afterFirstSeconds, aheadMs } = workerData;
const flag = new Int32Array(workerData.flag);
const zero = new BigInt64Array(workerData.zero);
const evenMs = (index) => index / ratePerSecond * 1000;
const offsetMs = (index) => afterFirstSeconds === 0 || index === 0 ? evenMs(index) : afterFirstSeconds * 1000 + evenMs(index - 1);
parentPort.postMessage('ready');
Atomics.wait(flag, 0, 0);
const togetherMs = ratePerSecond > 4000 ? aheadMs : 0;
const soonMs = () => Number(process.hrtime.bigint() - zero[0]) / 1e6 + aheadMs;
let index = 0;
while (index < count && Atomics.load(flag, 0) === 1) {
  const early = offsetMs(index) - soonMs();
  if (early > 0) {
    Atomics.wait(flag, 0, 1, Math.min(early, 1000));
    continue;
  }
  const soon = [];
  for (const now = soonMs(); index < count && offsetMs(index) <= now + togetherMs; index += 1) soon.push(offsetMs(index));
  parentPort.postMessage(soon);
}
// To take a thread down costs the last slots their time: it ends when it is stopped.
Atomics.wait(flag, 0, 1);
`;

/** So long the watch stays away from whatever else there is to do, and so often it looks at something before it asks for the time. */
const sliceMs = 0.05;
const looks = 300;

/**
 * Spins until then, for one slice of time at most. Reading the clock or yielding on every turn makes garbage, and its collection would
 * delay a slot.
 */
function stayAwake(untilMs: number, flag: Int32Array): void {
  const endMs = Math.min(untilMs, performance.now() + sliceMs);
  while (performance.now() < endMs) for (let look = 0; look < looks; look += 1) Atomics.load(flag, 0);
}

/**
 * Opens a ticker, woken by a thread that nothing else runs on; spins (at low priority) while a slot is due soon. `onDue` hears the offsets (ms
 * from zero) of slots that have just become due, `onDone` the end of the schedule.
 */
async function openTicker(
  { ratePerSecond, count, afterFirstSeconds = 0 }: Schedule,
  onDue: (offsetsMs: readonly number[]) => void,
  onDone: () => void,
) {
  const flag = new SharedArrayBuffer(4);
  const zero = new SharedArrayBuffer(8);
  const worker = new Worker(source, {
    eval: true,
    execArgv: [],
    stdout: false,
    workerData: { flag, zero, ratePerSecond, count, afterFirstSeconds, aheadMs: aheadMs(ratePerSecond) },
  });
  const signal = new Int32Array(flag);
  const soon: number[] = [];
  let zeroMs = 0;
  let left = count;
  let [awake, stopped] = [false, false];
  const look = (): void => {
    awake = false;
    stayAwake((soon[0] ?? 0) + zeroMs, signal);
    const now = performance.now() - zeroMs;
    const later = soon.findIndex((offset) => offset > now);
    const due = soon.splice(0, later < 0 ? soon.length : later);
    if (stopped) return;
    left -= due.length;
    if (due.length > 0) onDue(due);
    if (left === 0) onDone();
    else if (soon.length > 0) {
      awake = true;
      setImmediate(look);
    }
  };
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message: 'ready' | number[]) => {
      if (message === 'ready') {
        resolve();
        return;
      }
      soon.push(...message);
      if (!awake) look();
    });
  });
  return {
    /** Starts the schedule `leadMs` from now and hands back its instant zero on `performance.now()`'s clock. */
    start(leadMs: number): number {
      zeroMs = performance.now() + leadMs;
      new BigInt64Array(zero)[0] = process.hrtime.bigint() + BigInt(Math.round(leadMs * 1e6));
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
      return zeroMs;
    },
    async stop(): Promise<void> {
      stopped = true;
      Atomics.store(signal, 0, 2);
      Atomics.notify(signal, 0);
      await worker.terminate();
    },
  };
}

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
