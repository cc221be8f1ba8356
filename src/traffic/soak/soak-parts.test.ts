import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { randomFrom } from '../../run/random.js';
import { assertOneRun } from '../parts/merge-parts.js';
import { identityOf, partRun } from '../parts/part-trace.js';
import { count, figuresOf, newTally, type Tally } from './latency.js';
import { judge } from './judge.js';
import { summaryOf, type PartReport } from './run-soak.js';
import {
  decodeSoakPart,
  encodeSoakPart,
  mergeSoakParts,
  poorSoakShare,
  soakPartFormat,
  type SoakPart,
} from './soak-parts.js';
import { parseThreshold } from './thresholds.js';

const thresholds = ['p95<100ms', 'p50<30ms', 'max<=4s', 'min<2ms', 'errors<2%'];
const perPart = 2_000;

function tallyOf(latencies: readonly number[]): Tally {
  const tally = newTally();
  for (const latencyMs of latencies) {
    const error = latencyMs > 3_000;
    count(tally, { status: error ? 'timeout' : '200', latencyMs, error, bare: false });
  }
  return tally;
}

/** Two windows, of one operation. */
function reportOf(latencies: readonly number[]): PartReport {
  const half = latencies.length / 2;
  const of = (name: string, own: readonly number[]) => summaryOf(name, tallyOf(own), true);
  return {
    ...{ format: 'dealership-soak/1', started: '2026-01-01T00:00:00.000Z', seconds: 60, ratePerSecond: perPart / 60 },
    ...{ windowSeconds: 30, connections: 8, queued: 1, ended: 'complete', thresholds: [] },
    total: of('all', latencies),
    operations: [of('list units', latencies)],
    windows: [0, 1].map((k) => ({ ...of('', latencies.slice(k * half, (k + 1) * half)), startSeconds: 30 * k })),
  };
}

function partsOf(latencies: readonly (readonly number[])[], rate = 100): SoakPart[] {
  const soak = { ratePerSecond: rate, durationSeconds: 60, rampSeconds: 0, operations: 'abc', thresholds };
  const shape = {
    target: 'http://127.0.0.1:1',
    plan: 'independent',
    limits: [],
    startMs: 1_767_225_600_000,
    soak,
  } as const;
  const run = { ...partRun({ ...shape, parts: latencies.length }, 'key'), soak };
  const offset = { leastMs: 0, mostMs: 0 };
  return latencies.map((own, k) => ({
    file: `part-${k + 1}.gz`,
    header: {
      ...{ format: soakPartFormat, identity: identityOf(run), run },
      ...{ part: k + 1, generator: `g${k + 1}`, clock: { before: offset, after: offset } },
    },
    service: reportOf(own),
    control: reportOf(own),
  }));
}

/** Latencies of three generators that see the service at different distances. */
const drawn = [1, 3, 20].map((factor, k) => {
  const random = randomFrom(k + 1);
  return Array.from({ length: perPart }, () => factor * Math.exp(3 * random()) + (random() < 0.01 ? 3_500 : 0));
});

const countsOf = (encoded: string): number[] => {
  const histogram = decodeFromCompressedBase64(encoded, 32, false) as Histogram & {
    countsArrayLength: number;
    getCountAtIndex: (at: number) => number;
  };
  return Array.from({ length: histogram.countsArrayLength }, (_, at) => histogram.getCountAtIndex(at));
};

test('the merged histogram of three parts is that of all latencies, in total, by operation and by window', () => {
  const { service, control } = mergeSoakParts(partsOf(drawn));
  const whole = summaryOf('all', tallyOf(drawn.flat()), true);
  expect(countsOf(service.total.histogram)).toEqual(countsOf(whole.histogram));
  expect({ ...service.total, histogram: '' }).toEqual({ ...whole, histogram: '' });
  expect(service.operations).toEqual([{ ...service.total, name: 'list units' }]);
  const half = summaryOf('', tallyOf(drawn.flatMap((own) => own.slice(perPart / 2))), false);
  const { due, errors, p50Ms, p95Ms, p99Ms, maxMs } = half;
  expect(service.windows[1]).toEqual({ startSeconds: 30, due, errors, p50Ms, p95Ms, p99Ms, maxMs });
  expect(service.windows).toHaveLength(2);
  expect(service).toMatchObject({ ratePerSecond: 100, connections: 24, queued: 3, ended: 'complete' });
  expect(service.thresholds).toEqual(thresholds.map((text) => judge(parseThreshold(text), tallyOf(drawn.flat()))));
  expect(figuresOf(tallyOf(drawn.flat())).errorRate).toBeGreaterThan(0);
  expect(control?.total.due).toBe(3 * perPart);
});

test('thresholds hold for all generators together: one alone may keep what they break, or break what they keep', () => {
  const level = (ms: number): number[] => Array.from({ length: perPart }, (_, at) => ms + at / perPart);
  const kept = (latencies: readonly number[][]): boolean | undefined =>
    mergeSoakParts(partsOf(latencies)).service.thresholds[0]?.kept;
  const [near, far] = [level(10), level(150)];
  expect([kept([near]), kept([far])]).toEqual([true, false]);
  expect(kept([near, near, far])).toBe(false);
  const mostlyNear = [...near.slice(0, 1_800), ...far.slice(0, 200)];
  expect(kept([mostlyNear])).toBe(false);
  expect(kept([near, near, mostlyNear])).toBe(true);
});

test('a part is read as it was written; parts that are damaged, of another run, or cut short are refused', () => {
  const parts = partsOf(drawn);
  const [one, two, three] = parts as [SoakPart, SoakPart, SoakPart];
  const bytes = encodeSoakPart(one);
  expect(decodeSoakPart(one.file, bytes)).toEqual(one);
  const text = gunzipSync(bytes).toString();
  for (const damaged of [bytes.subarray(0, -9), gzipSync(text.replace('"ratePerSecond":100', '"ratePerSecond":99'))])
    expect(decodeSoakPart(one.file, damaged)).toBeNull();
  const bare = {
    ...one,
    service: { ...one.service, windows: one.service.windows.map((own) => ({ ...own, histogram: '' })) },
  };
  expect(decodeSoakPart(one.file, encodeSoakPart(bare))).toBeNull();
  expect(() => assertOneRun(parts)).not.toThrow();
  expect(() => assertOneRun([one, three])).toThrow(/part 2 of 3 is missing/);
  expect(() => assertOneRun([one, two, two, three])).toThrow(/are both part 2 of 3/);
  expect(() => assertOneRun([one, two, partsOf(drawn, 99)[2] as SoakPart])).toThrow(
    /the soak differs \(.*"ratePerSecond":99.* and .*"ratePerSecond":100.*expected the parts of one run/,
  );
  expect(parts.map(poorSoakShare)).toEqual([null, null, null]);
  const short = { ...two, service: reportOf(drawn[1]?.slice(0, 1_000) ?? []) };
  expect(poorSoakShare(short)).toBe('part 2 of 3 (g2) sent 1000 of its 2000 requests');
});
