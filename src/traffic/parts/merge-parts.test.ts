import { expect, test } from '@playwright/test';
import { atMost, randomFrom } from '../../../testing/limiter-simulators/test-kit.js';
import { simulateParts } from '../../../testing/simulated-drives/simulated-parts.test-kit.js';
import { argsort } from '../../ratelimit/rank.js';
import { RecordColumns } from '../../ratelimit/record-columns.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { mergeParts, offsetOf } from './merge-parts.js';
import type { PartTrace } from './part-trace.js';

/** The records of parts with their generators, merged with nothing but arrays. */
function merged(parts: readonly PartTrace[]): (TraceRecord & { readonly part: number })[] {
  const segments = parts[0]?.header.drives.length ?? 0;
  return Array.from({ length: segments }, (_, at) =>
    parts
      .flatMap((part) => {
        const { drives } = part.header;
        const from = drives.slice(0, at).reduce((sum, { count }) => sum + count, 0);
        const { leastMs, mostMs } = offsetOf(part);
        return [...part.records].slice(from, from + (drives[at]?.count ?? 0)).map((record) => ({
          ...record,
          dueMs: record.dueMs + leastMs,
          sentMs: record.sentMs + leastMs,
          receivedMs: record.receivedMs + mostMs,
          part: part.header.part,
        }));
      })
      .sort((a, b) => a.sentMs - b.sentMs),
  )
    .flat()
    .map((record, index) => ({ ...record, index }));
}

test('parts are merged as arrays of records would be: by the instant of sending, those of one instant by their part', () => {
  for (const seed of [1, 2, 4, 7]) {
    const random = randomFrom(seed);
    const drive = { limits: [atMost(20, 2), atMost(10, 0.5)], parts: 1 + (seed % 4), decide: () => random() < 0.5 };
    const drawn = simulateParts({
      ...drive,
      skewMs: [0, 700][seed % 2] ?? 0,
      drift: 1e-4,
      jitterMs: 40,
      looks: 1,
      random,
    });
    // Whole tenths of a second: many are sent at once. Headers are numbers, texts or missing.
    const tied = (ms: number): number => (seed > 3 ? Math.round(ms / 100) * 100 : ms);
    const clock = { before: { leastMs: -1, mostMs: 2 }, after: { leastMs: 0, mostMs: 5 } };
    const parts = drawn.map((part) => ({
      ...part,
      header: seed > 3 ? { ...part.header, clock } : part.header,
      records: [...part.records].map((record) => {
        const texts = {
          limit: `${part.header.part}, 9;w=1`,
          ...(random() < 0.5 ? { remaining: String(record.index) } : {}),
        };
        return { ...record, ...texts, sentMs: tied(record.sentMs), receivedMs: tied(record.receivedMs) + 100 };
      }),
    }));
    const { trace, generators } = mergeParts(parts);
    const expected = merged(parts);
    expect([...generators]).toEqual(expected.map(({ part }) => part));
    const records = [...trace.conducted.records];
    // The first of a segment may be widened, so that no later one was sent before it.
    for (const { firstIndex: at } of trace.conducted.steps) {
      expect(records[at]?.sentMs).toBeLessThanOrEqual(expected[at]?.sentMs ?? 0);
      if (expected[at] !== undefined) expected[at] = { ...expected[at], sentMs: records[at]?.sentMs ?? 0 };
    }
    expect(records).toEqual(expected.map(({ part: _, ...record }) => record));
  }
});

test('positions are sorted as a stable sort does, all of them or some', () => {
  const random = randomFrom(9);
  for (let length = 0; length < 300; length += 1) {
    const keys = Float64Array.from({ length }, (_, at) => Math.floor(random() * 20) + (length % 3) * at);
    const all = [...keys.keys()];
    expect([...argsort(keys)]).toEqual(all.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0)));
    const some = [...keys.keys()].filter(() => random() < 0.5);
    const sorted = [...some].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    expect([...argsort(keys, Uint32Array.from(some))]).toEqual(sorted);
  }
});

test('a record takes 43 bytes, and texts that occur again take none', () => {
  const count = 1_000;
  const record = { dueMs: 1, sentMs: 1, receivedMs: 2, outcome: 'accepted', status: 200, hasEnvelope: null } as const;
  const texts = { limit: '600, 600;w=60', remaining: '17', reset: '60', retryAfter: 'Fri, 01 Jan 2027 00:00:00 GMT' };
  const { columns, table } = RecordColumns.of(
    Array.from({ length: count }, (_, index) => ({ ...record, ...texts, index })),
  );
  expect(
    Object.values<{ byteLength: number }>({ ...columns }).reduce((sum, { byteLength }) => sum + byteLength, 0),
  ).toBe(43 * count);
  expect(table.size).toBe(2);
});
