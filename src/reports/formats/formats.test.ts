import { expect, test } from '@playwright/test';
import type { Finding, Report } from '../../requirement/types.js';
import { renderJUnit } from '../junit.js';
import { hostile, sampleExchange, sampleReport, sampleResult } from '../test-kit.js';
import { documentAnchor, lineFinder, pathBelow } from './anchor.js';
import { renderCodeQuality } from './code-quality.js';
import { renderCtrf } from './ctrf.js';
import { problemsOf, type SarifLog } from './schemas.test-kit.js';
import { renderSarif } from './sarif.js';

const document = {
  openapi: '3.1.0',
  info: { title: hostile, version: '1' },
  servers: [{ url: 'https://api.example.test/api' }],
  paths: { '/v1/units': { get: {}, post: {} }, '/v1/units/{id}': { parameters: [{}, { name: 'id' }], patch: {} } },
};
const json = JSON.stringify(document, null, 2);
const lineOf = (text: string): number => json.split('\n').findIndex((line) => line.includes(text)) + 1;

const exchanges = [
  sampleExchange(3),
  sampleExchange(4, { method: 'PATCH', url: 'https://api.example.test/api/v1/units/u-7' }),
  sampleExchange(5, { method: 'GET', url: 'https://api.example.test/api/v1/none' }),
];
const anchor = documentAnchor('api/openapi.json', json, (name) => exchanges.find(({ seq }) => String(seq) === name));

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
    sampleResult('HOOK-01', 'not-applicable', { reason: 'no secret: set SIGNING_SECRET' }),
    sampleResult('LEAD-01', 'pass', { seconds: 1e-9 }),
  ]),
  sections: [{ id: 'UNIT', title: 'Units' }],
  outdatedWaivers: [`LEAD-01 passes (${hostile})`, 'the waiver for LEAD-02 expired'],
};

test('every format of a report with every verdict and hostile texts keeps to its schema, and is the same each time', async () => {
  const written = {
    junit: renderJUnit(report),
    ctrf: renderCtrf(report),
    sarif: renderSarif(report, anchor),
    codequality: renderCodeQuality(report, anchor),
  };
  for (const [format, text] of Object.entries(written))
    expect(await problemsOf[format as keyof typeof written](text), format).toEqual([]);
  const again = structuredClone(report);
  expect([renderJUnit(again), renderCtrf(again)]).toEqual([written.junit, written.ctrf]);
  expect([renderSarif(again, anchor), renderCodeQuality(again, anchor)]).toEqual([written.sarif, written.codequality]);
  for (const text of Object.values(written)) expect(text).not.toMatch(/[\0-\x08\u202e\u2066]/);
});

test('JUnit has times, properties and waivers as skipped, and no attachment that the service names', () => {
  const junit = renderJUnit(report);
  expect(junit).toContain('<testsuite name="UNIT Units" tests="9" failures="3" errors="1" skipped="4" time="1.234"');
  expect(junit).toContain('<property name="seed" value="42"/>');
  expect(junit).toContain(
    '[[PROPERTY|level=DECLARED]]\n[[PROPERTY|source=§4.1]]\n[[PROPERTY|seed=42]]\n[[PROPERTY|requests=14]]',
  );
  expect(junit).toContain(`<skipped message="${waived}"/>`);
  expect(junit).not.toContain('[[ATTACHMENT');
});

test('CTRF counts each verdict once, with its original name', () => {
  const { results } = JSON.parse(renderCtrf(report)) as {
    results: { summary: unknown; tests: { testId: string; status: string; rawStatus: string; duration: number }[] };
  };
  expect(results.summary).toMatchObject({ tests: 13, passed: 2, failed: 5, skipped: 3, other: 3, pending: 0 });
  expect(results.summary).toMatchObject({ start: 1772600767000, stop: 1772600779340 });
  expect(results.tests[0]).toMatchObject({
    testId: 'UNIT-01',
    status: 'failed',
    duration: 1235,
    suite: ['UNIT Units'],
  });
  expect(results.tests.find(({ rawStatus }) => rawStatus === 'warn')?.status).toBe('passed');
});

