import type { Activity } from '../../http/index.js';

/** Metrics of a load on their way to a collector. */
export interface PushedMetrics extends AsyncDisposable {
  /** Counts one request; undefined where no metrics are sent. */
  readonly record: Activity['onLoadRequest'];
  /** Sends all for the last time, in the background. */
  end(): void;
}

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

/**
 * Sends metrics to the collector that the variables of OpenTelemetry name; without them nothing is loaded. Every trouble is one line to
 * `warn`, and changes nothing else.
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
  const exports = { all: 0, failed: 0, reason: '' };
  const note = (failure: string | null): void => {
    exports.all += 1;
    if (failure !== null) Object.assign(exports, { failed: exports.failed + 1, reason: failure });
  };
  // The packages read their variables there.
  Object.assign(process.env, Object.fromEntries(Object.entries(env).filter(([one]) => one.startsWith('OTEL_'))));
  const meter = await import('./otlp-meter.js')
    .then(({ openMeter }) => openMeter(longestMs, note))
    .catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      const why =
        code === 'ERR_MODULE_NOT_FOUND'
          ? 'packages are not installed'
          : `the packages of OpenTelemetry do not load (${code ?? 'they fail'})`;
      warn(`${name} is set, but no metrics are sent, as ${why}: npm install ${packages}`);
      return null;
    });
  if (meter === null) return nothing;
  let closing: Promise<void> | null = null;
  const end = (): void => void (closing ??= meter.shutdown());
  const dispose = async (): Promise<void> => {
    end();
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        note(`no answer within ${flushMs / 1000} s`);
        resolve();
      }, flushMs);
      void closing?.then(() => clearTimeout(timer));
    });
    await Promise.race([closing, late]);
    if (exports.failed > 0)
      warn(
        `${exports.failed} of ${exports.all} exports of metrics to the address in ${name} failed (${exports.reason}); verdict and exit status stay as they are.`,
      );
  };
  return { record: meter.record, end, [Symbol.asyncDispose]: dispose };
}
