import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { judgeTraces } from '../../src/ratelimit/index.js';
import { drive } from '../../src/traffic/index.js';
import { all, fixedByClock } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { atMost, simulate } from '../limiter-simulators/test-kit.js';
import { behindSlowNetwork } from '../mutation/lossy-network.test-kit.js';
import { startReferenceService } from '../mutation/reference-service.js';

/** How long a bench may be. */
export interface BenchSize {
  readonly seconds: number;
  readonly rounds: number;
  readonly rates: readonly number[];
  /** Requests for the judge of limits. */
  readonly judged: number;
  /** Round trips in milliseconds that a gate is tried over. */
  readonly roundTrips: readonly number[];
}

const usualSize: BenchSize = { seconds: 6, rounds: 5, rates: [100, 500], judged: 1_000_000, roundTrips: [0, 50] };
const connections = 50;

/** Deviations from the even grid that fits the arrivals best, in milliseconds. */
export function deviations(atMs: readonly number[], ratePerSecond: number) {
  const sorted = [...atMs].sort((a, b) => a - b);
  const offsets = sorted.map((at, index) => at - (index * 1000) / ratePerSecond).sort((a, b) => a - b);
  const middle = offsets[Math.floor(offsets.length / 2)] ?? 0;
  const off = offsets.map((offset) => Math.abs(offset - middle)).sort((a, b) => a - b);
  return { p50Ms: off[Math.floor(off.length * 0.5)] ?? 0, p99Ms: off[Math.floor(off.length * 0.99)] ?? 0 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// Plain JavaScript as text: it must run alike from compiled files and beneath a loader of TypeScript.
const source = `
let atMs = [];
const service = require('node:http').createServer((request, response) => {
  atMs.push(performance.now());
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true,"data":{}}');
});
process.on('message', () => { process.send(atMs); atMs = []; });
process.on('disconnect', () => process.exit(0));
service.listen(0, '127.0.0.1', () => process.send(service.address().port));
`;

/** A service in a process of its own that answers at once; `arrivals` hands back the instants since it was last asked. */
async function openServer() {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const heard = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
  const url = `http://127.0.0.1:${String(await heard())}/`;
  const arrivals = (): Promise<number[]> => {
    const answer = heard() as Promise<number[]>;
    child.send('tell');
    return answer;
  };
  return { url, arrivals, close: () => child.disconnect() };
}

interface Client {
  readonly name: string;
  readonly evenly: (url: string, rate: number, seconds: number) => Promise<unknown>;
  readonly fast: (url: string, seconds: number) => Promise<unknown>;
}

const segment = { scenario: '', count: 1e6, ratePerSecond: null, connections } as const;

const clients: readonly Client[] = [
  {
    name: 'this suite',
    evenly: (url, ratePerSecond, seconds) =>
      drive({ ...segment, ratePerSecond, count: Math.round(ratePerSecond * seconds) }, { url }),
    fast: (url, seconds) => drive(segment, { url, signal: AbortSignal.timeout(seconds * 1000) }),
  },
  {
    name: 'stock autocannon',
    evenly: async (url, overallRate, duration) =>
      await autocannon({ url, connections, overallRate, duration, ignoreCoordinatedOmission: true }),
    fast: async (url, duration) => await autocannon({ url, connections, duration }),
  },
];

/** How evenly each client sends, and how much at full speed; round after round, so that the machine's moods meet all alike. */
async function pacingRows({ seconds, rounds, rates }: BenchSize): Promise<string[]> {
  const server = await openServer();
  const cells = new Map<string, number[]>();
  const note = (key: string, value: number): void => void cells.set(key, [...(cells.get(key) ?? []), value]);
  const arrivalsOf = async (work: () => Promise<unknown>): Promise<number[]> => {
    await server.arrivals();
    await work();
    return server.arrivals();
  };
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const { name, evenly, fast } of clients) {
        for (const rate of rates) {
          const { p50Ms, p99Ms } = deviations(await arrivalsOf(() => evenly(server.url, rate, seconds)), rate);
          note(`${name} ${rate} p50`, p50Ms);
          note(`${name} ${rate} p99`, p99Ms);
        }
        note(`${name} fast`, (await arrivalsOf(() => fast(server.url, seconds))).length / seconds);
      }
  } finally {
    server.close();
  }
  const shown = (key: string, digits: number): string => median(cells.get(key) ?? []).toFixed(digits);
  return [
    `| client | ${rates.map((rate) => `deviation at ${rate}/s, p50 / p99 ms`).join(' | ')} | full speed, requests a second |`,
    `| --- | ${rates.map(() => '---').join(' | ')} | --- |`,
    ...clients.map(({ name }) => {
      const even = rates.map((rate) => `${shown(`${name} ${rate} p50`, 2)} / ${shown(`${name} ${rate} p99`, 2)}`);
      return `| ${[name, ...even, shown(`${name} fast`, 0)].join(' | ')} |`;
    }),
  ];
}

/** Seconds to judge a trace of a limiter that keeps 600 a minute and 100 a second. */
function judgeSeconds(count: number): number {
  const limits = [atMost(600, 60), atMost(100, 1)];
  const plan = Array.from({ length: count }, (_, at) => at * 5);
  const trace = simulate(plan, all(limits.map((limit) => fixedByClock(limit, 0))), 0, () => 1);
  const began = performance.now();
  judgeTraces([trace], limits, { model: 'auto' });
  return (performance.now() - began) / 1000;
}

/** Seconds that a whole gate of the reference service takes, over a network of this round trip. */
async function gateSeconds(roundTripMs: number): Promise<number> {
  const reference = await startReferenceService({});
  const { settings, close } =
    roundTripMs === 0 ? reference : await behindSlowNetwork(reference, roundTripMs / 2, () => 1);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
  const env = { ...process.env, ...settings };
  const began = performance.now();
  const child = spawn(process.execPath, [main, 'gate', '--quiet', '--out', folder], { env, stdio: 'ignore' });
  await once(child, 'close');
  const seconds = (performance.now() - began) / 1000;
  await close();
  rmSync(folder, { recursive: true, force: true });
  return seconds;
}

/** Measures the gate, the pacing of load and the judge of limits, and hands back the results as Markdown. */
export async function bench(size: BenchSize = usualSize): Promise<string> {
  const lines = [
    `${cpus().length} × ${(cpus()[0]?.model ?? 'unknown processor').trim()}, Node ${process.version}. Pacing: the median of ${size.rounds} drives of ${size.seconds} s.`,
    '',
  ];
  for (const ms of size.roundTrips)
    lines.push(`Gate, ${ms === 0 ? 'loopback' : `round trip of ${ms} ms`}: ${(await gateSeconds(ms)).toFixed(1)} s.`);
  lines.push(`Judge of ${size.judged.toLocaleString('en')} requests: ${judgeSeconds(size.judged).toFixed(2)} s.`, '');
  lines.push(...(await pacingRows(size)));
  return `${lines.join('\n')}\n`;
}
