import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import { keptBodyBytes } from '../engine/connections.js';
import { type SendOptions, sendSegment, usualTimeoutMs } from '../engine/drive.js';
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
export interface SoakOptions extends Omit<SendOptions, 'url' | 'shapeOf' | 'queueMs'> {
  readonly baseUrl: string;
  readonly ratePerSecond: number;
  readonly durationSeconds: number;
  readonly mix: readonly MixOperation[];
  readonly thresholds: readonly Threshold[];
  readonly connections?: number;
  readonly windowSeconds?: number;
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

/** Whether a body is the envelope that its status calls for. */
function isEnvelope(body: string, status: number): boolean {
  // A connection keeps no more of a longer body.
  if (Buffer.byteLength(body) >= keptBodyBytes) return body.trimStart().startsWith('{');
  const whole = asObject(decodeJson(body));
  const ok = status < 300;
  return whole?.['ok'] === ok && (ok ? 'data' : 'error') in whole;
}

/** Sends the mix at a fixed rate, whatever the answers, and counts; memory grows only by one small record a window. */
export async function runSoak({ mix, thresholds, progress, ...options }: SoakOptions): Promise<SoakReport> {
  const { baseUrl, ratePerSecond, trace, signal, timeoutMs = usualTimeoutMs, windowSeconds = 10 } = options;
  const { connections = Math.min(500, Math.max(8, Math.ceil(ratePerSecond))) } = options;
  const next = dealer(mix);
  const shapeOf = shaper(new URL(baseUrl).pathname.replace(/\/$/, ''));
  const total = newTally();
  const byOperation = new Map(mix.map((operation) => [operation, newTally()]));
  const windows: SoakWindow[] = [];
  /** What is due and not settled, by the index of its slot, the oldest first. */
  const asked = new Map<number, MixOperation>();
  const open = new Map<number, Tally>();
  let leftOut = 0;
  let latest = 0;
  let abortedMs: number | null = signal?.aborted === true ? performance.now() : null;
  signal?.addEventListener('abort', () => (abortedMs = performance.now()), { once: true });
  const windowAt = (index: number): number => Math.floor(index / (ratePerSecond * windowSeconds));
  /** A window is over once the next one has begun and all its requests are settled. */
  const closeWindows = (): void => {
    const [oldest = latest] = asked.keys();
    for (const at of [...open.keys()].filter((one) => one < windowAt(oldest)).sort((a, b) => a - b)) {
      const window = windowOf(open.get(at) ?? newTally(), (at * 1000 * windowSeconds) / 1000);
      open.delete(at);
      windows.push(window);
      progress?.(window, summaryOf('all', total));
    }
  };
  const started = new Date().toISOString();
  const segment = {
    ...{ scenario: 'soak', ratePerSecond, connections },
    count: Math.max(1, Math.round(ratePerSecond * options.durationSeconds)),
  };
  const sendOptions = {
    ...{ ...options, url: baseUrl, timeoutMs },
    // A request without a free connection waits for one, and its latency grows meanwhile; as long as a timeout, then it counts as unsent.
    queueMs: timeoutMs,
    shapeOf: (index: number) => shapeOf(asked.get(index) as MixOperation),
  };
  const sent = await sendSegment(segment, sendOptions, {
    onDue({ index }, stoodStill) {
      // To catch up on what was due during a standstill would be a burst.
      if (stoodStill) {
        leftOut += 1;
        return false;
      }
      latest = index;
      closeWindows();
      // Who hears of a window may have ended the soak.
      if (abortedMs !== null) return false;
      asked.set(index, next());
      return true;
    },
    onSettled({ index, dueMs }, settled, stoodStill) {
      const operation = asked.get(index) as MixOperation;
      asked.delete(index);
      if (stoodStill) {
        leftOut += 1;
        return null;
      }
      const bare = settled?.kind === 'answered' && operation.envelope && !isEnvelope(settled.body(), settled.status);
      const outcome = outcomeOf(settled, dueMs, bare, timeoutMs, abortedMs);
      const window = open.get(windowAt(index)) ?? newTally();
      open.set(windowAt(index), window);
      for (const tally of [total, window, byOperation.get(operation)]) if (tally) count(tally, outcome);
      closeWindows();
      const { name, method, path } = operation;
      const { status, latencyMs, error: isError } = outcome;
      return { operation: name, method, path, status, isError, seconds: latencyMs === null ? null : latencyMs / 1000 };
    },
  });
  latest = Infinity;
  closeWindows();
  return {
    format: 'dealership-soak/1',
    started,
    ...(trace === undefined ? {} : { traceId: trace.traceId }),
    seconds: (sent.endedMs - sent.startedMs) / 1000,
    ratePerSecond,
    windowSeconds,
    connections,
    queued: sent.queued,
    ...(leftOut === 0 ? {} : { standstill: { seconds: sent.standstillMs / 1000, requests: leftOut } }),
    ended: abortedMs === null ? 'complete' : 'aborted',
    total: summaryOf('all', total),
    operations: [...byOperation].map(([operation, tally]) => summaryOf(operation.name, tally)),
    windows,
    thresholds: thresholds.map((threshold) => judge(threshold, total)),
  };
}
