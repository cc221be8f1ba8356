import {
  absence,
  compatible,
  defineRequirement,
  describe,
  generateClient,
  judgeDoubledAddresses,
  lintDocument,
  toSet,
  noDocument,
  references,
  safeAttempt,
  schemaObjects,
  settled,
  type Attempt,
  type Check,
  type Operation,
} from '../src/suite.js';

/** The served document, or a blocked verdict: DOC-01 says what is wrong with it. */
async function served(check: Check): Promise<Record<string, unknown>> {
  const loaded = await check.contract();
  if (loaded.served === null) return check.blocked(noDocument(loaded.problem));
  return loaded.served;
}

async function lint(check: Check, id: string): Promise<void> {
  const document = await served(check);
  const { exchange } = await check.contract();
  const findings = await check.once('document lint', () => lintDocument(document));
  const notes = findings.filter((finding) => finding.id === id && finding.severity === 'note');
  if (notes.length > 0)
    check.observe(
      'What does the document not declare?',
      notes.map(({ expected, actual }) => `${expected} (${actual})`).join('; '),
    );
  for (const one of findings.filter((finding) => finding.id === id && finding.severity !== 'note'))
    check[one.severity === 'fail' ? 'fail' : 'warn']({
      code: one.code,
      expected: one.expected,
      actual: `${one.pointer ? `${one.pointer}: ` : ''}${one.actual}`,
      field: one.pointer,
      exchanges: exchange ? [exchange] : [],
    });
}

export const DOC_01 = defineRequirement({
  id: 'DOC-01',
  level: 'MUST',
  source: '§1, §4 Specification endpoint',
  title: 'the OpenAPI document is served as a JSON object',
  body: async ({ check }) => {
    const { exchange, served: document, problem } = await check.contract();
    if (exchange === null) return check.blocked(problem ?? 'the document was not asked for');
    if (exchange.response === null) return check.blocked(`${describe(exchange)}: ${exchange.failure?.message ?? ''}`);
    if (document === null)
      check.fail({
        code: 'no-document',
        expected: '200 with a JSON object',
        actual: `${describe(exchange)}: ${problem ?? ''}`,
        exchanges: [exchange],
      });
    else if (exchange.response.status !== 200)
      check.fail({ code: 'not-200', expected: '200', actual: describe(exchange), exchanges: [exchange] });
    else if (!exchange.request.url.endsWith('/api/openapi.json'))
      check.warn({
        code: 'redirected',
        expected: 'the document at {base_url}/api/openapi.json itself',
        actual: `a redirect to ${exchange.request.path}`,
        exchanges: [exchange],
      });
    if (exchange.response.body.subarray(0, 3).equals(Buffer.from('\ufeff')))
      check.warn({
        code: 'byte-order-mark',
        expected: 'JSON without a byte order mark (RFC 8259 §8.1)',
        actual: 'a byte order mark before the document',
        exchanges: [exchange],
      });
    check.observe('Is a key needed to read the OpenAPI document?', exchange.request.credential === null ? 'no' : 'yes');
  },
});

export const DOC_02 = defineRequirement({
  id: 'DOC-02',
  level: 'MUST',
  source: '§1, §9, OpenAPI 3.1',
  title: 'the document is valid OpenAPI 3.1',
  long: true,
  needs: ['document'],
  body: ({ check }) => lint(check, 'DOC-02'),
});

export const DOC_03 = defineRequirement({
  id: 'DOC-03',
  level: 'MUST',
  source: 'OpenAPI 3.1 §4.8.23',
  title: 'every reference resolves, inside the document or to a file of its origin',
  needs: ['document'],
  optional: 'the document holds no reference',
  body: async ({ check }) => {
    await lint(check, 'DOC-03');
    if (references(await served(check)).length === 0) return check.notApplicable('the document holds no $ref');
  },
});

export const DOC_04 = defineRequirement({
  id: 'DOC-04',
  level: 'MUST',
  source: '§4 Live endpoints',
  title: 'the document describes the live operations',
  needs: ['document'],
  body: async ({ check }) => {
    await lint(check, 'DOC-04');
    await judgeDoubledAddresses(check, await served(check));
  },
});

