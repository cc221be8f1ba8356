import type { SoakRun } from '../soak/history/history.js';
import type { SoakSummary } from '../soak/run-soak.js';

type Labels = Readonly<Record<string, string>>;

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** The host alone, so that nothing else of an address is handed on. */
function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : target;
}

/** The operations, each under a name of its own: a second of one name, or one named as all are together, carries its number. */
function distinct(operations: readonly SoakSummary[]): readonly SoakSummary[] {
  const usedNames = new Set(['all']);
  return operations.map((one) => {
    let { name } = one;
    for (let number = 2; usedNames.has(name); number += 1) name = `${one.name} (${number})`;
    usedNames.add(name);
    return { ...one, name };
  });
}

/** Seconds with the six decimals that a histogram of microseconds has, and none that division adds. */
const inSeconds = (ms: number): number => Number((ms / 1000).toFixed(6));

/** Seconds by percentile; none where nothing was answered. A histogram's bins may reach beyond the maximum, a percentile may not. */
function percentiles({ p50Ms, p95Ms, p99Ms, maxMs }: SoakSummary): readonly (readonly [string, number])[] {
  if (maxMs === 0) return [];
  const all = [
    ['50', p50Ms],
    ['95', p95Ms],
    ['99', p99Ms],
  ] as const;
  return all.map(([percentile, ms]) => [percentile, inSeconds(Math.min(ms, maxMs))]);
}

/**
 * A soak run's summary as Prometheus text, for a push gateway or a text file collector. All metrics are gauges: two runs of equal size
 * would leave a counter unchanged, as if nothing had been sent. The label `quantile` is reserved for summaries.
 */
export function exportPrometheus({ service, target, conditions, started }: SoakRun): string {
  const common: Labels = { target: hostOf(target), plan: conditions.split(',')[0] ?? '' };
  const gauge = (name: string, help: string, samples: readonly (readonly [Labels, number])[]): string[] => [
    `# HELP dealership_soak_${name} ${help}`,
    `# TYPE dealership_soak_${name} gauge`,
    ...samples.map(([own, value]) => {
      const labels = Object.entries({ ...own, ...common }).map(([key, text]) => `${key}="${escaped(text)}"`);
      return `dealership_soak_${name}{${labels.join(',')}} ${value}`;
    }),
  ];
  const all = [service.total, ...distinct(service.operations)];
  const startedMs = Date.parse(started);
  // Two thresholds of one text are one promise; one that nothing could be held against was neither kept nor broken.
  const judged = service.thresholds.filter(({ value }) => value !== null);
  const thresholds = new Map(judged.map(({ text, kept }) => [text, kept]));
  const lines = [
    ...gauge(
      'latency_seconds',
      'Latency from the scheduled time.',
      all.flatMap((one) =>
        percentiles(one).map(([percentile, seconds]) => [{ operation: one.name, percentile }, seconds] as const),
      ),
    ),
    ...gauge(
      'latency_max_seconds',
      'Longest latency from the scheduled time.',
      all.flatMap((one) => (one.maxMs === 0 ? [] : [[{ operation: one.name }, inSeconds(one.maxMs)] as const])),
    ),
    ...gauge(
      'requests',
      'Requests by status.',
      all.flatMap((one) =>
        Object.entries(one.statuses).map(([status, count]) => [{ operation: one.name, status }, count] as const),
      ),
    ),
    ...gauge(
      'errors',
      'Requests that failed.',
      all.map((one) => [{ operation: one.name }, one.errors]),
    ),
    ...gauge(
      'threshold_kept',
      'Whether a threshold was kept (1) or broken (0).',
      [...thresholds].map(([threshold, kept]) => [{ threshold }, Number(kept)]),
    ),
    ...gauge('complete', 'Whether the run went to its end (1) or was ended early (0).', [
      [{}, Number(service.ended === 'complete')],
    ]),
    ...gauge(
      'start_timestamp_seconds',
      'When the run began, in seconds since 1970.',
      Number.isNaN(startedMs) ? [] : [[{}, inSeconds(startedMs)]],
    ),
  ];
  return `${lines.join('\n')}\n`;
}
