import { readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { testDetails } from '../../requirement/requirement.js';
import type { Report, RequirementResult } from '../../requirement/types.js';

const report = JSON.parse(readFileSync(process.env['DEALERSHIP_CONFORMANCE_REPORT'] ?? '', 'utf8')) as Report;

function describeFindings({ findings }: RequirementResult): string {
  return findings
    .map(({ expected, actual, curl, replay }) =>
      [`expected: ${expected}`, `seen:     ${actual}`, curl ?? '', replay ?? '']
        .filter((line) => line !== '')
        .join('\n'),
    )
    .join('\n\n');
}

for (const result of report.requirements) {
  test.describe(result.section, () => {
    test(`${result.id} ${result.title}`, testDetails(result), async ({}, info) => {
      info.annotations.push({ type: result.verdict, description: result.reason });
      for (const one of report.observations.filter((seen) => seen.id === result.id))
        info.annotations.push({ type: 'observed', description: `${one.question} ${one.observed}` });
      if (result.findings.length > 0)
        await info.attach('findings', { body: describeFindings(result), contentType: 'text/plain' });
      test.skip(result.verdict === 'not-applicable' || result.verdict === 'blocked', result.reason);
      if (result.verdict === 'fail' || result.verdict === 'error')
        throw new Error(`${result.reason}\n\n${describeFindings(result)}`);
    });
  });
}
