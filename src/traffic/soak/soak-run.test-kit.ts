import type { SoakRun } from './history.js';
import { runSoak, type SoakOptions, type SoakReport } from './run-soak.js';
import { usualMix } from './mix.js';

/**
 * A complete soak run on the given day of January: sixty windows with a 95th percentile near `level`, and a control of twelve windows or
 * none.
 */
export function soakRun(at: number, p95Ms: number, controlMs: number | null): SoakRun {
  const started = `2026-01-0${at}T02:00:00.000Z`;
  const soak = (level: number, count: number, windowSeconds: number): SoakReport => {
    const windows = Array.from({ length: count }, (_, k) => ({
      startSeconds: windowSeconds * k,
      due: 10 * windowSeconds,
      errors: 0,
      p50Ms: 1,
      p95Ms: level * (1 + 0.03 * Math.sin(7 * k + at)),
      p99Ms: 9,
      maxMs: 9,
    }));
    const total = {
      name: 'all',
      due: 10 * windowSeconds * count,
      errors: 0,
      bareEnvelopes: 0,
      statuses: { 200: 10 * windowSeconds * count },
      p50Ms: 1,
      p95Ms: level,
      p99Ms: 9,
      maxMs: 9,
    };
    return {
      format: 'dealership-soak/1',
      started,
      seconds: windowSeconds * count,
      ratePerSecond: 10,
      windowSeconds,
      ended: 'complete',
      total,
      operations: [],
      windows,
      thresholds: [],
    };
  };
  return {
    format: 'dealership-soak-run/1',
    started,
    target: 'http://x',
    conditions: 'independent',
    service: soak(p95Ms, 60, 10),
    control: controlMs === null ? null : soak(controlMs, 12, 5),
  };
}

/** The same report where a share of every window's requests went wrong. */
export function withErrors(report: SoakReport, share: number): SoakReport {
  return {
    ...report,
    total: { ...report.total, errors: share * report.total.due },
    windows: report.windows.map((window) => ({ ...window, errors: share * window.due })),
  };
}

/** Soaks a service for a second with the usual operations, unless said otherwise. */
export function soaked({ url }: { readonly url: string }, more: Partial<SoakOptions>): Promise<SoakReport> {
  const usual = { headers: {}, ratePerSecond: 20, durationSeconds: 1, mix: usualMix, thresholds: [] };
  return runSoak({ ...usual, baseUrl: url, ...more });
}
