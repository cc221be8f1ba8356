import {
  addressForms,
  ambiguityIn,
  type Answer,
  answers,
  type Check,
  type Contract,
  declared,
  defineRequirement,
  type Exchange,
  invariant,
  isSuccess,
  type Match,
  paths,
  plainLead,
  postLead,
  type RequestOptions,
  type Selector,
} from '../src/suite.js';

/** Requests with answers of every kind, sent once, so that answers can be judged even where this section alone is asked for. */
function exercise(check: Check): Promise<boolean> {
  return check.once('envelope exercise', async () => {
    const { contract, present } = await check.contract();
    const isDeclared = (method: string, path: string): boolean => contract.operation(method, path) !== null;
    const [first, second] = [check.fresh('unknown'), check.fresh('unknown record')];
    const [unit, records] = [paths.unit(first), [`${paths.leads}/${second}`, paths.deal(second)]];
    const deals = !present || isDeclared('GET', paths.deals) ? [paths.deals] : [];
    const leads = isDeclared('GET', paths.leads) ? [paths.leads] : [];
    for (const path of [paths.units, unit, ...deals, ...leads]) await check.send({ path });
    for (const path of [paths.units, paths.leads, ...deals]) await check.send({ path, as: null });
    for (const [path, name, value] of [
      [paths.units, 'limit', 'many'],
      ...deals.flatMap((path) => ['1', '50', '0', 'many'].map((limit) => [path, 'limit', limit] as const)),
      ...[paths.deals, paths.leads].map((path) => [path, contract.cursorParameter('GET', path), 'garbage'] as const),
    ] as const)
      if (name !== null) await check.send({ path, query: [[name, value]] });
    for (const path of records) if (isDeclared('GET', path)) await check.send({ path });
    if (check.target.readOnly) return true;
    // Methods that a live path does not have, with a body that nothing can be made of.
    const [headers, body] = [[['content-type', 'application/json']] as const, Buffer.from('{"conformance":')];
    for (const form of addressForms(check.target))
      for (const [path, method] of [
        [paths.deals, 'PATCH'],
        [paths.leads, 'PUT'],
        [paths.units, 'PUT'],
        [unit, 'POST'],
      ] as const)
        if (!isDeclared(method, path)) await check.send({ method, path, headers, body, form });
    for (const lead of [await plainLead(check), {}]) await postLead(check, lead);
    for (const path of records) {
      if (isDeclared('PATCH', path)) await check.send({ method: 'PATCH', path, json: {} });
      if (isDeclared('DELETE', path)) await check.send({ method: 'DELETE', path });
    }
    return true;
  });
}

/** Sees to it that something was answered; returns the answers of production. */
async function ask({ check }: { readonly check: Check }): Promise<readonly Exchange[]> {
  await exercise(check);
  const found = await answers('production')(check);
  if (found.length === 0) check.blocked('no production operation answered at all');
  return found.map(({ exchange }) => exchange);
}

function isUnambiguous({ response }: Answer): Match {
  const ambiguity = response.json === undefined || response.text === null ? null : ambiguityIn(response.text);
  const expected = 'JSON that every reader takes alike';
  return { pass: ambiguity === null, code: 'ambiguous-json', expected, actual: ambiguity ?? '', soft: true };
}

/** What requirements of every answer have in common, and those of what the document declares. */
const all = { needs: ['API_KEY'], body: ask } as const;
const asDeclared = { ...all, level: 'DECLARED', needs: ['API_KEY', 'document'] } as const;

export const ENV_01 = defineRequirement({
  ...all,
  id: 'ENV-01',
  level: 'MUST',
  source: '§1, §2 Envelope',
  title: 'every production answer is a JSON object with a boolean ok, sent as JSON',
  invariants: [
    declared.keepsEnvelope(
      'ENV-01',
      'every answer is a JSON object in UTF-8 with a boolean ok, under a JSON content type',
    ),
    invariant('no answer can be read in two ways', answers('production'), isUnambiguous),
  ],
});

export const ENV_02 = defineRequirement({
  id: 'ENV-02',
  level: 'MUST',
  source: '§1, §2 Envelope',
  title: 'ok: true comes with an object data',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    if (!(await ask({ check })).some(isSuccess))
      check.blocked('no production operation succeeded: is API_KEY a full-access key of this service?');
  },
  invariants: [declared.keepsEnvelope('ENV-02', 'every 2xx is {ok: true, data: {…}}')],
});

