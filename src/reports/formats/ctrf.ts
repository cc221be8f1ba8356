import type { Report, RequirementResult, Verdict } from '../../requirement/types.js';
import { outdatedWaiverResults } from '../judged.js';
import { sectionTitle } from '../sections.js';
import { brief } from '../visible.js';

const longest = 8_000;

/** The words of CTRF; it calls a test without a result of its own "other". */
const statuses = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  blocked: 'other',
  error: 'other',
  waived: 'skipped',
  'not-applicable': 'skipped',
} as const satisfies Record<Verdict, string>;

function traceOf({ findings }: RequirementResult): string | undefined {
  const [finding] = findings;
  if (finding === undefined) return undefined;
  const { expected, actual, curl, replay } = finding;
  return Object.entries({ expected, seen: actual, curl, replay })
    .flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${brief(text, longest)}`]))
    .join('\n');
}

function testOf(result: RequirementResult, sections: Report['sections']): object {
  const { id, section, level, source, verdict, requests, seconds = 0 } = result;
  return {
    testId: id,
    name: brief(`${id} ${result.title}`, 500),
    status: statuses[verdict],
    duration: Math.round(seconds * 1000),
    suite: [`${section} ${sectionTitle(section, sections)}`.trim()],
    ...(verdict === 'pass' ? {} : { message: brief(result.reason, longest) }),
    trace: traceOf(result),
    rawStatus: verdict,
    tags: [level],
    labels: { source, requests },
    type: 'conformance',
  };
}

/** `conformance.ctrf.json`: the results in the Common Test Report Format (ctrf.io). */
export function renderCtrf(report: Report): string {
  const { sections, started, seconds, suite, target, seed } = report;
  const results = [...report.requirements, ...outdatedWaiverResults(report)];
  const count = (status: string): number => results.filter(({ verdict }) => statuses[verdict] === status).length;
  const start = Date.parse(started);
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    generatedBy: 'dealership-conformance',
    timestamp: started,
    results: {
      tool: { name: 'dealership-conformance', version: suite.version },
      summary: {
        tests: results.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: 0,
        other: count('other'),
        start,
        stop: start + Math.round(seconds * 1000),
      },
      tests: results.map((result) => testOf(result, sections)),
      environment: { testEnvironment: brief(target.baseUrl, 500), extra: { seed, outcome: report.outcome } },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
