import { expect, test } from '@playwright/test';
import { fromRequirement, splitReason } from './shared.js';

test('the envelope is judged as a whole in an undivided run alone', () => {
  expect(splitReason({ shard: null })).toBeNull();
  expect(splitReason({ shard: { total: 1 } })).toBeNull();
  expect(splitReason({ shard: { total: 2 } })).toContain('--shard');
});

test('the stack of a failure begins in the file of its requirement', () => {
  const inside = [
    '    at Check.fail (file:///suite/src/run/check.ts:110:24)',
    '    at Object.judge (file:///suite/src/judge/invariants.ts:45:38)',
    '    at processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at file:///suite/src/playwright/conformance.spec.ts:26:20',
    '    at /suite/node_modules/playwright/lib/worker/workerProcessEntry.js:1646:9',
  ].join('\n');
  const stated =
    '    at body (/suite/specs/unit-filter.spec.ts:50:5)\n    at judgeBody (/suite/src/run/execute.ts:57:5)';
  const stack = fromRequirement('UNIT-03', `Error: seen\n${inside}\n${stated}`, '/suite/src/');
  expect(stack).toBe(`Error: UNIT-03\n${stated}`);
  expect(fromRequirement('UNIT-03', `Error: seen\n${inside}`, '/suite/src/')).toBe(`Error: UNIT-03\n${inside}`);
});
