import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Limit } from '../../src/settings/limits.js';
import { closing, type Loopback } from '../../src/loopback.test-kit.js';

/** Whether nginx can be run here. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** nginx keeps a rate of whole requests a minute and lets `burst` more pass than one: together a bucket that starts full. */
function configuration(folder: string, port: number, limit: Limit): string {
  const perMinute = (limit.count * 60) / limit.windowSeconds;
  return `
daemon off; master_process off; pid ${folder}/pid; error_log stderr emerg;
events { worker_connections 512; }
http {
  access_log off; default_type application/json; keepalive_requests 100000;
  client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3; uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
  map $http_authorization $who { "" $binary_remote_addr; default $http_authorization; }
  limit_req_zone $who zone=plan:1m rate=${perMinute}r/m;
  limit_req_status 429;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location = /api/v1/units { limit_req zone=plan burst=${limit.count - 1} nodelay; try_files /units.json =404; }
    location = /api/demo/units { limit_req zone=plan burst=${limit.count - 1} nodelay; try_files /demo.json =404; }
    location = /refusal.json { internal; }
    location = /nothing.json { internal; }
    location / { return 404; }
    error_page 404 /nothing.json;
    error_page 429 /refusal.json;
  }
}
`;
}

function writeFiles(folder: string): void {
  const files = {
    units: { ok: true, data: { items: [], nextCursor: null } },
    demo: [],
    refusal: { ok: false, error: { code: 'rate_limited', message: 'Too many requests' } },
    nothing: { ok: false, error: { code: 'not_found', message: 'No such path' } },
  };
  mkdirSync(join(folder, 'files'));
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(folder, 'files', `${name}.json`), JSON.stringify(body));
}

/** Resolves when it answers; to false where it ends before that, as where somebody else took the port. */
async function answers(child: ChildProcess, url: string): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const status = await fetch(`${url}/nowhere`).then(
      (answer) => answer.status,
      () => null,
    );
    if (status !== null) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

/** nginx's `limit_req` without delay, which sends no headers about its limit. */
export async function startNginx(limit: Limit): Promise<Loopback> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  writeFiles(folder);
  for (let tries = 0; tries < 5; tries += 1) {
    const port = await freePort();
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, limit));
    const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const url = `http://127.0.0.1:${port}`;
    if (!(await answers(child, url))) continue;
    return closing({
      url,
      async close() {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
        rmSync(folder, { recursive: true, force: true });
      },
    });
  }
  throw new Error('nginx did not start');
}
