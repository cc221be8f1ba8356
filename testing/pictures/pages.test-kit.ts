import { createHash } from 'node:crypto';
import { compareReports } from '../../src/certification/compare/compare.js';
import { renderComparison } from '../../src/certification/compare/compare-page.js';
import { curlThatShows } from '../../src/http/curl.js';
import type { Exchange } from '../../src/http/exchange.js';
import type { Certificate, Registry } from '../../src/registry/site/certificates.js';
import { renderIndex, renderProduct } from '../../src/registry/site/pages.js';
import { renderHtml } from '../../src/reports/html/html-page.js';
import { openChromium, sampleExchange, sampleReport } from '../../src/reports/test-kit.js';
import type { Finding, Report, RequirementResult } from '../../src/requirement/types.js';
import { toSet } from '../../src/settings/remedy.js';
import { suitePack } from '../../src/suite-pack.js';
import { renderLimitPage } from '../../src/traffic/pages/limit-page.js';
import { traceRecords, verdictOf } from '../../src/traffic/pages/verdict.test-kit.js';

export { openChromium };

const hex = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const unit = (id: string, status: string): object => ({ id, make: 'Volvo', model: 'XC60', year: 2021, status });
const listed = sampleExchange(
  24,
  { url: 'https://api.example.test/api/v1/units?status=available' },
  {
    body: Buffer.from(
      JSON.stringify({
        ok: true,
        data: { items: [unit('unit_rn421kbc', 'available'), unit('unit_8sjx02mq', 'in-transit')], nextCursor: null },
      }),
    ),
  },
);
const leads = ['first', 'second'].map((name) => `lead_${hex(name)}`);
const name = 'Conformance Test Klparstpkiogg';
/** Two creates with one key, under way together. */
const race = leads.map((id, at): Exchange => {
  const body = Buffer.from(JSON.stringify({ name, phone: '+16105550143', vehicleId: 'unit_rn421kbc' }));
  const headers = [
    ['content-type', 'application/json'],
    ['idempotency-key', '1b0f7d3c-5a54-4d0e-9a3d-3c1c7f1f5a10'],
  ] as const;
  const request = { method: 'POST', url: 'https://api.example.test/api/v1/leads', headers, body } as const;
  const answer = { status: 201, body: Buffer.from(JSON.stringify({ ok: true, data: { id, name } })) };
  return { ...sampleExchange(31 + at, request, answer), sentAtMs: 100 + at, receivedAtMs: 140 + at * 9 };
});

const found = (
  code: string,
  expected: string,
  actual: string,
  exchanges: readonly Exchange[],
  pointer: string,
): Finding => ({
  code,
  expected,
  actual,
  curl: curlThatShows(exchanges) ?? '',
  replay: `npx dealership-conformance rerun reports --only ${code === 'other-status' ? 'UNIT-03' : 'IDEM-03'}`,
  exchanges: exchanges.map(({ seq }) => String(seq)),
  part: { exchange: String(exchanges.at(-1)?.seq), pointer },
});
const breaches: Readonly<Record<string, Finding>> = {
  'UNIT-03': found(
    'other-status',
    'only units whose status is available',
    'GET /api/v1/units?status=available → 200: item 1: "unit_8sjx02mq" has status "in-transit"',
    [listed],
    '/data/items/1/status',
  ),
  'IDEM-03': found(
    'second-lead',
    'one key of one tenant to make at most one lead, which every success shows',
    `one key made lead ${leads[0]} (lead 1), and then lead 1 was answered with lead ${leads[1]} with the data of lead 1`,
    race,
    '/data/id',
  ),
};

/** A run by all requirements of the suite as they are, some of them broken. */
function runOf(broken: Readonly<Record<string, Finding>>): Report {
  const results = suitePack.requirements.map(({ id, section, level, source, title, slow }): RequirementResult => {
    const facts = { id, section, level, source, title, requests: 9, findings: [] };
    const finding = broken[id];
    if (finding !== undefined)
      return {
        ...facts,
        verdict: 'fail',
        reason: `expected ${finding.expected}; seen: ${finding.actual}`,
        findings: [finding],
      };
    const remedy = slow ? ({ act: 'run', names: ['certify'] } as const) : toSet('WEBHOOK_LISTEN');
    if (slow || section === 'HOOK')
      return { ...facts, verdict: 'not-applicable', reason: 'it was not asked for', remedy, requests: 0 };
    return { ...facts, verdict: 'pass', reason: 'no breach in any exchange that was judged' };
  });
  return { ...sampleReport(results), sections: suitePack.sections.map(({ id, title }) => ({ id, title })) };
}

const certificate = (version: string, status: Certificate['status'], product = 'DealerHub'): Certificate => {
  const vendor = product === 'DealerHub' ? 'Acme Inc.' : 'Zoë Motors';
  const at = `v1/${product.toLowerCase()}`;
  const urls = { product: 'https://acme.example/', api: ['https://api.example.test'] };
  const levels = ['Core', 'Demo'].map((name) => ({ name, standing: 'granted', why: '' }));
  const clock = { started: '2026-03-04T05:06:07.000Z' };
  const { target, suite } = sampleReport([]);
  return {
    ...{ name: `${at}/${version}`, page: at, vendor: 'acme', signer: `sha256:${hex(vendor)}`, status },
    ...{ since: '2026-11-01', why: status === 'withdrawn' ? 'the key was lost' : null },
    product: { vendor, product, version, type: 'service', urls, contact: 'api@acme.example' },
    manifest: { levels, clock, target, suite, validUntil: '2027-03-04', standing: 'certification', reasons: [] },
    results: runOf(product === 'DealerHub' ? {} : breaches).requirements,
    bundle: { file: 'bundle.tar', sha256: hex(version) + hex(vendor) },
  } as unknown as Certificate;
};
const history = [
  certificate('2.11.0', 'withdrawn'),
  certificate('2.10.0', 'valid'),
  certificate('2.9.1', 'superseded'),
];
const registry = {
  rules: { policy: { name: 'Certified Dealership API' } },
  certificates: [...history, certificate('1.4.0', 'expiring', 'Showroom')],
  keys: new Map([['acme.pub.pem', history[0]?.signer]]),
} as unknown as Registry;

function limitPage(): string {
  const actual = 'the 1,201st accepted request within 12.005 s';
  const verdict = verdictOf(traceRecords(20_000, 1_300), actual);
  return renderLimitPage(
    {
      ...verdict,
      models: verdict.models.map((one) => ({ ...one, admitted: false, reason: actual })),
      headers: [],
    },
    { target: 'https://api.example.test', model: 'auto', hasReport: true },
  );
}

/** The pages of which the documents hold pictures, by name; the same in every run. */
export function picturedPages(): ReadonlyMap<string, string> {
  const failing = runOf(breaches);
  const exchanges = [listed, ...race];
  const sides = [
    { name: 'monday', report: runOf({}) },
    { name: 'tuesday', report: failing },
  ] as const;
  return new Map([
    ['failing', renderHtml(failing, (name) => exchanges.find(({ seq }) => String(seq) === name))],
    ['compare', renderComparison(compareReports(...sides))],
    ['limit', limitPage()],
    ['registry', renderIndex(registry, new Date('2026-11-29T12:00:00Z'))],
    ['registry-product', renderProduct(history, history[1] ?? certificate('1', 'valid'), registry)],
  ]);
}

/** A digest of the words of a page that a reader can see. */
export function wordsDigest(page: string): string {
  return hex(
    page
      .replace(/<(style|script)>.*?<\/\1>|<[^<>]+>/gs, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}
