import {
  blockUnknown,
  defineRequirement,
  describe,
  grants,
  isEmptyList,
  judgeIsolation,
  judgeWritesAcross,
  judgeOtherAdmin,
  judgeRefusedUnitWrites,
  liveOperations,
  mayMean,
  quote,
  scopedKeyNames,
  scopedKeys,
  settled,
  unitsIfReadable,
  whyUnknown,
  type Breach,
  type Check,
  type Exchange,
  type KeyName,
  type Scope,
  type ScopedOperation,
  type Caller,
  judgeRefusedShapes,
  refusedShapes,
  grantedShapes,
  isOwnReading,
  judgeRefusedCreates,
  explainRefusals,
} from '../src/suite.js';

/** Whether this answer is the unit list of a tenant that has no units, which tells nothing of what a key may see. */
async function showsNoUnits(check: Check, operation: ScopedOperation, exchange: Exchange): Promise<boolean> {
  return operation.resource === 'inventory' && isEmptyList(exchange) && (await unitsIfReadable(check)).length === 0;
}

/** Whether a create that was refused as bad input is refused under another key as well: then its values, not the key, are the reason. */
async function isRefusedAs(
  check: Check,
  as: KeyName,
  operation: ScopedOperation,
  { request, ...rest }: Exchange,
): Promise<boolean> {
  // A change or a deletion that another key has made before is refused to everybody.
  if (request.method !== 'POST' || !mayMean({ request, ...rest }, 400, 409, 422)) return false;
  const again = await check.send({
    as,
    method: request.method,
    path: request.path,
    ...(request.body === null ? {} : { body: request.body }),
    headers: request.headers
      .filter(([name]) => name === 'content-type' || name === 'idempotency-key')
      .map(([name, value]) => [name, name === 'content-type' ? value : check.fresh('key')]),
  });
  return !operation.succeeded(again);
}

/**
 * What a key gets that got no success the first time. A write is refused once and for all; without an answer, or with a 5xx, it may have
 * been done all the same: null where the second try tells no more, as what has been done may not be done twice.
 */
async function secondTry(
  check: Check,
  operation: ScopedOperation,
  first: Exchange,
  as: KeyName,
): Promise<Exchange | null> {
  const unclear = (first.response?.status ?? 500) >= 500;
  if (operation.writes && !unclear) return first;
  // A record that was just made may be shown a little later, and by one of several machines before another.
  const settles = !operation.writes && !unclear && ![401, 403].includes(first.response?.status ?? 0);
  const attempt = (): Promise<Exchange> => operation.attempt({ as });
  const again = settles ? await settled(check, attempt, (one) => operation.succeeded(one)) : await attempt();
  const status = again.response?.status ?? 500;
  // What another key has deleted meanwhile is refused to this one, too.
  const refused = [401, 403].includes(status) || status >= 500;
  return !operation.writes || operation.succeeded(again) || refused ? again : null;
}

const noUnits = 'the tenant has no units, so that reading them cannot be tried: seed at least one';

/** The result of an operation that the scope of a key grants, and the breach that it shows, if any. */
interface Trial {
  readonly result: 'judged' | 'unknown' | 'no units';
  readonly breach?: Breach;
}

/** Two keys that may do an operation: the one that is judged, and another that shows that it can be done at all. */
interface Granted {
  readonly as: KeyName;
  /** null where no other key is configured. */
  readonly other: KeyName | null;
  /** The judged key in words. */
  readonly what: string;
}

/** Whether a key can do what it is granted. A refusal that no other key is spared has a reason that is not the key's rights. */
async function tryGranted(check: Check, operation: ScopedOperation, { as, other, what }: Granted): Promise<Trial> {
  const exchange = await operation.attempt({ as });
  if (operation.succeeded(exchange)) return { result: 'judged' };
  const isAdmin = as === 'API_KEY';
  const actual = `${describe(exchange)}: ${quote(exchange.response?.json)}`;
  const breach = { expected: `${what} to be able to ${operation.name}`, actual };
  // Full access is refused for want of rights by these statuses, whatever other keys get.
  if (isAdmin && [401, 403].includes(exchange.response?.status ?? 0))
    return { result: 'unknown', breach: { ...breach, exchanges: [exchange] } };
  const granted = other === null ? null : await operation.attempt({ as: other });
  if (other === null || granted === null || !operation.succeeded(granted))
    return {
      result: (await showsNoUnits(check, operation, isAdmin ? exchange : (granted ?? exchange)))
        ? 'no units'
        : 'unknown',
    };
  if (operation.writes && (await isRefusedAs(check, other, operation, exchange))) return { result: 'unknown' };
  const again = await secondTry(check, operation, exchange, as);
  if (again === null) return { result: 'unknown' };
  const result = isAdmin ? 'unknown' : 'judged';
  return operation.succeeded(again) ? { result } : { result, breach: { ...breach, exchanges: [granted, exchange] } };
}

