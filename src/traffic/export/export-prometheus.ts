import type { SoakRun } from '../soak/history/history.js';
import { recordedLatencies } from '../soak/latency.js';
import type { SoakSummary } from '../soak/run-soak.js';
import { durationBounds, loadMetrics, outcomeAttributes, serverAttributes, type Attributes } from './load-metrics.js';

/** What follows the name of the metric, the labels, and the value. */
type Sample = readonly [suffix: string, labels: Attributes, value: number];

/** A name of OpenTelemetry as Prometheus has it. */
const translated = (name: string): string => name.replaceAll('.', '_');

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** A metric with its samples; empty where there are none. */
function family(name: string, type: string, help: string, samples: readonly Sample[]): string[] {
  if (samples.length === 0) return [];
  const lines = samples.map(([suffix, labels, value]) => {
    const shown = Object.entries(labels).map(([key, text]) => `${translated(key)}="${escaped(String(text))}"`);
    return `${name}${suffix}{${shown.join(',')}} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

/** The operations, each under a name of its own: a second of one name carries its number. Kept runs of older versions have such. */
function distinct(operations: readonly SoakSummary[]): readonly SoakSummary[] {
  const usedNames = new Set<string>();
  return operations.map((one) => {
    let { name } = one;
    for (let number = 2; usedNames.has(name); number += 1) name = `${one.name} (${number})`;
    usedNames.add(name);
    return { ...one, name };
  });
}

/** Seconds with the six decimals that a histogram of microseconds has, and none that division adds. */
const inSeconds = (ms: number): number => Number((ms / 1000).toFixed(6));

/** The cumulative buckets of a summary's latencies; none where nothing was answered. */
function buckets({ histogram, meanMs }: SoakSummary, labels: Attributes): Sample[] {
  const latencies = recordedLatencies(histogram);
  const countUpTo = (seconds: number): number =>
    latencies.reduce((sum, [microseconds, count]) => (microseconds <= seconds * 1e6 ? sum + count : sum), 0);
  const all = countUpTo(Infinity);
  if (all === 0) return [];
  return [
    ...durationBounds.map((le): Sample => ['_bucket', { ...labels, le }, countUpTo(le)]),
    ['_bucket', { ...labels, le: '+Inf' }, all],
    ['_sum', labels, inSeconds(meanMs * all)],
    ['_count', labels, all],
  ];
}

/**
 * A kept soak run as Prometheus text, for a push gateway or a text file collector, under the names that metrics pushed by OTLP have there.
 * Two runs of equal size leave histogram and counters unchanged: the start tells them apart.
 */
export function exportPrometheus({ service, target, conditions, started }: SoakRun): string {
  const common: Attributes = {
    ...serverAttributes(target),
    'dealership.plan': conditions.split(',')[0] ?? '',
    'dealership.scenario': 'soak',
  };
  // All together would count every request twice in a sum.
  const all = distinct(service.operations).map((one) => ({
    one,
    labels: { ...common, 'dealership.operation': one.name },
  }));
  const startedMs = Date.parse(started);
  // Two thresholds of one text are one promise; one that nothing could be held against was neither kept nor broken.
  const judged = service.thresholds.filter(({ value }) => value !== null);
  const thresholds = new Map(judged.map(({ text, kept }) => [text, kept]));
  const { duration, requests, errors } = loadMetrics;
  const counts = all.flatMap(({ one, labels }) =>
    Object.entries(one.statuses).map(([status, count]): Sample => [
      '',
      { ...labels, ...outcomeAttributes(status) },
      count,
    ]),
  );
  const lines = [
    ...family(`${translated(duration.name)}_seconds`, 'histogram', duration.description, [
      ...all.flatMap(({ one, labels }) => buckets(one, labels)),
    ]),
    ...family(`${translated(requests.name)}_total`, 'counter', requests.description, counts),
    ...family(`${translated(errors.name)}_total`, 'counter', errors.description, [
      ...all.map(({ one, labels }): Sample => ['', labels, one.errors]),
    ]),
    ...family('dealership_soak_latency_max_seconds', 'gauge', 'Longest latency from the scheduled time.', [
      ...all.flatMap(({ one, labels }): Sample[] => (one.maxMs === 0 ? [] : [['', labels, inSeconds(one.maxMs)]])),
    ]),
    ...family('dealership_soak_threshold_kept', 'gauge', 'Whether a threshold was kept (1) or broken (0).', [
      ...[...thresholds].map(([threshold, kept]): Sample => ['', { ...common, threshold }, Number(kept)]),
    ]),
    ...family('dealership_soak_complete', 'gauge', 'Whether the run went to its end (1) or was ended early (0).', [
      ['', common, Number(service.ended === 'complete')],
    ]),
    ...family('dealership_soak_start_timestamp_seconds', 'gauge', 'When the run began, in seconds since 1970.', [
      ...(Number.isNaN(startedMs) ? [] : [['', common, inSeconds(startedMs)] as const]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
