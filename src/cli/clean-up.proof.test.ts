import { expect, test } from '@playwright/test';
import { describeRemoval, removeRecords } from '../api/remove-records.js';
import type { Contract } from '../openapi/contract.js';
import { gateConcurrency } from '../run/run-checks.js';
import { plainNetwork } from '../http/connector.js';
import { createTraceContext } from '../http/trace-context.js';
import type { Target } from '../settings/target.js';
import { startReference } from '../reference/start-reference.js';
import type { RawSettings } from '../settings/setting-table.js';
import { startRecords } from './end-to-end/records.test-kit.js';
import { closing } from '../loopback.test-kit.js';
import { folderForEach } from '../folder.test-kit.js';
import { startProcess, type EndedProcess } from './run.test-kit.js';

let out: string;
folderForEach((folder) => (out = folder));

/** Runs the compiled command line against a service; `meanwhile` may interrupt it. */
async function run(
  baseUrl: string,
  args: readonly string[],
  meanwhile?: (kill: () => void) => Promise<void>,
  settings: RawSettings = { API_KEY: 'full', OTHER_API_KEY: 'other' },
): Promise<EndedProcess> {
  const { child, ended } = startProcess(args, out, { BASE_URL: baseUrl, ...settings });
  await meanwhile?.(() => child.kill('SIGINT'));
  return ended;
}

const gate = ['gate', '--only', 'LEAD-01,LEAD-03,LEAD-07,IDEM', '--seed', '3'];
const leadsOnly = ['gate', '--only', 'LEAD-01,LEAD-03', '--seed', '3'];

test('a gate creates about as many leads in the reference service as its help says', async () => {
  await using reference = closing(await startReference({}));
  const [help, ended] = await Promise.all([
    run(reference.baseUrl, ['gate', '--help']),
    run(reference.baseUrl, ['gate'], undefined, reference.settings),
  ]);
  const stated = Number(/about (\d+) leads/.exec(help.out.replace(/\s+/g, ' '))?.[1]);
  const left = Number(/\b(\d+) leads left: the document declares no DELETE for them\.\n$/.exec(ended.out)?.[1]);
  expect(Math.abs(left - stated) / stated, ended.out).toBeLessThan(0.2);
});

for (const ids of ['uuids', 'numbers'] as const)
  test(`a gate ends with the records that there were, with ${ids} as ids, and with --keep it leaves its own`, async () => {
    await using service = await startRecords({ ids, deletes: ['leads', 'units'] });
    const before = service.records();
    const kept = await run(service.url, [...gate, '--keep']);
    expect(kept.out).not.toMatch(/Deleted|left:/);
    const left = service.records();
    expect(left.length).toBeGreaterThan(before.length + 50);
    const ended = await run(service.url, gate);
    expect(ended.out).toMatch(/\nDeleted (?:\d+ units? and )?\d+ leads\.\n$/);
    expect(service.records()).toEqual(left);
    expect(ended.status, ended.out).toBe(kept.status);
  });

test('a service that refuses deletion, or limits it, changes no verdict, and a line says what is left', async () => {
  const refusing = await startRecords({ ids: 'uuids', deletes: ['leads', 'units'], answersDelete: 403 });
  const limiting = await startRecords({ ids: 'uuids', deletes: ['leads', 'units'], answersDelete: 429 });
  const ended = await Promise.all([
    run(refusing.url, [...leadsOnly, '--out', 'a']),
    run(limiting.url, [...leadsOnly, '--out', 'b']),
  ]);
  expect(ended[0].out).toMatch(/\n\d+ leads left: DELETE is answered 403\.\n$/);
  // One of three is admitted; the others are sent again when it says so.
  expect(ended[1].out).toMatch(/leads left: there was no time to delete them/);
  expect(limiting.deletes()).toBeLessThan(200);
  expect(ended.map(({ status, err }) => ({ status, err }))).toEqual(ended.map(() => ({ status: 0, err: '' })));
  await Promise.all([refusing.close(), limiting.close()]);
});

