import { setTimeout as sleep } from 'node:timers/promises';
import { type Activity, type LoadRequest, suspendAwareTimeout } from '../../http/index.js';
import type { TraceRecord } from '../../ratelimit/index.js';
import { openEngine, type Engine, type EngineOptions } from './engine.js';
import type { Connection, RequestShape, Settled } from './connection.js';
import { assertBounded } from '../load-guard.js';
import { outcomesOf, recordOf, unsentRecord } from './trace-record.js';
import { openTicker, type Schedule } from './ticker.js';

/** The requests to send, and the number of connections. */
export interface DriveOptions
  extends
    Pick<EngineOptions, 'url' | 'connections' | 'timeoutMs' | 'network' | 'trace'>,
    Partial<Pick<EngineOptions, 'headers'>> {
  readonly count: number;
  /** Nothing more is sent after it fires; what is in flight gets a second to come back. */
  readonly signal?: AbortSignal;
  /** Counts requests and refusals as they happen. */
  readonly activity?: Activity;
  /** How long a slot may wait for a free connection before it is recorded as unsent; not at all unless said. */
  readonly queueMs?: number;
  /** How metrics name the load. */
  readonly plan?: string;
  readonly scenario?: string;
  /** A request per slot, where not all are alike. */
  readonly shapeOf?: (index: number) => RequestShape;
}

/** One drive: every slot's record in order of its index (none where they went elsewhere), and the books, where sent = answered + failed + timedOut. */
export interface Drive {
  readonly records: readonly TraceRecord[];
  /** Null where the drive was as fast as its connections went. */
  readonly ratePerSecond: number | null;
  readonly connections: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly unsent: number;
  /** How long after they were due requests were written. */
  readonly late: { readonly p50Ms: number; readonly p99Ms: number };
  /** Why the first failed request failed or no connection could be opened, or null. */
  readonly trouble: string | null;
}

const startLeadMs = 30;
const graceMs = 1_000;
const connectPatienceMs = 3_000;

type RequestLog = ReturnType<typeof openRequestLog>;

function loadRequest(
  { url, plan = '', scenario = '' }: DriveOptions,
  { method = 'GET', path = url }: Partial<RequestShape> = {},
  { dueMs, status, outcome }: TraceRecord,
  settled: Settled,
): LoadRequest {
  const endMs = settled.kind === 'answered' ? settled.endMs : performance.now();
  const seconds = settled.kind === 'failed' ? null : (endMs - dueMs) / 1000;
  const isError = outcome !== 'accepted' && outcome !== 'refused';
  return { url, plan, scenario, method, path, status: String(status ?? outcome), seconds, isError };
}

function openRequestLog(options: DriveOptions) {
  let inFlight = 0;
  let trouble: string | null = null;
  const log = {
    records: new Array<TraceRecord | undefined>(options.count),
    keep(index: number, record: TraceRecord): void {
      log.records[index] = record;
    },
    inFlight: () => inFlight,
    trouble: () => trouble,
    onSettled: (_record: TraceRecord): void => undefined,
    send(connection: Connection, index: number, dueMs: number | null): void {
      inFlight += 1;
      if (options.activity) options.activity.requests += 1;
      const shape = options.shapeOf?.(index);
      const { sentMs, span } = connection.send((settled) => {
        inFlight -= 1;
        if (settled.kind === 'failed') trouble ??= settled.reason;
        // `send` hands its instant back before anything can settle: sockets report on a later turn.
        const record = recordOf(index, dueMs ?? sentMs, { sentMs, span }, settled);
        log.keep(index, record);
        if (options.activity && record.outcome === 'refused') options.activity.refusals += 1;
        options.activity?.onLoadRequest?.(loadRequest(options, shape, record, settled));
        log.onSettled(record);
      }, shape);
    },
  };
  return log;
}

/** What became of requests. */
export function countsOf(
  records: readonly TraceRecord[],
): Pick<Drive, 'sent' | 'answered' | 'failed' | 'timedOut' | 'unsent'> {
  const { accepted, refused, other, failed, timeout, unsent } = outcomesOf(records);
  const answered = accepted + refused + other;
  return { sent: records.length - unsent, answered, failed, timedOut: timeout, unsent };
}

/** What became of requests, and how late they were sent. */
export function booksOf(records: readonly TraceRecord[]): ReturnType<typeof countsOf> & Pick<Drive, 'late'> {
  const written = records.filter(({ outcome }) => outcome !== 'unsent');
  const late = Float64Array.from(written, ({ sentMs, dueMs }) => sentMs - dueMs);
  late.sort();
  const quantile = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0;
  return { ...countsOf(records), late: { p50Ms: quantile(0.5), p99Ms: quantile(0.99) } };
}