test('SARIF and Code Quality point to the operation that a finding shows, or the member that it names, else to line 1', () => {
  const { runs } = JSON.parse(renderSarif(report, anchor)) as SarifLog;
  const [{ results, tool, automationDetails, invocations }] = runs;
  expect(automationDetails.id).toBe('dealership-conformance/api.example.test/');
  expect(
    results.map(({ ruleId, level, locations: [{ physicalLocation: at }] }) => [ruleId, level, at.region.startLine]),
  ).toEqual([
    ['UNIT-01', 'error', lineOf('"get"')],
    ['UNIT-02', 'error', 1],
    ['UNIT-03', 'error', lineOf('"patch"')],
    ['DOC-02', 'error', lineOf('"name": "id"') - 1],
    ['UNIT-05', 'warning', lineOf('"get"')],
    ['UNIT-08', 'note', lineOf('"get"')],
    ['waivers', 'error', 1],
  ]);
  for (const { ruleId, ruleIndex, message } of results) {
    expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(message.text).not.toContain('](');
  }
  expect(results.map(({ suppressions }) => suppressions?.[0]?.justification).filter(Boolean)).toEqual([waived]);
  expect(invocations[0]).toMatchObject({ executionSuccessful: false });
  expect(invocations[0].toolExecutionNotifications).toHaveLength(3);

  const issues = (target: Partial<Report['target']> = {}) =>
    JSON.parse(renderCodeQuality({ ...report, target: { ...report.target, ...target } }, anchor)) as {
      check_name: string;
      fingerprint: string;
      severity: string;
      location: { path: string; lines: { begin: number } };
    }[];
  expect(issues().map(({ check_name, severity }) => `${check_name} ${severity}`)).toEqual([
    'UNIT-01 major',
    'UNIT-02 major',
    'UNIT-03 major',
    'DOC-02 major',
    'UNIT-05 minor',
    'waivers major',
  ]);
  expect(issues()[0]?.location).toEqual({ path: 'api/openapi.json', lines: { begin: lineOf('"get"') } });
  const all = [...issues(), ...issues({ baseUrl: 'https://api.example.test/other' })];
  expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(all.length);
  const embedded = ['http://127.0.0.1:1', 'http://127.0.0.1:2'].map((baseUrl) => issues({ baseUrl, embedded: true }));
  expect(embedded[0]).toEqual(embedded[1]);
});

test('a line is found in any spelling of JSON, and a document without lines or with too many is at line 1', () => {
  const spelled =
    '{ "a\\/b": 1,\r\n\t"l":\t[\r\n1,\r\n{"x":\r\n"y: z"}], "<<": {"l": 2},\r\n"twice": 1,\r\n"twice": {"m":\r\n{}} }';
  const find = lineFinder(spelled);
  expect(['', '/a~1b', '/l', '/l/1/x', '/l/7', '/<<', '/none', '/twice/m'].map(find)).toEqual([1, 1, 2, 4, 2, 5, 1, 7]);
  const results = { findings: [finding('GET', '3')] };
  const get = (): ReturnType<typeof sampleExchange> => sampleExchange(3);
  expect(documentAnchor('x', JSON.stringify(document), get).lineOf(results)).toBe(1);
  expect(documentAnchor('x', `${json}${' '.repeat(2_000_000)}`, get).lineOf(results)).toBe(1);
  expect(documentAnchor('x', json, get).lineOf(results)).toBeGreaterThan(1);
  expect(documentAnchor('x', 'no JSON', get).lineOf(results)).toBe(1);
});

test('a path in SARIF is a relative URI, whatever a folder is called', () => {
  const odd = { ...anchor, path: 'a#1?x%20/open api.json' };
  expect(renderSarif(report, odd)).toContain('"uri": "a%231%3Fx%2520/open%20api.json"');
});

test('a path is relative to the root of the repository, with slashes', () => {
  expect(pathBelow('/repo/api/open api.json', [undefined, '/repo'])).toBe('api/open api.json');
  expect(pathBelow('/repo/api/openapi.json', ['/repo', '/repo/api'])).toBe('api/openapi.json');
  expect(pathBelow('/elsewhere/openapi.json', ['/repo'])).toBe('openapi.json');
  expect(pathBelow('reports/openapi.json', [''])).toBe('reports/openapi.json');
});
