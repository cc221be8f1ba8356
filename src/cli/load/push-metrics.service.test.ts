import type { IncomingHttpHeaders } from 'node:http';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../../folder.test-kit.js';
import { bodyOf, serve } from '../../loopback.test-kit.js';
import { runProcess } from '../run.test-kit.js';

const soak = ['load', '--embedded', '--scenario', 'soak', '--rate', '20', '--duration', '1s', '--quiet'];

test('a soak pushes its metrics to the collector that the environment and .env name', async () => {
  using place = scratch();
  const pushed: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  await using collector = await serve(async (request, response) => {
    const body = await bodyOf(request);
    pushed.push({ path: request.url, headers: request.headers, body: body.toString('latin1') });
    response.end();
  });
  const OTEL_RESOURCE_ATTRIBUTES = 'service.instance.id=one,service.name=nightly';
  writeFileSync(join(place.folder, '.env'), 'OTEL_EXPORTER_OTLP_HEADERS=api-key=open-sesame\n');
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES };
  const ended = await runProcess(soak, place.folder, env);
  expect(ended).toMatchObject({ status: 0, err: '' });
  const last = pushed.at(-1);
  expect(last).toMatchObject({
    path: '/v1/metrics',
    headers: { 'api-key': 'open-sesame', 'content-type': 'application/x-protobuf' },
  });
  // Protobuf holds texts as they are.
  for (const text of ['nightly', 'http.client.request.duration', 'dealership.load.requests', 'soak', 'list deals'])
    expect(last?.body).toContain(text);
});

test('a collector that refuses or hangs costs one line, and shows no secret', async () => {
  await using refusing = await serve((request, response) => {
    response.writeHead(401, String(request.headers['api-key'])).end(String(request.headers['api-key']));
  });
  await using hanging = await serve(() => undefined);
  const check = async (url: string, why: string): Promise<void> => {
    using place = scratch();
    const OTEL_EXPORTER_OTLP_HEADERS = 'api-key=open-sesame';
    const env = { OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/any` };
    const ended = await runProcess(soak, place.folder, env);
    const says = `1 of 1 exports of metrics to the address in OTEL_EXPORTER_OTLP_METRICS_ENDPOINT failed (${why})`;
    expect(ended).toMatchObject({ status: 0, err: `${says}; verdict and exit status stay as they are.\n` });
    const files = readdirSync(place.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect([ended.out, ...texts].filter((text) => text.includes('open-sesame'))).toEqual([]);
  };
  await Promise.all([check(refusing.url, 'it answers 401'), check(hanging.url, 'no answer in time')]);
});
