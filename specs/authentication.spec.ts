import {
  carelesslyRead,
  latinCredential,
  mutatedKeys,
  noCredentials,
  otherSchemes,
} from '../src/api/bad-credentials.js';
import { isFailureEnvelope, isSuccess, mayMean } from '../src/api/envelope.js';
import { quote } from '../src/api/json.js';
import { judgeRefusedHeads } from '../src/api/head-access.js';
import { judgeIsolation } from '../src/api/isolation.js';
import { isEmptyList, liveOperations } from '../src/api/operations.js';
import type { Operation } from '../src/api/operations.js';
import { judgeOtherAdmin } from '../src/api/other-admin.js';
import { judgeGrantedPages, judgeRefusedPages } from '../src/api/page-two.js';
import { paths } from '../src/api/paths.js';
import { judgeRefusedUnits } from '../src/api/refused-units.js';
import { judgeRefusedLeads, judgeRefusedReplays, judgeRefusedUnitWrites } from '../src/api/refused-writes.js';
import type { Refused } from '../src/api/refused-writes.js';
import { grants, scopedKeys } from '../src/api/scopes.js';
import type { Scope } from '../src/api/scopes.js';
import { judgeSecondFormScopes } from '../src/api/second-form-scopes.js';
import { settled } from '../src/api/settled.js';
import { someUnitIds, unitsIfReadable } from '../src/api/units.js';
import { header } from '../src/http/exchange.js';
import type { Exchange } from '../src/http/exchange.js';
import { flagOf } from '../src/target/setting-table.js';
import type { KeyName } from '../src/target/target.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

/** Whether this answer is the unit list of a tenant that has no units, which tells nothing of what a key may see. */
async function showsNoUnits(check: Check, operation: Operation, exchange: Exchange): Promise<boolean> {
  return operation.resource === 'inventory' && isEmptyList(exchange) && (await unitsIfReadable(check)).length === 0;
}

test(
  'no production operation succeeds without a valid key',
  requirement('AUTH-01', 'MUST', '§4, §5.1, §7'),
  async ({ check }) => {
    const key = check.target.keys[check.need('API_KEY')] ?? '';
    const operations = await liveOperations(check);
    const { apiBaseUrl, tenant } = check.target;
    const slug =
      tenant === null || tenant.length < 3
        ? []
        : [
            {
              label: "the tenant's slug as the key",
              credential: { name: "the tenant's slug", authorization: `Bearer ${tenant}` },
            },
          ];
    const unknown = check.fresh('unknown key');
    const stranger = { name: 'an unknown key', authorization: `Bearer ${unknown}` };
    const few = operations.length < 4;
    const [known] = apiBaseUrl === null ? [] : await someUnitIds(check, 1);
    const one = known === undefined ? [] : [`/v1/units/${encodeURIComponent(known)}`];
    for (const path of apiBaseUrl === null ? [] : ['/v1/units', '/v1/deals', '/v1/leads', ...one]) {
      for (const as of [null, stranger]) {
        const exchange = await check.send({ path, as, base: apiBaseUrl ?? '' });
        if (isSuccess(exchange))
          check.breach({
            expected: `${path} at API_BASE_URL to be refused with ${as?.name ?? 'no credentials'}`,
            actual: describe(exchange),
            exchanges: [exchange],
          });
      }
    }
    for (const [turn, operation] of operations.entries()) {
      for (const { label, credential } of [
        ...noCredentials(),
        ...slug,
        ...otherSchemes(unknown, few ? null : turn),
        ...mutatedKeys(key, unknown, few ? null : turn),
      ]) {
        const exchange = await operation.attempt({ as: credential });
        if (exchange.response === null)
          return check.blocked(`${describe(exchange)} got no usable answer: ${exchange.failure?.message ?? ''}`);
        if (isSuccess(exchange)) {
          check.breach({
            expected: `"${operation.name}" to be refused with ${label}`,
            actual: describe(exchange),
            exchanges: [exchange],
          });
        } else if (!isFailureEnvelope(exchange)) {
          check.breach({
            expected: `a failure envelope for "${operation.name}" with ${label}`,
            actual: `${describe(exchange)}: ${quote(exchange.response.text)}`,
            exchanges: [exchange],
          });
        }
      }
    }
    // An HTTP server may refuse such bytes before the application sees them; ENV judges how.
    const latin = await check.send({ path: paths.units, as: latinCredential(unknown, check.run.seed) });
    if (isSuccess(latin))
      check.breach({
        expected: `${paths.units} to be refused with a key that nobody has, with Latin-1 bytes in it`,
        actual: describe(latin),
        exchanges: [latin],
      });
    if (check.breaches.length > 0) return;
    const nobody: Refused[] = [
      { label: 'a caller without credentials', as: null },
      { label: stranger.name, as: stranger },
    ];
    await judgeRefusedPages(check, nobody);
    await judgeRefusedHeads(check, nobody);
    await judgeRefusedLeads(check, nobody);
    await judgeRefusedReplays(check, nobody);
    await judgeRefusedUnitWrites(check, nobody.slice(0, 1));
    await judgeRefusedUnits(check);
  },
);

