import { expect, test } from '@playwright/test';
import { toSet, type Remedy } from '../settings/remedy.js';
import type { Place, RequirementResult } from '../requirement/types.js';
import { githubAnnotations } from './annotations.js';
import { outcomeLines, painter } from './console-format.js';
import { consoleReporter } from './console-reporter.js';
import { renderHtml } from './html/html-page.js';
import { blockedTexts, judgedText, openingTexts, scopeDoubt, sharedCauses } from './judged.js';
import { renderJUnit } from './junit.js';
import { sampleReport, sampleResult } from './test-kit.js';

const unset = (id: string, reason: string, remedy?: Remedy): RequirementResult =>
  sampleResult(id, 'not-applicable', { reason, ...(remedy && { remedy }) });
const secret = 'no webhook secret is configured: set SIGNING_SECRET (or --signing-secret)';
const away = 'http://127.0.0.1:1 cannot be reached: it refuses connections';

const report = sampleReport([
  sampleResult('DOC-01', 'pass'),
  sampleResult('DOC-02', 'warn'),
  sampleResult('DOC-03', 'fail'),
  unset('DOC-05', 'the document holds no schema'),
  unset('LIMIT-01', 'it waits for limit windows', { act: 'run', names: ['certify'] }),
  unset('LIMIT-02', 'no limit can be tried', toSet('API_KEY_INDEPENDENT', 'SANDBOX_URL')),
  unset('HOOK-01', secret, toSet('SIGNING_SECRET')),
  unset('HOOK-02', secret, toSet('SIGNING_SECRET')),
  unset('LEAD-01', 'it creates or changes something', { act: 'unset', names: ['READ_ONLY'] }),
  ...['UNIT-01', 'UNIT-02', 'UNIT-03'].map((id) => sampleResult(id, 'blocked', { reason: away })),
]);

const remedies = [
  '2 more: set SIGNING_SECRET (HOOK-01, HOOK-02)',
  '1 more: run certify (LIMIT-01)',
  '1 more: set API_KEY_INDEPENDENT, SANDBOX_URL (LIMIT-02)',
  '1 more: unset READ_ONLY (LEAD-01)',
];

test('a report counts what was judged, and names by setting what lets more be judged', () => {
  expect(judgedText(report.requirements)).toBe('3 of 12 judged');
  expect(openingTexts(report.requirements, [])).toEqual(remedies);
  expect(blockedTexts(report.requirements)).toEqual([`3 blocked: ${away}`]);
  const lines = outcomeLines(report, painter(false));
  expect(lines[0]).toBe('  NOT CONFORMANT  https://api.example.test, 3 of 12 judged');
  expect(lines).toContain('  2 more: set SIGNING_SECRET (HOOK-01, HOOK-02)');
  expect(lines).toContain('  1 not applicable: the document holds no schema (DOC-05)');
  expect(renderJUnit(report)).toContain(
    '<testsuite name="3 of 12 judged" tests="1" failures="0" errors="1" skipped="0"',
  );
  const page = renderHtml(report, () => undefined);
  expect(page).toContain('3 of 12 judged.');
  expect(page).toContain('set SIGNING_SECRET</span><span class="quiet">HOOK-01, HOOK-02');
});

test('what is blocked for one reason is one line with a count in JUnit, on the page and in annotations', () => {
  const texts = [
    renderJUnit(report),
    renderHtml(report, () => undefined),
    githubAnnotations(report, { GITHUB_ACTIONS: 'true' }).join('\n'),
  ];
  for (const text of texts) {
    expect(text.split(away)).toHaveLength(2);
    expect(text).toContain('3 requirements');
  }
  const single = sampleReport([sampleResult('UNIT-01', 'blocked', { reason: away })]);
  expect(renderJUnit(single)).toContain(`<error message="${away}" type="blocked">`);
});

test('a report says first that API_KEY may lack scopes, where full access is refused', () => {
  const finding = (operation: string, status: number, as = 'API_KEY') => ({
    expected: 'a success envelope',
    actual: String(status),
    place: { operation, as, status },
    exchanges: [],
  });
  const auth = (...findings: ReturnType<typeof finding>[]) => [sampleResult('AUTH-05', 'fail', { findings })];
  const leads = finding('GET /api/v1/leads', 403);
  const broken = finding('GET /api/v1/deals', 500);
  const scoped = finding('GET /api/v1/deals', 403, 'API_KEY_READ_DEALS');
  const doubt = scopeDoubt(auth(leads, broken));
  expect(doubt).toMatch(/^API_KEY may lack scopes: the service refuses it GET \/api\/v1\/leads\. /);
  expect(renderHtml(sampleReport(auth(leads)), () => undefined)).toContain('API_KEY may lack scopes');
  let said = '';
  const stream = { write: (text: string) => (said += text) !== '' };
  void consoleReporter(stream).end?.(sampleReport(auth(leads)), null);
  expect(said.indexOf(doubt ?? 'none')).toBeGreaterThan(0);
  expect(said.indexOf(doubt ?? 'none')).toBeLessThan(said.indexOf('✗ AUTH-05'));
  expect(scopeDoubt(auth(broken, scoped))).toBeNull();
});

test('refusals of an operation in the same words are one cause, successes, other words and operations are not', () => {
  const failed = (id: string, ...places: Place[]): RequirementResult =>
    sampleResult(id, 'fail', {
      findings: places.map((place, at) => ({ expected: 'this', actual: 'that', place, exchanges: [`${id} ${at}`] })),
    });
  const head = failed('ENV-01', { status: 404, refusal: 'none' }, { status: 200 });
  const same = failed('UNIT-07', { status: 404, refusal: 'none' });
  const others = [
    failed('UNIT-01', { status: 404, refusal: 'other' }),
    failed('UNIT-02', { status: 200 }),
    failed('UNIT-03', { status: 404, refusal: 'none', operation: 'GET /api/v1/deals' }),
    failed('UNIT-04', { status: 200, noJson: true, operation: 'GET /api/v1/units' }),
  ];
  expect([...sharedCauses([head, same, ...others])]).toEqual([['UNIT-07', head]]);
  const cut = ['ENV-03', 'DEAL-01'].map((id) => failed(id, { status: 200, noJson: true }));
  expect([...sharedCauses([...cut, ...others])]).toEqual([['DEAL-01', cut[0]]]);
});

test('a check that observed what it could not judge is named with the setting, and a reason that asks for two settings with both', () => {
  const seen = {
    id: 'VER-01',
    question: 'Does it show the same resources?',
    observed: 'not judged: set API_BASE_URL (or --api-base-url)',
    remedy: toSet('API_BASE_URL'),
  };
  const partly = sampleReport([sampleResult('VER-01', 'pass')], [seen, { ...seen, id: 'VER-02' }]);
  expect(outcomeLines(partly, painter(false))).toContain('  1 in part: set API_BASE_URL (VER-01)');
  const both = toSet('SIGNING_SECRET', 'WEBHOOK_LISTEN');
  expect(openingTexts([unset('HOOK-01', 'no secret', both), unset('HOOK-02', 'neither', both)], [])).toEqual([
    '2 more: set SIGNING_SECRET, WEBHOOK_LISTEN (HOOK-01, HOOK-02)',
  ]);
});
