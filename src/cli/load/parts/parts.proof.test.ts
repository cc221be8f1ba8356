import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { simulateParts } from '../../../../testing/simulated-drives/simulated-parts.test-kit.js';
import { folderForEach } from '../../../folder.test-kit.js';
import { startReference, type Reference, type ReferenceOptions } from '../../../reference/start-reference.js';
import type { Report } from '../../../requirement/types.js';
import { encodePart } from '../../../traffic/parts/part-trace.js';
import type { SoakRun } from '../../../traffic/soak/history/history.js';
import { runProcess, startProcess, type EndedProcess } from '../../run.test-kit.js';

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
const leadMs = 20_000;
/** So long after each other several runs begin: their bursts do not meet. */
const apartMs = 7_000;

/** Sets the clock of a Node process wrong. */
const wrongBy = (ms: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(`Object.defineProperty(performance,'timeOrigin',{value:performance.timeOrigin+${ms}})`)}`;

/** The common clock as its command serves it. */
let clock: ReturnType<typeof startProcess>;
let clockUrl: string;

test.beforeAll(async () => {
  clock = startProcess(['load', 'clock'], tmpdir());
  clockUrl = await new Promise((resolve) =>
    clock.child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
});
test.afterAll(async () => {
  clock.child.kill('SIGTERM');
  await clock.ended;
});

/** Lets so many processes send their parts to a service; the traces. */
async function send(
  service: Reference,
  parts: number,
  { url = clockUrl, inMs = leadMs, more = [] }: { url?: string | null; inMs?: number; more?: readonly string[] } = {},
): Promise<string[]> {
  const { BASE_URL, API_KEY_INDEPENDENT } = service.settings;
  const startAt = new Date(Date.now() + inMs).toISOString();
  const files = Array.from({ length: parts }, (_, k) => join(folder, `${new URL(service.baseUrl).port}-${k + 1}.gz`));
  const ended = await Promise.all(
    files.map((trace, k) => {
      const flags = ['--plan', 'independent', '--start-at', startAt, '--trace', trace, '--source', `127.0.0.${k + 2}`];
      const env = { BASE_URL, API_KEY_INDEPENDENT, LIMITS_INDEPENDENT: '60/6s,30/0.5s' };
      const NODE_OPTIONS = wrongBy(parts === 1 ? 0 : (skewsMs[k] ?? 0));
      const args = [
        'load',
        '--part',
        `${k + 1}/${parts}`,
        ...flags,
        ...(url === null ? [] : ['--clock', url]),
        ...more,
      ];
      return runProcess(args, folder, { ...env, NODE_OPTIONS });
    }),
  );
  expect(ended.map(({ status, err }) => [status, err])).toEqual(
    files.map(() => [0, expect.not.stringContaining('poor')]),
  );
  return files;
}

const judge = (files: readonly string[], ...flags: string[]): Promise<EndedProcess> =>
  runProcess(['load', 'judge', ...flags, ...files], folder);

/** What so many generators saw of each of these services, all of them at the same time; the traces. */
async function sent(services: readonly ReferenceOptions[], parts: number): Promise<string[][]> {
  const started = await Promise.all(services.map((options) => startReference({ ...options, limits })));
  try {
    return await Promise.all(started.map((service, k) => send(service, parts, { inMs: leadMs + k * apartMs })));
  } finally {
    await Promise.all(started.map((service) => service.close()));
  }
}

test('a counter for each server, or each region, is missed by one generator, and found by three whose clocks are wrong', async () => {
  test.setTimeout(300_000);
  const services = [{ faults: ['limits-by-source'] }, { faults: ['limits-by-region'] }];
  for (const files of await sent(services, 1)) {
    const alone = await judge(files);
    expect(alone.out).toContain('CONFORMANT');
    expect(alone.status).toBe(0);
  }
  const [bySource = [], byRegion = []] = await sent(services, 3);
  const three = await judge(bySource);
  expect(three.out).toMatch(/✗ LIMIT-02 failed: .*the service counts generators apart/);
  expect(three.status).toBe(1);
  const report = JSON.parse(readFileSync(join(folder, 'reports/load/judge.json'), 'utf8')) as Report;
  expect(report.outcome).toBe('nonconformant');
  const regions = await judge(byRegion);
  expect(regions.out).toMatch(
    /✗ LIMIT-02 failed: .*too many requests accepted|✗ LIMIT-02 failed: .*where 60 are allowed/,
  );
  expect(regions.status).toBe(1);
});

test('counters that are exchanged every 5 s are found by three generators, and those exchanged every 50 ms are not reported', async () => {
  test.setTimeout(200_000);
  const [late = [], soon = []] = await sent(
    [{ faults: ['limits-exchanged-late'] }, { variant: { 'limit-counters': 'exchanged' } }],
    3,
  );
  // What is told late makes RateLimit-Remaining fall as another client would: refusals then prove nothing, and a bucket would fit.
  const found = await judge(late, '--limit-model', 'fixed');
  expect(found.out).toMatch(/✗ LIMIT-0[23] failed/);
  expect(found.status).toBe(1);
  for (const model of ['auto', 'fixed']) {
    const by = await judge(soon, '--limit-model', model);
    expect(by.out).toContain('3 passed');
    expect(by.status).toBe(0);
  }
});

test('three generators whose clocks are wrong find nothing in a service that conforms; files that are no run are refused', async () => {
  test.setTimeout(240_000);
  const service = await startReference({ limits });
  const files = await send(service, 3);
  const by = await judge(files);
  expect(by.out).toContain('3 passed');
  expect(by.status).toBe(0);

  const [one = '', two = '', three = ''] = files;
  const cut = join(folder, 'cut.gz');
  writeFileSync(cut, readFileSync(three).subarray(0, -20));
  await service.close();
  const other = join(folder, 'other.gz');
  const network = { skewMs: 0, drift: 0, jitterMs: 1, looks: 1, random: () => 0.5 };
  const drawn = simulateParts({ limits: [{ count: 1, windowSeconds: 1 }], parts: 1, decide: () => false, ...network });
  for (const part of drawn) writeFileSync(other, encodePart(part));
  const refused = [
    [one, two],
    [one, two, two, three],
    [one, two, cut],
    [one, two, three, other],
    [join(folder, 'none')],
  ];
  const ended = [];
  for (const given of refused) ended.push(await judge(given));
  expect(ended.map(({ status }) => status)).toEqual(refused.map(() => 2));
  const [missing, doubled, damaged, foreign, absent] = ended.map(({ err }) => err);
  expect(missing).toMatch(/^part 3 of 3 is missing: .*\n$/);
  expect(doubled).toMatch(/are both part 2 of 3/);
  expect(damaged).toMatch(/cut\.gz" is damaged, cut short or no trace/);
  expect(foreign).toMatch(/is of another run than .*: the target differs/);
  expect(absent).toMatch(/cannot be read \(ENOENT\)/);
});

test('without a common clock the dates of the service do: a verdict is weaker, and not wrong', async () => {
  test.setTimeout(120_000);
  const service = await startReference({ limits });
  const { out, status } = await judge(await send(service, 3, { url: null }));
  await service.close();
  expect(out).not.toContain('failed');
  expect(out).toContain('use --clock');
  expect(status).toBe(3);
});

test('three generators soak a service together: one histogram, one entry in the history, one page', async () => {
  test.setTimeout(120_000);
  const service = await startReference({ limits });
  const soak = ['--scenario', 'soak', '--rate', '6', '--duration', '6s', '--threshold', 'errors<1%,p95<5s'];
  const files = await send(service, 3, { more: soak });
  await service.close();
  const by = await judge(files);
  expect(by.out).toMatch(/all {2,}36 .*200 × 36\n[^]*✓ errors<1%: 0\.000 %/);
  expect(by.status).toBe(0);
  const history = join(folder, 'reports', 'history');
  const kept = readdirSync(history).map((name) => JSON.parse(readFileSync(join(history, name), 'utf8')) as SoakRun);
  expect(kept.map(({ conditions }) => conditions)).toEqual([expect.stringMatching(/^independent, .*, 3 generators$/)]);
  expect(kept[0]?.control?.total.due).toBe(36);
  expect(kept[0]?.service.windows.map(({ due }) => due)).toEqual([6, 6, 6, 6, 6, 6]);
  expect((await runProcess(['verify', 'reports/load'], folder)).out).toMatch(/same {5}THRESHOLD-02 pass[^]*Verified/);
  const drawn = { parts: 1, decide: () => true, skewMs: 0, drift: 0, jitterMs: 1, looks: 1, random: () => 0.5 };
  const [other] = simulateParts({ limits: [{ count: 60, windowSeconds: 6 }], ...drawn });
  if (other !== undefined) writeFileSync(join(folder, 'limits.gz'), encodePart(other));
  const mixed = await judge([...files, 'limits.gz']);
  expect(mixed.err).toMatch(/is of a soak, and .* is not: expected the parts of one run\.\n$/);
  expect(mixed.status).toBe(2);
});
