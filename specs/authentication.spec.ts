import {
  callers,
  defineRequirement,
  explainRefusals,
  granted,
  liveOperations,
  refused,
  refusedToKeys,
  refusedWrites,
  row,
  scopedKeyNames,
  shapes,
  staysInScope,
  tenants,
} from '../src/suite.js';

export const AUTH_02 = defineRequirement({
  id: 'AUTH-02',
  level: 'MUST',
  source: '§5.5',
  title: 'each key can do what its scope grants',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  body: ({ check }) => liveOperations(check),
  rows: [
    granted(
      'a key of one scope does what its scope names',
      callers.scoped,
      shapes.plain,
      'nothing that the scopes of the configured keys grant could be done, by these keys or by API_KEY (see AUTH-05)',
    ),
    granted('so it does on second pages', callers.scoped, shapes.secondPages),
  ],
});

export const AUTH_03 = defineRequirement({
  id: 'AUTH-03',
  level: 'MUST',
  source: '§5.5',
  title: 'no key touches what its scope does not name, and a reading key never writes',
  control: explainRefusals,
  needs: ['API_KEY', scopedKeyNames],
  body: ({ check }) => liveOperations(check),
  rows: [
    refusedToKeys('no key of one scope does or is shown what its scope does not name'),
    refused('nor by a filter, HEAD, a cursor or a replay', callers.scoped, shapes.otherwise),
    row('a write that is refused to a key has no effect', (check) => refusedWrites(check, callers.scoped(check))),
  ],
  invariants: [staysInScope('a key of one scope is shown and does nothing that its scope does not name')],
});

export const AUTH_04 = defineRequirement({
  id: 'AUTH-04',
  level: 'MUST',
  source: '§5.2, §5.3',
  title: "a key never reads or writes another tenant's data",
  control: explainRefusals,
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: ({ check }) => tenants.both(check),
  rows: [
    row('no record is in the lists of both tenants', tenants.shareNoRecord),
    row(
      'by no id, filter, cursor, HEAD or X-Tenant, nor at API_BASE_URL, a key reads what the other tenant has',
      tenants.readAcross,
    ),
    row(
      'what a key writes or names does not reach the other tenant, and it changes nothing there',
      tenants.writeAcross,
    ),
    row('no answer to a key of one tenant shows what only the other tenant has', tenants.showNoForeignRecord),
  ],
});

export const AUTH_05 = defineRequirement({
  id: 'AUTH-05',
  level: 'MUST',
  source: '§5.5 admin:*',
  title: 'admin:* can do everything',
  control: explainRefusals,
  needs: ['API_KEY'],
  body: ({ check }) => liveOperations(check),
  rows: [
    granted(
      'the key with full access does whatever is live',
      callers.admin,
      shapes.plain,
      'no live operation succeeded with API_KEY, for reasons that are not its rights',
    ),
    granted('so does the one of the second tenant, in that tenant', callers.otherAdmin, shapes.inOtherTenant),
  ],
});
