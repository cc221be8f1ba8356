import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { detectForeignUse } from '../../src/ratelimit/headers/detect-foreign-use.js';
import { judgeHeaders } from '../../src/ratelimit/headers/judge-headers.js';
import { judgeTrace } from '../../src/ratelimit/judge-trace.js';
import type { Trace, TraceRecord } from '../../src/ratelimit/trace.js';
import { gateCurve } from './gate-curve.js';
import { benchClients, type BenchClient } from './bench-clients.js';
import { openBenchServer, openNginx, type BenchServer } from './bench-server.js';
import { record } from '../limiter-simulators/test-kit.js';

/** How long a bench may be: the seconds of each drive, how often each rate is driven, the rates, and the traces' lengths for the oracle. */
export interface BenchSize {
  readonly seconds: number;
  readonly rounds: number;
  readonly rates: readonly number[];
  readonly traces: readonly number[];
  /** Faults that are drawn for the curve of a gate. */
  readonly faults: number;
}

const usualSize: BenchSize = {
  seconds: 6,
  rounds: 5,
  rates: [100, 500],
  traces: [10_000, 100_000, 1_000_000],
  faults: 60,
};

/** Deviations from the even grid that fits the arrivals best, in milliseconds. */
export function deviations(
  atMs: readonly number[],
  ratePerSecond: number,
): { readonly p50Ms: number; readonly p99Ms: number } {
  const sorted = [...atMs].sort((a, b) => a - b);
  const offsets = sorted.map((at, index) => at - (index * 1000) / ratePerSecond).sort((a, b) => a - b);
  const middle = offsets[Math.floor(offsets.length / 2)] ?? 0;
  const off = offsets.map((offset) => Math.abs(offset - middle)).sort((a, b) => a - b);
  return { p50Ms: off[Math.floor(off.length * 0.5)] ?? 0, p99Ms: off[Math.floor(off.length * 0.99)] ?? 0 };
}

/** A trace of a limiter that keeps 600 a minute and 100 a second and says so in every answer, for timing the oracle. */
function syntheticTrace(count: number, apartMs: number): TraceRecord[] {
  let inSecond = 0;
  let inMinute = 0;
  return Array.from({ length: count }, (_, index): TraceRecord => {
    const sentMs = index * apartMs;
    const beforeMs = sentMs - apartMs;
    if (Math.floor(sentMs / 1_000) > Math.floor(beforeMs / 1_000)) inSecond = 0;
    if (Math.floor(sentMs / 60_000) > Math.floor(beforeMs / 60_000)) inMinute = 0;
    const accepted = inSecond < 100 && inMinute < 600;
    if (accepted) {
      inSecond += 1;
      inMinute += 1;
    }
    const [reset, remaining] = [resetAt(sentMs), String(accepted ? 600 - inMinute : 0)];
    const told = { limit: '600', policy: '600;w=60, 100;w=1', remaining, reset };
    const refused = { outcome: 'refused', status: 429, retryAfter: reset } as const;
    return record(index, sentMs, sentMs + 2, accepted ? told : { ...told, ...refused });
  });
}

const resetAt = (sentMs: number): string => String(60 - (Math.floor(sentMs / 1_000) % 60));

function oracleRows(traces: readonly number[]): string[] {
  const limits = [
    { count: 600, windowSeconds: 60 },
    { count: 100, windowSeconds: 1 },
  ];
  const secondsFor = (count: number, apartMs: number): string => {
    const records = syntheticTrace(count, apartMs);
    const trace: Trace = { records, clockErrorRate: 0.001, quantumMs: 1, idleBeforeMs: 120_000 };
    const began = performance.now();
    judgeTrace(trace, limits, { model: 'auto' });
    judgeHeaders(trace, limits, { required: true, alone: true });
    detectForeignUse(trace, limits);
    return ((performance.now() - began) / 1000).toFixed(2);
  };
  // What both limits refuse and what only the longer one does are looked into differently.
  return traces.map(
    (count) => `| ${count.toLocaleString('en')} | ${secondsFor(count, 5)} | ${secondsFor(count, 12)} |`,
  );
}

