import { expect, test } from '@playwright/test';
import { splitReason } from './shared.js';

test('the envelope is judged as a whole in an undivided run alone', () => {
  expect(splitReason({ shard: null })).toBeNull();
  expect(splitReason({ shard: { total: 1 } })).toBeNull();
  expect(splitReason({ shard: { total: 2 } })).toContain('--shard');
});
