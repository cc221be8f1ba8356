import type { LoadRequest } from '../../http/index.js';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { randomUUID } from 'node:crypto';
import { version } from '../../version.js';

/** Names and values of labels, as OpenTelemetry spells them; those of this suite begin with `dealership.`. */
type Attributes = Record<string, string | number>;

/** The metrics of a load. The first is of the semantic conventions for HTTP. */
const loadMetrics = {
  duration: { name: 'http.client.request.duration', unit: 's', description: 'Duration of HTTP client requests.' },
  requests: { name: 'dealership.load.requests', unit: '{request}', description: 'Requests of a load by outcome.' },
  errors: { name: 'dealership.load.errors', unit: '{request}', description: 'Requests of a load that failed.' },
} as const;

/** Upper bounds of the buckets in seconds: those that the conventions advise, and two below. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The host alone, so that nothing else of an address is handed on. */
function serverAttributes(target: string): Attributes {
  if (!URL.canParse(target)) return { 'server.address': target };
  const { hostname, port, protocol } = new URL(target);
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': port === '' ? usual : Number(port) };
}

/** The attributes of a count by status, or by the word for what came instead of an answer. */
function outcomeAttributes(status: string): Attributes {
  const outcome = /^2/.test(status) ? 'accepted' : status === '429' ? 'refused' : /^\d/.test(status) ? 'other' : status;
  return { 'dealership.outcome': outcome, ...statusAttributes(status) };
}

function statusAttributes(status: string): Attributes {
  return /^\d+$/.test(status) ? { 'http.response.status_code': Number(status) } : {};
}

/** `https://host/base/api/v1/units/17?limit=1` → `/api/v1/units/{id}`, as there is no end to ids. */
function urlTemplate(path: string): string {
  const [plain = ''] = path.slice(Math.max(0, path.lastIndexOf('/api/'))).split('?');
  return plain.replace(/^(\/api\/v1\/\w+)\/.+$/, '$1/{id}');
}

/** The attributes of one request in each metric. */
export function attributesOf(request: LoadRequest): Record<keyof typeof loadMetrics, Attributes> {
  const { url, plan, scenario, operation, method, path, status } = request;
  const errors: Attributes = {
    ...serverAttributes(url),
    'dealership.plan': plan,
    'dealership.scenario': scenario,
    ...(operation === undefined ? {} : { 'dealership.operation': operation }),
  };
  const isFailure = !/^[123]/.test(status);
  return {
    errors,
    requests: { ...errors, ...outcomeAttributes(status) },
    duration: {
      ...errors,
      'http.request.method': method,
      'url.template': urlTemplate(path),
      ...statusAttributes(status),
      ...(isFailure ? { 'error.type': status } : {}),
    },
  };
}

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