async function measured(
  server: BenchServer,
  work: () => Promise<number | null>,
): Promise<{ atMs: readonly number[]; cpuMs: number | null }> {
  // Stragglers of the measurement before are not this one's.
  await sleep(300);
  server.forget();
  // An engine that fails has what arrived beside its name.
  const cpuMs = await work().catch(() => null);
  await sleep(100);
  const atMs = await server.arrivals();
  return { atMs, cpuMs: cpuMs === null || atMs.length === 0 ? null : cpuMs / atMs.length };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** What came of driving an engine at a rate. */
interface EvenDrive {
  readonly arrived: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number | null;
}

/** Drives every engine in turn, round after round, so that what else the machine does falls on all of them alike; each number is the median. */
async function evenRows(
  server: BenchServer,
  clients: readonly BenchClient[],
  rate: number,
  { seconds, rounds }: BenchSize,
  say: (doing: string) => void,
): Promise<(EvenDrive & { readonly name: string })[]> {
  const drives = new Map<string, EvenDrive[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, evenly } of clients) {
      if (evenly === null) continue;
      say(`${name} at ${rate}/s, ${round + 1} of ${rounds}`);
      // What an engine spends on its first requests is paid once, not per request.
      if (round === 0) await evenly(server.url, rate, Math.min(0.5, seconds)).catch(() => null);
      const { atMs, cpuMs } = await measured(server, () => evenly(server.url, rate, seconds));
      drives.set(name, [...(drives.get(name) ?? []), { arrived: atMs.length, ...deviations(atMs, rate), cpuMs }]);
    }
  }
  return [...drives].map(([name, all]) => ({
    name,
    arrived: median(all.map((one) => one.arrived)),
    p50Ms: median(all.map((one) => one.p50Ms)),
    p99Ms: median(all.map((one) => one.p99Ms)),
    cpuMs: all.some((one) => one.cpuMs === null) ? null : median(all.map((one) => one.cpuMs ?? 0)),
  }));
}

function ratio(value: number | null, base: number | null): string {
  return value === null || base === null || base === 0 ? '–' : (value / base).toFixed(2);
}

/** Full speed over 50 connections, against nginx where it is installed: round after round, as for rates. */
async function fastRows(
  server: BenchServer,
  clients: readonly BenchClient[],
  { seconds, rounds }: BenchSize,
  say: (doing: string) => void,
): Promise<string[]> {
  const nginx = await openNginx();
  const counting = nginx ?? { ...server, answered: async () => (await server.arrivals()).length };
  const rows = new Map<string, { perSecond: number; perCoreSecond: number }[]>();
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const { name, fast } of clients) {
        if (fast === null) continue;
        say(`${name} as fast as it goes, ${round + 1} of ${rounds}`);
        const before = await counting.answered();
        const cpuMs = await fast(counting.url, seconds).catch(() => null);
        const count = (await counting.answered()) - before;
        const one = { perSecond: count / seconds, perCoreSecond: cpuMs === null ? NaN : (1000 * count) / cpuMs };
        rows.set(name, [...(rows.get(name) ?? []), one]);
      }
  } finally {
    nginx?.close();
  }
  const middle = (name: string, of: 'perSecond' | 'perCoreSecond'): number =>
    median((rows.get(name) ?? []).map((one) => one[of]));
  const base = middle('stock autocannon', 'perCoreSecond');
  return [
    `| full speed, 50 connections, ${nginx === null ? 'the same server' : 'nginx'} | requests a second | requests a core-second of the client | stock autocannon = 1 |`,
    '| --- | --- | --- | --- |',
    ...[...rows.keys()].map((name) => {
      const each = middle(name, 'perCoreSecond');
      return `| ${name} | ${Math.round(middle(name, 'perSecond')).toLocaleString('en')} | ${Math.round(each).toLocaleString('en')} | ${ratio(each, base)} |`;
    }),
  ];
}

/** Measures arrivals, speed, CPU, the oracle and how soon a gate shows faults in one run and hands back the tables as Markdown; `say` hears what is being done. */
export async function bench(
  size: BenchSize = usualSize,
  say: (doing: string) => void = () => undefined,
): Promise<string> {
  const { clients, missing } = benchClients();
  const server = await openBenchServer();
  const lines = [
    `${cpus().length} × ${(cpus()[0]?.model ?? 'unknown processor').trim()}, Node ${process.version}; the server is a process of its own on the same machine. Even rates: the median of ${size.rounds} drives of ${size.seconds} s. Not installed: ${missing.length === 0 ? 'none' : missing.join(', ')}.`,
    '',
    '| rate | client | arrived | deviation from an even grid, p50 | p99 | CPU per request, stock autocannon = 1 |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  try {
    for (const rate of size.rates) {
      const rows = await evenRows(server, clients, rate, size, say);
      const base = rows.find((row) => row.name === 'stock autocannon')?.cpuMs ?? null;
      for (const { name, arrived, p50Ms, p99Ms, cpuMs } of rows) {
        lines.push(
          `| ${rate}/s | ${name} | ${arrived.toLocaleString('en')} | ${p50Ms.toFixed(2)} ms | ${p99Ms.toFixed(2)} ms | ${ratio(cpuMs, base)} |`,
        );
      }
    }
    lines.push(
      '',
      'An engine that sends in bursts wakes less often, so at a fixed rate its CPU is less; what a request itself costs shows at full speed.',
    );
    lines.push('', ...(await fastRows(server, clients, size, say)));
  } finally {
    server.close();
  }
  const { table, picture } = await gateCurve(size.faults, 1, say);
  await writeFile('reports/gate-curve.svg', picture);
  say('the oracle');
  lines.push(
    '',
    '| requests judged | seconds, at 200/s | at 83/s |',
    '| --- | --- | --- |',
    ...oracleRows(size.traces),
    '',
    ...table,
    '',
    'As a picture: reports/gate-curve.svg.',
  );
  return `${lines.join('\n')}\n`;
}