export const ENV_03 = defineRequirement({
  id: 'ENV-03',
  level: 'MUST',
  source: '§2 Envelope, §7',
  title: 'a failure is ok: false with an object error, and an answer that is not 2xx is a failure',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    if ((await ask({ check })).every(isSuccess)) check.blocked('no production request was refused');
  },
  invariants: [declared.keepsEnvelope('ENV-03', 'every other answer is {ok: false, error: {…}}')],
});

export const ENV_04 = defineRequirement({
  ...asDeclared,
  id: 'ENV-04',
  source: 'the OpenAPI document, responses.content',
  title: 'every body meets the schema declared for its operation and status',
  optional: 'the document declares no schema for an answer',
  invariants: [declared.hasBody('every body meets the schema and the content type that are declared for it')],
});

export const ENV_05 = defineRequirement({
  ...asDeclared,
  id: 'ENV-05',
  source: 'the OpenAPI document, responses',
  title: 'every status is one that the operation declares',
  optional: 'the document declares no status',
  invariants: [declared.hasStatus('every status is declared')],
});

/** A tenant that nobody has heard of, OPTIONS, and ids that no percent-decoding takes: not an escape, one of no digits, and half a character. */
const oddRequests = (check: Check): readonly RequestOptions[] => [
  { path: paths.units, tenant: `no-such-${check.fresh('tenant').slice(0, 8)}` },
  ...[paths.units, paths.leads].map((path) => ({ path, method: 'OPTIONS' })),
  ...['%', '%zz', '%E0%A4%A'].map((id) => ({ path: `${paths.units}/${id}` })),
];

/** Answers of production and of the demo, and those to odd requests, which may come from a server before the application. */
const allAnswers: Selector<Answer> = async (check) =>
  (await answers('production', 'demo', 'other')(check)).filter(
    ({ exchange: { surface, asker } }) => surface !== 'other' || asker === check.entry.id,
  );

/**
 * An answer that admits no error of the service. 501 says that a method is not there: where the document does not declare it either, nothing
 * failed. 503 of the demo may be its way to say that it is busy.
 */
function admitsNoError({ exchange, response: { status } }: Answer, contract: Contract): Match {
  const { surface, request } = exchange;
  return {
    pass: status < 500 || (surface === 'demo' && status === 503) || (surface !== 'production' && status === 501),
    code: 'server-error',
    expected: 'an answer below 500',
    actual: String(status),
    part: 'status',
    soft: status === 501 && contract.operation(request.method, request.path) === null,
  };
}

export const ENV_06 = defineRequirement({
  id: 'ENV-06',
  level: 'MUST',
  source: 'RFC 9110 §15.6',
  title: 'no input makes the service answer 5xx',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await ask({ check });
    for (const options of oddRequests(check)) await check.send({ ...options, as: 'API_KEY', surface: 'other' });
    const lost = (await check.run.exchanges()).filter((one) => one.failure?.kind === 'reset').length;
    if (lost > 0) check.observe('How many answers were lost in the network?', `${lost}; safe requests were sent again`);
  },
  // The demo has no envelope to be judged, and fails like any other service.
  invariants: [invariant('every status is below 500, whatever is asked for', allAnswers, admitsNoError)],
});

export const ENV_07 = defineRequirement({
  ...all,
  id: 'ENV-07',
  level: 'SHOULD',
  source: '§2 Envelope, OWASP API8:2023',
  title: 'an answer never holds both data and error, and an error tells nothing about the inside',
  invariants: [
    declared.keepsEnvelope('ENV-07', 'no answer holds both data and error, an inside of the service, or a secret'),
  ],
});

export const ENV_08 = defineRequirement({
  ...asDeclared,
  id: 'ENV-08',
  source: 'the OpenAPI document, responses.headers',
  title: 'declared response headers are there and meet their schemas',
  optional: 'the document declares no response header',
  invariants: [
    declared.hasHeaders('every answer has the headers that are declared as required, all as they are declared'),
    declared.isEverSent('some success has each header that is declared for successes'),
  ],
});