/**
 * What a key gets that got no success the first time. A write is refused once and for all; without an answer, or with a 5xx, it may have
 * been done all the same: null where the second try tells no more, as what has been done may not be done twice.
 */
async function secondTry(operation: Operation, first: Exchange, as: KeyName): Promise<Exchange | null> {
  const unclear = (first.response?.status ?? 500) >= 500;
  if (operation.writes && !unclear) return first;
  // A record that was just made may be shown a little later, and by one of several machines before another.
  const settles = !operation.writes && !unclear && !mayMean(first, 401, 403);
  const attempt = (): Promise<Exchange> => operation.attempt({ as });
  const again = settles ? await settled(attempt, (one) => operation.succeeded(one)) : await attempt();
  const status = again.response?.status ?? 500;
  const refused = mayMean(again, 401, 403) || status >= 500;
  return !operation.writes || operation.succeeded(again) || refused ? again : null;
}

test('each key can do what its scope grants', requirement('AUTH-02', 'MUST', '§5.5'), async ({ check }) => {
  check.need('API_KEY');
  const keys = scopedKeys(check.target);
  if (keys.length === 0)
    return check.notApplicable(
      `no scoped key is configured: set API_KEY_READ_INVENTORY (or ${flagOf('API_KEY_READ_INVENTORY')}) and its like`,
    );
  let judged = 0;
  let noUnits = false;
  for (const { name, scope } of keys) {
    // A fresh set of operations for each key: deleting a unit succeeds once only.
    for (const operation of await liveOperations(check)) {
      if (!grants(scope, operation)) continue;
      const exchange = await operation.attempt({ as: name });
      judged += 1;
      if (operation.succeeded(exchange)) continue;
      // Only what the full-access key can do shows that it was the scope that was refused.
      const admin = await operation.attempt({ as: 'API_KEY' });
      if (!operation.succeeded(admin)) {
        judged -= 1;
        noUnits ||= await showsNoUnits(check, operation, admin);
        continue;
      }
      const again = await secondTry(operation, exchange, name);
      if (again === null) judged -= 1;
      if (again === null || operation.succeeded(again)) continue;
      check.breach({
        expected: `a ${scope} key to be able to ${operation.name}`,
        actual: `${describe(exchange)}: ${quote(exchange.response?.json)}`,
        exchanges: [admin, exchange],
      });
    }
  }
  await judgeGrantedPages(check);
  if (noUnits) return check.blocked('the tenant has no units, so that reading them cannot be tried: seed at least one');
  if (judged === 0)
    return check.blocked(
      'nothing that the scopes of the configured keys grant could be done, by these keys or by API_KEY (see AUTH-05)',
    );
});

