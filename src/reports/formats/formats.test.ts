import { expect, test } from '@playwright/test';
import { toSet } from '../../settings/remedy.js';
import type { Finding, Report } from '../../requirement/types.js';
import { renderJUnit } from '../junit.js';
import { hostile, sampleReport, sampleResult } from '../test-kit.js';
import { junitProblems } from './schemas.test-kit.js';

const finding = (actual: string, ...names: string[]): Finding => ({
  expected: hostile,
  actual: `${actual} [[ATTACHMENT|/etc/passwd]] [here](https://evil.example) ${hostile}`,
  curl: `curl -i -d '${'`'.repeat(5)}' http://127.0.0.1`,
  exchanges: names,
});
const waived = 'waived until 2026-12-31 (inventory): the gateway answers; failed: expected x; seen y';

/** Every verdict, hostile texts, findings with and without exchanges, and an outdated waiver. */
const report: Report = {
  ...sampleReport([
    sampleResult('UNIT-01', 'fail', { findings: [finding('GET', '3'), finding('again', '4')], seconds: 1.2345 }),
    sampleResult('UNIT-02', 'fail', { level: 'DECLARED', findings: [finding('no operation', '99', '5')] }),
    sampleResult('UNIT-03', 'fail', { findings: [finding('PATCH', '3', '4', '5')], reason: hostile, title: hostile }),
    sampleResult('DOC-02', 'fail', { findings: [finding('/paths/~1v1~1units~1{id}/parameters/1/schema: none', '3')] }),
    sampleResult('UNIT-04', 'error', { reason: `the check threw ${hostile}` }),
    sampleResult('UNIT-05', 'warn', {
      level: 'SHOULD',
      findings: [finding('slow', '3')],
      reason: 'see [it](https://evil.example)',
    }),
    sampleResult('UNIT-06', 'blocked', { reason: hostile }),
    sampleResult('UNIT-07', 'blocked', { reason: hostile }),
    sampleResult('UNIT-08', 'waived', { waivedVerdict: 'fail', reason: waived, findings: [finding('waived', '3')] }),
    sampleResult('UNIT-09', 'waived', { waivedVerdict: 'blocked', reason: waived }),
    sampleResult('HOOK-01', 'not-applicable', {
      reason: 'no secret: set SIGNING_SECRET',
      remedy: toSet('SIGNING_SECRET'),
    }),
    sampleResult('LEAD-01', 'pass', { seconds: 1e-9 }),
  ]),
  sections: [{ id: 'UNIT', title: 'Units' }],
  outdatedWaivers: [`LEAD-01 passes (${hostile})`, 'the waiver for LEAD-02 expired'],
};

test('JUnit of a report with every verdict and hostile texts keeps to its schema, and is the same each time', async () => {
  const junit = renderJUnit(report);
  expect(await junitProblems(junit)).toEqual([]);
  expect(renderJUnit(structuredClone(report))).toEqual(junit);
  expect(junit).not.toMatch(/[\0-\x08\u202e\u2066]/);
});

test('JUnit has times and waivers as skipped, and no attachment that the service names', () => {
  const junit = renderJUnit(report);
  expect(junit).toContain('<testsuite name="UNIT Units" tests="9" failures="3" errors="1" skipped="4" time="1.234"');
  expect(junit).toContain('<property name="seed" value="42"/>');
  expect(junit).toContain(`<skipped message="${waived}"/>`);
  expect(junit).not.toContain('[[ATTACHMENT');
});
