import { test as base } from '@playwright/test';
import { BlockedSignal } from '../http/signals.js';
import { entryOf } from '../requirement/requirement.js';
import { Check } from '../run/check.js';
import { confirm } from '../run/control.js';
import { notRun } from '../run/leave-out.js';
import type { Run } from '../run/run.js';
import { splitReason } from './shared.js';
import { openWorkerRun } from './worker-run.js';

/** The name of the attachment that carries a test's verdict to the reporter. */
export const resultAttachment = 'conformance-result';

/** Playwright's test with a `check` fixture; the worker holds one run. */
export const test = base.extend<{ check: Check }, { run: Run }>({
  run: [
    async ({}, use, info) => {
      const run = await openWorkerRun(info.workerIndex);
      await use(run);
      await run.close();
    },
    { scope: 'worker' },
  ],
  check: async ({ run }, use, info) => {
    const entry = entryOf(info.title, info.annotations);
    if (entry === null)
      throw new Error(`the test "${info.title}" carries no requirement: write test(title, requirement(…), body)`);
    const check = new Check(entry, run);
    check.skip = (reason) => {
      info.annotations.push({
        type: check.signal instanceof BlockedSignal ? 'blocked' : 'not-applicable',
        description: reason,
      });
      info.skip(true, reason);
    };
    const seen = run.observations.length;
    const left = notRun(entry, run);
    try {
      if (left !== null) check.stop(left);
      const { unreachable } = await run.targetState();
      if (unreachable !== null) check.blocked(unreachable);
      await use(check);
    } finally {
      const crash =
        info.status === 'passed' || info.status === 'skipped'
          ? undefined
          : new Error(info.errors[0]?.message ?? `the test ${info.status ?? 'ended'}`);
      const ended = check.signal ?? crash;
      const judged = await confirm(check.conclude(ended), check);
      const split = entry.section === 'ENV' ? splitReason(info.config) : null;
      const result =
        split !== null && (judged.verdict === 'pass' || judged.verdict === 'warn')
          ? { ...judged, verdict: 'blocked' as const, reason: split }
          : judged;
      if (result !== judged) info.annotations.push({ type: 'blocked', description: result.reason });
      await info.attach(resultAttachment, {
        body: JSON.stringify({ result, observations: run.observations.slice(seen) }),
        contentType: 'application/json',
      });
      const hard = check.breaches.find((one) => !one.soft);
      if (result.verdict === 'fail' && hard) {
        hard.seenAt.message = `${entry.id} ${entry.title}\n  expected: ${hard.expected}\n  seen:     ${hard.actual}\n  ${result.findings[0]?.curl ?? ''}`;
        // eslint-disable-next-line no-unsafe-finally -- the breach is the test's failure, and it points at the spec's own line
        throw hard.seenAt;
      }
    }
  },
});
