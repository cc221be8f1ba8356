import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

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