test(
  'no key touches what its scope does not name, and a reading key never writes',
  requirement('AUTH-03', 'MUST', '§5.5'),
  async ({ check }) => {
    check.need('API_KEY');
    const keys = scopedKeys(check.target);
    if (keys.length === 0)
      return check.notApplicable(
        `no scoped key is configured: set API_KEY_READ_INVENTORY (or ${flagOf('API_KEY_READ_INVENTORY')}) and its like`,
      );
    const operations = await liveOperations(check);
    let judged = 0;
    const unclear: { readonly scope: Scope; readonly operation: Operation }[] = [];
    for (const { name, scope } of keys) {
      for (const operation of operations) {
        if (grants(scope, operation)) continue;
        const exchange = await operation.attempt({ as: name });
        if (scope === `write:${operation.resource}` && !operation.writes) {
          check.observe(
            `Does ${scope} imply reading (${operation.name})?`,
            operation.succeeded(exchange) ? 'yes' : `no (${exchange.response?.status ?? 'no answer'})`,
          );
        } else if (operation.succeeded(exchange)) {
          check.breach({
            expected: `a ${scope} key not to be able to ${operation.name}`,
            actual: describe(exchange),
            exchanges: [exchange],
          });
        } else if (isEmptyList(exchange) && isEmptyList(await operation.attempt({ as: 'API_KEY' }))) {
          unclear.push({ scope, operation });
        } else judged += 1;
      }
    }
    const without = (right: Scope): Refused[] =>
      keys
        .filter(({ scope }) => scope !== right)
        .slice(0, 1)
        .map(({ name, scope }) => ({ label: `a ${scope} key`, as: name }));
    // Whether writing implies reading is left open.
    const strangers = keys
      .filter(({ scope }) => !scope.endsWith(':inventory'))
      .map(({ name, scope }): Refused => ({ label: `a ${scope} key`, as: name }));
    await judgeRefusedPages(check, strangers);
    await judgeRefusedHeads(check, strangers.slice(0, 2));
    await judgeSecondFormScopes(check);
    await judgeRefusedLeads(check, without('write:leads'));
    await judgeRefusedUnitWrites(check, without('write:inventory'));
    await judgeRefusedUnits(check);
    if (check.breaches.length > 0) return;
    for (const { scope, operation } of unclear)
      check.observe(`Is ${scope} kept from this: ${operation.name}?`, 'it cannot be told: the list is empty for all');
    if (unclear.some(({ operation }) => operation.resource === 'inventory'))
      return check.blocked(
        'keys without its scope were shown the unit list, which is empty for all: seed at least one unit',
      );
    if (judged === 0)
      return check.blocked(
        'nothing outside the scopes of the configured keys could be tried: seed a unit and a deal, or set keys of other scopes',
      );
  },
);

test(
  "a key never reads or writes another tenant's data",
  requirement('AUTH-04', 'MUST', '§5.2, §5.3'),
  async ({ check }) => {
    check.need('API_KEY');
    check.need('OTHER_API_KEY');
    await judgeIsolation(check);
  },
);

test('admin:* can do everything', requirement('AUTH-05', 'MUST', '§5.5 admin:*'), async ({ check }) => {
  check.need('API_KEY');
  let succeeded = 0;
  let noUnits = false;
  for (const operation of await liveOperations(check)) {
    const exchange = await operation.attempt({ as: 'API_KEY' });
    if (operation.succeeded(exchange)) {
      succeeded += 1;
      continue;
    }
    noUnits ||= await showsNoUnits(check, operation, exchange);
    const expected = `the admin:* key to be able to ${operation.name}`;
    const actual = `${describe(exchange)}: ${quote(exchange.response?.json)}`;
    if (exchange.response?.status === 401 || exchange.response?.status === 403) {
      check.breach({ expected, actual, exchanges: [exchange] });
      continue;
    }
    // Any other refusal may have a reason of its own, unless a lesser key is not refused.
    const lesser = scopedKeys(check.target).find(({ scope }) => grants(scope, operation));
    if (lesser === undefined) continue;
    const granted = await operation.attempt({ as: lesser.name });
    if (!operation.succeeded(granted)) continue;
    const again = await secondTry(operation, exchange, 'API_KEY');
    if (again !== null && !operation.succeeded(again))
      check.breach({ expected, actual: `${actual}, while a ${lesser.scope} key is`, exchanges: [exchange, granted] });
  }
  await judgeOtherAdmin(check);
  if (noUnits) return check.blocked('the tenant has no units, so that reading them cannot be tried: seed at least one');
  if (succeeded === 0 && check.breaches.length === 0)
    return check.blocked('no live operation succeeded with API_KEY, for reasons that are not its rights');
});

