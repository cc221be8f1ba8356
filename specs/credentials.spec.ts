import {
  noCredentials,
  otherSchemes,
  mutatedKeys,
  carelesslyRead,
  allOf,
  answers,
  defineRequirement,
  describe,
  foreignCredentials,
  hasStatus,
  header,
  invariant,
  isFailureEnvelope,
  isSuccess,
  judgeRefusedUnitWrites,
  isRefusedByHttpServer,
  liveOperations,
  matcher,
  paths,
  quote,
  scopedKeys,
  whyUnknown,
  type Answer,
  type BadCredential,
  type Credential,
  type Exchange,
  type Match,
  type Matcher,
  type Caller,
  judgeRefusedShapes,
  refusedShapes,
  spelledShapes,
  judgeRefusedCreates,
} from '../src/suite.js';

/** A caller who has no right to an operation gets a failure envelope. */
function isRefusedFor(what: string, label: string): Matcher<Exchange> {
  return allOf(
    matcher(`${what} to be refused with ${label}`, (exchange) => !isSuccess(exchange), describe),
    matcher(
      `a failure envelope for ${what} with ${label}`,
      isFailureEnvelope,
      (exchange) => `${describe(exchange)}: ${quote(exchange.response?.text)}`,
    ),
  );
}

/** The tenant's slug in place of its key. */
function slugAsKey(tenant: string | null): BadCredential[] {
  if (tenant === null || tenant.length < 3) return [];
  const credential = { name: "the tenant's slug", authorization: `Bearer ${tenant}` };
  return [{ label: "the tenant's slug as the key", credential }];
}

/** Callers without credentials, and with a key that nobody has. */
function nobodies(unknown: string): Caller[] {
  return [
    { label: 'a caller without credentials', as: null },
    { label: 'an unknown key', as: { name: 'an unknown key', authorization: `Bearer ${unknown}` } },
  ];
}

export const AUTH_01 = defineRequirement({
  id: 'AUTH-01',
  level: 'MUST',
  source: '§4, §5.1, §7',
  title: 'no production operation succeeds without a valid key',
  long: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const key = check.target.keys.API_KEY ?? '';
    const operations = await liveOperations(check);
    const unknown = check.fresh('unknown key');
    const turnOf = (turn: number): number | null => (operations.length < 4 ? null : turn);
    await check.each(operations.entries(), async ([turn, operation]) => {
      for (const { label, credential } of [
        ...noCredentials(),
        ...slugAsKey(check.target.tenant),
        ...otherSchemes(unknown, turnOf(turn)),
        ...mutatedKeys(key, unknown, turnOf(turn)),
      ])
        check.expect(await operation.attempt({ as: credential }), isRefusedFor(`"${operation.name}"`, label));
    });
    for (const { label, credential } of foreignCredentials(unknown, check.run.seed)) {
      const exchange = await check.send({ path: paths.units, as: credential });
      if (exchange.response !== null && !isRefusedByHttpServer(exchange))
        check.expect(exchange, isRefusedFor('the unit list', label));
    }
    const nobody = nobodies(unknown);
    await judgeRefusedShapes(check, nobody, [...(await refusedShapes(check)), ...(await spelledShapes(check))]);
    await judgeRefusedUnitWrites(check, nobody.slice(0, 1));
    await judgeRefusedCreates(check);
  },
});

const apiKeyAs = (authorization: string, name = 'API_KEY'): Credential => ({ name, authorization });

const hasChallenge = matcher<Exchange>(
  'WWW-Authenticate with a 401',
  (exchange) => header(exchange, 'www-authenticate') !== undefined,
  () => 'no such header',
);

function isAcceptedScheme(scheme: string): Matcher<Exchange> {
  return matcher(
    `the scheme name in any case ("${scheme}")`,
    ({ response }) => (response?.status ?? 0) < 400,
    describe,
  );
}

function isNotAccepted(label: string): Matcher<Exchange> {
  return matcher(`${label} not to be accepted`, (exchange) => !isSuccess(exchange), describe);
}

/** The key in other case, under other schemes, and in the query string. */
function oddCredentials(key: string): { label: string; as: Credential | null; query: [string, string][] }[] {
  const swapped = Array.from(key)
    .map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
    .join('');
  return [
    { label: 'a key without a scheme', as: apiKeyAs(key), query: [] },
    ...['Token', 'Basic'].map((scheme) => ({
      label: `a key under the scheme ${scheme}`,
      as: apiKeyAs(`${scheme} ${key}`),
      query: [],
    })),
    ...carelesslyRead(key).map(({ label, credential }) => ({ label, as: credential, query: [] })),
    ...(swapped === key
      ? []
      : [{ label: 'a key in other case', as: apiKeyAs(`Bearer ${swapped}`, 'API_KEY in other case'), query: [] }]),
    ...['api_key', 'apiKey', 'access_token', 'key', 'token'].map((name) => ({
      label: `a key in the query (${name})`,
      as: null,
      query: [[name, key]] as [string, string][],
    })),
  ];
}

/** Keys are redacted before anything is judged, so that an echoed one shows as its redaction. */
function echoesNoKey({ response }: Answer): Match {
  const headers = response.headers.map((line) => line[1]).join(' ');
  const echoed = /\[redacted:([^\]]*KEY[^\]]*)\]/i.exec(`${response.text ?? ''} ${headers}`);
  return {
    pass: echoed === null,
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
    for (const scheme of ['bearer', 'BEARER'])
      check.expect(await check.ask({ path: paths.units, as: apiKeyAs(`${scheme} ${key}`) }), isAcceptedScheme(scheme));
    for (const { label, as, query } of oddCredentials(key))
      check.expect(await check.ask({ path: paths.units, as, query }), isNotAccepted(label));
  },
  invariants: [invariant(answers(), echoesNoKey)],
});
