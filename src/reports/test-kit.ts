import { chromium, test, type Browser, type Page } from '@playwright/test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeJson, decodeText } from '../http/decode-body.js';
import type { Exchange, RecordedRequest, RecordedResponse } from '../http/exchange.js';
import type { Finding, Observation, Report, RequirementResult, Verdict } from '../requirement/types.js';
import { countsOf, outcomeOf } from '../requirement/outcome.js';

/** What a hostile target may put anywhere: markup, CDATA and comment ends, terminal escapes, NUL, direction overrides, half characters. */
export const hostile = [
  '<script>document.title="pwned"</script>',
  '"><img src=x onerror="document.title=\'pwned\'">',
  "' onfocus=alert(1) autofocus x='",
  '</title></style></script><script>document.title="pwned"</script>',
  '<!-- --> ]]> <![CDATA[ &amp; &#0; &bogus;',
  '\x1b[2J\x1b]0;pwned\x07\x9b31m\r\b',
  'nul\x00nul \ufffe \uffff',
  'abc\u202Etxt.exe\u202C \u2066x\u2069',
  'lone \ud800 and \udc00 halves',
  'zero\u200bwidth\ufeff \u{e0041} \u2028 \u2029',
  '${alert(1)} {{7*7}} `x` $(id)',
  '::error::pwned%0A\n::set-env name=X::y\n##[command]x ##vso[task.setvariable]y',
].join(' | ');

/** An exchange with what is not said filled in. */
export function sampleExchange(
  seq: number,
  request: Partial<RecordedRequest> = {},
  response: Partial<Omit<RecordedResponse, 'text' | 'json'>> | null = {},
): Exchange {
  const body = response?.body ?? Buffer.from('{"ok":true,"data":{"items":[],"nextCursor":null}}');
  const text = decodeText(body);
  const url = request.url ?? 'https://api.example.test/api/v1/units?limit=5';
  const { pathname, search } = new URL(url);
  return {
    seq,
    asker: 'UNIT-03',
    surface: 'production',
    request: {
      method: 'GET',
      url,
      path: pathname + search,
      headers: [
        ['user-agent', 'dealership-conformance/0.1.0'],
        ['accept', 'application/json'],
        ['x-tenant', 'north'],
        ['authorization', 'Bearer [redacted:API_KEY]'],
      ],
      body: null,
      credential: 'API_KEY',
      ...request,
    },
    response:
      response === null
        ? null
        : {
            status: response.status ?? 200,
            headers: response.headers ?? [
              ['content-type', 'application/json'],
              ['ratelimit-limit', '600'],
              ['ratelimit-remaining', String(600 - seq)],
              ['ratelimit-reset', '41'],
            ],
            body,
            text,
            json: decodeJson(text),
          },
    failure:
      response === null ? { kind: 'reset', message: 'the connection was closed in the middle of the body' } : null,
    sentAtMs: 1000.125 + seq * 7.3,
    receivedAtMs: 1003.25 + seq * 7.3,
    throttled: 0,
  };
}

/** A result with what is not said filled in. */
export function sampleResult(id: string, verdict: Verdict, more: Partial<RequirementResult> = {}): RequirementResult {
  const finding: Finding = {
    expected: 'only units whose status is available',
    actual: 'unit u-7 has the status sold',
    exchanges: [],
  };
  return {
    id,
    section: id.replace(/-\d+$/, ''),
    level: 'MUST',
    title: 'A list filtered by status shows units of that status only',
    source: '§4.1',
    verdict,
    reason:
      verdict === 'pass'
        ? 'no breach in any exchange that was judged'
        : 'expected only available units; seen: unit u-7 has the status sold',
    findings: verdict === 'fail' || verdict === 'warn' ? [finding] : [],
    requests: 14,
    ...more,
  };
}

/** Results with these verdicts. */
export function sampleResults(verdicts: Readonly<Record<string, Verdict>>): RequirementResult[] {
  return Object.entries(verdicts).map(([id, verdict]) => sampleResult(id, verdict));
}

const core = ['DOC-01', 'ENV-01', 'UNIT-01', 'LEAD-01', 'IDEM-01', 'DEAL-01', 'PLAN-01', 'AUTH-01', 'VER-01'];
/** What the level Core needs at least: a pass in each of its sections. */
export const corePasses: readonly RequirementResult[] = core.map((id) => sampleResult(id, 'pass'));

/** A report whose outcome and counts follow from its results. */
export function sampleReport(
  requirements: readonly RequirementResult[],
  observations: readonly Observation[] = [],
): Report {
  return {
    format: 'dealership-conformance/1',
    suite: { version: '0.1.0', catalogue: `sha256:${'ab'.repeat(32)}` },
    target: { baseUrl: 'https://api.example.test', embedded: false, document: `sha256:${'cd'.repeat(32)}` },
    started: '2026-03-04T05:06:07.000Z',
    seconds: 12.34,
    seed: 42,
    requests: 812,
    outcome: outcomeOf(requirements),
    counts: countsOf(requirements),
    requirements,
    observations,
  };
}

/** A real Chromium; says how to get one where there is none. CHROMIUM_PATH names another than `/usr/bin/chromium`. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `no Chromium at ${executablePath}: install it (apt-get install chromium) or name one by CHROMIUM_PATH`,
    );
  }
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...quiet] });
}

/** A page, all that it said or asked for beyond its own file, and how long it took to draw. */
interface OpenedPage {
  readonly page: Page;
  readonly noise: readonly string[];
  readonly tookMs: number;
}

/** Opens pages in one Chromium for all tests of a file; `drawn` is the selector that stands when a page is complete. */
export function chromiumPages(drawn = 'html'): {
  open(source: string, colorScheme?: 'light' | 'dark'): Promise<OpenedPage>;
} {
  let browser: Browser;
  let folder: string;
  test.beforeAll(async () => {
    browser = await openChromium();
    folder = mkdtempSync(join(tmpdir(), 'page-'));
  });
  test.afterAll(async () => {
    await browser.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });
  return {
    async open(source, colorScheme = 'light') {
      const file = join(folder, 'page.html');
      writeFileSync(file, source);
      const context = await browser.newContext({ colorScheme, offline: true });
      const page = await context.newPage();
      const noise: string[] = [];
      page.on('console', (message) => noise.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
      page.on('dialog', (dialog) => noise.push(`dialog: ${dialog.message()}`));
      page.on('request', (request) => {
        if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:'))
          noise.push(`request: ${request.url()}`);
      });
      const began = performance.now();
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector(drawn, { state: 'attached' });
      return { page, noise, tookMs: performance.now() - began };
    },
  };
}