test(
  'credentials are refused the way HTTP recommends',
  requirement('AUTH-06', 'SHOULD', 'RFC 9110 §11.4, §11.6.1, §15.5.2, RFC 6750 §2.3, §5.3'),
  async ({ check }) => {
    const key = check.target.keys[check.need('API_KEY')] ?? '';
    const unknown = { name: 'an unknown key', authorization: `Bearer ${check.fresh('unknown key')}` };
    for (const as of [null, unknown]) {
      const exchange = await check.ask({ path: paths.units, as });
      if (exchange.response.status !== 401)
        check.breach({
          expected: `401 for ${as?.name ?? 'no key'}`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
      else if (header(exchange, 'www-authenticate') === undefined) {
        check.breach({ expected: 'WWW-Authenticate with a 401', actual: 'no such header', exchanges: [exchange] });
      }
    }
    for (const { name, scope } of scopedKeys(check.target)
      .filter((one) => one.scope.startsWith('read:'))
      .slice(0, 2)) {
      const path = scope === 'read:inventory' ? paths.deals : paths.units;
      const exchange = await check.ask({ path, as: name });
      // The methods of deals are not stated: a path without GET may say so before it looks at the scope.
      const lacksGet = path === paths.deals && exchange.response.status === 405;
      if (exchange.response.status >= 400 && exchange.response.status !== 403 && !lacksGet) {
        check.breach({
          expected: `403 for a ${scope} key outside its scope`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
      }
    }
    for (const scheme of ['bearer', 'BEARER']) {
      const exchange = await check.ask({
        path: paths.units,
        as: { name: 'API_KEY', authorization: `${scheme} ${key}` },
      });
      if (exchange.response.status >= 400)
        check.breach({
          expected: `the scheme name in any case ("${scheme}")`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
    }
    const swapped = Array.from(key)
      .map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
      .join('');
    const odd = [
      { label: 'a key without a scheme', as: { name: 'API_KEY', authorization: key }, query: [] },
      ...['Token', 'Basic'].map((scheme) => ({
        label: `a key under the scheme ${scheme}`,
        as: { name: 'API_KEY', authorization: `${scheme} ${key}` },
        query: [],
      })),
      ...carelesslyRead(key).map(({ label, credential }) => ({ label, as: credential, query: [] })),
      ...(swapped === key
        ? []
        : [
            {
              label: 'a key in other case',
              as: { name: 'API_KEY in other case', authorization: `Bearer ${swapped}` },
              query: [],
            },
          ]),
      ...['api_key', 'apiKey', 'access_token', 'key', 'token'].map((name) => ({
        label: `a key in the query (${name})`,
        as: null,
        query: [[name, key]] as const,
      })),
    ];
    for (const { label, as, query } of odd) {
      const exchange = await check.ask({ path: paths.units, as, query });
      if (isSuccess(exchange))
        check.breach({ expected: `${label} not to be accepted`, actual: describe(exchange), exchanges: [exchange] });
    }
    for (const exchange of await check.run.exchanges()) {
      const shown = `${exchange.response?.text ?? ''} ${exchange.response?.headers.map((line) => line[1]).join(' ') ?? ''}`;
      const echoed = /\[redacted:([^\]]*KEY[^\]]*)\]/i.exec(shown);
      if (echoed !== null) {
        check.breach({
          expected: 'no key echoed in an answer',
          actual: `${describe(exchange)} echoes ${echoed[1] ?? ''}`,
          exchanges: [exchange],
        });
        break;
      }
    }
  },
);
