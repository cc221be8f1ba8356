import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../folder.test-kit.js';
import { version } from '../version.js';
import { assertOneRun, judgeInstances, mergeInstances, poorShare } from './judge-instances.js';
import { readK6Output, type K6Trace } from './k6-output.js';
import { identityOf, type K6Run } from './k6-schedule.js';

/**
 * What two instances of k6 0.49 wrote, on halves and from 127.0.0.2 and .3, of the script that load export --k6 --parallelism 2 made for the
 * reference service with 20/4s. Of the points of other metrics every fortieth is left.
 */
const recorded = [1, 2].map((instance) =>
  gunzipSync(readFileSync(fileURLToPath(new URL(`recorded/k6-${instance}.json.gz`, import.meta.url)))).toString(),
);

let folder: string;
folderForEach((own) => (folder = own));

interface Point {
  begun?: { run: K6Run; identity: string };
  request?: object;
}

/** The lines of one instance, as of this version, with each point of the script changed; null leaves a point out. */
function linesOf(instance: number, change: (point: Point) => object | null = (point) => point): string[] {
  return (recorded[instance - 1] ?? '').split('\n').flatMap((line) => {
    if (!line.includes('"point":')) return [line];
    const whole = JSON.parse(line) as { data: { metadata: { point: string } } };
    const point = JSON.parse(whole.data.metadata.point) as Point;
    if (point.begun !== undefined) {
      const { target, plan, limits, instances } = point.begun.run;
      point.begun.run = { suite: version, target, plan, limits, instances };
      point.begun.identity = identityOf(point.begun.run);
    }
    const changed = change(point);
    whole.data.metadata.point = JSON.stringify(changed);
    return changed === null ? [] : [JSON.stringify(whole)];
  });
}

function read(lines: readonly string[]): Promise<K6Trace> {
  const file = join(folder, 'k6.json');
  writeFileSync(file, lines.join('\n'));
  return readK6Output(file);
}

const judged = (instances: readonly K6Trace[], clockErrorMs = 50): ReturnType<typeof judgeInstances> =>
  judgeInstances(instances, { model: 'auto', lateMs: 100, clockErrorMs });

const recordsOf = ({ segments }: K6Trace) => segments.flatMap(({ records }) => records);

/** A clock that is ahead by so much, and was so all the time. */
const ahead = (ms: number) => (point: object) =>
  JSON.parse(JSON.stringify(point), (key, value: unknown) =>
    ['sentMs', 'receivedMs', 'startedMs'].includes(key) ? Number(value) + ms : value,
  ) as object;

test('what k6 wrote is read instance by instance, and judged as one run', async () => {
  const instances = [await read(linesOf(1)), await read(linesOf(2))];
  const [first] = instances;
  expect(instances.map((one) => [one.instance, recordsOf(one).length])).toEqual([
    [1, 135],
    [2, 129],
  ]);
  const records = recordsOf(first as K6Trace);
  expect(records[0]).toMatchObject({
    status: 200,
    outcome: 'accepted',
    limit: '20',
    remaining: '19',
    reset: '4',
  });
  expect(instances.flatMap(recordsOf).filter(({ outcome }) => outcome === 'accepted')).toHaveLength(80);
  const refused = records.find(({ outcome }) => outcome === 'refused');
  expect(refused).toMatchObject({ status: 429, hasEnvelope: true });
  expect(instances.map(poorShare)).toEqual([null, null]);
  expect(judged(instances)).toMatchObject({ violations: [], weak: { within: null, beyond: null } });
});

