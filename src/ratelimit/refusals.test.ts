import { expect, test } from '@playwright/test';
import { judgeTrace, atMost, record, traceOf } from '../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(120, 8), atMost(20, 1)];

test('simultaneous refusals do not justify each other where nothing was accepted before them', () => {
  const refused = { outcome: 'refused', status: 429 } as const;
  const burst = Array.from({ length: 80 }, (_, k) => record(k, 0.1 * k, 12 + 0.1 * k, refused));
  const later = Array.from({ length: 40 }, (_, k) => record(80 + k, 3_000 + 60 * k, 3_005 + 60 * k));
  for (const model of ['auto', 'sliding', 'fixed', 'bucket', 'bucket-slow', 'spill'] as const) {
    const { violations } = judgeTrace(traceOf([...burst, ...later]), limits, { model });
    expect(
      violations.map(({ id }) => id),
      model,
    ).toEqual(['LIMIT-01']);
  }
});

const refused = { outcome: 'refused', status: 429 } as const;
const at = (fromMs: number, apartMs: number, count: number, firstIndex = 0): ReturnType<typeof record>[] =>
  Array.from({ length: count }, (_, k) => record(firstIndex + k, fromMs + apartMs * k, fromMs + apartMs * k + 2));

test('a counter that knows whole seconds weighs the window before as it stood up to a second ago', () => {
  // 44 whole seconds into its window it still sees 266 of 1,000; it is nearly 45.
  const before = [...at(0, 0.2, 1_000)];
  const records = [...before, ...at(104_100, 1, 733, 1_000), record(1_733, 104_950, 104_955, refused)];
  const single = [atMost(1_000, 60)];
  expect(judgeTrace(traceOf(records), single, { model: 'auto' }).violations).toEqual([]);
  const tooFew = [...before, ...at(104_100, 1, 700, 1_000), record(1_700, 104_950, 104_955, refused)];
  expect(judgeTrace(traceOf(tooFew), single, { model: 'auto' }).violations).toMatchObject([{ id: 'LIMIT-01' }]);
});

test('a window of a second may end some milliseconds late', () => {
  const plan = [atMost(600, 60), atMost(100, 1)];
  const afterMs = (ms: number) => traceOf([...at(0, 0.02, 100), record(100, ms, ms + 2, refused)]);
  expect(judgeTrace(afterMs(1_045), plan, { model: 'auto' }).violations).toEqual([]);
  expect(judgeTrace(afterMs(1_200), plan, { model: 'auto' }).violations).toMatchObject([{ id: 'LIMIT-01' }]);
});
