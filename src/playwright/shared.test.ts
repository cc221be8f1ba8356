import { expect, test } from '@playwright/test';
import { splitReason } from './shared.js';

test('the envelope is judged as a whole by one worker of an undivided run alone', () => {
  expect(splitReason({ workers: 1, shard: null })).toBeNull();
  expect(splitReason({ workers: 1, shard: { total: 1 } })).toBeNull();
  expect(splitReason({ workers: 2, shard: null })).toContain('--workers 1');
  expect(splitReason({ workers: 1, shard: { total: 2 } })).toContain('--shard');
});
