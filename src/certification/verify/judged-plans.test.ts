import { expect, test } from '@playwright/test';
import { encodeRecorded } from '../../run/recorded.js';
import { planTraceOf, record } from '../../../testing/limiter-simulators/test-kit.js';
import { drivenRequests } from './judged-plans.js';

test('what load sent is counted from its records, creates included, and from the steps of earlier versions', () => {
  const records = [record(0, 0, 1), record(1, 2, 3), record(2, 4, Infinity, { outcome: 'unsent', status: null })];
  const plan = planTraceOf([], {
    conducted: { records, steps: [] },
    writes: { records: [record(0, 5, 6)], steps: [] },
  });
  const sent = (plans: readonly unknown[]) => drivenRequests(Buffer.from(encodeRecorded({ plans, leftOut: [] })));
  expect(sent([plan, plan])).toBe(6);
  const steps = [{ drive: { sent: 4 } }, { drive: { sent: 5 } }];
  expect(sent([{ ...plan, conducted: { records, steps }, writes: { records, steps } }])).toBe(18);
});
