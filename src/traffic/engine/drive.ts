import { Worker } from 'node:worker_threads';
import { type Activity, decodeJson, type LoadRequest, suspendAwareTimeout } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import type { TraceOutcome, TraceRecord } from '../../ratelimit/index.js';
import { connectPatienceMs, type EngineOptions, openEngine, type RequestShape, type Settled } from './connections.js';

/** Requests that are sent whatever the answers. */
export interface Segment {
  /** The scenario that it belongs to, as metrics name it. */
  readonly scenario: string;
  readonly count: number;
  /** Evenly; null: as fast as the connections carry them, one at a time on each. */
  readonly ratePerSecond: number | null;
  readonly connections: number;
  /** The first request stands alone, so long before the others. */
  readonly afterFirstSeconds?: number;
  /** It ends after this many refusals. */
  readonly enoughRefusals?: number;
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
 * from zero) of slots that have just become due.
 */
async function openTicker(
  { count, afterFirstSeconds = 0 }: Segment,
  ratePerSecond: number,
  onDue: (offsetsMs: readonly number[]) => void,
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
  let [awake, stopped] = [false, false];
  const look = (): void => {
    awake = false;
    stayAwake((soon[0] ?? 0) + zeroMs, signal);
    const now = performance.now() - zeroMs;
    const later = soon.findIndex((offset) => offset > now);
    const due = soon.splice(0, later < 0 ? soon.length : later);
    if (stopped) return;
    if (due.length > 0) onDue(due);
    if (soon.length > 0) {
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

/** One request of a segment. */
interface Slot {
  readonly index: number;
  readonly dueMs: number;
}

/** Where a segment goes, and how patiently. */
export interface SendOptions extends Pick<EngineOptions, 'url' | 'network' | 'trace'> {
  readonly headers?: EngineOptions['headers'];
  /** A request per slot, where not all are alike. */
  readonly shapeOf?: ((index: number) => RequestShape) | undefined;
  /** 10 s unless said. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a slot may wait for a free connection, from when it was due: 2 s unless said, as a client that stalled sends late rather than not
   * at all.
   */
  readonly queueMs?: number | undefined;
  /** Nothing more is sent after it fires; what is in flight gets a second to come back. */
  readonly signal?: AbortSignal | undefined;
  /** How metrics name the load, and who counts its requests. */
  readonly plan?: string | undefined;
  readonly activity?: Activity | undefined;
}

/** What metrics show of a request. */
type Counted = Omit<LoadRequest, 'url' | 'plan' | 'scenario'>;

/** Keeps account of a segment. */
interface Book {
  /** Hears of a slot when it is due, and whether this process stood still since; false leaves it out. */
  onDue?(slot: Slot, stoodStill: boolean): boolean;
  /** Hears what became of a slot, once; null where it was never sent. Hands back null where metrics leave it out. */
  onSettled(slot: Slot, settled: Settled | null, stoodStill: boolean): Counted | null;
  /** Whether nothing more is to be sent; what is in flight is waited for. */
  isEnough?(): boolean;
}

/** How a segment went. */
interface Sent {
  readonly startedMs: number;
  readonly endedMs: number;
  /** How many slots found no free connection when they were due. */
  readonly queued: number;
  readonly standstillMs: number;
  /** Why a connection could not be opened, or null. */
  readonly connectError: string | null;
}

const startLeadMs = 30;
const sweepMs = 20;

/** How long an answer may take under load. */
export const usualTimeoutMs = 10_000;

/** How long requests in flight may still be answered after a load is ended early; at most the timeout. */
export const abortGraceMs = (timeoutMs: number): number => Math.min(1_000, timeoutMs);

/** Sends a segment over connections of its own: the one sender of limits and soaks. */
export async function sendSegment(segment: Segment, options: SendOptions, book: Book): Promise<Sent> {
  const { count, ratePerSecond, connections, scenario } = segment;
  const { url, headers = {}, shapeOf, timeoutMs = usualTimeoutMs, queueMs = 2_000, signal, activity } = options;
  const { plan = '' } = options;
  const engine = await openEngine({ ...options, headers, connections, timeoutMs });
  const waiting: Slot[] = [];
  let first = 0;
  let [undue, queued, inFlight] = [ratePerSecond === null ? 0 : count, 0, 0];
  let startedMs = performance.now();
  let settledMs = startedMs;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const settle = (slot: Slot, settled: Settled | null): void => {
    const counted = book.onSettled(slot, settled, engine.stoodStill(slot.dueMs));
    if (counted === null || activity === undefined) return;
    activity.requests += 1;
    if (counted.status === '429') activity.refusals += 1;
    activity.onLoadRequest?.({ url, plan, scenario, ...counted });
  };
  const lookOver = (): void => {
    if (undue === 0 && inFlight === 0 && first === waiting.length) end();
  };
  /** Sends what waits; `due` are the last ones, which have not been tried before. */
  const pump = (due = 0): void => {
    const untried = waiting.length - due;
    for (; first < waiting.length; first += 1) {
      const slot = waiting[first] as Slot;
      const isEnd = signal?.aborted === true || book.isEnough?.() === true;
      const nowMs = performance.now();
      const isLate = ratePerSecond !== null && nowMs - slot.dueMs >= queueMs;
      const isLost = ratePerSecond === null && inFlight === 0 && nowMs - settledMs >= connectPatienceMs;
      const connection = isEnd || (isLate && first < untried) ? null : engine.take();
      if (connection !== null) {
        inFlight += 1;
        connection.send((settled) => {
          inFlight -= 1;
          settledMs = performance.now();
          settle(slot, settled);
          lookOver();
        }, shapeOf?.(slot.index));
      } else if (isEnd || isLate || isLost) settle(slot, null);
      else break;
    }
    queued += Math.min(waiting.length - first, due);
    // To shift them one by one would take the longer, the longer the queue is.
    if (first === waiting.length || first >= 1_000) first -= waiting.splice(0, first).length;
    lookOver();
  };
  let next = 0;
  const fall = (offsetsMs: readonly number[]): void => {
    if (signal?.aborted === true) return;
    undue -= offsetsMs.length;
    const due = offsetsMs
      .map((offsetMs) => ({ index: next++, dueMs: startedMs + offsetMs }))
      .filter((slot) => book.onDue?.(slot, engine.stoodStill(slot.dueMs)) ?? true);
    waiting.push(...due);
    pump(due.length);
  };
  const ticker = ratePerSecond === null ? null : await openTicker(segment, ratePerSecond, fall);
  let callOff = (): void => undefined;
  const onAbort = (): void => {
    undue = 0;
    callOff = suspendAwareTimeout(abortGraceMs(timeoutMs), end);
    pump();
  };
  engine.onIdle = () => pump();
  const sweep = setInterval(pump, sweepMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (ticker === null) for (; next < count; next += 1) waiting.push({ index: next, dueMs: startedMs });
  if (signal?.aborted === true) onAbort();
  else if (ticker === null) pump();
  else startedMs = ticker.start(startLeadMs);
  await ended;
  callOff();
  clearInterval(sweep);
  signal?.removeEventListener('abort', onAbort);
  await ticker?.stop();
  const connectError = engine.connectError();
  engine.close();
  for (const slot of waiting.splice(first)) settle(slot, null);
  return { startedMs, endedMs: performance.now(), queued, standstillMs: engine.standstillMs(), connectError };
}

const fieldNames = [
  ['ratelimit-limit', 'limit'],
  ['ratelimit-policy', 'policy'],
  ['ratelimit', 'combined'],
  ['ratelimit-remaining', 'remaining'],
  ['ratelimit-reset', 'reset'],
  ['retry-after', 'retryAfter'],
  ['cache-control', 'cacheControl'],
  ['cdn-cache-control', 'cdnCacheControl'],
  ['expires', 'expires'],
  ['date', 'date'],
] as const;

type HeaderField = (typeof fieldNames)[number][1];
const fields: ReadonlyMap<string, HeaderField> = new Map(fieldNames);

/** The headers that a limiter's judge reads; a field on several lines is joined by commas. */
export function limitHeaders(
  headers: Iterable<readonly [name: string, value: string | readonly string[] | undefined]>,
): Partial<Record<HeaderField, string>> {
  const found: Partial<Record<HeaderField, string>> = {};
  for (const [name, value] of headers) {
    const field = fields.get(name.toLowerCase());
    if (field !== undefined) found[field] = [found[field] ?? [], value ?? []].flat().join(', ');
  }
  return found;
}

/** Whether a body is `{ok: false, error: {…}}`. */
function isFailureBody(text: string): boolean {
  const body = asObject(decodeJson(text));
  return body?.['ok'] === false && asObject(body['error']) !== null;
}

/** What the status of an answer says about a limit. */
export function outcomeOf(status: number): TraceOutcome {
  if (status >= 200 && status < 300) return 'accepted';
  return status === 429 ? 'refused' : 'other';
}

/** The record of one request that was written. */
function recordOf(index: number, dueMs: number, settled: Settled): TraceRecord {
  const { sentMs, span } = settled.written;
  const spanned = span === undefined ? {} : { span };
  if (settled.kind !== 'answered') return { ...unsentRecord(index, dueMs), sentMs, ...spanned, outcome: settled.kind };
  const { status, headMs: receivedMs } = settled;
  const hasEnvelope = status >= 400 ? isFailureBody(settled.body()) : null;
  const said = limitHeaders(Object.entries(settled.headers));
  return { index, dueMs, sentMs, receivedMs, status, outcome: outcomeOf(status), hasEnvelope, ...spanned, ...said };
}

/** The record of a slot for which no connection was free. */
export function unsentRecord(index: number, dueMs: number): TraceRecord {
  return { index, dueMs, sentMs: dueMs, receivedMs: Infinity, outcome: 'unsent', status: null, hasEnvelope: null };
}

const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether load may be sent to this URL: loopback always, any other host only where ALLOW_LOAD names it (with or without its port). */
export function allowedToLoad(url: string, allowLoad: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, host } = new URL(url);
  return (
    loopback.test(hostname.toLowerCase()) ||
    allowLoad.some((name) => name === hostname.toLowerCase() || name === host.toLowerCase())
  );
}

/** The most requests and seconds one drive may be asked for. */
export const driveBounds = { requests: 5_000_000, seconds: 86_400 } as const;

/** Throws RangeError where a drive would be larger than `driveBounds` or is no drive at all. */
export function assertBounded(count: number, seconds: number, connections: number): void {
  const whole = Number.isInteger(count) && Number.isInteger(connections);
  if (!whole || count < 1 || count > driveBounds.requests)
    throw new RangeError(`a drive of ${count} requests: expected 1 to ${driveBounds.requests}`);
  if (!(seconds >= 0) || seconds > driveBounds.seconds)
    throw new RangeError(`a drive of ${seconds} s: expected at most ${driveBounds.seconds} s`);
  if (connections < 1 || connections > 2_000) throw new RangeError(`${connections} connections: expected 1 to 2000`);
}

/** One drive: every slot's record in order of its index. */
export interface Drive extends Pick<Sent, 'startedMs' | 'endedMs'> {
  readonly records: readonly TraceRecord[];
  /** Why the first failed request failed or no connection could be opened, or null. */
  readonly trouble: string | null;
}

/** How many requests had each outcome, where sent = answered + failed + timeout, and by when nearly all were written after they were due. */
export function booksOf(records: readonly TraceRecord[]) {
  const counts = { accepted: 0, refused: 0, other: 0, failed: 0, timeout: 0, unsent: 0 };
  for (const { outcome } of records) counts[outcome] += 1;
  const written = records.filter(({ outcome }) => outcome !== 'unsent');
  const late = Float64Array.from(written, ({ sentMs, dueMs }) => sentMs - dueMs).sort();
  const answered = counts.accepted + counts.refused + counts.other;
  return { ...counts, sent: written.length, answered, lateMs: late[Math.floor(late.length * 0.99)] ?? 0 };
}

/**
 * Sends a segment, and collects the records: one for every slot, unsent where no connection was free. Fewer only where `enoughRefusals` came back
 * before all were sent, and then there are no more records than were sent.
 */
export async function drive(segment: Segment, options: SendOptions): Promise<Drive> {
  const { count, ratePerSecond, connections, enoughRefusals = Infinity } = segment;
  assertBounded(count, ratePerSecond === null ? 0 : count / ratePerSecond, connections);
  const found = new Array<TraceRecord | undefined>(count);
  let trouble: string | null = null;
  let refusals = 0;
  const isEnough = (): boolean => refusals >= enoughRefusals;
  const { startedMs, endedMs, connectError } = await sendSegment(segment, options, {
    isEnough,
    onSettled({ index, dueMs }, settled) {
      if (settled === null) {
        found[index] = unsentRecord(index, dueMs);
        return null;
      }
      if (settled.kind === 'failed') trouble ??= settled.reason;
      // As fast as they go, requests are due when a connection is free.
      const fromMs = ratePerSecond === null ? settled.written.sentMs : dueMs;
      const record = recordOf(index, fromMs, settled);
      found[index] = record;
      if (settled.kind === 'answered' && settled.status >= 400) refusals += 1;
      const { method = 'GET', path = options.url } = options.shapeOf?.(index) ?? {};
      const { status, outcome } = record;
      const endMs = settled.kind === 'answered' ? settled.endMs : performance.now();
      const seconds = settled.kind === 'failed' ? null : (endMs - fromMs) / 1000;
      const isError = outcome !== 'accepted' && outcome !== 'refused';
      return { method, path, status: String(status ?? outcome), seconds, isError };
    },
  });
  if (isEnough()) found.length = found.findLastIndex((record) => record?.outcome !== 'unsent') + 1;
  const records = Array.from(found, (record, index) => record ?? unsentRecord(index, endedMs));
  return { records, startedMs, endedMs, trouble: trouble ?? connectError };
}