function close(
  options: DriveOptions,
  log: RequestLog,
  engine: Engine,
  startedMs: number,
  ratePerSecond: number | null,
): Drive {
  const endedMs = performance.now();
  const records = Array.from(log.records, (record, index) => record ?? unsentRecord(index, endedMs));
  return {
    records,
    ratePerSecond,
    connections: options.connections,
    startedMs,
    endedMs,
    ...booksOf(records),
    trouble: log.trouble() ?? engine.connectError(),
  };
}

function engineFor(options: DriveOptions): Promise<Engine> {
  return openEngine({ ...options, headers: options.headers ?? {} }, connectPatienceMs);
}

async function settleAll(log: RequestLog, waitMs: number): Promise<void> {
  if (log.inFlight() === 0) return;
  await new Promise<void>((resolve) => {
    const callOff = suspendAwareTimeout(waitMs, resolve);
    log.onSettled = () => {
      if (log.inFlight() > 0) return;
      callOff();
      resolve();
    };
  });
}

/** Sends `count` requests evenly at `ratePerSecond`, whatever the answers; a slot without a free connection is recorded as unsent. */
export async function driveEvenly(options: DriveOptions & Schedule): Promise<Drive> {
  assertBounded(options.count, options.count / options.ratePerSecond, options.connections);
  const engine = await engineFor(options);
  const log = openRequestLog(options);
  let zeroMs = 0;
  let next = 0;
  let finished = (): void => undefined;
  const done = new Promise<void>((resolve) => (finished = resolve));
  const waiting: { readonly index: number; readonly dueMs: number }[] = [];
  let first = 0;
  const pump = (): void => {
    const now = performance.now();
    for (let slot = waiting[first]; slot !== undefined; slot = waiting[(first += 1)]) {
      const { index, dueMs } = slot;
      const connection = options.signal?.aborted ? null : engine.take();
      if (connection !== null) log.send(connection, index, dueMs);
      else if (now - dueMs >= (options.queueMs ?? 0) || options.signal?.aborted)
        log.keep(index, unsentRecord(index, dueMs));
      else break;
    }
    // To shift them one by one would take the longer, the longer the queue is.
    if (first < waiting.length && first < 1_000) return;
    waiting.splice(0, first);
    first = 0;
  };
  const onDue = (offsets: readonly number[]): void => {
    for (const offset of offsets) {
      waiting.push({ index: next, dueMs: zeroMs + offset });
      next += 1;
    }
    pump();
  };
  engine.onFree = pump;
  try {
    const ticker = await openTicker(options, onDue, finished);
    options.signal?.addEventListener('abort', finished, { once: true });
    if (!options.signal?.aborted) zeroMs = ticker.start(startLeadMs);
    else finished();
    await done;
    options.signal?.removeEventListener('abort', finished);
    await ticker.stop();
    for (
      const giveUpMs = performance.now() + (options.queueMs ?? 0);
      waiting.length > 0 && !options.signal?.aborted && performance.now() < giveUpMs;
    ) {
      await sleep(20);
      pump();
    }
    engine.onFree = () => undefined;
    await settleAll(log, options.signal?.aborted ? Math.min(graceMs, options.timeoutMs) : options.timeoutMs + graceMs);
  } finally {
    engine.close();
  }
  return close(options, log, engine, zeroMs, options.ratePerSecond);
}

/**
 * Sends exactly `count` requests as fast as the connections carry them, one at a time on each; fewer only where `enoughRefusals` came
 * back before all were sent, and then there are no more records than were sent.
 */
export async function driveFast(options: DriveOptions & { readonly enoughRefusals?: number }): Promise<Drive> {
  assertBounded(options.count, 0, options.connections);
  const engine = await engineFor(options);
  const log = openRequestLog(options);
  let refusals = options.enoughRefusals ?? Infinity;
  const startedMs = performance.now();
  let next = 0;
  try {
    await new Promise<void>((resolve) => {
      let lastMs = performance.now();
      const settled = (record: TraceRecord): void => {
        lastMs = performance.now();
        if (record.status !== null && record.status >= 400) refusals -= 1;
        if (log.inFlight() === 0 && (refusals <= 0 || next >= options.count || options.signal?.aborted)) end();
      };
      const pump = (): void => {
        while (next < options.count && refusals > 0 && !options.signal?.aborted) {
          const connection = engine.take();
          if (connection === null) return;
          log.send(connection, next, null);
          next += 1;
        }
      };
      // If no connection can be opened any more, the rest stays unsent.
      const watch = setInterval(() => {
        pump();
        if (log.inFlight() === 0 && performance.now() - lastMs > connectPatienceMs) end();
        if (options.signal?.aborted && (log.inFlight() === 0 || performance.now() - lastMs > graceMs)) end();
      }, 50);
      const end = (): void => {
        clearInterval(watch);
        resolve();
      };
      engine.onFree = pump;
      log.onSettled = settled;
      pump();
    });
  } finally {
    engine.close();
  }
  if (refusals <= 0) log.records.length = next;
  return close(options, log, engine, startedMs, null);
}
