import {
  ambiguityIn,
  defineRequirement,
  describe,
  isSuccess,
  judgeContract,
  judgeEnvelope,
  liveExchanges,
  paths,
  type Check,
  type Exchange,
} from '../src/suite.js';

async function judge(check: Check, id: 'ENV-01' | 'ENV-02' | 'ENV-03' | 'ENV-07'): Promise<void> {
  const live = await liveExchanges(check);
  for (const exchange of live) {
    const text = exchange.response?.json === undefined ? null : exchange.response.text;
    const ambiguity = id === 'ENV-01' && text !== null ? ambiguityIn(text) : null;
    if (ambiguity !== null)
      check.warn({ expected: 'JSON that every reader takes alike', actual: ambiguity, exchanges: [exchange] });
    for (const fault of judgeEnvelope(exchange)) {
      if (fault.id !== id) continue;
      const words = {
        expected: fault.expected,
        actual: `${describe(exchange)}: ${fault.actual}`,
        exchanges: [exchange],
      };
      check[fault.severity](words);
    }
  }
  if (id === 'ENV-02' && !live.some(isSuccess))
    return check.blocked('no production operation succeeded: is API_KEY a full-access key of this service?');
  if (id === 'ENV-03' && live.every(isSuccess)) return check.blocked('no production request was refused');
}

export const ENV_01 = defineRequirement({
  id: 'ENV-01',
  level: 'MUST',
  source: '§1, §2 Envelope',
  title: 'every production answer is a JSON object with a boolean ok, sent as JSON',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await judge(check, 'ENV-01');
  },
});

export const ENV_02 = defineRequirement({
  id: 'ENV-02',
  level: 'MUST',
  source: '§1, §2 Envelope',
  title: 'ok: true comes with an object data',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await judge(check, 'ENV-02');
  },
});

export const ENV_03 = defineRequirement({
  id: 'ENV-03',
  level: 'MUST',
  source: '§2 Envelope, §7',
  title: 'a failure is ok: false with an object error, and an answer that is not 2xx is a failure',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await judge(check, 'ENV-03');
  },
});

export const ENV_04 = defineRequirement({
  id: 'ENV-04',
  level: 'DECLARED',
  source: 'the OpenAPI document, responses.content',
  title: 'every body meets the schema declared for its operation and status',
  needs: ['API_KEY', 'document'],
  optional: 'the document declares no schema for an answer',
  body: async ({ check }) => {
    await judgeContract(check, 'ENV-04');
  },
});

export const ENV_05 = defineRequirement({
  id: 'ENV-05',
  level: 'DECLARED',
  source: 'the OpenAPI document, responses',
  title: 'every status is one that the operation declares',
  needs: ['API_KEY', 'document'],
  optional: 'the document declares no status',
  body: async ({ check }) => {
    await judgeContract(check, 'ENV-05');
  },
});

/** What no percent-decoding takes: not an escape, an escape of no digits, and half a character. */
const brokenEscapes = ['%', '%zz', '%E0%A4%A'];

/** A tenant that nobody has heard of, OPTIONS, and ids that cannot be decoded, twice where the service fails over it: once may have been load. */
async function judgeOtherRequests(check: Check): Promise<void> {
  const tenant = `no-such-${check.fresh('tenant').slice(0, 8)}`;
  const isFailure = ({ response }: Exchange): boolean => (response?.status ?? 0) >= 500 && response?.status !== 501;
  for (const [what, options] of [
    ['where X-Tenant names no tenant', { path: paths.units, tenant }],
    ...[paths.units, paths.leads].map((path) => [`to OPTIONS of ${path}`, { path, method: 'OPTIONS' }] as const),
    ...brokenEscapes.map((id) => [`to the id ${id}`, { path: `${paths.units}/${id}` }] as const),
  ] as const) {
    const ask = (): Promise<Exchange> => check.send({ ...options, as: 'API_KEY', surface: 'other' });
    const first = await ask();
    if (!isFailure(first)) continue;
    const again = await ask();
    if (!isFailure(again)) continue;
    check.fail({ expected: `an answer below 500 ${what}`, actual: describe(again), exchanges: [first, again] });
  }
}

export const ENV_06 = defineRequirement({
  id: 'ENV-06',
  level: 'MUST',
  source: 'RFC 9110 §15.6',
  title: 'no input makes the service answer 5xx',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { contract } = await check.contract();
    const live = await liveExchanges(check);
    const lost = (await check.run.exchanges()).filter((one) => one.failure?.kind === 'reset').length;
    if (lost > 0) check.observe('How many answers were lost in the network?', `${lost}; safe requests were sent again`);
    // The demo has no envelope to be judged, and fails like any other service; 503 may be its way to say that it is busy.
    const demo = (await check.run.exchanges()).filter(
      (one) => one.surface === 'demo' && one.response?.status !== 501 && one.response?.status !== 503,
    );
    for (const exchange of [...live, ...demo]) {
      const status = exchange.response?.status ?? 0;
      if (status < 500) continue;
      const words = { expected: 'an answer below 500', actual: describe(exchange), exchanges: [exchange] };
      // 501 says that a method is not there; where the document does not declare it either, nothing failed.
      if (status === 501 && contract.operation(exchange.request.method, exchange.request.path) === null)
        check.warn(words);
      else check.fail(words);
    }
    await judgeOtherRequests(check);
  },
});

export const ENV_07 = defineRequirement({
  id: 'ENV-07',
  level: 'SHOULD',
  source: '§2 Envelope, OWASP API8:2023',
  title: 'an answer never holds both data and error, and an error tells nothing about the inside',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await judge(check, 'ENV-07');
  },
});

export const ENV_08 = defineRequirement({
  id: 'ENV-08',
  level: 'DECLARED',
  source: 'the OpenAPI document, responses.headers',
  title: 'declared response headers are there and meet their schemas',
  needs: ['API_KEY', 'document'],
  optional: 'the document declares no response header',
  body: async ({ check }) => {
    await judgeContract(check, 'ENV-08');
  },
});
