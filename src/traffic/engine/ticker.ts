import { Worker } from 'node:worker_threads';

/** When requests are due: `ratePerSecond`, evenly. */
export interface Schedule {
  readonly ratePerSecond: number;
  readonly count: number;
  /** The first slot stands alone, so long before the others. */
  readonly afterFirstSeconds?: number;
}

/** Says when each slot is due, woken by a thread that nothing else runs on. */
export interface Ticker {
  /** Starts the schedule `leadMs` from now and hands back its instant zero on `performance.now()`'s clock. */
  start(leadMs: number): number;
  stop(): Promise<void>;
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
function stayAwake(untilMs: number, nothing: Int32Array): void {
  const endMs = Math.min(untilMs, performance.now() + sliceMs);
  while (performance.now() < endMs) for (let look = 0; look < looks; look += 1) Atomics.load(nothing, 0);
}

/** Announces slots when they are due. Spins (at low priority) while a slot is due soon. */
function openWatch(count: number, onDue: (offsetsMs: readonly number[]) => void, onDone: () => void) {
  const soon: number[] = [];
  let zeroMs = 0;
  let left = count;
  let awake = false;
  let stopped = false;
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const look = (): void => {
    awake = false;
    stayAwake((soon[0] ?? 0) + zeroMs, nothing);
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
  return {
    startAt(ms: number) {
      zeroMs = ms;
      if (left === 0) setImmediate(onDone);
    },
    expect(offsets: readonly number[]) {
      soon.push(...offsets);
      if (!awake) look();
    },
    stop: () => void (stopped = true),
  };
}

/** Opens a ticker; `onDue` hears the offsets (ms from zero) of slots that have just become due, `onDone` the end of the schedule. */
export async function openTicker(
  { ratePerSecond, count, afterFirstSeconds = 0 }: Schedule,
  onDue: (offsetsMs: readonly number[]) => void,
  onDone: () => void,
): Promise<Ticker> {
  const flag = new SharedArrayBuffer(4);
  const zero = new SharedArrayBuffer(8);
  const worker = new Worker(source, {
    eval: true,
    execArgv: [],
    stdout: false,
    workerData: { flag, zero, ratePerSecond, count, afterFirstSeconds, aheadMs: aheadMs(ratePerSecond) },
  });
  const signal = new Int32Array(flag);
  const watch = openWatch(count, onDue, onDone);
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message: 'ready' | number[]) => {
      if (message === 'ready') resolve();
      else watch.expect(message);
    });
  });
  return {
    start(leadMs) {
      const startMs = performance.now() + leadMs;
      watch.startAt(startMs);
      new BigInt64Array(zero)[0] = process.hrtime.bigint() + BigInt(Math.round((startMs - performance.now()) * 1e6));
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
      return startMs;
    },
    async stop() {
      watch.stop();
      Atomics.store(signal, 0, 2);
      Atomics.notify(signal, 0);
      await worker.terminate();
    },
  };
}
