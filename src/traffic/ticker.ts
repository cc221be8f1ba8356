import { Worker } from 'node:worker_threads';

/** When requests are due: `ratePerSecond` evenly, reached linearly over the first `rampSeconds`. */
export interface Schedule {
  readonly ratePerSecond: number;
  readonly count: number;
  readonly rampSeconds?: number;
  /** The first slot stands alone, so long before the others. */
  readonly afterFirstSeconds?: number;
}

/** Says when each slot is due, from a thread that nothing else runs on. */
export interface Ticker {
  /** Starts the schedule `leadMs` from now and hands back its instant zero on `performance.now()`'s clock. */
  start(leadMs: number): number;
  stop(): Promise<void>;
}

// Plain JavaScript as text: it must run alike from compiled files and beneath a loader of TypeScript.
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const { ratePerSecond, count, rampSeconds, afterFirstSeconds } = workerData;
const flag = new Int32Array(workerData.flag);
const zero = new BigInt64Array(workerData.zero);
const inRamp = ratePerSecond * rampSeconds / 2;
const evenMs = (index) => index < inRamp
  ? Math.sqrt(2 * rampSeconds * index / ratePerSecond) * 1000
  : (rampSeconds + (index - inRamp) / ratePerSecond) * 1000;
const offsetMs = (index) => afterFirstSeconds === 0 || index === 0 ? evenMs(index) : afterFirstSeconds * 1000 + evenMs(index - 1);
// A sleeper is woken some tenths of a millisecond late: the last of them are waited for awake.
const spinMs = 0.2;
parentPort.postMessage('ready');
Atomics.wait(flag, 0, 0);
const nowMs = () => Number(process.hrtime.bigint() - zero[0]) / 1e6;
let index = 0;
while (index < count && Atomics.load(flag, 0) === 1) {
  const ahead = offsetMs(index) - nowMs();
  if (ahead > spinMs) Atomics.wait(flag, 0, 1, Math.min(ahead - spinMs, 1000));
  if (ahead > 0) continue;
  const due = [];
  for (const now = nowMs(); index < count && offsetMs(index) <= now; index += 1) due.push(offsetMs(index));
  parentPort.postMessage(due);
}
parentPort.postMessage('done');
`;

/** Opens a ticker; `onDue` hears the offsets (ms from zero) of slots that have just become due, `onDone` the end of the schedule. */
export async function openTicker(
  schedule: Schedule,
  onDue: (offsetsMs: readonly number[]) => void,
  onDone: () => void,
): Promise<Ticker> {
  const flag = new SharedArrayBuffer(4);
  const zero = new SharedArrayBuffer(8);
  const worker = new Worker(source, {
    eval: true,
    execArgv: [],
    stdout: false,
    workerData: { flag, zero, rampSeconds: 0, afterFirstSeconds: 0, ...schedule },
  });
  const signal = new Int32Array(flag);
  let stopped = false;
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message: 'ready' | 'done' | number[]) => {
      if (message === 'ready') resolve();
      else if (stopped) return;
      else if (message === 'done') onDone();
      else onDue(message);
    });
  });
  return {
    start(leadMs) {
      const startMs = performance.now() + leadMs;
      new BigInt64Array(zero)[0] = process.hrtime.bigint() + BigInt(Math.round((startMs - performance.now()) * 1e6));
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
      return startMs;
    },
    async stop() {
      stopped = true;
      Atomics.store(signal, 0, 2);
      Atomics.notify(signal, 0);
      await worker.terminate();
    },
  };
}
