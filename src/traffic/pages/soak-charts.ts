import type { SoakReport, SoakWindow } from '../soak/run-soak.js';
import { rounded, type Chart, type Series } from './charts.js';

const mostPoints = 800;

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
  const shared = { xName: 'seconds since the start', x } as const;
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
