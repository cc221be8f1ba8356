import { liveExchanges } from '../src/api/live-exchanges.js';
import { paths } from '../src/api/paths.js';
import { judgeContract } from '../src/api/judge-contract.js';
import { judgeEnvelope } from '../src/contract/judge-envelope.js';
import { isSuccess } from '../src/api/envelope.js';
import type { Exchange } from '../src/http/exchange.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

async function judge(check: Check, id: 'ENV-01' | 'ENV-02' | 'ENV-03' | 'ENV-07'): Promise<void> {
  const live = await liveExchanges(check);
  for (const exchange of live) {
    for (const fault of judgeEnvelope(exchange)) {
      if (fault.id !== id) continue;
      const words = {
        expected: fault.expected,
        actual: `${describe(exchange)}: ${fault.actual}`,
        exchanges: [exchange],
      };
      if (fault.severity === 'breach') check.breach(words);
      else if (check.breaches.length < 10) check.caution(words);
    }
    if (check.breaches.length >= 20) return;
  }
  if (check.breaches.some((one) => !one.soft)) return;
  if (id === 'ENV-02' && !live.some(isSuccess))
    return check.blocked('no production operation succeeded: is API_KEY a full-access key of this service?');
  if (id === 'ENV-03' && live.every(isSuccess)) return check.blocked('no production request was refused');
}

test(
  'every production answer is a JSON object with a boolean ok, sent as JSON',
  requirement('ENV-01', 'MUST', '§1, §2 Envelope'),
  async ({ check }) => {
    await judge(check, 'ENV-01');
  },
);

test('ok: true comes with an object data', requirement('ENV-02', 'MUST', '§1, §2 Envelope'), async ({ check }) => {
  await judge(check, 'ENV-02');
});

test(
  'a failure is ok: false with an object error, and an answer that is not 2xx is a failure',
  requirement('ENV-03', 'MUST', '§2 Envelope, §7'),
  async ({ check }) => {
    await judge(check, 'ENV-03');
  },
);

test(
  'every body meets the schema declared for its operation and status',
  requirement('ENV-04', 'DECLARED', 'the OpenAPI document, responses.content'),
  async ({ check }) => {
    await judgeContract(check, 'ENV-04');
  },
);

test(
  'every status is one that the operation declares',
  requirement('ENV-05', 'DECLARED', 'the OpenAPI document, responses'),
  async ({ check }) => {
    await judgeContract(check, 'ENV-05');
  },
);

/** A tenant that nobody has heard of, twice where the service fails over it: once may have been load. */
async function judgeUnknownTenant(check: Check): Promise<void> {
  const tenant = `no-such-${check.fresh('tenant').slice(0, 8)}`;
  const ask = (): Promise<Exchange> => check.send({ path: paths.units, as: 'API_KEY', tenant, surface: 'other' });
  const fails = (exchange: Exchange): boolean => (exchange.response?.status ?? 0) >= 500;
  const first = await ask();
  if (!fails(first)) return;
  const again = await ask();
  if (!fails(again)) return;
  check.breach({
    expected: 'an answer below 500 where X-Tenant names no tenant',
    actual: describe(again),
    exchanges: [first, again],
  });
}

test('no input makes the service answer 5xx', requirement('ENV-06', 'MUST', 'RFC 9110 §15.6'), async ({ check }) => {
  const { contract } = await check.contract();
  const live = await liveExchanges(check);
  const lost = (await check.run.exchanges()).filter((one) => one.failure?.kind === 'reset').length;
  if (lost > 0)
    check.observe('How many answers were lost in the network?', `${lost}; what changes nothing was asked again`);
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
      check.caution(words);
    else check.breach(words);
    if (check.breaches.length >= 20) return;
  }
  await judgeUnknownTenant(check);
});

test(
  'an answer never holds both data and error, and an error tells nothing about the inside',
  requirement('ENV-07', 'SHOULD', '§2 Envelope, OWASP API8:2023'),
  async ({ check }) => {
    await judge(check, 'ENV-07');
  },
);

test(
  'declared response headers are there and meet their schemas',
  requirement('ENV-08', 'DECLARED', 'the OpenAPI document, responses.headers'),
  async ({ check }) => {
    await judgeContract(check, 'ENV-08');
  },
);
