import {
  allOf,
  compatible,
  defineRequirement,
  describe,
  generateClient,
  hasStatus,
  repeatNoAddress,
  lintDocument,
  matcher,
  toSet,
  noDocument,
  references,
  schemaObjects,
  row,
  serveDeclared,
  type Check,
  type Exchange,
  type Matcher,
} from '../src/suite.js';

/** The served document, or a blocked verdict: DOC-01 says what is wrong with it. */
async function served(check: Check): Promise<Record<string, unknown>> {
  const loaded = await check.contract();
  if (loaded.served === null) return check.blocked(noDocument(loaded.problem));
  return loaded.served;
}

/** Reports what is wrong with a document, each at its place. */
async function report(
  check: Check,
  found: readonly (ReturnType<typeof compatible>[number] & { readonly severity?: string })[],
): Promise<void> {
  const { exchange } = await check.contract();
  for (const { code, expected, actual, pointer, member = '', severity } of found)
    check[severity === 'warn' ? 'warn' : 'fail']({
      code,
      expected,
      actual: `${pointer && `${pointer}: `}${actual}`,
      field: `${pointer} ${member}`.trim(),
      exchanges: exchange ? [exchange] : [],
    });
}

async function lint(check: Check, id: string): Promise<void> {
  const document = await served(check);
  const findings = (await check.once('document lint', () => lintDocument(document))).filter((one) => one.id === id);
  const notes = findings.filter(({ severity }) => severity === 'note');
  const said = notes.map(({ expected, actual }) => `${expected} (${actual})`).join('; ');
  if (said !== '') check.observe('What does the document not declare?', said);
  const breaches = findings.filter((one) => !notes.includes(one));
  await report(check, breaches);
}

const isDocument = (document: unknown, problem: string | null): Matcher<Exchange> =>
  matcher(
    'no-document',
    '200 with a JSON object',
    () => document !== null,
    (exchange) => `${describe(exchange)}: ${problem ?? ''}`,
  );

const isInPlace = matcher<Exchange>(
  'redirected',
  'the document at {base_url}/api/openapi.json itself',
  ({ request }) => request.url.endsWith('/api/openapi.json'),
  ({ request }) => `a redirect to ${request.path}`,
);

const isUnmarked = matcher<Exchange>(
  'byte-order-mark',
  'JSON without a byte order mark (RFC 8259 §8.1)',
  ({ response }) => response?.body.subarray(0, 3).equals(Buffer.from('\ufeff')) === false,
  () => 'a byte order mark before the document',
);

export const DOC_01 = defineRequirement({
  id: 'DOC-01',
  level: 'MUST',
  source: '§1, §4 Specification endpoint',
  title: 'the OpenAPI document is served as a JSON object',
  body: async ({ check }) => {
    const { exchange, served: document, problem } = await check.contract();
    if (exchange === null) return check.blocked(problem ?? 'the document was not asked for');
    if (check.expect(exchange, allOf(isDocument(document, problem), hasStatus(200, 'for the document'))))
      check.recommend(exchange, isInPlace);
    check.recommend(exchange, isUnmarked);
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
    return served(check);
  },
  rows: [row('no server repeats what the paths below it begin with', repeatNoAddress)],
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
  rows: [row('no declared operation is answered as if it were not there', serveDeclared)],
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
    await report(check, compatible(pinned, await served(check)));
  },
});
