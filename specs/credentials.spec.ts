import {
  type Answer,
  answers,
  answersToNobody,
  badCredentials,
  type Caller,
  defineRequirement,
  describe,
  type Exchange,
  foreignCredentials,
  hasStatus,
  header,
  invariant,
  isRefusedToNobody,
  isSuccess,
  refusedWrites,
  liveOperations,
  type Match,
  type Matcher,
  matcher,
  oddCredentials,
  paths,
  queryNames,
  refusedCells,
  refusedShapes,
  scopedKeys,
  spelledShapes,
  tryCells,
  whyUnknown,
} from '../src/suite.js';

const callerWith = (as: Caller['as']): Caller => ({
  label: as === null ? 'a caller without credentials' : typeof as === 'string' ? as : as.name,
  as,
});

export const AUTH_01 = defineRequirement({
  id: 'AUTH-01',
  level: 'MUST',
  source: '§4, §5.1, §7',
  title: 'no production operation succeeds without a valid key',
  long: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const operations = await liveOperations(check);
    const unknown = check.fresh('unknown key');
    const plain = operations.flatMap((operation, turn) =>
      badCredentials(check.target, unknown, operations.length < 4 ? null : turn).map((as) => ({
        caller: callerWith(as),
        operation,
      })),
    );
    const foreign = foreignCredentials(unknown, check.run.seed).map(callerWith);
    const nobody = [null, { name: 'an unknown key', authorization: `Bearer ${unknown}` }].map(callerWith);
    const shapes = [...(await refusedShapes(check)), ...(await spelledShapes(check))];
    await tryCells(check, [
      ...plain,
      ...refusedCells(foreign, operations.slice(0, 1)),
      ...refusedCells(nobody, shapes),
    ]);
    await refusedWrites(check, nobody[0]);
    if ((await answersToNobody(check)).length === 0) check.blocked('no request without a valid key was answered');
  },
  invariants: [
    invariant(
      'every answer without a valid key is a refusal in a failure envelope',
      answersToNobody,
      isRefusedToNobody,
    ),
  ],
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

const isNotAccepted = (what: string): Matcher<Exchange> =>
  matcher('accepted', `${what} not to be accepted`, (exchange) => !isSuccess(exchange), describe);

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
  body: async ({ check }) => {
    const key = check.target.keys.API_KEY ?? '';
    const unknown = { name: 'an unknown key', authorization: `Bearer ${check.fresh('unknown key')}` };
    for (const as of [null, unknown]) {
      const exchange = await check.ask({ path: paths.units, as });
      if (check.expect(exchange, hasStatus(401, `for ${as?.name ?? 'no key'}`))) check.expect(exchange, hasChallenge);
    }
    for (const { name, scope } of scopedKeys(check.target)
      .filter((one) => one.scope.startsWith('read:'))
      .slice(0, 2)) {
      const path = scope === 'read:inventory' ? paths.deals : paths.units;
      const exchange = await check.ask({ path, as: name });
      // The methods of deals are not stated: a path without GET may say so before it looks at the scope.
      const lacksGet = path === paths.deals && exchange.response.status === 405;
      const isUnknown = exchange.response.status === 401 && (await whyUnknown(check, name)) !== null;
      if (exchange.response.status >= 400 && !lacksGet && !isUnknown)
        check.expect(exchange, hasStatus(403, `for a ${scope} key outside its scope`));
    }
    for (const { rule, ...options } of [
      ...['bearer', 'BEARER'].map((scheme) => ({
        as: { name: 'API_KEY', authorization: `${scheme} ${key}` },
        rule: isAccepted,
      })),
      ...oddCredentials(key).map((as) => ({ as, rule: isNotAccepted(as.name) })),
      ...queryNames.map((name) => ({
        as: null,
        query: [[name, key]] as const,
        rule: isNotAccepted(`API_KEY in the query (${name})`),
      })),
    ])
      check.expect(await check.ask({ path: paths.units, ...options }), rule);
  },
  invariants: [invariant('no answer echoes a key', answers(), echoesNoKey)],
});