export const DOC_05 = defineRequirement({
  id: 'DOC-05',
  level: 'MUST',
  source: 'OpenAPI 3.1 §4.8.24, JSON Schema 2020-12',
  title: 'every schema compiles as JSON Schema 2020-12',
  needs: ['document'],
  optional: 'the document holds no schema',
  body: async ({ check }) => {
    await lint(check, 'DOC-05');
    if (schemaObjects(await served(check)).length === 0) return check.notApplicable('the document holds no schema');
  },
});

export const DOC_06 = defineRequirement({
  id: 'DOC-06',
  level: 'MUST',
  source: '§4 Specification endpoint, §9',
  title: 'a typed client can be generated from the document',
  long: true,
  needs: ['document', 'client generator'],
  body: async ({ check }) => {
    const document = await served(check);
    const result = await check.once('typed client', () => generateClient(document));
    if (result.ok) return;
    if (!result.judged) return check.blocked(result.problem);
    check.fail({
      code: 'no-client',
      expected: 'openapi-typescript to generate a client that type-checks',
      actual: result.problem,
    });
  },
});

export const DOC_07 = defineRequirement({
  id: 'DOC-07',
  level: 'SHOULD',
  source: '§1, §4 Planned endpoints',
  title: 'planned paths are not declared as live',
  needs: ['document'],
  body: ({ check }) => lint(check, 'DOC-07'),
});

export const DOC_08 = defineRequirement({
  id: 'DOC-08',
  level: 'SHOULD',
  source: '§4 to §8',
  title: 'the document declares security, idempotency keys, limits, envelopes and webhooks',
  needs: ['document'],
  body: ({ check }) => lint(check, 'DOC-08'),
});

export const DOC_09 = defineRequirement({
  id: 'DOC-09',
  level: 'DECLARED',
  source: 'the OpenAPI document, paths',
  title: 'every declared operation answers on its own route',
  needs: ['API_KEY', 'document'],
  body: async ({ check }) => {
    const { contract } = await check.contract();
    const attempts = new Map<Operation, Attempt | null>();
    const attempt = (operations: readonly Operation[], again: boolean): Promise<void> =>
      check.each(operations, async (one) => void attempts.set(one, await safeAttempt(check, one, again)));
    const missing = (): Operation[] =>
      contract.operations.filter((one) => {
        const made = attempts.get(one);
        return made?.exists === true && made.exchange.response?.status === 404;
      });
    await attempt(contract.operations, false);
    // A unit listed at the start may have been sold since, and a new one may appear a little later.
    if (missing().length > 0)
      await settled(
        check,
        () => attempt(missing(), true),
        () => missing().length === 0,
      );
    let answered = 0;
    for (const operation of contract.operations) {
      const made = attempts.get(operation) ?? null;
      if (made !== null && made.exchange.response !== null) answered += 1;
      const reason = made === null ? null : absence(made);
      if (made !== null && reason !== null)
        check.fail({
          code: 'not-served',
          expected: `${operation.method} ${operation.fullTemplate}, which the document declares, to be served`,
          actual: reason,
          exchanges: [made.exchange],
        });
    }
    if (answered === 0)
      return check.notApplicable(
        'the document declares no operation that could be tried without an effect (see DOC-04)',
      );
  },
});

export const DOC_10 = defineRequirement({
  id: 'DOC-10',
  level: 'MUST',
  source: '§9',
  title: 'the served document keeps every promise of the pinned one',
  needs: ['CONTRACT'],
  optional: 'no contract is pinned',
  body: async ({ check }) => {
    const { pinned, contract } = await check.contract();
    if (pinned === null || contract.operations.length === 0)
      return check.blocked('the pinned contract declares no operation', toSet('CONTRACT'), ' to one that does');
    const document = await served(check);
    const { exchange } = await check.contract();
    for (const one of compatible(pinned, document)) {
      check.fail({
        code: one.code,
        expected: one.expected,
        actual: `${one.pointer}: ${one.actual}`,
        field: `${one.pointer} ${one.member ?? ''}`.trim(),
        exchanges: exchange ? [exchange] : [],
      });
    }
  },
});
