import type { SoakRun } from '../soak/history/history.js';
import { recordedLatencies } from '../soak/latency.js';
import type { SoakReport, SoakWindow } from '../soak/run-soak.js';
import { rounded, type Chart, type Series } from './charts.js';

const mostPoints = 800;
const perDecade = 20;

/** Neighbouring windows made one where there are too many to draw; the worst of each figure is kept. */
function thinned(windows: readonly SoakWindow[]): SoakWindow[] {
  const each = Math.ceil(windows.length / mostPoints);
  if (each <= 1) return [...windows];
  const groups: SoakWindow[] = [];
  for (let at = 0; at < windows.length; at += each) {
    const group = windows.slice(at, at + each);
    const worst = (name: keyof SoakWindow): number => Math.max(...group.map((window) => window[name]));
    const total = (name: keyof SoakWindow): number => group.reduce((sum, window) => sum + window[name], 0);
    groups.push({
      startSeconds: group[0]?.startSeconds ?? 0,
      due: total('due'),
      errors: total('errors'),
      p50Ms: worst('p50Ms'),
      p95Ms: worst('p95Ms'),
      p99Ms: worst('p99Ms'),
      maxMs: worst('maxMs'),
    });
  }
  return groups;
}

/** A line of latencies, with a gap where none was measured. */
function latencySeries(name: string, colour: Series['colour'], latenciesMs: readonly number[]): Series {
  return { name, colour, style: 'line', values: latenciesMs.map((value) => (value > 0 ? rounded(value) : null)) };
}

/** Latency and outcomes over the length of a soak. */
export function overTimeCharts(report: SoakReport): Chart[] {
  const windows = thinned(report.windows);
  const x = windows.map((window) => rounded(window.startSeconds));
  const shared = { xName: 'seconds since the start', xScale: 'even', x } as const;
  const latency = (name: string, colour: Series['colour'], figure: keyof SoakWindow): Series =>
    latencySeries(
      name,
      colour,
      windows.map((window) => window[figure]),
    );
  const rate = (name: string, colour: Series['colour'], figure: 'due' | 'errors'): Series => ({
    name,
    colour,
    style: 'step',
    values: windows.map((window) => rounded(window[figure] / each)),
  });
  const each =
    windows[1] === undefined ? report.windowSeconds : windows[1].startSeconds - (windows[0]?.startSeconds ?? 0);
  return [
    {
      ...shared,
      id: 'latency',
      title: 'Latency over time',
      note: 'Milliseconds from the instant a request was scheduled, so that waiting for the service counts too.',
      yName: 'milliseconds',
      yScale: 'log',
      series: [
        latency('p50', 'first', 'p50Ms'),
        latency('p95', 'second', 'p95Ms'),
        latency('p99', 'third', 'p99Ms'),
        latency('max', 'other', 'maxMs'),
      ],
    },
    {
      ...shared,
      id: 'outcomes',
      title: 'Requests over time',
      note: 'Error: a status of 400 or above, no answer in time, a broken connection, or an answer without the envelope (ok, data).',
      yName: 'a second',
      yScale: 'even',
      series: [rate('scheduled', 'accepted', 'due'), rate('errors', 'refused', 'errors')],
    },
  ];
}

/** Shares of all latencies by logarithmic bin; the key is the bin's number. */
function shares(encoded: string): Map<number, number> {
  const found = new Map<number, number>();
  const all = recordedLatencies(encoded);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  for (const [microseconds, count] of all) {
    const bin = Math.floor(perDecade * Math.log10(Math.max(1, microseconds) / 1000));
    found.set(bin, (found.get(bin) ?? 0) + (100 * count) / total);
  }
  return found;
}

/** How often each latency came up, the control's beside it. */
export function histogramChart({ service, control }: SoakRun): Chart {
  const mine = shares(service.total.histogram);
  const its = control === null ? null : shares(control.total.histogram);
  const bins = [...mine.keys(), ...(its?.keys() ?? [])];
  const first = Math.min(...bins, 0) - 1;
  const length = bins.length === 0 ? 0 : Math.max(...bins) - first + 2;
  const all = Array.from({ length }, (_, at) => first + at);
  const series = (name: string, colour: Series['colour'], by: ReadonlyMap<number, number>): Series => ({
    name,
    colour,
    style: 'step',
    values: all.map((bin) => rounded(by.get(bin) ?? 0)),
  });
  return {
    id: 'histogram',
    title: 'How often each latency came up',
    note: 'Share of all requests by latency; a second peak means that the service answers some requests in another, slower way.',
    xName: 'milliseconds',
    yName: '% of requests',
    xScale: 'log',
    yScale: 'even',
    x: all.map((bin) => rounded(10 ** (bin / perDecade))),
    series: [
      series('service', 'first', mine),
      ...(its === null ? [] : [series('reference on this machine', 'other', its)]),
    ],
  };
}

/** Latency of every soak run, oldest first, with the 95th percentile of its control. */
export function trendChart(current: SoakRun, earlier: readonly SoakRun[]): Chart {
  const runs = [...earlier.slice(-(mostPoints - 1)), current].filter((run) => Number.isFinite(Date.parse(run.started)));
  runs.sort((a, b) => Date.parse(a.started) - Date.parse(b.started));
  const series = (name: string, colour: Series['colour'], of: (run: SoakRun) => number): Series =>
    latencySeries(name, colour, runs.map(of));
  return {
    id: 'trend',
    title: 'Run to run',
    note: 'Where service and reference rise together, it is the machine.',
    xName: 'run',
    yName: 'milliseconds',
    xScale: 'date',
    yScale: 'log',
    x: runs.map((run) => Math.round(Date.parse(run.started) / 1000)),
    series: [
      series('service p50', 'first', ({ service }) => service.total.p50Ms),
      series('service p95', 'second', ({ service }) => service.total.p95Ms),
      series('reference p95', 'other', ({ control }) => control?.total.p95Ms ?? 0),
    ],
  };
}