test('every instant is widened by the error of clocks; what clocks do not show is no proof', async () => {
  const [one, two] = [await read(linesOf(1)), await read(linesOf(2))];
  const [exact, wide] = [0, 40].map((errorMs) => mergeInstances([one, two], errorMs).trace.conducted.records);
  expect(wide?.length).toBe(264);
  expect(wide?.at(-1)?.sentMs).toBeCloseTo((exact?.at(-1)?.sentMs ?? 0) - 40, 6);
  expect(wide?.at(-1)?.receivedMs).toBeCloseTo((exact?.at(-1)?.receivedMs ?? 0) + 40, 6);
  // Set forward for a while, and back: what is shown late may have been sent when it was due.
  let at = 0;
  const forward = await read(linesOf(2, (point) => (at++ > 90 && at < 106 ? ahead(1_500)(point) : point)));
  expect(judged([one, forward]).violations).toEqual([]);
  expect(recordsOf(forward).filter(({ receivedMs, sentMs }) => receivedMs - sentMs > 1_000).length).toBe(14);
  const poor = judged([one, two], 600);
  expect(poor.violations).toEqual([]);
  expect(poor.weak.within).toMatch(/^the clocks are known to 600 ms only \(--clock-error\), and .* need 500 ms$/);
  const later = judged([one, await read(linesOf(2, ahead(60_000)))]);
  expect(later.weak.beyond).toMatch(/^the instances began 60\.\d s apart/);
});

test('outputs of other runs are refused in one sentence that says what differs', async () => {
  const [one, two] = [await read(linesOf(1)), await read(linesOf(2))];
  const cases: readonly (readonly [K6Trace[], RegExp])[] = [
    [[one, { ...two, run: { ...two.run, plan: 'franchise' } }], /the plan differs \(franchise and independent\)/],
    [[one, { ...two, run: { ...two.run, limits: [] } }], /the limits differs \( and 20\/4s\)/],
    [[one, { ...two, key: 'another' }], /the key differs; expected the outputs of one run\.$/],
    [[one], /^instance 2 of 2 is missing/],
    [[one, two, one], /are both instance 1 of 2/],
  ];
  for (const [instances, sentence] of cases) expect(() => assertOneRun(instances)).toThrow(sentence);
});

test('requests that k6 dropped are unsent: few do no harm, many leave the run unjudged', async () => {
  let at = 0;
  const dropping = (every: number) => (point: Point) =>
    point.request !== undefined && (at += 1) % every === 0 ? null : point;
  const few = await read(linesOf(2, dropping(60)));
  expect(recordsOf(few).filter(({ outcome }) => outcome === 'unsent')).toHaveLength(2);
  expect(poorShare(few)).toBeNull();
  expect(poorShare(await read(linesOf(2, dropping(3))))).toMatch(/^instance 2 of 2 \(k6\.json\): too little load in/);
});

test('anything else is refused in one sentence that says what it is', async () => {
  const lines = linesOf(1);
  const begun = lines.findIndex((line) => line.includes('begun'));
  const request = lines.find((line) => line.includes('"{\\"request')) ?? '';
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['{}'], /has no trace: expected the JSON output of a script that load export wrote\.$/],
    [[...lines, lines[begun] ?? ''], /holds several runs/],
    [
      lines.filter((line) => !line.includes('ended')),
      /is cut short: expected the output of a run that went to its end/,
    ],
    [[...lines.slice(0, -4), (lines.at(-4) ?? '').slice(0, 90)], /is cut short/],
    [
      lines.map((line) => line.replace(`suite\\":\\"${version}`, 'suite\\":\\"0.0.9')),
      /of a script of version 0\.0\.9/,
    ],
    [lines.map((line) => line.replace('count\\":20', 'count\\":21')), /is of a script that was changed/],
    [[...lines, ...Array.from({ length: 9 }, () => request)], /has more requests than one instance sends/],
    [
      linesOf(1, (point) => (point.request === undefined ? point : ahead(-1_100)(point))),
      /ms before they were due: its clock/,
    ],
    [[request.slice(0, 300) + '"point":'], /is damaged or cut short/],
  ];
  for (const [given, sentence] of cases) await expect(read(given)).rejects.toThrow(sentence);
  const compressed = join(folder, 'cut.json.gz');
  writeFileSync(compressed, readFileSync(new URL('recorded/k6-1.json.gz', import.meta.url)).subarray(0, 3_000));
  await expect(readK6Output(compressed)).rejects.toThrow(/cut\.json\.gz" is damaged or cut short/);
  await expect(readK6Output(join(folder, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
});
