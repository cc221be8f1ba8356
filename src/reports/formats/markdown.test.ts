import { expect, test } from '@playwright/test';
import { toSet } from '../../settings/remedy.js';
import { sinceBaseline } from '../../certification/compare/baseline.js';
import type { RequirementResult } from '../../requirement/types.js';
import { hostile, sampleReport, sampleResult, sampleResults } from '../test-kit.js';
import { withoutCode } from './schemas.test-kit.js';
import { renderMarkdown } from './markdown.js';
import { code, fenced, prose } from './markdown-text.js';

const markup = [
  '</details>\n\n# heading\n- item\n| a | b |\n|---|---|',
  '@octocat @org/team #1 owner/repo#2 mail@evil.example',
  '![image](https://evil.example/x.png) [link](https://evil.example) <https://evil.example> www.evil.example',
  '`` ` ``` ```` ',
  '`'.repeat(300),
  hostile,
].join(' ');

test('text of the service is in code alone: outside nothing is markup, an address or a mention', () => {
  const told = (id: string, more: Partial<RequirementResult> = {}): RequirementResult =>
    sampleResult(id, 'fail', {
      findings: [{ expected: markup, actual: `${markup} ${id}`, curl: `curl -d '${markup}'`, exchanges: [id] }],
      reason: markup,
      ...more,
    });
  const report = {
    ...sampleReport([
      told('UNIT-01'),
      told('UNIT-02', { title: markup, source: markup }),
      told('UNIT-03', { verdict: 'warn' }),
      told('UNIT-04', { verdict: 'error' }),
      told('UNIT-05', { verdict: 'blocked' }),
      told('UNIT-06', { verdict: 'waived', waivedVerdict: 'fail' }),
      sampleResult('DOC-06', 'not-applicable', { reason: 'npm install openapi-typescript@7 typescript@5' }),
    ]),
    outdatedWaivers: [markup],
  };
  const text = renderMarkdown(
    { ...report, target: { ...report.target, baseUrl: markup } },
    { name: markup, notes: [{ text: 'Another target:', value: markup }], changes: [] },
  );
  const own = withoutCode(text).replace(/<\/?(?:details|summary)>/g, '');
  expect(own).not.toMatch(/<|(?<!\\)[`[\]|]|@(?!&#8203;)|(?<!\\):\/\/|www\.|[\0-\x09\u202e\u2066]/);
  expect(own.match(/^#.*$/gm)).toEqual([
    expect.stringMatching(/^## Not conformant: , 4 of 7 judged/),
    '### Since the baseline',
    '### Waivers out of date',
    '### 2 failed, the suite itself failed in 1',
    '### What could not be judged',
    '### Warnings',
    '### Waived',
  ]);
});

test('code and prose end where they should', () => {
  expect([code('a'), code('`a'), code('a``b'), code(''), code(' a ')]).toEqual([
    '`a`',
    '`` `a ``',
    '```a``b```',
    '`  `',
    '`  a  `',
  ]);
  expect(code('`'.repeat(10))).toBe('`[10 backticks]`');
  expect(fenced('curl ```', 'sh')).toBe('````sh\ncurl ```\n````');
  expect(prose('a_b <b> @me http://x & *y*')).toBe('a\\_b &lt;b&gt; @&#8203;me http\\://x &amp; \\*y\\*');
});

