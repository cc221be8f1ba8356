import { expect, test } from '@playwright/test';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Check } from '../../run/check.js';
import { openRun } from '../../run/open-run.js';
import { readTarget } from '../../settings/read-target.js';
import { freshBody } from '../lead-body.js';
import { RequestLog } from '../request-log.js';
import { openConnections } from '../connections.js';
import { volley } from './races.js';
import { smallDocument, smallUnits } from '../middleware.test-kit.js';
import { closing, listen } from '../../loopback.test-kit.js';

/** A service that answers creates with one key when so many are there; `opened` counts the connections that carried a request. */
async function slowService(together: number) {
  const sockets = new Set<Socket>();
  const waiting = new Map<string, (() => void)[]>();
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    sockets.add(request.socket);
    request.resume().on('end', () => {
      if (request.method === 'GET')
        return send(200, request.url?.includes('openapi') ? smallDocument : { ok: true, data: smallUnits });
      const key = String(request.headers['idempotency-key']);
      const here = [...(waiting.get(key) ?? []), () => send(201, { ok: true, data: { id: key } })];
      waiting.set(key, here);
      if (here.length === together) for (const answer of here) answer();
      return undefined;
    });
  });
  const service = await listen(server);
  return Object.assign(service, { baseUrl: service.url, opened: () => sockets.size });
}

test('a volley is on its way before any of it is answered, on connections that are open', async () => {
  // Were one request kept back until another is answered, or sent on its connection, none would ever be.
  await using service = await slowService(6);
  await using run = closing(
    openRun(readTarget({ BASE_URL: service.baseUrl, API_KEY: 'key-of-tenant-a' }), { patience: 0.1 }),
  );
  const check = new Check(
    { id: 'IDEM-03', section: 'IDEM', level: 'MUST', source: '', title: '', writes: true, slow: false },
    run,
  );
  const log = new RequestLog(check, { shows: 'id', echoes: false });
  // With a vehicle given, as the trial of how many leads a vehicle takes sends creates one by one, which this service never answers.
  const body = await freshBody(check, 'raced lead', {}, 'u1');
  await openConnections(check, 6);
  const opened = service.opened();
  for (let round = 0; round < 5; round += 1) await volley(log, check.fresh('raced key'), body, [0, 0, 0, 0, 0, 0]);
  const late = service.opened() - opened;
  expect(late).toBe(0);
  expect(log.entries).toHaveLength(30);
  expect(log.anomaly()).toBeNull();
});
