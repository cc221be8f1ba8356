import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Activity, LoadRequest } from '../../http/activity.js';
import { version } from '../../version.js';
import { attributesOf, type Attributes } from './load-metrics.js';

/** What the thread that sends metrics needs to know beside its environment. */
export interface WorkerSettings {
  readonly version: string;
  readonly instance: string;
  /** How long one export may take. */
  readonly longestMs: number;
}

/** Requests since the last batch: pairs of the number of a series and seconds (NaN for none). */
export interface MetricsBatch {
  readonly fresh: readonly (Readonly<Record<'duration' | 'requests' | 'errors', Attributes>> & { isError: boolean })[];
  readonly counted: readonly number[];
  readonly isLast: boolean;
}

/** Metrics of a load on their way to a collector. */
export interface PushedMetrics extends AsyncDisposable {
  /** Counts one request; undefined where no metrics are sent. */
  readonly record: Activity['onLoadRequest'];
  /** Sends all for the last time, in the background. */
  end(): void;
}

const batchMs = 250;
const longestMs = 2_500;
/** One export under way, and the last one. */
const flushMs = 2 * longestMs;
const packages =
  '@opentelemetry/sdk-metrics@2 @opentelemetry/resources@2 @opentelemetry/exporter-metrics-otlp-proto@0.223';

/** The variable that names the collector, or null where no metrics are to be sent. */
function endpointName(env: NodeJS.ProcessEnv): string | null {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  if (isOff || !(env['OTEL_METRICS_EXPORTER'] || 'otlp').split(',').includes('otlp')) return null;
  return ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find((name) => env[name]) ?? null;
}

/** Why metrics cannot be sent as the environment says, in one sentence without a value, or null. */
function problemOf(env: NodeJS.ProcessEnv, name: string): string | null {
  const url = env[name] ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `${name} is no http or https URL, so no metrics are sent: expected one such as http://127.0.0.1:4318.`;
  const protocol = env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return protocol === 'grpc'
    ? `${name} is set for the protocol grpc, so no metrics are sent: expected OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf and the collector's address for it.`
    : null;
}

/** Gathers requests, and hands them to the thread a few times a second. */
function openRecorder(post: (batch: MetricsBatch) => void) {
  const numbers = new Map<string, number>();
  let fresh: MetricsBatch['fresh'][number][] = [];
  let counted: number[] = [];
  const flush = (isLast: boolean): void => {
    if (counted.length > 0 || isLast) post({ fresh, counted, isLast });
    [fresh, counted] = [[], []];
  };
  const record = (request: LoadRequest): void => {
    const { plan, scenario, operation, method, path, status, isError, seconds } = request;
    // A plan has one address.
    const key = `${plan} ${scenario} ${operation ?? ''} ${method} ${path} ${status} ${isError}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
      fresh.push({ ...attributesOf(request), isError });
    }
    counted.push(number, seconds ?? NaN);
  };
  return { record, flush };
}

/** How the exports so far went. */
function watch(worker: Worker) {
  const exports = { all: 0, failed: 0, reason: '' };
  const note = (failure: string | null): void => {
    exports.all += 1;
    if (failure === null) return;
    exports.failed += 1;
    exports.reason = failure;
  };
  worker.on('message', (message: 'ready' | { readonly failure: string | null }) => {
    if (message !== 'ready') note(message.failure);
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const opened = new Promise<string | null>((resolve) => {
    worker.once('message', () => resolve(null));
    worker.once('error', ({ code }: NodeJS.ErrnoException) => {
      note(code ?? 'the exporter failed');
      resolve(
        code === 'ERR_MODULE_NOT_FOUND'
          ? `no metrics are sent, as packages are not installed: npm install ${packages}`
          : `no metrics are sent, as the packages of OpenTelemetry do not load (${code ?? 'they fail'}): npm install ${packages}`,
      );
    });
  });
  return { exports, note, ended, opened };
}

/**
 * Sends metrics to the collector that the variables of OpenTelemetry name, from a thread of its own; without them nothing is loaded. Every
 * trouble is one line to `warn`, and changes nothing else.
 */
export async function pushMetrics(env: NodeJS.ProcessEnv, warn: (line: string) => void): Promise<PushedMetrics> {
  const nothing = { record: undefined, end: () => undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  const name = endpointName(env);
  if (name === null) return nothing;
  const problem = problemOf(env, name);
  if (problem !== null) {
    warn(problem);
    return nothing;
  }
  const workerData: WorkerSettings = { version, instance: randomUUID(), longestMs };
  const file = new URL('./push-metrics-worker.js', import.meta.url);
  // What the packages print could show a header.
  const worker = new Worker(file, { env, workerData, stdout: true, stderr: true });
  const { exports, note, ended, opened } = watch(worker);
  const missing = await opened;
  if (missing !== null) {
    warn(`${name} is set, but ${missing}`);
    return nothing;
  }
  worker.unref();
  const { record, flush } = openRecorder((batch) => worker.postMessage(batch));
  const timer = setInterval(flush, batchMs, false).unref();
  let isOver = false;
  const end = (): void => {
    if (!isOver) flush(true);
    isOver = true;
    clearInterval(timer);
  };
  const dispose = async (): Promise<void> => {
    end();
    const late = setTimeout(() => {
      note(`no answer within ${flushMs / 1000} s`);
      void worker.terminate();
    }, flushMs);
    await ended;
    clearTimeout(late);
    if (exports.failed > 0)
      warn(
        `${exports.failed} of ${exports.all} exports of metrics to the address in ${name} failed (${exports.reason}); verdict and exit status stay as they are.`,
      );
  };
  return { record, end, [Symbol.asyncDispose]: dispose };
}
