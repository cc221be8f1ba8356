import { absence, safeAttempt } from '../src/api/declared-operations.js';
import { compatible } from '../src/contract/compatible.js';
import { generateClient, missingGenerator } from '../src/contract/generate-client.js';
import { lintDocument } from '../src/contract/lint-document.js';
import { references } from '../src/contract/references.js';
import { schemaObjects } from '../src/contract/schema-objects.js';
import { settled } from '../src/api/settled.js';
import { flagOf } from '../src/target/setting-table.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

/** The served document, or a blocked verdict: DOC-01 says what is wrong with it. */
async function served(check: Check): Promise<Record<string, unknown>> {
  const loaded = await check.contract();
  if (loaded.served === null) return check.blocked(`no document could be read (see DOC-01): ${loaded.problem ?? ''}`);
  return loaded.served;
}

async function lint(check: Check, id: string): Promise<void> {
  const document = await served(check);
  const { exchange } = await check.contract();
  const findings = await check.once('document lint', () => lintDocument(document));
  for (const one of findings.filter((finding) => finding.id === id)) {
    const words = {
      expected: one.expected,
      actual: `${one.pointer ? `${one.pointer}: ` : ''}${one.actual}`,
      exchanges: exchange ? [exchange] : [],
    };
    if (one.severity === 'breach') check.breach(words);
    else check.caution(words);
  }
}

test(
  'the OpenAPI document is served as a JSON object',
  requirement('DOC-01', 'MUST', '§1, §4 Specification endpoint'),
  async ({ check }) => {
    const { exchange, served: document, problem } = await check.contract();
    if (exchange === null) return check.blocked(problem ?? 'the document was not asked for');
    if (exchange.response === null) return check.blocked(`${describe(exchange)}: ${exchange.failure?.message ?? ''}`);
    if (document === null)
      check.breach({
        expected: '200 with a JSON object',
        actual: `${describe(exchange)}: ${problem ?? ''}`,
        exchanges: [exchange],
      });
    else if (exchange.response.status !== 200)
      check.breach({ expected: '200', actual: describe(exchange), exchanges: [exchange] });
    else if (!exchange.request.url.endsWith('/api/openapi.json'))
      check.caution({
        expected: 'the document at {base_url}/api/openapi.json itself',
        actual: `a redirect to ${exchange.request.path}`,
        exchanges: [exchange],
      });
    check.observe('Is a key needed to read the OpenAPI document?', exchange.request.credential === null ? 'no' : 'yes');
  },
);

test('the document is valid OpenAPI 3.1', requirement('DOC-02', 'MUST', '§1, §9, OpenAPI 3.1'), async ({ check }) => {
  await lint(check, 'DOC-02');
});

test(
  'every reference resolves, inside the document or to a file of its origin',
  requirement('DOC-03', 'MUST', 'OpenAPI 3.1 §4.8.23'),
  async ({ check }) => {
    await lint(check, 'DOC-03');
    if (references(await served(check)).length === 0) return check.notApplicable('the document holds no $ref');
  },
);

test(
  'the document describes the live operations',
  requirement('DOC-04', 'MUST', '§4 Live endpoints'),
  async ({ check }) => {
    await lint(check, 'DOC-04');
  },
);

test(
  'every schema compiles as JSON Schema 2020-12',
  requirement('DOC-05', 'MUST', 'OpenAPI 3.1 §4.8.24, JSON Schema 2020-12'),
  async ({ check }) => {
    await lint(check, 'DOC-05');
    if (schemaObjects(await served(check)).length === 0) return check.notApplicable('the document holds no schema');
  },
);

test(
  'a typed client can be generated from the document',
  requirement('DOC-06', 'MUST', '§4 Specification endpoint, §9'),
  async ({ check }) => {
    const document = await served(check);
    const missing = missingGenerator();
    if (missing !== null) return check.notApplicable(missing);
    const result = await check.once('typed client', () => generateClient(document));
    if (result.ok) return;
    if (!result.judged) return check.blocked(result.problem);
    check.breach({ expected: 'openapi-typescript to generate a client that type-checks', actual: result.problem });
  },
);

test(
  'planned paths are not declared as live',
  requirement('DOC-07', 'SHOULD', '§1, §4 Planned endpoints'),
  async ({ check }) => {
    await lint(check, 'DOC-07');
  },
);

test(
  'the document declares security, idempotency keys, limits, envelopes and webhooks',
  requirement('DOC-08', 'SHOULD', '§4 to §8'),
  async ({ check }) => {
    await lint(check, 'DOC-08');
  },
);

test(
  'every declared operation answers on its own route',
  requirement('DOC-09', 'DECLARED', 'the OpenAPI document, paths'),
  async ({ check }) => {
    check.need('API_KEY');
    const { contract, present } = await check.contract();
    if (!present) return check.blocked('there is no document (see DOC-01)');
    let answered = 0;
    for (const operation of contract.operations) {
      let attempt = await safeAttempt(check, operation);
      // What stood there when the run began may have been sold by now, and what was just made be shown a little later.
      if (attempt?.exists === true && attempt.exchange.response?.status === 404)
        attempt = await settled(
          () => safeAttempt(check, operation, true),
          (one) => one === null || absence(one) === null,
        );
      if (attempt !== null && attempt.exchange.response !== null) answered += 1;
      const reason = attempt === null ? null : absence(attempt);
      if (attempt !== null && reason !== null)
        check.breach({
          expected: `${operation.method} ${operation.fullTemplate}, which the document declares, to be served`,
          actual: reason,
          exchanges: [attempt.exchange],
        });
    }
    if (answered === 0)
      return check.notApplicable(
        'the document declares no operation that could be tried without an effect (see DOC-04)',
      );
  },
);

test(
  'the served document keeps every promise of the pinned one',
  requirement('DOC-10', 'MUST', '§9'),
  async ({ check }) => {
    const { pinned, contract } = await check.contract();
    if (pinned === null) return check.notApplicable(`no contract is pinned: set CONTRACT (or ${flagOf('CONTRACT')})`);
    if (contract.operations.length === 0)
      return check.blocked('the pinned contract declares no operation: set CONTRACT to one that does');
    const document = await served(check);
    const { exchange } = await check.contract();
    for (const one of compatible(pinned, document)) {
      check.breach({
        expected: one.expected,
        actual: `${one.pointer}: ${one.actual}`,
        exchanges: exchange ? [exchange] : [],
      });
    }
  },
);
