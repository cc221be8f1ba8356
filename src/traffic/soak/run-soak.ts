import { type Activity, decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import { type EngineOptions, keptBodyBytes, openEngine, type Settled } from '../engine/connections.js';
import { sendLoad, type Slot } from '../engine/send-load.js';
import {
  count,
  judge,
  type JudgedThreshold,
  newTally,
  outcomeOf,
  type SoakSummary,
  type SoakWindow,
  summaryOf,
  type Tally,
  type Threshold,
  windowOf,
} from './figures.js';
import { dealer, shaper, type MixOperation } from './mix.js';

/** The options of a soak. */
export interface SoakOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network?: EngineOptions['network'];
  readonly trace?: EngineOptions['trace'];
  readonly ratePerSecond: number;
  readonly durationSeconds: number;
  readonly mix: readonly MixOperation[];
  readonly thresholds: readonly Threshold[];
  readonly connections?: number;
  readonly timeoutMs?: number;
  readonly windowSeconds?: number;
  /** Ends the soak early, with a report of what there is. */
  readonly signal?: AbortSignal;
  /** How metrics name the load, and who counts its requests. */
  readonly plan?: string;
  readonly activity?: Activity;
  /** Called at the end of each window. */
  readonly progress?: (window: SoakWindow, soFar: SoakSummary) => void;
}

/** A soak's report. */
export interface SoakReport {
  readonly format: 'dealership-soak/1';
  readonly started: string;
  /** The trace that all its requests belong to; absent from runs kept by older versions. */
  readonly traceId?: string;
  readonly seconds: number;
  readonly ratePerSecond: number;
  readonly windowSeconds: number;
  /** The number of connections, and of requests that found none of them free; absent from runs kept by older versions. */
  readonly connections?: number;
  readonly queued?: number;
  /** How long this process stood still, and how many requests were due or under way then: they are counted nowhere else. */
  readonly standstill?: { readonly seconds: number; readonly requests: number };
  readonly ended: 'complete' | 'aborted';
  readonly total: SoakSummary;
  readonly operations: readonly SoakSummary[];
  readonly windows: readonly SoakWindow[];
  readonly thresholds: readonly JudgedThreshold[];
}

/** The requests of a window that is not over. */
interface OpenWindow {
  readonly tally: Tally;
  inFlight: number;
}

interface Asked {
  readonly operation: MixOperation;
  readonly window: OpenWindow;
}

/** Whether a body is the envelope that its status calls for. */
function isEnvelope(body: string, status: number): boolean {
  // A connection keeps no more of a longer body.
  if (Buffer.byteLength(body) >= keptBodyBytes) return body.trimStart().startsWith('{');
  const whole = asObject(decodeJson(body));
  const ok = status < 300;
  return whole?.['ok'] === ok && (ok ? 'data' : 'error') in whole;
}

