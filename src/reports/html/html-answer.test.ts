import { expect, test } from '@playwright/test';
import type { Finding } from '../../requirement/types.js';
import { sampleExchange, sampleReport, sampleResults } from '../test-kit.js';
import { answerLines } from './html-answer.js';
import { lanesMarkup } from './html-lanes.js';
import { renderHtml } from './html-page.js';

const body = Buffer.from('{"ok":true,"data":{"a/b":[{"id":"x"},{"id":"y","in":{"z":1e2}}]}}');
const exchange = sampleExchange(7, {}, { status: 201, headers: [['content-type', 'text/plain']], body });

function marked(part: Finding['part']): string | null {
  const finding: Finding = { expected: '', actual: '"x" at /data', exchanges: ['7'], ...(part && { part }) };
  const page = answerLines(finding, [exchange, sampleExchange(8, {}, null)])?.source ?? '';
  return /<mark>&gt; (.*)\n<\/mark>/.exec(page)?.[1]?.trim() ?? null;
}

test('the line that is marked is the one that a finding points to, whatever its words say', () => {
  expect(marked({ exchange: '7', pointer: '/data/a~1b/1/id' })).toBe('&quot;id&quot;: &quot;y&quot;,');
  expect(marked({ exchange: '7', pointer: '/data/a~1b/1/in/z' })).toBe('&quot;z&quot;: 100');
  expect(marked({ exchange: '7', pointer: '/data/missing' }), 'of what is missing, what lacks it').toBe(
    '&quot;data&quot;: {',
  );
  expect(marked({ exchange: '7', pointer: '' })).toBe('{');
  expect(marked({ exchange: '7', header: 'content-type' })).toBe('content-type: text/plain');
  expect(marked({ exchange: '7' })).toBe('HTTP 201');
  expect(marked({ exchange: '7', header: 'etag' }), 'a header that is not there').toBeNull();
  expect(marked(undefined)).toBeNull();
});

test('lanes show the ids that a finding points to, and the key that was shown two', () => {
  const race = ['lead_1', 'lead_2'].map((id, at) => ({
    ...sampleExchange(
      at + 1,
      { headers: [['idempotency-key', 'k']] },
      { body: Buffer.from(`{"data":{"ref":"${id}"}}`) },
    ),
    sentAtMs: at,
    receivedAtMs: 10 + at,
  }));
  const finding = { expected: '', actual: '', exchanges: ['1', '2'], part: { exchange: '2', pointer: '/data/ref' } };
  const lanes = lanesMarkup(finding, race)?.source ?? '';
  expect(lanes.match(/<span>key.*?<\/span>/g)).toEqual([
    '<span>key A, 200, record A</span>',
    '<span>key A, 200, record B</span>',
  ]);
  expect(lanes.match(/class="odd"/g)).toHaveLength(1);
  expect(lanesMarkup(finding, race.slice(1)), 'one alone is no race').toBeNull();
});

test('a page names the build of the service, and beside a failure how the suite was proved', () => {
  const report = sampleReport(sampleResults({ 'UNIT-03': 'fail', 'UNIT-04': 'pass' }));
  const target = { ...report.target, version: '2.1 <b>' };
  const proof = { 'UNIT-03': [15, 16, 106], 'UNIT-04': [1, 1, 1] } as const;
  const page = renderHtml({ ...report, target }, () => undefined, null, proof);
  expect(page).toContain('service 2.1 &lt;b&gt; by its document');
  expect(page.match(/This check finds[^<]*/g)).toEqual([
    'This check finds 15 of 16 known faults, and passes 106 conforming services',
  ]);
});
