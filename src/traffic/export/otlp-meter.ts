import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { randomUUID } from 'node:crypto';
import type { LoadRequest } from '../../http/index.js';
import { version } from '../../version.js';
import { attributesOf, durationBounds, loadMetrics } from './load-metrics.js';

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

/** Opens OpenTelemetry's SDK; an export takes at most `longestMs`, and `onExport` gets why it failed, or null. */
export function openMeter(longestMs: number, onExport: (failure: string | null) => void) {
  /** Reports how each export ended. */
  class ReportedExporter extends OTLPMetricExporter {
    override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
      super.export(metrics, (result) => {
        const code: number = result.code;
        onExport(code === 0 ? null : reasonOf(result.error ?? new Error()));
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
    // Two runs that push the same series would overwrite each other's.
    'service.instance.id': randomUUID(),
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
  const known = new Map<string, ReturnType<typeof attributesOf>>();
  const record = (request: LoadRequest): void => {
    const { plan, scenario, operation, method, path, status, isError, seconds } = request;
    // A plan has one address.
    const key = `${plan} ${scenario} ${operation ?? ''} ${method} ${path} ${status}`;
    const attributes = known.get(key) ?? attributesOf(request);
    known.set(key, attributes);
    if (seconds !== null) duration.record(seconds, attributes.duration);
    requests.add(1, attributes.requests);
    // Also where nothing went wrong: a rate needs a series from the beginning.
    errors.add(isError ? 1 : 0, attributes.errors);
  };
  return { record, shutdown: () => provider.shutdown().catch(() => undefined) };
}