/** Sends the mix at a fixed rate, whatever the answers, and counts; memory grows only by one small record a window. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { durationSeconds, ratePerSecond } = options;
  const slots = Math.max(1, Math.round(ratePerSecond * durationSeconds));
  const windowMs = (options.windowSeconds ?? 10) * 1000;
  const timeoutMs = options.timeoutMs ?? 10_000;
  const base = new URL(options.baseUrl);
  const next = dealer(options.mix);
  const shapeOf = shaper(base.pathname.replace(/\/$/, ''));
  const total = newTally();
  const byOperation = new Map(options.mix.map((operation) => [operation, newTally()]));
  const windows: SoakWindow[] = [];
  const open = new Map<number, OpenWindow>();
  const connections = options.connections ?? Math.min(500, Math.max(8, Math.ceil(ratePerSecond)));
  let leftOut = 0;
  const engine = await openEngine({
    url: options.baseUrl,
    headers: options.headers,
    network: options.network,
    trace: options.trace,
    connections,
    timeoutMs,
  });
  const closeWindows = (before: number): void => {
    for (const [at, one] of [...open].sort((a, b) => a[0] - b[0])) {
      if (at >= before || one.inFlight > 0) return;
      open.delete(at);
      if (one.tally.due === 0) continue;
      const window = windowOf(one.tally, (at * windowMs) / 1000);
      windows.push(window);
      options.progress?.(window, summaryOf('all', total));
    }
  };
  /** What is due and not settled, by the index of its slot. */
  const asked = new Map<number, Asked>();
  let abortedMs: number | null = options.signal?.aborted === true ? performance.now() : null;
  options.signal?.addEventListener('abort', () => (abortedMs = performance.now()), { once: true });
  let isOver = false;
  let latestWindow = 0;
  const onDue = ({ index, dueMs }: Slot): boolean => {
    // To catch up on what was due during a standstill would be a burst.
    if (engine.stoodStill(dueMs, performance.now())) {
      leftOut += 1;
      return false;
    }
    const at = Math.floor((1000 * index) / (ratePerSecond * windowMs));
    latestWindow = at;
    closeWindows(at);
    // Who hears of a window may have ended the soak.
    if (abortedMs !== null) return false;
    const window = open.get(at) ?? { tally: newTally(), inFlight: 0 };
    open.set(at, window);
    window.inFlight += 1;
    asked.set(index, { operation: next(), window });
    return true;
  };
  const onSettled = ({ index, dueMs }: Slot, settled: Settled | null): void => {
    const { operation, window } = asked.get(index) as Asked;
    asked.delete(index);
    window.inFlight -= 1;
    if (engine.stoodStill(dueMs, performance.now())) {
      leftOut += 1;
      return;
    }
    const bare = settled?.kind === 'answered' && operation.envelope && !isEnvelope(settled.body(), settled.status);
    const outcome = outcomeOf({ settled, bare, dueMs, nowMs: performance.now(), timeoutMs, over: isOver, abortedMs });
    for (const tally of [total, window.tally, byOperation.get(operation)]) if (tally) count(tally, outcome);
    const { status, latencyMs, error: isError } = outcome;
    const { activity } = options;
    if (activity !== undefined) {
      activity.requests += 1;
      if (status === '429') activity.refusals += 1;
    }
    activity?.onLoadRequest?.({
      ...{ url: options.baseUrl, plan: options.plan ?? '', scenario: 'soak', operation: operation.name },
      ...{ method: operation.method, path: operation.path },
      ...{ status, isError, seconds: latencyMs === null ? null : latencyMs / 1000 },
    });
    closeWindows(latestWindow);
  };
  const started = new Date().toISOString();
  const sent = await sendLoad(engine, {
    ratePerSecond,
    count: slots,
    // A request without a free connection waits for one, and its latency grows meanwhile; as long as a timeout, then it counts as unsent.
    queueMs: timeoutMs,
    timeoutMs,
    signal: options.signal,
    shapeOf: (index) => shapeOf((asked.get(index) as Asked).operation),
    onDue,
    onSettled,
  }).finally(() => {
    // What is still in flight is settled as its connection closes.
    isOver = true;
    engine.close();
  });
  closeWindows(Infinity);
  return {
    format: 'dealership-soak/1',
    started,
    ...(options.trace === undefined ? {} : { traceId: options.trace.traceId }),
    seconds: (performance.now() - sent.startedMs) / 1000,
    ratePerSecond,
    windowSeconds: windowMs / 1000,
    connections,
    queued: sent.queued,
    ...(leftOut === 0 ? {} : { standstill: { seconds: engine.standstillMs() / 1000, requests: leftOut } }),
    ended: abortedMs === null ? 'complete' : 'aborted',
    total: summaryOf('all', total),
    operations: [...byOperation].map(([operation, tally]) => summaryOf(operation.name, tally)),
    windows,
    thresholds: options.thresholds.map((threshold) => judge(threshold, total)),
  };
}
