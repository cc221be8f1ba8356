import { expect, test } from '@playwright/test';
import { judgeTrace } from './judge-trace.js';
import { record, traceOf } from './test-kit.js';

const limits = [
  { count: 120, windowSeconds: 8 },
  { count: 20, windowSeconds: 1 },
];

test('refusals at once do not excuse one another where nothing before them was let in', () => {
  const refused = { outcome: 'refused', status: 429 } as const;
  const burst = Array.from({ length: 80 }, (_, k) => record(k, 0.1 * k, 12 + 0.1 * k, refused));
  const later = Array.from({ length: 40 }, (_, k) => record(80 + k, 3_000 + 60 * k, 3_005 + 60 * k));
  for (const model of ['auto', 'sliding', 'fixed', 'bucket', 'bucket-slow', 'spill'] as const) {
    const { blames } = judgeTrace(traceOf([...burst, ...later]), limits, { model });
    expect(
      blames.map(({ id }) => id),
      model,
    ).toEqual(['LIMIT-01']);
  }
});