export const AUTH_02 = defineRequirement({
  id: 'AUTH-02',
  level: 'MUST',
  source: '§5.5',
  title: 'each key can do what its scope grants',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  body: async ({ check }) => {
    const results: Trial['result'][] = [];
    const wrong: KeyName[] = [];
    for (const { name, scope } of scopedKeys(check.target)) {
      const trials: Trial[] = [];
      // A fresh set of operations for each key: deleting a unit succeeds once only.
      for (const operation of [...(await liveOperations(check)), ...(await grantedShapes(check))])
        if (grants(scope, operation))
          trials.push(await tryGranted(check, operation, { as: name, other: 'API_KEY', what: `a ${scope} key` }));
      results.push(...trials.map(({ result }) => result));
      const breaches = trials.flatMap(({ breach }) => breach ?? []);
      if (breaches.length > 0 && (await whyUnknown(check, name)) !== null) wrong.push(name);
      else for (const breach of breaches) check.fail(breach);
    }
    await blockUnknown(check, wrong);
    if (results.includes('no units')) return check.blocked(noUnits);
    if (!results.includes('judged'))
      return check.blocked(
        'nothing that the scopes of the configured keys grant could be done, by these keys or by API_KEY (see AUTH-05)',
      );
  },
});

/** An operation that a key's scope does not name. */
interface Cell {
  readonly name: KeyName;
  readonly scope: Scope;
  readonly operation: ScopedOperation;
}

/** Judges one cell of the access matrix; false where an empty list tells nothing. */
async function judgeForbidden(check: Check, cell: Cell): Promise<boolean> {
  const { name, scope, operation } = cell;
  const exchange = await operation.attempt({ as: name });
  if (isOwnReading(scope, operation)) {
    const answer = operation.succeeded(exchange) ? 'yes' : `no (${exchange.response?.status ?? 'no answer'})`;
    check.observe(`Does ${scope} imply reading (${operation.name})?`, answer);
  } else if (operation.succeeded(exchange)) {
    const expected = `a ${scope} key not to be able to ${operation.name}`;
    check.fail({ expected, actual: describe(exchange), exchanges: [exchange] });
  } else return !isEmptyList(exchange) || !isEmptyList(await operation.attempt({ as: 'API_KEY' }));
  return true;
}

export const AUTH_03 = defineRequirement({
  id: 'AUTH-03',
  level: 'MUST',
  source: '§5.5',
  title: 'no key touches what its scope does not name, and a reading key never writes',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  body: async ({ check }) => {
    const keys = scopedKeys(check.target);
    const operations = await liveOperations(check);
    const cells = keys.flatMap((key) =>
      operations.filter((operation) => !grants(key.scope, operation)).map((operation) => ({ ...key, operation })),
    );
    const isUnclear = new Set<Cell>();
    await check.each(cells, async (cell) => {
      if (!(await judgeForbidden(check, cell))) isUnclear.add(cell);
    });
    const unclear = cells.filter((cell) => isUnclear.has(cell));
    const callers = keys.map(({ name, scope }): Caller => ({ label: `a ${scope} key`, as: name, scope }));
    await judgeRefusedShapes(check, callers, await refusedShapes(check));
    await judgeRefusedUnitWrites(check, callers.filter(({ scope }) => scope !== 'write:inventory').slice(0, 1));
    await judgeRefusedCreates(check);
    const wrong: KeyName[] = [];
    // A key that grants no live operation is refused everywhere by right.
    for (const { name } of keys.filter(({ scope }) => operations.some((operation) => grants(scope, operation))))
      if ((await whyUnknown(check, name)) !== null) wrong.push(name);
    await blockUnknown(check, wrong);
    for (const { scope, operation } of unclear)
      check.observe(
        `Is a key with ${scope} refused this: ${operation.name}?`,
        'unknown: the list is empty for every key',
      );
    if (unclear.some(({ operation }) => operation.resource === 'inventory'))
      return check.blocked(
        'keys without its scope were shown the unit list, which is empty for all: seed at least one unit',
      );
    if (cells.filter(({ scope, operation }) => !isOwnReading(scope, operation)).length === unclear.length)
      return check.blocked(
        'nothing outside the scopes of the configured keys could be tried: seed a unit and a deal, or set keys of other scopes',
      );
  },
});

export const AUTH_04 = defineRequirement({
  id: 'AUTH-04',
  level: 'MUST',
  source: '§5.2, §5.3',
  title: "a key never reads or writes another tenant's data",
  control: explainRefusals,
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: async ({ check }) => {
    await judgeIsolation(check, judgeWritesAcross);
  },
});

export const AUTH_05 = defineRequirement({
  id: 'AUTH-05',
  level: 'MUST',
  source: '§5.5 admin:*',
  title: 'admin:* can do everything',
  control: explainRefusals,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const results: Trial['result'][] = [];
    for (const operation of await liveOperations(check)) {
      const lesser = scopedKeys(check.target).find(({ scope }) => grants(scope, operation));
      const granted = { as: 'API_KEY', other: lesser?.name ?? null, what: 'the admin:* key' } as const;
      const { result, breach } = await tryGranted(check, operation, granted);
      results.push(result);
      if (breach !== undefined) check.fail(breach);
    }
    await judgeOtherAdmin(check);
    if (results.includes('no units')) return check.blocked(noUnits);
    if (!results.includes('judged'))
      return check.blocked('no live operation succeeded with API_KEY, for reasons that are not its rights');
  },
});
