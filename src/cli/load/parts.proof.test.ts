import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { simulateParts } from '../../../testing/simulated-drives/simulated-parts.test-kit.js';
import { folderForEach } from '../../folder.test-kit.js';
import { startReference, type Reference } from '../../reference/start-reference.js';
import type { Report } from '../../requirement/types.js';
import { encodePart } from '../../traffic/parts/part-trace.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { runProcess, startProcess, type EndedProcess } from '../run.test-kit.js';

let folder: string;

folderForEach((own) => (folder = own));

const limits = {
  independent: [
    { count: 60, seconds: 6 },
    { count: 30, seconds: 0.5 },
  ],
};

/** Three processes whose clocks are wrong by so much; the kernel of Linux answers to all of 127.0.0.0/8. */
const skewsMs = [0, -1_700, 1_900];
const leadMs = 12_000;

/** The common clock as its command serves it. */
async function startClock(): Promise<{ readonly url: string; readonly stop: () => Promise<EndedProcess> }> {
  const { child, ended } = startProcess(['load', 'clock'], folder);
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  return { url, stop: () => (child.kill('SIGTERM'), ended) };
}

function settingsFor({ settings }: Reference): NodeJS.ProcessEnv {
  const { BASE_URL, API_KEY_INDEPENDENT } = settings;
  return { BASE_URL, API_KEY_INDEPENDENT, LIMITS_INDEPENDENT: '60/6s,30/0.5s' };
}

/** Lets so many processes send their parts; the traces. */
async function send(
  service: Reference,
  parts: number,
  clock: string | null,
  more: readonly string[] = [],
): Promise<string[]> {
  const startAt = new Date(Date.now() + leadMs).toISOString();
  const files = Array.from({ length: parts }, (_, k) => join(folder, `${parts}-${k + 1}.gz`));
  const ended = await Promise.all(
    files.map((trace, k) => {
      const flags = ['--plan', 'independent', '--start-at', startAt, '--trace', trace, '--source', `127.0.0.${k + 2}`];
      const env = { ...settingsFor(service), LOAD_CLOCK_SKEW_MS: String(parts === 1 ? 0 : skewsMs[k]) };
      const common = clock === null ? more : ['--clock', clock, ...more];
      const args = ['load', '--part', `${k + 1}/${parts}`, ...flags, ...common];
      return runProcess(args, folder, env);
    }),
  );
  expect(ended.map(({ status, err }) => [status, err])).toEqual(
    files.map(() => [0, expect.not.stringContaining('poor')]),
  );
  return files;
}

const judge = (files: readonly string[], ...flags: string[]): Promise<EndedProcess> =>
  runProcess(['load', 'judge', ...flags, ...files], folder);

async function judged(faults: readonly string[], parts: number, ...flags: string[]): Promise<EndedProcess> {
  const [service, clock] = await Promise.all([startReference({ faults, limits }), startClock()]);
  try {
    return await judge(await send(service, parts, clock.url), ...flags);
  } finally {
    await Promise.all([service.close(), clock.stop()]);
  }
}

test('a counter for each server is missed by one generator, and found by three whose clocks are wrong', async () => {
  test.setTimeout(240_000);
  const alone = await judged(['limits-by-source'], 1);
  expect(alone.out).toContain('CONFORMANT');
  expect(alone.status).toBe(0);
  const three = await judged(['limits-by-source'], 3);
  expect(three.out).toMatch(/✗ LIMIT-02 failed: .*the service counts generators apart/);
  expect(three.status).toBe(1);
  const report = JSON.parse(readFileSync(join(folder, 'reports/load/judge.json'), 'utf8')) as Report;
  expect(report.outcome).toBe('nonconformant');
});

test('counters that are exchanged every 5 s are found by three generators', async () => {
  test.setTimeout(120_000);
  const { out, status } = await judged(['limits-exchanged-late'], 3, '--limit-model', 'fixed');
  expect(out).toMatch(/✗ LIMIT-0[23] failed/);
  expect(status).toBe(1);
});

test('three generators whose clocks are wrong find nothing in a service that conforms; files that are no run are refused', async () => {
  test.setTimeout(240_000);
  const [service, clock] = await Promise.all([startReference({ limits }), startClock()]);
  const files = await send(service, 3, clock.url);
  const by = await judge(files);
  expect(by.out).toContain('3 passed');
  expect(by.status).toBe(0);

  const [one = '', two = '', three = ''] = files;
  const cut = join(folder, 'cut.gz');
  writeFileSync(cut, readFileSync(three).subarray(0, -20));
  const other = await send(service, 1, clock.url);
  await Promise.all([service.close(), clock.stop()]);
  const refused = [
    [one, two],
    [one, two, two, three],
    [one, two, cut],
    [one, two, three, ...other],
    [join(folder, 'none')],
  ];
  const ended = [];
  for (const given of refused) ended.push(await judge(given));
  expect(ended.map(({ status }) => status)).toEqual(refused.map(() => 2));
  const [missing, doubled, damaged, foreign, absent] = ended.map(({ err }) => err);
  expect(missing).toMatch(/^part 3 of 3 is missing: .*\n$/);
  expect(doubled).toMatch(/are both part 2 of 3/);
  expect(damaged).toMatch(/cut\.gz" is damaged, cut short or no trace/);
  expect(foreign).toMatch(/is of another run than .*: the number of parts differs \(1 and 3\)/);
  expect(absent).toMatch(/cannot be read \(ENOENT\)/);
});

test('without a common clock the dates of the service do: a verdict is weaker, and not wrong', async () => {
  test.setTimeout(120_000);
  const service = await startReference({ limits });
  const { out, status } = await judge(await send(service, 3, null));
  await service.close();
  expect(out).not.toContain('failed');
  expect(out).toContain('use --clock');
  expect(status).toBe(3);
});

test('three generators soak a service together: one histogram, one entry in the history, one page', async () => {
  test.setTimeout(120_000);
  const [service, clock] = await Promise.all([startReference({ limits }), startClock()]);
  const soak = ['--scenario', 'soak', '--rate', '6', '--duration', '6s', '--threshold', 'errors<1%,p95<5s'];
  const files = await send(service, 3, clock.url, soak);
  await Promise.all([service.close(), clock.stop()]);
  const by = await judge(files);
  expect(by.out).toMatch(/all {2,}36 .*200 × 36\n[^]*✓ errors<1%: 0\.000 %/);
  expect(by.status).toBe(0);
  const history = join(folder, 'reports', 'history');
  const kept = readdirSync(history).map((name) => JSON.parse(readFileSync(join(history, name), 'utf8')) as SoakRun);
  expect(kept.map(({ conditions }) => conditions)).toEqual([expect.stringMatching(/^independent, .*, 3 generators$/)]);
  expect(kept[0]?.control?.total.due).toBe(36);
  expect(kept[0]?.service.windows.map(({ due }) => due)).toEqual([6, 6, 6, 6, 6, 6]);
  expect((await runProcess(['verify', 'reports/load'], folder)).out).toMatch(/same {5}THRESHOLD-02 pass[^]*Verified/);
  const drawn = { parts: 1, decide: () => true, skewMs: 0, drift: 0, jitterMs: 1, random: () => 0.5 };
  const [other] = simulateParts({ limits: [{ count: 60, windowSeconds: 6 }], ...drawn });
  if (other !== undefined) writeFileSync(join(folder, 'limits.gz'), encodePart(other));
  const mixed = await judge([...files, 'limits.gz']);
  expect(mixed.err).toMatch(/is of a soak, and .* is not: expected the parts of one run\.\n$/);
  expect(mixed.status).toBe(2);
});
