import {
  access,
  callers,
  defineRequirement,
  explainRefusals,
  liveOperations,
  refusedWrites,
  row,
  scopedKeyNames,
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
    access.granted(
      'a key of one scope does what its scope names',
      callers.scoped,
      access.shapes.plain,
      'nothing that the scopes of the configured keys grant could be done, by these keys or by API_KEY (see AUTH-05)',
    ),
    access.granted('so it does on second pages', callers.scoped, access.shapes.secondPages),
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
    access.refusedToKeys('no key of one scope does or is shown what its scope does not name'),
    access.refused('nor by a filter, HEAD, a cursor or a replay', callers.scoped, access.shapes.otherwise),
    row('a write that is refused to a key has no effect', (check) => refusedWrites(check, callers.scoped(check))),
  ],
  invariants: [access.staysInScope('a key of one scope is shown and does nothing that its scope does not name')],
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
    access.granted(
      'the key with full access does whatever is live',
      callers.admin,
      access.shapes.plain,
      'no live operation succeeded with API_KEY, for reasons that are not its rights',
    ),
    access.granted(
      'so does the one of the second tenant, in that tenant',
      callers.otherAdmin,
      access.shapes.inOtherTenant,
    ),
  ],
});
