import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createTraceContext } from '../../src/http/trace-context.js';
import { driveEvenly, driveFast } from '../../src/traffic/engine/drive.js';

/** One engine: how it is driven at a rate and, where it can be, as fast as it goes; each resolves with its CPU milliseconds, or null. */
export interface BenchClient {
  readonly name: string;
  readonly evenly: ((url: string, ratePerSecond: number, seconds: number) => Promise<number | null>) | null;
  readonly fast: ((url: string, seconds: number) => Promise<number | null>) | null;
}

const connections = 50;

/** CPU that this process spends on some work, in milliseconds. */
async function ownCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A foreign command's CPU so far; where there is no /proc, null. Ticks are taken to be the usual 10 ms. */
function cpuOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}

function command(name: string, parameters: readonly string[], seconds: number): Promise<number | null> {
  return new Promise((resolve) => {
    let cpuMs: number | null = null;
    const child = spawn(name, [...parameters], { stdio: 'ignore', timeout: (seconds + 10) * 1000 });
    const watch = setInterval(() => (cpuMs = cpuOf(child.pid ?? 0) ?? cpuMs), 50);
    const end = (): void => {
      clearInterval(watch);
      resolve(cpuMs);
    };
    child.on('error', end);
    child.on('close', end);
  });
}

async function k6(url: string, scenario: object, seconds: number): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const options = { scenarios: { only: { ...scenario, duration: `${seconds}s` } } };
    writeFileSync(
      join(folder, 'script.js'),
      `import http from 'k6/http';\nexport const options = ${JSON.stringify(options)};\nexport default () => http.get('${url}');\n`,
    );
    return await command('k6', ['run', '--quiet', '--no-usage-report', join(folder, 'script.js')], seconds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const foreign: readonly BenchClient[] = [
  {
    name: 'k6',
    evenly: (url, rate, seconds) =>
      k6(url, { executor: 'constant-arrival-rate', rate, timeUnit: '1s', preAllocatedVUs: connections }, seconds),
    fast: (url, seconds) => k6(url, { executor: 'constant-vus', vus: connections }, seconds),
  },
  {
    name: 'hey',
    evenly: (url, rate, seconds) =>
      command('hey', ['-z', `${seconds}s`, '-c', '10', '-q', String(rate / 10), url], seconds),
    fast: (url, seconds) => command('hey', ['-z', `${seconds}s`, '-c', String(connections), url], seconds),
  },
  {
    name: 'wrk',
    evenly: null,
    fast: (url, seconds) => command('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, url], seconds),
  },
];

/** As in a run, each request carries a span of its own. */
const trace = createTraceContext('bench');

const own: readonly BenchClient[] = [
  {
    name: 'this suite',
    evenly: (url, ratePerSecond, seconds) =>
      ownCpu(() =>
        driveEvenly({
          url,
          ratePerSecond,
          count: Math.round(ratePerSecond * seconds),
          connections,
          timeoutMs: 2_000,
          trace,
        }),
      ),
    fast: (url, seconds) => {
      const signal = AbortSignal.timeout(seconds * 1000);
      return ownCpu(() => driveFast({ url, count: 1_000_000, connections, timeoutMs: 2_000, signal, trace }));
    },
  },
  {
    name: 'stock autocannon',
    evenly: (url, overallRate, seconds) =>
      ownCpu(
        async () =>
          await autocannon({
            url,
            connections,
            overallRate,
            duration: seconds,
            ignoreCoordinatedOmission: true,
            timeout: 10,
          }),
      ),
    fast: (url, seconds) => ownCpu(async () => await autocannon({ url, connections, duration: seconds, timeout: 10 })),
  },
];

/** The engines that can be run here, this suite's first, and the names of those that are not installed. */
export function benchClients(): { readonly clients: readonly BenchClient[]; readonly missing: readonly string[] } {
  const installed = foreign.filter(({ name }) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
  return {
    clients: [...own, ...installed],
    missing: foreign.filter((one) => !installed.includes(one)).map(({ name }) => name),
  };
}
