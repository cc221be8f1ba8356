import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A service in a process of its own that answers at once and notes when each request arrives. */
export interface BenchServer {
  readonly url: string;
  /** Drops the arrivals noted so far. */
  forget(): void;
  /** Instants of arrival in milliseconds, on the service's own clock. */
  arrivals(): Promise<readonly number[]>;
  close(): void;
}

// Plain JavaScript as text: it must run alike from compiled files and beneath a loader of TypeScript.
const source = `
let atMs = [];
const service = require('node:http').createServer((request, response) => {
  atMs.push(performance.now());
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true,"data":{}}');
});
service.keepAliveTimeout = 30000;
process.on('message', (ask) => { if (ask === 'tell') process.send(atMs); else atMs = []; });
process.on('disconnect', () => process.exit(0));
service.listen(0, '127.0.0.1', () => process.send(service.address().port));
`;

const patienceMs = 10_000;

async function heard(child: ChildProcess): Promise<unknown> {
  const [word] = (await once(child, 'message', { signal: AbortSignal.timeout(patienceMs) })) as [unknown];
  return word;
}

/** Starts the service on a free loopback port. */
export async function openBenchServer(): Promise<BenchServer> {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = await heard(child);
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    forget: () => void child.send('forget'),
    async arrivals() {
      const answer = heard(child);
      child.send('tell');
      const atMs = await answer;
      return Array.isArray(atMs) ? atMs.filter((at): at is number => typeof at === 'number') : [];
    },
    close: () => child.disconnect(),
  };
}

/** A server that only counts. */
export interface CountingServer {
  readonly url: string;
  answered(): Promise<number>;
  close(): void;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** nginx with one process, which spends less on a request than any client; null where it is not installed. */
export async function openNginx(): Promise<CountingServer | null> {
  if (spawnSync('nginx', ['-v']).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const port = await freePort();
  const answer = `default_type application/json; return 200 '{"ok":true,"data":{}}';`;
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 2048; }
    http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${folder}; server { listen 127.0.0.1:${port};
    location / { ${answer} } location /status { stub_status; } } }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  const answered = async (): Promise<number> => {
    const text = await (await fetch(`${url}status`)).text();
    // The third line has the connections accepted and handled, and the requests.
    return Number(text.split('\n')[2]?.trim().split(' ')[2] ?? NaN);
  };
  for (let look = 0; look < 100 && Number.isNaN(await answered().catch(() => NaN)); look += 1) await sleep(50);
  return {
    url,
    answered,
    close: () => {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
