import { expect, test } from '@playwright/test';
import { soakSummary } from '../../cli/load/soak-report.js';
import { response, startRaw, type RawServer } from '../engine/raw-server.test-kit.js';
import { soakRun, soaked } from './soak-run.test-kit.js';
import type { SoakOptions, SoakReport } from './run-soak.js';
import { parseThresholds } from './figures.js';

const good = response(200, '{"ok":true,"data":[]}');

/** A soak of a second against a service that answers well until it has had that many requests, and then does something else. */
async function soakUntil(
  requests: number,
  then: (server: RawServer) => void,
  more: Partial<SoakOptions> = {},
): Promise<{ readonly report: SoakReport; readonly server: RawServer }> {
  const server = await startRaw((socket, index) => {
    if (index < requests) socket.write(good);
    else then(server);
  });
  const report = await soaked(server, { windowSeconds: 0.1, thresholds: parseThresholds('errors<1%'), ...more });
  await server.close();
  return { report, server };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

test('a service that dies before a soak ends has its last requests counted as unsent, in windows that all are closed', async () => {
  const { report, server } = await soakUntil(10, (dead) => void dead.close(), { timeoutMs: 300 });
  expect(report).toMatchObject({ ended: 'complete', total: { due: 20, errors: 10 }, thresholds: [{ kept: false }] });
  const { 200: well = 0, failed = 0, timeout = 0, unsent = 0, ...others } = report.total.statuses;
  expect(others).toEqual({});
  expect(well).toBe(10);
  expect(unsent).toBeGreaterThan(0);
  expect(well + failed + timeout).toBeGreaterThanOrEqual(server.heads.length);
  expect(well + failed + timeout + unsent).toBe(20);
  expect(report.windows.map((window) => window.startSeconds)).toEqual(Array.from({ length: 10 }, (_, at) => at / 10));
  expect(sum(report.windows.map((window) => window.due))).toBe(20);
  expect(sum(report.windows.map((window) => window.errors))).toBe(10);
  expect(sum(report.operations.map((one) => one.due))).toBe(20);
});

test('a service that hangs before a soak ends has what is in flight counted as timeouts, and the rest as unsent', async () => {
  const { report, server } = await soakUntil(5, () => undefined, { connections: 1, timeoutMs: 2_000 });
  const { 200: well = 0, timeout = 0, unsent = 0 } = report.total.statuses;
  expect(well).toBe(5);
  expect(well + timeout).toBe(server.heads.length);
  expect(well + timeout + unsent).toBe(20);
  expect(report).toMatchObject({ connections: 1, total: { due: 20, errors: 15 } });
  expect(report.queued).toBeGreaterThanOrEqual(unsent);
  expect(soakSummary({ ...soakRun(5, 1, null), service: report }).join('\n')).toContain(
    `${report.queued ?? 0} requests found none of 1 connections free`,
  );
});

test('an interrupt does not hide an outage: only what had just become due is called off', async () => {
  const interrupted = (then: (server: RawServer) => void): ReturnType<typeof soakUntil> => {
    const stop = new AbortController();
    let begun = false;
    return soakUntil(
      5,
      (server) => {
        if (!begun) setTimeout(() => stop.abort(), 1_500);
        begun = true;
        then(server);
      },
      { durationSeconds: 60, connections: 100, signal: stop.signal },
    );
  };
  const [dead, hanging] = await Promise.all([
    interrupted((server) => void server.close()),
    interrupted(() => undefined),
  ]);
  for (const { report } of [dead, hanging]) {
    const { 200: well = 0, 'called off': calledOff = 0, ...wrong } = report.total.statuses;
    expect(report).toMatchObject({ ended: 'aborted', thresholds: [{ kept: false }] });
    expect(well).toBe(5);
    expect(calledOff).toBeGreaterThan(0);
    expect(sum(Object.values(wrong))).toBe(report.total.errors);
    expect(well + calledOff + report.total.errors).toBe(report.total.due);
  }
  expect(dead.report.total.statuses['unsent']).toBeGreaterThan(0);
  expect(hanging.report.total.statuses['timeout']).toBeGreaterThan(0);
});

test('latency lasts until the last byte of an answer', async () => {
  const halfMs = 120;
  const [head = '', body = ''] = good.split('\r\n\r\n');
  await using server = await startRaw((socket) => {
    socket.write(`${head}\r\n\r\n`);
    setTimeout(() => socket.write(body), halfMs);
  });
  const report = await soaked(server, { durationSeconds: 0.5 });
  expect(report.total).toMatchObject({ due: 10, errors: 0 });
  expect(report.total.p50Ms).toBeGreaterThan(0.9 * halfMs);
});
