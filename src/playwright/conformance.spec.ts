import { test as base } from '@playwright/test';
import { readSettings } from '../cli/index.js';
import { loadPacks } from '../packs.js';
import { testDetails } from '../requirement/index.js';
import { type Check, execute, type Run } from '../run/index.js';
import { fromRequirement, resultAttachment, splitReason } from './shared.js';
import { withWorkerRun } from './worker-run.js';

// An engine may be many frames deep below the line that states what it judges.
Error.stackTraceLimit = 60;

/** Playwright's test; the worker holds one run. */
const test = base.extend<object, { run: Run }>({
  run: [({}, use, info) => withWorkerRun(info.workerIndex, use), { scope: 'worker' }],
});

for (const requirement of (await loadPacks(readSettings({}).PACKS)).requirements) {
  const { id, title, section } = requirement;
  test(`${id} ${title}`, testDetails(requirement), async ({ run }, info) => {
    const seen = run.observations.length;
    let check: Check | null = null;
    const judged = await execute(requirement, run, (opened) => (check = opened));
    const split = section === 'ENV' ? splitReason(info.config) : null;
    const result =
      split !== null && (judged.verdict === 'pass' || judged.verdict === 'warn')
        ? { ...judged, verdict: 'blocked' as const, reason: split }
        : judged;
    const { verdict, reason, findings } = result;
    if (verdict !== 'pass') info.annotations.push({ type: verdict, description: reason });
    await info.attach(resultAttachment, {
      body: JSON.stringify({ result, observations: run.observations.slice(seen) }),
      contentType: 'application/json',
    });
    info.skip(verdict === 'blocked' || verdict === 'not-applicable', reason);
    if (verdict !== 'fail' && verdict !== 'error') return;
    // The breach is the test's failure: it points at the line of the spec that saw it.
    const breach = (check as Check | null)?.breaches.find(({ soft }) => !soft);
    const error = new Error(
      breach
        ? `${id} ${title}\n  expected: ${breach.expected}\n  seen:     ${breach.actual}\n  ${findings[0]?.curl ?? ''}`
        : reason,
    );
    error.stack = fromRequirement(error.message, breach?.statedAt ?? '');
    throw error;
  });
}
