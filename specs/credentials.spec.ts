import {
  access,
  type Answer,
  answers,
  callers,
  type Check,
  defineRequirement,
  describe,
  type Exchange,
  hasStatus,
  header,
  invariant,
  isSuccess,
  keyForms,
  liveOperations,
  type Match,
  type Matcher,
  matcher,
  paths,
  refusedWrites,
  type RequestOptions,
  row,
  whyUnknown,
} from '../src/suite.js';

export const AUTH_01 = defineRequirement({
  id: 'AUTH-01',
  level: 'MUST',
  source: '§4, §5.1, §7',
  title: 'no production operation succeeds without a valid key',
  long: true,
  needs: ['API_KEY'],
  body: ({ check }) => liveOperations(check),
  rows: [
    access.refused(
      'nobody does anything without a key, or with one that nobody was given',
      callers.bad,
      access.shapes.plain,
    ),
    access.refused('nor with a key that looks like one of another service', callers.foreign, access.shapes.first),
    access.refused('nor by a filter, HEAD, a cursor or a replay', callers.nobody, access.shapes.otherwise),
    access.refused('nor by another spelling of a path', callers.nobody, access.shapes.spelled),
    row('a write without a key has no effect', (check) => refusedWrites(check, callers.nobody(check))),
  ],
  invariants: [access.refusesNobody('every answer without a valid key is a refusal in a failure envelope')],
});

const hasChallenge = matcher<Exchange>(
  'no-challenge',
  'WWW-Authenticate with a 401',
  (exchange) => header(exchange, 'www-authenticate') !== undefined,
  () => 'no such header',
);

const isAccepted = matcher<Exchange>(
  'scheme-case',
  'the scheme name in any case',
  ({ response }) => (response?.status ?? 0) < 400,
  describe,
);

const isNotAccepted = (exchange: Exchange): Match => ({
  pass: !isSuccess(exchange),
  code: 'accepted',
  expected: `${exchange.request.credential ?? 'API_KEY in the query'} not to be accepted`,
  actual: describe(exchange),
  part: 'status',
});

/** Units, asked for in each of these ways, are answered as the matchers say. */
const answered = (
  says: string,
  ways: (check: Check) => readonly Partial<RequestOptions>[],
  ...matchers: readonly Matcher<Exchange>[]
) =>
  row(says, async (check) => {
    for (const way of ways(check)) {
      const exchange = await check.ask({ path: paths.units, ...way });
      matchers.every((one) => check.expect(exchange, one));
    }
  });

/** Keys are redacted before anything is judged, so that an echoed one shows as its redaction. */
function echoesNoKey({ response }: Answer): Match {
  const headers = response.headers.map((line) => line[1]).join(' ');
  const echoed = /\[redacted:([^\]]*KEY[^\]]*)\]/i.exec(`${response.text ?? ''} ${headers}`);
  return {
    pass: echoed === null,
    code: 'key-echoed',
    expected: 'no key echoed in an answer',
    actual: `it echoes ${echoed?.[1] ?? 'none'}`,
  };
}

export const AUTH_06 = defineRequirement({
  id: 'AUTH-06',
  level: 'SHOULD',
  source: 'RFC 9110 §11.4, §11.6.1, §15.5.2, RFC 6750 §2.3, §5.3',
  title: 'credentials are refused the way HTTP recommends',
  needs: ['API_KEY'],
  rows: [
    answered(
      'no key and an unknown one are answered 401',
      callers.nobody,
      hasStatus(401, 'without a valid key'),
      hasChallenge,
    ),
    row('a key outside its scope is answered 403', async (check) => {
      const readers = callers.scoped(check).filter(({ scope }) => scope.startsWith('read:'));
      for (const { as, scope } of readers.slice(0, 2)) {
        const path = scope === 'read:inventory' ? paths.deals : paths.units;
        const exchange = await check.ask({ path, as });
        const { status } = exchange.response;
        // The methods of deals are not stated: a path without GET may say so before it looks at the scope.
        const lacksGet = path === paths.deals && status === 405;
        const isUnknown = status === 401 && (await whyUnknown(check, as)) !== null;
        if (status >= 400 && !lacksGet && !isUnknown)
          check.expect(exchange, hasStatus(403, `for a ${scope} key outside its scope`));
      }
    }),
    answered('the name of the scheme is taken in any case', keyForms.inOtherCase, isAccepted),
    answered('no odd form of a key is accepted', keyForms.odd, isNotAccepted),
  ],
  invariants: [invariant('no answer echoes a key', answers(), echoesNoKey)],
});
