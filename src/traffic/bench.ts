import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Agent } from 'undici';
import { judgeTrace } from '../limiter/judge-trace.js';
import type { TraceRecord } from '../limiter/trace.js';
import { driveEvenly } from './drive.js';
import { openTicker } from './ticker.js';

interface Counted {
  readonly url: string;
  readonly atMs: number[];
}

interface Row {
  readonly name: string;
  readonly arrived: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number | null;
}

const seconds = 4;

/** Deviations from the even grid that fits the arrivals best. */
export function deviations(atMs: readonly number[], ratePerSecond: number): { readonly p50Ms: number; readonly p99Ms: number } {
  const sorted = [...atMs].sort((a, b) => a - b);
  const offsets = sorted.map((at, index) => at - (index * 1000) / ratePerSecond).sort((a, b) => a - b);
  const middle = offsets[Math.floor(offsets.length / 2)] ?? 0;
  const off = offsets.map((offset) => Math.abs(offset - middle)).sort((a, b) => a - b);
  return { p50Ms: off[Math.floor(off.length * 0.5)] ?? 0, p99Ms: off[Math.floor(off.length * 0.99)] ?? 0 };
}

async function undiciEvenly(url: string, ratePerSecond: number, count: number): Promise<void> {
  const agent = new Agent({ connections: 50, pipelining: 1 });
  const { origin } = new URL(url);
  let left = count;
  let done = (): void => undefined;
  const finished = new Promise<void>((resolve) => (done = resolve));
  const one = async (): Promise<void> => {
    const answer = await agent.request({ origin, path: '/', method: 'GET' });
    await answer.body.dump();
    left -= 1;
    if (left === 0) done();
  };
  const start = (due: readonly number[]): void => {
    for (let each = 0; each < due.length; each += 1) one().catch(done);
  };
  const ticker = await openTicker({ ratePerSecond, count }, start, () => undefined);
  ticker.start(30);
  await finished;
  await ticker.stop();
  await agent.close();
}

async function measure(name: string, server: Counted, ratePerSecond: number, work: () => Promise<unknown>): Promise<Row> {
  // Stragglers of the measurement before are not this one's.
  await sleep(500);
  server.atMs.length = 0;
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const arrived = server.atMs.length;
  return { name, arrived, ...deviations(server.atMs, ratePerSecond), cpuMsPerRequest: arrived === 0 ? null : (user + system) / 1000 / arrived };
}

function onPath(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

/** The commands of other engines at that rate, by name; `script` is a file that k6 may be given. */
function otherEngines(url: string, ratePerSecond: number, script: string): readonly (readonly [string, readonly string[]])[] {
  return [
    ['k6', ['run', '--quiet', script]],
    ['hey', ['-z', `${seconds}s`, '-c', '10', '-q', String(ratePerSecond / 10), url]],
    ['wrk2', ['-t1', '-c10', `-d${seconds}s`, `-R${ratePerSecond}`, url]],
  ];
}

function k6Script(url: string, ratePerSecond: number): string {
  const even = { executor: 'constant-arrival-rate', rate: ratePerSecond, timeUnit: '1s', duration: `${seconds}s`, preAllocatedVUs: 50 };
  return `import http from 'k6/http';\nexport const options = ${JSON.stringify({ scenarios: { even } })};\nexport default () => http.get('${url}');\n`;
}

function runCommand(command: string, parameters: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, [...parameters], { stdio: 'ignore', timeout: (seconds + 20) * 1000 });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
}

/** A trace of a limiter that keeps 600 a minute and 100 a second, for timing the oracle. */
function syntheticTrace(count: number): TraceRecord[] {
  let inSecond = 0;
  let inMinute = 0;
  return Array.from({ length: count }, (_, index): TraceRecord => {
    const sentMs = index * 5;
    if (sentMs % 1_000 === 0) inSecond = 0;
    if (sentMs % 60_000 === 0) inMinute = 0;
    const accepted = inSecond < 100 && inMinute < 600;
    if (accepted) {
      inSecond += 1;
      inMinute += 1;
    }
    return { index, dueMs: sentMs, sentMs, receivedMs: sentMs + 2, outcome: accepted ? 'accepted' : 'refused', status: accepted ? 200 : 429, hasEnvelope: null };
  });
}

/** Measures arrivals, CPU and the oracle in one run and hands back the table as Markdown. */
export async function bench(): Promise<string> {
  const atMs: number[] = [];
  const service = createServer((_request, response) => {
    atMs.push(performance.now());
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const server = { url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/`, atMs };
  const lines = [`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}; client and server share one process, so CPU includes the server's`, ''];
  lines.push('| rate | client | arrived | deviation p50 ms | p99 ms | CPU per request, stock autocannon = 1 |', '| --- | --- | --- | --- | --- | --- |');
  for (const rate of [100, 500]) {
    const count = rate * seconds;
    const rows = [
      await measure('this suite', server, rate, () => driveEvenly({ url: server.url, count, ratePerSecond: rate, connections: 50, timeoutMs: 2_000 })),
      await measure('stock autocannon', server, rate, async () => await autocannon({ url: server.url, connections: 50, overallRate: rate, duration: seconds, ignoreCoordinatedOmission: true, timeout: 10 })),
      await measure('undici and the same ticker', server, rate, () => undiciEvenly(server.url, rate, count)),
    ];
    const base = rows[1]?.cpuMsPerRequest ?? 1;
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const script = join(folder, 'even.js');
    writeFileSync(script, k6Script(server.url, rate));
    for (const [command, parameters] of otherEngines(server.url, rate, script)) {
      if (!onPath(command)) continue;
      // Another process's CPU is not this one's.
      rows.push({ ...(await measure(command, server, rate, () => runCommand(command, parameters))), cpuMsPerRequest: null });
    }
    rmSync(folder, { recursive: true });
    for (const row of rows) {
      const ratio = row.cpuMsPerRequest === null ? '' : (row.cpuMsPerRequest / base).toFixed(2);
      lines.push(`| ${rate}/s | ${row.name} | ${row.arrived} | ${row.p50Ms.toFixed(2)} | ${row.p99Ms.toFixed(2)} | ${ratio} |`);
    }
  }
  await new Promise<void>((resolve) => {
    service.close(() => resolve());
    service.closeAllConnections();
  });
  for (const other of ['k6', 'hey', 'wrk2']) if (!onPath(other)) lines.push(`| | ${other} | not installed here | | | |`);
  lines.push('', '| requests judged | seconds |', '| --- | --- |');
  const limits = [{ count: 600, windowSeconds: 60 }, { count: 100, windowSeconds: 1 }];
  for (const count of [10_000, 100_000, 1_000_000]) {
    const records = syntheticTrace(count);
    const began = performance.now();
    judgeTrace({ records, clockErrorRate: 0.001, quantumMs: 1, idleBeforeMs: 120_000 }, limits, { model: 'auto' });
    lines.push(`| ${count.toLocaleString('en')} | ${((performance.now() - began) / 1000).toFixed(2)} |`);
  }
  return `${lines.join('\n')}\n`;
}
