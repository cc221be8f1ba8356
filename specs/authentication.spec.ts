import {
  adminKeys,
  answersBeyondScope,
  answersToTenants,
  blockUnknown,
  type Cell,
  type Check,
  defineRequirement,
  explainRefusals,
  invariant,
  isWithinScope,
  itemsIn,
  granted,
  crossTenants,
  refusedWrites,
  type KeyName,
  keysOf,
  liveOperations,
  refusedCells,
  refusedShapes,
  rightOf,
  scopedKeyNames,
  showsNoForeignRecord,
  tryCells,
  whyUnknown,
} from '../src/suite.js';

export const AUTH_02 = defineRequirement({
  id: 'AUTH-02',
  level: 'MUST',
  source: '§5.5',
  title: 'each key can do what its scope grants',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  rows: [
    granted(
      'a key of one scope does what the scope names: plainly, on second pages, and at API_BASE_URL',
      keysOf,
      'nothing that the scopes of the configured keys grant could be done, by these keys or by API_KEY (see AUTH-05)',
    ),
  ],
});

/** Says what is open: whether a key that writes may also read. */
async function observeOwnReading(check: Check, { caller: { as, scope }, operation }: Cell): Promise<void> {
  const exchange = await operation.attempt({ as });
  const answer = operation.succeeded(exchange) ? 'yes' : `no (${exchange.response?.status ?? 'no answer'})`;
  check.observe(`Does ${scope ?? ''} imply reading (${operation.name})?`, answer);
}

/** The cells in which an empty list was shown that is empty for a key with full access, too. */
async function unclearCells(check: Check, empty: readonly Cell[]): Promise<readonly Cell[]> {
  const unclear: Cell[] = [];
  for (const cell of empty)
    if (itemsIn(await cell.operation.attempt({ as: 'API_KEY' }))?.length === 0) unclear.push(cell);
  for (const { caller, operation } of unclear)
    check.observe(
      `Is a key with ${caller.scope ?? ''} refused this: ${operation.name}?`,
      'unknown: the list is empty for every key',
    );
  return unclear;
}

export const AUTH_03 = defineRequirement({
  id: 'AUTH-03',
  level: 'MUST',
  source: '§5.5',
  title: 'no key touches what its scope does not name, and a reading key never writes',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  body: async ({ check }) => {
    const keys = keysOf(check);
    const operations = await liveOperations(check);
    const cells = refusedCells(keys, operations);
    const empty = await tryCells(check, cells);
    for (const operation of operations)
      for (const caller of keys.filter(({ scope }) => rightOf(scope, operation) === 'open'))
        await observeOwnReading(check, { caller, operation });
    await tryCells(check, refusedCells(keys, await refusedShapes(check)));
    await refusedWrites(
      check,
      keys.find(({ scope }) => scope !== 'write:inventory'),
    );
    const wrong: KeyName[] = [];
    // A key that grants no live operation is refused everywhere by right.
    for (const { as } of keys.filter((key) => operations.some((one) => rightOf(key.scope, one) === 'granted')))
      if ((await whyUnknown(check, as)) !== null) wrong.push(as);
    await blockUnknown(check, wrong);
    const unclear = await unclearCells(check, empty);
    if (unclear.some(({ operation }) => operation.resource === 'inventory'))
      return check.blocked(
        'keys without its scope were shown the unit list, which is empty for all: seed at least one unit',
      );
    if (cells.length === unclear.length)
      return check.blocked(
        'nothing outside the scopes of the configured keys could be tried: seed a unit and a deal, or set keys of other scopes',
      );
  },
  invariants: [
    invariant(
      'a key of one scope is shown and does nothing that its scope does not name',
      answersBeyondScope,
      isWithinScope,
    ),
  ],
});

export const AUTH_04 = defineRequirement({
  id: 'AUTH-04',
  level: 'MUST',
  source: '§5.2, §5.3',
  title: "a key never reads or writes another tenant's data",
  control: explainRefusals,
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: async ({ check }) => {
    await crossTenants(check);
  },
  invariants: [
    invariant(
      'no answer to a key of one tenant shows what only the other tenant has',
      answersToTenants,
      showsNoForeignRecord,
    ),
  ],
});

export const AUTH_05 = defineRequirement({
  id: 'AUTH-05',
  level: 'MUST',
  source: '§5.5 admin:*',
  title: 'admin:* can do everything',
  control: explainRefusals,
  needs: ['API_KEY'],
  rows: [
    granted(
      'a key with full access does whatever is live, in its own tenant',
      adminKeys,
      'no live operation succeeded with API_KEY, for reasons that are not its rights',
    ),
  ],
});
