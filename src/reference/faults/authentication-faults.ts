import { fault } from './fault.js';

const open = { 'AUTH-06': '401 is recommended where nothing was refused', 'AUTH-03': 'no scope is asked for' };
const vacuous = { 'document-schemas': 'vacuous' } as const;

/** Faults of keys, scopes and tenants. */
export const authenticationFaults = [
  fault('no-key-accepted', 'AUTH-01', 'everything works without a key', { also: open }),
  fault('no-key-accepted-for-deals', 'AUTH-01', 'deals are shown without a key'),
  fault('no-key-accepted-for-unit', 'AUTH-01', 'a single unit is shown without a key'),
  fault('no-key-accepted-for-create', 'AUTH-01', 'a lead is created without a key'),
  fault('empty-key-accepted', 'AUTH-01', 'an empty bearer key opens everything'),
  fault('unknown-key-accepted', 'AUTH-01', 'any key opens everything', { also: open }),
  fault('any-basic-user-accepted', 'AUTH-01', 'whatever is sent under the scheme Basic opens everything', {
    also: { 'AUTH-06': 'a key under the scheme Basic is accepted, too' },
  }),
  fault('any-bare-value-accepted', 'AUTH-01', 'a value without a scheme opens everything, whatever it is', {
    also: { 'AUTH-06': 'a key without a scheme is accepted, too' },
  }),
  fault('key-suffix-accepted', 'AUTH-01', 'a key with something after it is accepted'),
  fault('key-dot-accepted', 'AUTH-01', 'a key with a bare dot after it is accepted'),
  fault('key-marks-ignored', 'AUTH-01', 'a key is compared without its underscores'),
  fault('key-list-read', 'AUTH-01', 'a key with a comma or a semicolon and more after it is accepted'),
  fault('key-prefix-accepted', 'AUTH-01', 'a key without its last character is accepted'),
  fault('key-last-character-free', 'AUTH-01', 'the last character of a key is not compared'),
  fault('key-middle-free', 'AUTH-01', 'characters in the middle of a key are not compared'),
  fault('lead-stored-without-key', 'AUTH-01', 'a lead without a key is stored, then refused'),
  fault('replay-needs-no-key', 'AUTH-01', 'a create that was made with a key is replayed to callers without one'),
  fault('unit-stored-without-key', 'AUTH-01', 'a unit without a key is stored, then refused'),
  fault('unit-deleted-without-key', 'AUTH-01', 'a unit is deleted without a key, then that is refused'),
  fault('cursor-needs-no-key', 'AUTH-01', 'whoever sends a cursor needs no key'),
  fault('bare-401', 'AUTH-01', 'a missing key is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-03': 'a refusal is an envelope', 'ENV-01': 'there is no ok' },
  }),
  fault('read-inventory-refused', 'AUTH-02', 'read:inventory may not list units', {
    also: { 'UNIT-10': 'what such a key sees cannot be judged' },
  }),
  fault('read-inventory-cannot-read-one', 'AUTH-02', 'read:inventory may not read a single unit'),
  fault('write-inventory-refused', 'AUTH-02', 'write:inventory may not create units'),
  fault('read-leads-refused', 'AUTH-02', 'read:leads may not read leads'),
  fault('write-leads-refused', 'AUTH-02', 'write:leads may not create leads'),
  fault('read-deals-refused', 'AUTH-02', 'read:deals may not read deals'),
  fault('read-inventory-refused-page-two', 'AUTH-02', 'read:inventory may list units, but not with a cursor'),
  fault('read-inventory-writes', 'AUTH-03', 'read:inventory may create units'),
  fault('read-leads-writes', 'AUTH-03', 'read:leads may create leads'),
  fault('read-calls-reads-deals', 'AUTH-03', 'read:calls may read deals'),
  fault('read-deals-reads-leads', 'AUTH-03', 'read:deals may read leads'),
  fault('write-leads-reads-units', 'AUTH-03', 'write:leads may read units'),
  fault('read-inventory-reads-leads', 'AUTH-03', 'read:inventory may read leads'),
  fault('read-inventory-reads-one-lead', 'AUTH-03', 'read:inventory may read a single lead by its id'),
  fault('cursor-needs-no-scope', 'AUTH-03', 'any key may read the page of units that a cursor names'),
  fault('patch-needs-no-scope', 'AUTH-03', 'any key may change a unit'),
  fault('delete-needs-no-scope', 'AUTH-03', 'any key may delete a unit'),
  fault('lead-change-needs-no-scope', 'AUTH-03', 'any key may change a lead', {
    needs: { 'second-lead-operation': 'patch' },
  }),
  fault('refusal-after-effect', 'AUTH-03', 'a lead of a key without the scope is stored, then refused'),
  fault('unit-stored-then-refused', 'AUTH-03', 'a unit of a key without the scope is stored, then refused'),
  fault('unit-changed-then-refused', 'AUTH-03', 'a change of a unit by a key without the scope is made, then refused'),
  fault('unit-deleted-then-refused', 'AUTH-03', 'a unit is deleted by a key without the scope, then that is refused'),
  fault('foreign-tenant-followed', 'AUTH-04', 'X-Tenant selects any tenant, whoever owns the key'),
  fault('foreign-tenant-followed-when-reading-one', 'AUTH-04', 'X-Tenant selects any tenant for single units'),
  fault('foreign-tenant-written', 'AUTH-04', 'X-Tenant selects the tenant that a lead is stored with'),
  fault(
    'foreign-tenant-written-though-refused',
    'AUTH-04',
    'a lead for another tenant is refused and stored with it all the same',
  ),
  fault('foreign-unit-by-id', 'AUTH-04', 'another tenant’s unit can be read by its id'),
  fault('one-inventory-for-all', 'AUTH-04', 'both tenants have the same units, whoever made them'),
  fault('foreign-unit-changed', 'AUTH-04', 'another tenant’s unit can be changed by its id'),
  fault(
    'foreign-unit-changed-though-refused',
    'AUTH-04',
    'a change of another tenant’s unit is refused and carried out',
  ),
  fault('foreign-unit-deleted', 'AUTH-04', 'another tenant’s unit can be deleted by its id'),
  fault('foreign-cursor-followed', 'AUTH-04', 'a cursor of another tenant shows that tenant’s units'),
  fault('foreign-lead-changed', 'AUTH-04', 'another tenant’s lead can be changed by its id', {
    needs: { 'lead-item': 'get-patch' },
  }),
  fault(
    'foreign-lead-changed-though-refused',
    'AUTH-04',
    'a change of another tenant’s lead is refused and carried out',
    { needs: { 'lead-item': 'get-patch' } },
  ),
  fault('foreign-lead-by-id', 'AUTH-04', 'another tenant’s lead can be read by its id'),
  fault('foreign-unit-listed', 'AUTH-04', 'the unit list ends with a unit of another tenant', {
    also: { 'UNIT-06': 'the foreign unit cannot be read by itself' },
  }),
  fault('admin-cannot-read-deals', 'AUTH-05', 'full access may not read deals', {
    also: { 'DEAL-01': 'deals are refused', 'DEAL-02': 'deals are refused', 'VER-01': 'deals are refused' },
  }),
  fault('admin-cannot-create-unit', 'AUTH-05', 'full access may not create units', {
    also: { 'UNIT-11': 'a unit cannot be created', 'IDEM-02': 'a unit cannot be created' },
  }),
  fault('admin-cannot-read-leads', 'AUTH-05', 'full access may not read leads', {
    also: { 'LEAD-07': 'leads cannot be read back', 'VER-01': 'leads are refused' },
  }),
  fault('admin-cannot-change-unit', 'AUTH-05', 'full access may not change units', {
    also: { 'UNIT-11': 'a unit cannot be changed' },
  }),
  fault('no-www-authenticate', 'AUTH-06', 'a 401 has no WWW-Authenticate (warned of)'),
  fault('missing-key-403', 'AUTH-06', 'a missing key answers 403 (warned of)'),
  fault('scope-missing-401', 'AUTH-06', 'a missing scope answers 401 (warned of)'),
  fault('scheme-case-matters', 'AUTH-06', 'the scheme has to be spelt Bearer (warned of)'),
  fault('key-in-query-accepted', 'AUTH-06', 'a key in the query string is accepted (warned of)'),
  fault('key-under-basic-accepted', 'AUTH-06', 'a key under the scheme Basic is accepted (warned of)'),
  fault('key-case-ignored', 'AUTH-06', 'a key in other case is accepted (warned of)'),
  fault('key-word-ignored', 'AUTH-06', 'a key with another word after it is accepted (warned of)'),
  fault('key-percent-decoded', 'AUTH-06', 'a key is percent-decoded before it is compared (warned of)'),
  fault('key-echoed', 'AUTH-06', 'the refusal of an unknown key repeats it (warned of)', {
    also: { 'ENV-07': 'an error holds a secret' },
  }),
] as const;