test('a long report stays shorter than a comment may be, keeps every section, and says how much is left out', () => {
  const long = 'x'.repeat(5_000);
  const many = (section: string, verdict: 'fail' | 'warn' | 'blocked' | 'waived'): RequirementResult[] =>
    Array.from({ length: 150 }, (_, at) =>
      sampleResult(`${section}-${at + 1}`, verdict, {
        title: long,
        reason: `${at} ${long}`,
        findings: [
          {
            expected: long,
            actual: `${at} ${long}`,
            curl: `curl ${at % 2 === 0 ? long : 'x'}`,
            exchanges: [`${section}${at}`],
          },
        ],
      }),
    );
  const results = [...many('A', 'fail'), ...many('B', 'warn'), ...many('C', 'blocked'), ...many('D', 'waived')];
  const before = sampleReport(results.map((one) => ({ ...one, verdict: 'pass' })));
  const report = { ...sampleReport(results), outdatedWaivers: Array.from({ length: 99 }, (_, at) => `${at} ${long}`) };
  const text = renderMarkdown(report, sinceBaseline({ name: 'old', report: before }, report));
  expect(text.length).toBeLessThan(60_000);
  expect(text.length).toBeGreaterThan(50_000);
  expect(text.match(/^### .*$/gm)).toHaveLength(6);
  const rest = [...text.matchAll(/^(\d+) more are in `conformance.html` and `conformance.json`\.$/gm)];
  expect(rest).toHaveLength(6);
  const shown = text.match(/^\*\*A-\d+\*\*/gm)?.length ?? 0;
  expect(shown).toBeGreaterThan(5);
  expect(Number(rest[2]?.[1])).toBe(150 - shown);
});

test('what is worse and the outcome come first, then what changed, failures, what helps, warnings and waivers', () => {
  const waived = 'waived until 2026-12-31 (inventory): the gateway answers; failed: expected x; seen y';
  const report = sampleReport([
    sampleResult('UNIT-03', 'fail'),
    sampleResult('UNIT-04', 'blocked', { reason: 'no key is configured: set API_KEY', remedy: toSet('API_KEY') }),
    sampleResult('UNIT-05', 'warn'),
    sampleResult('UNIT-06', 'waived', { waivedVerdict: 'fail', reason: waived }),
    sampleResult('HOOK-01', 'not-applicable', { remedy: toSet('SIGNING_SECRET') }),
    sampleResult('LEAD-01', 'pass'),
  ]);
  const before = sampleReport(
    sampleResults({ 'UNIT-03': 'pass', 'LEAD-01': 'fail', 'DEAL-01': 'pass', 'DEAL-02': 'blocked' }),
  );
  const other = {
    ...before,
    target: { ...before.target, baseUrl: 'https://other.example' },
    suite: { ...before.suite, catalogue: `sha256:${'ef'.repeat(32)}` },
  };
  const text = renderMarkdown(report, sinceBaseline({ name: 'main', report: other }, report));
  const places = [
    '## 1 worse since `main`. Not conformant: `https://api.example.test`, 4 of 6 judged\n',
    'Compared with `main`: 1 worse, 1 better, 2 judged only now, 1 judged only then.\n',
    'The baseline did not judge everything: `1 blocked`.\n',
    'The baseline is of another target: `https://other.example`.\n',
    'The baseline was judged by other requirements, those of suite `0.1.0`.\n',
    '- worse: **UNIT-03** pass → fail\n- better: **LEAD-01** fail → pass\n',
    '### 1 failed\n\n**UNIT-03** A list filtered by status shows units of that status only (MUST, §4.1): expected `only units whose status is available`, seen `unit u-7 has the status sold`.\n',
    '- 1 blocked (UNIT-04): `no key is configured: set API_KEY`\n',
    '- 1 more (HOOK-01): `set SIGNING_SECRET`\n',
    '- **UNIT-05** A list',
    `- **UNIT-06** A list filtered by status shows units of that status only: \`${waived}\`\n`,
  ].map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(renderMarkdown(sampleReport([sampleResult('LEAD-01', 'pass')]), null)).toMatch(
    /^## Conformant: [^\n]*\n\n1 passed; [^\n]*\n\n$/,
  );
  expect(renderMarkdown(report, sinceBaseline({ name: 'main', report }, report))).toMatch(
    /`main`: no verdict differs\.\n\nThe baseline did not judge everything: `1 blocked`\.\n\n### 1 failed/,
  );
});