test('deletion that is never answered ends ten seconds after the verdict, and at once by Ctrl-C, with the status of the verdict', async () => {
  await using service = await startRecords({ ids: 'uuids', deletes: ['leads', 'units'], answersDelete: 'never' });
  const only = ['gate', '--only', 'LEAD-01'];
  const ended = await run(service.url, only);
  expect(ended).toMatchObject({ status: 0 });
  expect(ended.out).toMatch(/\d leads left: DELETE got no answer|\d leads left: there was no time/);
  const startedMs = performance.now();
  const cut = await run(service.url, [...only, '--out', 'again'], async (kill) => {
    const already = service.deletes();
    await expect.poll(() => service.deletes(), { timeout: 60_000 }).toBeGreaterThan(already);
    kill();
  });
  expect(cut).toMatchObject({ status: 0 });
  expect(performance.now() - startedMs).toBeLessThan(30_000);
});

test('an interrupted run deletes what it created, within three seconds', async () => {
  for (const answersDelete of [200, 'never'] as const) {
    await using service = await startRecords({ ids: 'uuids', deletes: ['leads', 'units'], answersDelete });
    const before = service.records();
    let killedAtMs = 0;
    const ended = await run(service.url, ['gate', '--only', 'LEAD', '--out', String(answersDelete)], async (kill) => {
      await expect
        .poll(() => service.records().length, { timeout: 60_000, intervals: [20] })
        .toBeGreaterThan(before.length + 30);
      killedAtMs = performance.now();
      kill();
    });
    expect(performance.now() - killedAtMs).toBeLessThan(8_000);
    expect(ended.status).toBe(3);
    if (answersDelete === 200) expect(ended.out).toMatch(/\nDeleted \d+ leads\.\n$/);
    else expect(ended.out).toMatch(/leads left: there was no time/);
    // Those that were under way when the run ended are never answered: each requirement may have as many as are judged at once.
    if (answersDelete === 200)
      expect(service.records().length).toBeLessThanOrEqual(before.length + gateConcurrency.usual ** 2);
  }
});

test('units are deleted after the leads that are for them, what is gone already is passed over, and the rest is named', async () => {
  await using service = await startRecords({ ids: 'numbers', deletes: ['leads', 'units'] });
  const owned = { key: 'API_KEY', tenant: null } as const;
  const target = {
    baseUrl: service.url,
    keys: { API_KEY: 'full' },
    headers: [],
    network: plainNetwork,
  } as unknown as Target;
  const contract = { operation: () => ({}) } as unknown as Contract;
  const { signal } = new AbortController();
  const removal = await removeRecords(
    target,
    contract,
    [
      { kind: 'unit', id: '4', ...owned },
      { kind: 'unit', id: '999', ...owned },
      { kind: 'lead', id: '1', ...owned },
    ],
    { userAgent: 'test', trace: createTraceContext('n'), signal },
  );
  expect(describeRemoval(removal)).toBe('Deleted 1 unit and 1 lead.');
  expect(service.records().map((one) => one['id'])).not.toContain('1');
  expect(service.deleted()).toEqual(['leads 1', 'units 4']);
  const left = {
    deleted: { lead: 0, unit: 2 },
    left: [{ kind: 'lead', why: 'the document declares no DELETE for them' }],
  } as const;
  expect(describeRemoval(left)).toBe('Deleted 2 units; 1 lead left: the document declares no DELETE for them.');
  expect(describeRemoval({ deleted: { lead: 0, unit: 0 }, left: [] })).toBeNull();
});

test('load says which leads it left, those among them that were created though the limit was spent', async () => {
  const limits = {
    independent: [
      { count: 120, seconds: 6 },
      { count: 40, seconds: 0.5 },
    ],
  };
  await using reference = closing(await startReference({ faults: ['writes-uncounted'], limits }));
  const { API_KEY = '', TENANT = '', API_KEY_INDEPENDENT = '' } = reference.settings;
  const settings = { API_KEY, TENANT, API_KEY_INDEPENDENT, LIMITS_INDEPENDENT: '120/6s,40/0.5s' };
  const ended = await run(reference.baseUrl, ['load', '--plan', 'independent'], undefined, settings);
  expect(ended.out).toMatch(
    /\d leads left: the document declares no DELETE for them; 6 leads left: answers to creates under load/,
  );
});
