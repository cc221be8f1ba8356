import { parentPort, workerData } from 'node:worker_threads';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { durationBounds, loadMetrics } from './load-metrics.js';
import type { MetricsBatch, WorkerSettings } from './push-metrics.js';

/** In a thread of its own: what is counted and sent takes no time from the load. */
const { version, instance, longestMs } = workerData as WorkerSettings;

/** A variable that is a whole number of milliseconds. */
function milliseconds(fallback: number, ...names: readonly string[]): number {
  const given = names.map((name) => Number(process.env[name])).find((ms) => ms > 0);
  return given ?? fallback;
}

/** Why an export failed, without anything that the collector or the settings say. */
function reasonOf(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === 'number') return `it answers ${error.code}`;
  if (typeof error.code === 'string') return error.code;
  return /retryable status/.test(error.message) ? 'it answers 429, 502, 503 or 504' : 'no answer in time';
}

/** Reports how each export ended. */
class ReportedExporter extends OTLPMetricExporter {
  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      const code: number = result.code;
      parentPort?.postMessage({ failure: code === 0 ? null : reasonOf(result.error ?? new Error()) });
      done(result);
    });
  }
}

const timeoutMillis = milliseconds(10_000, 'OTEL_EXPORTER_OTLP_METRICS_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT');
const exportIntervalMillis = milliseconds(60_000, 'OTEL_METRIC_EXPORT_INTERVAL');
const exportTimeoutMillis = Math.min(exportIntervalMillis, milliseconds(30_000, 'OTEL_METRIC_EXPORT_TIMEOUT'));
const exporter = new ReportedExporter({ timeoutMillis: Math.min(timeoutMillis, longestMs) });
const own = resourceFromAttributes({
  'service.name': 'dealership-conformance',
  'service.version': version,
  // Two generators that push the same series would overwrite each other's.
  'service.instance.id': instance,
});
const provider = new MeterProvider({
  resource: own.merge(detectResources({ detectors: [envDetector] })),
  readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis })],
});
const meter = provider.getMeter('dealership-conformance', version);
const advice = { explicitBucketBoundaries: durationBounds };
const duration = meter.createHistogram(loadMetrics.duration.name, { ...loadMetrics.duration, advice });
const requests = meter.createCounter(loadMetrics.requests.name, loadMetrics.requests);
const errors = meter.createCounter(loadMetrics.errors.name, loadMetrics.errors);

const series: MetricsBatch['fresh'][number][] = [];
parentPort?.on('message', ({ fresh, counted, isLast }: MetricsBatch) => {
  series.push(...fresh);
  for (let at = 0; at < counted.length; at += 2) {
    const one = series[counted[at] ?? 0];
    const seconds = counted[at + 1] ?? NaN;
    if (one === undefined) continue;
    if (!Number.isNaN(seconds)) duration.record(seconds, one.duration);
    requests.add(1, one.requests);
    // Also where nothing went wrong: a rate needs a series from the beginning.
    errors.add(one.isError ? 1 : 0, one.errors);
  }
  if (isLast)
    void provider
      .shutdown()
      .catch(() => undefined)
      .then(() => process.exit());
});
parentPort?.postMessage('ready');
