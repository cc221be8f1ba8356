import type { Activity, LoadRequest } from '../../http/index.js';
import type { TraceRecord } from '../../ratelimit/index.js';
import { openEngine, type Engine, type EngineOptions } from './engine.js';
import type { RequestShape, Settled, Written } from './connection.js';
import { assertBounded } from '../load-guard.js';
import { outcomesOf, recordOf, unsentRecord } from './trace-record.js';
import { sendEvenly, type Slot } from './send-evenly.js';
import type { Schedule } from './ticker.js';

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

/** One drive: every slot's record in order of its index. */
export interface Drive {
  readonly records: readonly TraceRecord[];
  /** Null where the drive was as fast as its connections went. */
  readonly ratePerSecond: number | null;
  readonly connections: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Why the first failed request failed or no connection could be opened, or null. */
  readonly trouble: string | null;
}

const graceMs = 1_000;
const connectPatienceMs = 3_000;

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

/** The records of a drive, as its requests settle. */
function openRequestLog(options: DriveOptions) {
  let trouble: string | null = null;
  const log = {
    records: new Array<TraceRecord | undefined>(options.count),
    trouble: () => trouble,
    settle({ index, dueMs }: Slot, settled: Settled | null, written: Written | null): TraceRecord {
      if (settled?.kind === 'failed') trouble ??= settled.reason;
      const isUnsent = settled === null || written === null;
      const record = isUnsent ? unsentRecord(index, dueMs) : recordOf(index, dueMs, written, settled);
      log.records[index] = record;
      if (options.activity && !isUnsent) {
        options.activity.requests += 1;
        if (record.outcome === 'refused') options.activity.refusals += 1;
        options.activity.onLoadRequest?.(loadRequest(options, options.shapeOf?.(index), record, settled));
      }
      return record;
    },
  };
  return log;
}

/** What became of requests, where sent = answered + failed + timedOut, and how long after they were due they were written. */
export function booksOf(records: readonly TraceRecord[]) {
  const { accepted, refused, other, failed, timeout: timedOut, unsent } = outcomesOf(records);
  const written = records.filter(({ outcome }) => outcome !== 'unsent');
  const late = Float64Array.from(written, ({ sentMs, dueMs }) => sentMs - dueMs).sort();
  const quantile = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0;
  const answered = accepted + refused + other;
  return {
    sent: written.length,
    answered,
    failed,
    timedOut,
    unsent,
    lateMs: { p50: quantile(0.5), p99: quantile(0.99) },
  };
}

/** Opens the connections of a drive, sends over them, and collects their records. `send` hands back when the drive began. */
async function drive(
  options: DriveOptions,
  ratePerSecond: number | null,
  send: (engine: Engine, log: ReturnType<typeof openRequestLog>) => Promise<number>,
): Promise<Drive> {
  const { count, connections, headers = {} } = options;
  assertBounded(count, ratePerSecond === null ? 0 : count / ratePerSecond, connections);
  const engine = await openEngine({ ...options, headers }, connectPatienceMs);
  const log = openRequestLog(options);
  const startedMs = await send(engine, log).finally(() => engine.close());
  const endedMs = performance.now();
  const records = Array.from(log.records, (record, index) => record ?? unsentRecord(index, endedMs));
  const trouble = log.trouble() ?? engine.connectError();
  return { records, ratePerSecond, connections, startedMs, endedMs, trouble };
}

/** Sends `count` requests evenly at `ratePerSecond`, whatever the answers; a slot without a free connection is recorded as unsent. */
export function driveEvenly(options: DriveOptions & Schedule): Promise<Drive> {
  return drive(options, options.ratePerSecond, async (engine, { settle }) => {
    const load = { ...options, queueMs: options.queueMs ?? 0, onSettled: settle };
    return (await sendEvenly(engine, load)).startedMs;
  });
}

/**
 * Sends exactly `count` requests as fast as the connections carry them, one at a time on each; fewer only where `enoughRefusals` came
 * back before all were sent, and then there are no more records than were sent.
 */
export function driveFast(options: DriveOptions & { readonly enoughRefusals?: number }): Promise<Drive> {
  return drive(options, null, async (engine, log) => {
    let refusals = options.enoughRefusals ?? Infinity;
    const startedMs = performance.now();
    let next = 0;
    let inFlight = 0;
    await new Promise<void>((resolve) => {
      let lastMs = performance.now();
      const settle = ({ status }: TraceRecord): void => {
        lastMs = performance.now();
        inFlight -= 1;
        if (status !== null && status >= 400) refusals -= 1;
        if (inFlight === 0 && (refusals <= 0 || next >= options.count || options.signal?.aborted)) end();
      };
      const pump = (): void => {
        while (next < options.count && refusals > 0 && !options.signal?.aborted) {
          const connection = engine.take();
          if (connection === null) return;
          const index = next++;
          inFlight += 1;
          // `send` hands its instant back before anything can settle: sockets report on a later turn.
          const written = connection.send(
            (settled) => settle(log.settle({ index, dueMs: written.sentMs }, settled, written)),
            options.shapeOf?.(index),
          );
        }
      };
      // If no connection can be opened any more, the rest stays unsent.
      const watch = setInterval(() => {
        pump();
        if (inFlight === 0 && performance.now() - lastMs > connectPatienceMs) end();
        if (options.signal?.aborted && (inFlight === 0 || performance.now() - lastMs > graceMs)) end();
      }, 50);
      const end = (): void => {
        clearInterval(watch);
        resolve();
      };
      engine.onFree = pump;
      pump();
    });
    if (refusals <= 0) log.records.length = next;
    return startedMs;
  });
}
