import { foreignTenantFailure, missingKey, scopeFailure } from '../admission.js';
import { notFound } from '../api-failure.js';
import { readCursor } from '../data/paging.js';
import type { Unit } from '../data/records.js';
import { showDeal, showLead, showListedUnit } from '../data/show-records.js';
import { readCredentials } from '../credentials.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { callerOf, type Creation, type Exchange, type FaultHooks } from '../instance.js';
import { noSuch } from '../routes/records.js';
import { grants } from '../scopes.js';
import {
  afterwards,
  before,
  isPaged,
  items,
  opens,
  otherThan,
  ownTenant,
  person,
  refuses,
  shelfOf,
  success,
  vacuous,
  type Json,
} from './change.js';
import { type Fault } from './fault.js';
import {
  cross,
  everywhere,
  filtered,
  fullAccess,
  head,
  limitedTo,
  paged,
  product,
  scoped,
  scopedKeys,
  secondForm,
  secondTenant,
  within,
  withoutTenant,
  type OperationName,
} from './places.js';

const lists = ['listUnits', 'listLeads', 'listDeals'] as const;
const reads = ['listUnits', 'getUnit', 'listLeads', 'getLead', 'listDeals', 'getDeal'] as const;
const changes = ['updateUnit', 'deleteUnit', 'updateLead'] as const;
const writes = ['createLead', 'createUnit', ...changes] as const;
const ones = ['getUnit', 'updateUnit', 'deleteUnit', 'getLead', 'updateLead', 'getDeal'] as const;
const all = [...reads, ...writes] as const;
const forms = [everywhere, secondForm];
const scopes = ['read:inventory', 'write:inventory', 'read:leads', 'write:leads', 'read:deals', 'read:calls'];

/** The scope that the specification gives for an operation. */
function scopeOf(operation: OperationName): string {
  if (/Deal/.test(operation)) return 'read:deals';
  const right = /^(list|get)/.test(operation) ? 'read' : 'write';
  return `${right}:${/Lead/.test(operation) ? 'leads' : 'inventory'}`;
}
/** Operations, each with a key of a scope that has no right to it. */
const notGranted = ['createUnit' as const, ...all.filter((name) => name !== 'createUnit')].flatMap((name) =>
  scopes
    .filter((scope) => scope !== scopeOf(name) && scope !== scopeOf(name).replace('read:', 'write:'))
    .flatMap((scope) => cross([name], [scoped(scope)])),
);

const isUnit = (operation: string): boolean => operation.includes('Unit');

/** Remembers creates by another name; null for not at all. */
const keyNames = (
  isThere: (exchange: Exchange) => boolean,
  route: Creation['route'],
  name: (usual: string) => string | null,
): FaultHooks => ({
  keyName: (usual, creation) =>
    usual !== null && creation.route === route && isThere(creation.exchange) ? name(usual) : usual,
});

/** Where the same record is asked for, or sent, otherwise than by the first key for its own tenant under the first form. */
const otherwise = [secondForm, secondTenant, withoutTenant];
const readingUnits = [...otherwise, scoped('read:inventory')];
const sent = [...otherwise, scopedKeys];

/** The requirement of a record that is written: of units, or of leads. */
const writing = (operation: OperationName): string => (isUnit(operation) ? 'UNIT-11' : 'LEAD-07');
const letIn = (isThere: (exchange: Exchange, key?: null) => boolean): FaultHooks =>
  opens((presented, exchange) => !presented && isThere(exchange, null));
/** Changes the record, or one of the records, that an operation answers with. */
const shown = (
  operation: OperationName,
  isThere: (exchange: Exchange) => boolean,
  change: (record: Json, exchange: Exchange) => void,
): FaultHooks =>
  success(operation, ({ body }, exchange) => {
    if (!isThere(exchange)) return;
    const { data } = body as { data: Json };
    const list = Object.values(data).find(Array.isArray) as Json[] | undefined;
    const record = operation.startsWith('list')
      ? list?.[exchange.world.behaviour.seed % Math.max(1, list.length)]
      : data;
    if (record !== undefined) change(record, exchange);
  });
/** Changes the list of units. */
const unitList = (
  isThere: (exchange: Exchange) => boolean,
  change: (list: Json[], exchange: Exchange) => void,
): FaultHooks => items('listUnits', (list, exchange) => isThere(exchange) && change(list, exchange));
const withoutParameter =
  (name: string) =>
  (isThere: (exchange: Exchange) => boolean): FaultHooks =>
    before(/^/, (exchange) => {
      if (isThere(exchange)) delete exchange.query[name];
    });
const idOf = (operation: string, tenant: TenantStore, exchange: Exchange): boolean =>
  operation === 'getDeal'
    ? tenant.deals.some(({ id }) => id === exchange.id)
    : shelfOf(operation, tenant).get(exchange.id) !== undefined;
/** Finds a record that the caller's tenant lacks with the tenant that has it. */
const findsForeign = (isThere: (exchange: Exchange) => boolean, operation: OperationName): FaultHooks => ({
  handle: (exchange) => {
    if (!isThere(exchange) || idOf(operation, ownTenant(exchange), exchange)) return;
    const owner = Array.from(exchange.world.tenants.values()).find((tenant) => idOf(operation, tenant, exchange));
    if (owner !== undefined) exchange.caller = { ...callerOf(exchange), tenant: owner };
  },
});
const isForeign = (exchange: Exchange): boolean => {
  const { key, tenant } = callerOf(exchange);
  return key !== null && key.tenant !== tenant.slug;
};
const follows = (isThere: (exchange: Exchange, key: Parameters<typeof grants>[0]) => boolean): FaultHooks => ({
  tenant: (tenant, exchange, key, named) => (named !== undefined && isThere(exchange, key) ? named : tenant),
});
/** The record of another tenant, as a list shows it. */
function foreignRecord(operation: OperationName, exchange: Exchange): Json | undefined {
  const other = otherThan(ownTenant(exchange), exchange);
  const { behaviour } = exchange.world;
  const [deal] = other.deals;
  if (operation === 'listDeals') return deal && showDeal(deal, behaviour);
  const [lead] = other.leads.placed();
  if (operation === 'listLeads') return lead && showLead(lead.record);
  const units = Array.from(other.units.placed(), ({ record }) => record);
  const unit = units.find(({ status }) => status === (exchange.query['status'] ?? status));
  return unit && showListedUnit(unit, behaviour);
}

/** Faults of creations and changes that make two records of one. */
export const doublingFaults: readonly Fault[] = product({
  name: 'doubled',
  requirement: (operation) => (isUnit(operation) ? 'UNIT-11' : 'IDEM-01'),
  says: (doing) => `${doing} makes another that looks like it`,
  hooks: (isThere, operation) =>
    afterwards(
      operation,
      (shelf, record) => shelf.add({ ...(shelf.get(record.id) ?? record), id: freshId('more') }),
      isThere,
    ),
  cells: [...cross(['createLead', 'createUnit'], [...sent, everywhere]), ...cross(['updateUnit'], [everywhere])],
  aliases: {
    'second-form-lead-creation-doubled': 'second-form-lead-twice',
    'unit-change-doubled': 'unit-change-makes-copy',
  },
});

/** Faults of one operation in one place. */
// prettier-ignore
export const productFaults: readonly Fault[] = [
  ...product({
    name: 'needs-no-key', requirement: 'AUTH-01', says: (doing) => `${doing} needs no key`,
    hooks: letIn,
    cells: [...cross(all, [...forms, withoutTenant]), ...cross(['any'], [head]), ...cross(['listUnits'], [filtered]), ...cross(lists, [head, paged])],
    aliases: {
      'deal-list-needs-no-key': 'no-key-accepted-for-deals',
      'filtered-unit-list-needs-no-key': 'no-key-accepted-for-filter',
      'second-form-unit-change-needs-no-key': 'second-form-change-needs-no-key',
      'unit-needs-no-key': 'no-key-accepted-for-unit',
      'lead-creation-needs-no-key': 'no-key-accepted-for-create',
      'head-lead-list-needs-no-key': 'head-of-leads-without-key',
    },
  }),
  ...product({
    name: 'done-without-key', requirement: 'AUTH-01', says: (doing) => `${doing} without a key is refused once it is done`,
    hooks: (isThere, operation) => ({
      ...letIn(isThere),
      ...success(operation, (_, exchange) => {
        if (readCredentials(exchange).presented === null) throw missingKey(exchange.world);
      }),
    }),
    cells: cross(writes, forms),
    aliases: {
      'lead-creation-done-without-key': 'lead-stored-without-key',
      'unit-creation-done-without-key': 'unit-stored-without-key',
      'unit-deletion-done-without-key': 'unit-deleted-without-key',
    },
  }),
  ...product({
    name: 'granted', requirement: 'AUTH-03', says: (doing) => `${doing} is granted`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }),
    cells: notGranted,
    aliases: {
      'read-inventory-unit-creation-granted': 'read-inventory-writes',
      'read-leads-lead-creation-granted': 'read-leads-writes',
      'read-calls-deal-list-granted': 'read-calls-reads-deals',
      'read-deals-lead-list-granted': 'read-deals-reads-leads',
      'write-leads-unit-list-granted': 'write-leads-reads-units',
      'read-inventory-lead-list-granted': 'read-inventory-reads-leads',
      'read-inventory-lead-granted': 'read-inventory-reads-one-lead',
    },
  }),
  ...product({
    name: 'needs-no-scope', requirement: 'AUTH-03', says: (doing) => `${doing} needs no scope`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }),
    cells: [...cross(all, [...forms, withoutTenant]), ...cross(['any'], [head, secondForm]), ...cross(['listUnits'], [filtered]), ...cross(lists, [paged, limitedTo])],
    aliases: {
      'unit-change-needs-no-scope': 'patch-needs-no-scope',
      'unit-deletion-needs-no-scope': 'delete-needs-no-scope',
      'lead-change-needs-no-scope': 'single-lead-change-needs-no-scope',
      'second-form-lead-list-needs-no-scope': 'second-form-leads-need-no-scope',
      'paged-unit-list-needs-no-scope': 'cursor-needs-no-scope',
      'filtered-unit-list-needs-no-scope': 'filter-needs-no-scope',
      'limited-lead-list-needs-no-scope': 'queried-leads-need-no-scope',
    },
  }),
  ...product({
    name: 'done-without-scope', requirement: 'AUTH-03', says: (doing) => `${doing} without its scope is refused once it is done`,
    hooks: (isThere, operation) => ({
      allowed: (allowed, key, exchange) => allowed || isThere(exchange, key),
      ...success(operation, (_, exchange) => {
        const [{ key }, { scope = '', world }] = [callerOf(exchange), exchange];
        if (key && !grants(key, scope, world.behaviour)) throw scopeFailure(world);
      }),
    }),
    cells: cross(writes, forms),
    aliases: {
      'lead-creation-done-without-scope': 'refusal-after-effect',
      'unit-creation-done-without-scope': 'unit-stored-then-refused',
      'unit-change-done-without-scope': 'unit-changed-then-refused',
      'unit-deletion-done-without-scope': 'unit-deleted-then-refused',
    },
  }),
  ...product({
    name: 'refused', requirement: (_, { name }) => (/admin|tenant/.test(name) ? 'AUTH-05' : 'AUTH-02'), says: (doing) => `${doing} is refused`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed && !isThere(exchange, key) }),
    cells: [
      ...all.flatMap((name) => cross([name], [scoped(scopeOf(name)), within(secondForm, scoped(scopeOf(name)))])),
      ...cross(['listUnits'], [within(paged, scoped('read:inventory'))]),
      ...cross(['listDeals', ...all.filter((name) => name !== 'listDeals')], [fullAccess, within(secondForm, fullAccess), secondTenant]),
    ],
    aliases: {
      'read-inventory-unit-list-refused': 'read-inventory-refused',
      'read-inventory-unit-refused': 'read-inventory-cannot-read-one',
      'write-inventory-unit-creation-refused': 'write-inventory-refused',
      'read-leads-lead-list-refused': 'read-leads-refused',
      'write-leads-lead-creation-refused': 'write-leads-refused',
      'read-deals-deal-list-refused': 'read-deals-refused',
      'second-form-read-deals-deal-list-refused': 'second-form-refuses-read-deals',
      'paged-read-inventory-unit-list-refused': 'read-inventory-refused-page-two',
      'admin-deal-list-refused': 'admin-cannot-read-deals',
      'second-tenant-deal-list-refused': 'second-admin-cannot-read-deals',
      'admin-unit-creation-refused': 'admin-cannot-create-unit',
      'admin-lead-list-refused': 'admin-cannot-read-leads',
      'admin-unit-change-refused': 'admin-cannot-change-unit',
      'admin-lead-change-refused': 'admin-cannot-change-lead',
    },
  }),
  ...product({
    name: 'of-named-tenant', requirement: 'AUTH-04', says: (doing) => `X-Tenant selects any tenant for ${doing}`,
    hooks: follows,
    cells: [...cross(['any'], [everywhere, head, filtered, secondForm]), ...cross(all, [...forms, scopedKeys, secondTenant])],
    aliases: {
      'of-named-tenant': 'foreign-tenant-followed',
      'head-of-named-tenant': 'foreign-tenant-followed-by-head',
      'filtered-of-named-tenant': 'foreign-tenant-followed-under-filter',
      'second-form-of-named-tenant': 'second-form-follows-foreign-tenant',
      'unit-of-named-tenant': 'foreign-tenant-followed-when-reading-one',
      'lead-of-named-tenant': 'foreign-tenant-followed-for-one-lead',
      'unit-creation-of-named-tenant': 'foreign-tenant-unit-created',
      'scoped-lead-creation-of-named-tenant': 'foreign-tenant-followed-by-writing-key',
      'second-form-unit-of-named-tenant': 'second-form-unit-follows-foreign-tenant',
      'second-tenant-lead-creation-of-named-tenant': 'foreign-tenant-written-by-second',
      'lead-creation-of-named-tenant': 'foreign-tenant-written',
      'deal-list-of-named-tenant': 'deals-of-the-named-tenant',
    },
  }),
  ...product({
    name: 'done-for-named-tenant', requirement: 'AUTH-04', says: (doing) => `${doing} for another tenant is refused once it is done`,
    hooks: (isThere, operation) => ({
      ...follows(isThere),
      ...success(operation, (_, exchange) => {
        if (isForeign(exchange)) throw foreignTenantFailure(exchange.world);
      }),
    }),
    cells: cross(writes, forms),
    aliases: { 'lead-creation-done-for-named-tenant': 'foreign-tenant-written-though-refused' },
  }),
  ...product({
    name: 'finds-foreign', requirement: 'AUTH-04', says: (doing) => `${doing} finds another tenant’s by its id`,
    hooks: findsForeign,
    cells: cross(ones, [...forms, scopedKeys]),
    aliases: {
      'unit-finds-foreign': 'foreign-unit-by-id',
      'unit-change-finds-foreign': 'foreign-unit-changed',
      'unit-deletion-finds-foreign': 'foreign-unit-deleted',
      'lead-finds-foreign': 'foreign-lead-by-id',
      'lead-change-finds-foreign': 'foreign-lead-changed',
    },
  }),
  ...product({
    name: 'done-to-foreign', requirement: 'AUTH-04', says: (doing) => `${doing} that is another tenant’s is refused once it is done`,
    hooks: (isThere, operation) => ({
      ...findsForeign(isThere, operation),
      ...success(operation, (_, exchange) => {
        if (isForeign(exchange)) throw noSuch(isUnit(operation) ? 'unit' : 'lead', exchange.world);
      }),
    }),
    cells: cross(changes, [...forms, scopedKeys]),
    aliases: {
      'unit-change-done-to-foreign': 'foreign-unit-changed-though-refused',
      'lead-change-done-to-foreign': 'foreign-lead-changed-though-refused',
    },
  }),
  ...product({
    name: 'shows-foreign', requirement: 'AUTH-04', says: (doing) => `${doing} ends with a record of another tenant`,
    hooks: (isThere, operation) =>
      success(operation, ({ body }, exchange) => {
        const { data } = body as { data: Json };
        // A page of units may not hold more than its limit.
        const isFull = operation !== 'listDeals' && data['nextCursor'];
        const foreign = isFull || !isThere(exchange) ? undefined : foreignRecord(operation, exchange);
        if (foreign) (Object.values(data).find(Array.isArray) as Json[]).push(foreign);
      }),
    cells: [...cross(lists, [...forms, withoutTenant, scopedKeys]), ...cross(['listUnits'], [filtered]), ...cross(['listDeals'], [paged])],
    aliases: {
      'unit-list-shows-foreign': 'foreign-unit-listed',
      'filtered-unit-list-shows-foreign': 'filter-shows-every-tenant',
      'paged-deal-list-shows-foreign': 'deal-pages-mix-tenants',
    },
  }),
  ...product({
    name: 'follows-foreign-cursor', requirement: 'AUTH-04', says: (doing) => `${doing} by a cursor of another tenant shows what that tenant has`,
    hooks: (isThere, operation) => ({
      tenant: (tenant, exchange, key) => {
        const { query, world } = exchange;
        const cursor = readCursor(query[world.behaviour.option('cursor-parameter')] ?? '', operation.slice(4).toLowerCase());
        return tenant && cursor && isThere(exchange, key) ? (world.tenants.get(cursor.tenant) ?? tenant) : tenant;
      },
    }),
    cells: cross(lists, forms),
    aliases: { 'unit-list-follows-foreign-cursor': 'foreign-cursor-followed' },
  }),
  ...product({
    name: 'undone', requirement: (operation, place) => (operation === 'createLead' && place === secondForm ? 'VER-01' : writing(operation)),
    says: (doing) => `${doing} is answered as done and not stored`,
    hooks: (isThere, operation) =>
      afterwards(operation, (shelf, record, isNew) => {
        if (isNew) shelf.remove(record.id);
        else if (shelf.get(record.id) === undefined) shelf.add(record);
        else shelf.replace(record);
      }, isThere),
    cells: [
      ...cross(writes, [everywhere, ...otherwise]),
      ...writes.flatMap((name) => cross([name], [scoped(scopeOf(name))])),
    ],
    aliases: {
      'lead-change-undone': 'lead-change-not-stored',
      'second-form-unit-change-undone': 'second-form-change-undone',
      'second-form-unit-deletion-undone': 'second-form-deletion-undone',
      'second-tenant-unit-change-undone': 'second-tenant-change-undone',
      'write-inventory-unit-change-undone': 'writing-key-change-undone',
      'write-inventory-unit-deletion-undone': 'writing-key-deletion-undone',
      'second-form-lead-creation-undone': 'second-form-lead-not-stored',
      'write-leads-lead-creation-undone': 'lead-of-writing-key-lost',
      'no-tenant-lead-creation-undone': 'lead-without-tenant-lost',
    },
  }),
  ...product({
    name: 'altered', requirement: writing, says: (doing) => `${doing} stores something else besides what it was answered with`,
    hooks: (isThere, operation) =>
      afterwards(operation, (shelf, { id }, isNew) => {
        const record = shelf.get(id);
        if (record === undefined) return;
        const changed = isUnit(operation) ? { model: `${(record as Unit).model} II` } : isNew ? { vehicleId: 'unit_0' } : { name: 'Somebody Else' };
        shelf.replace({ ...record, ...changed });
      }, isThere),
    cells: cross(['createLead', 'createUnit', 'updateUnit', 'updateLead'], [everywhere, ...sent]),
    aliases: { 'second-form-lead-creation-altered': 'second-form-other-vehicle' },
  }),
  ...product({
    name: 'unfiltered', requirement: (_, place) => (place === secondForm ? 'VER-01' : 'UNIT-03'), says: (doing) => `${doing} ignores the status asked for`,
    hooks: withoutParameter('status'),
    cells: cross(['listUnits'], [...readingUnits, within(paged, secondTenant), within(paged, scoped('read:inventory'))]),
    aliases: {
      'second-tenant-unit-list-unfiltered': 'filter-lost-for-second-tenant',
      'read-inventory-unit-list-unfiltered': 'reading-key-filter-ignored',
      'second-form-unit-list-unfiltered': 'second-form-filter-ignored',
    },
  }),
  ...product({
    name: 'unlimited', requirement: 'UNIT-04', says: (doing) => `${doing} ignores the limit`,
    hooks: withoutParameter('limit'),
    cells: cross(['listUnits'], readingUnits),
    aliases: { 'second-tenant-unit-list-unlimited': 'second-tenant-limit-ignored', 'read-inventory-unit-list-unlimited': 'reading-key-limit-ignored' },
  }),
  ...product({
    name: 'loses-one', requirement: (_, place) => (place === secondForm ? 'VER-01' : 'UNIT-05'), says: (doing) => `${doing} shows each page after the first without its first unit`,
    hooks: (isThere) => unitList(isThere, (list, exchange) => isPaged(exchange) && list.shift()),
    cells: cross(['listUnits'], [...readingUnits, filtered]),
    aliases: {
      'second-tenant-unit-list-loses-one': 'second-tenant-loses-one',
      'read-inventory-unit-list-loses-one': 'reading-key-loses-one',
      'second-form-unit-list-loses-one': 'second-form-list-loses-one',
    },
  }),
  ...product({
    name: 'repeats-one', requirement: 'UNIT-05', says: (doing) => `${doing} shows the first unit of each page again, in place of the last`,
    hooks: (isThere) => unitList(isThere, (list) => list.length > 2 && list.splice(-1, 1, list[0] ?? {})),
    cells: cross(['listUnits'], [...readingUnits, filtered]),
  }),
  ...product({
    name: 'shows-other', requirement: (operation, place) => (operation === 'getDeal' ? 'DEAL-02' : !isUnit(operation) ? 'LEAD-07' : place === secondForm ? 'VER-01' : 'UNIT-06'),
    says: (doing) => `${doing} shows something else than is stored`,
    hooks: (isThere, operation) =>
      shown(operation, isThere, (record) => Object.assign(record, { getUnit: { priceCents: Number(record['priceCents']) + 1 }, getDeal: { totalGross: Number(record['totalGross']) + 1 } }[operation as string] ?? { phone: '+12025550199' })),
    cells: [...cross(['getUnit'], readingUnits), ...cross(['getLead'], [...otherwise, scoped('read:leads')]), ...cross(['getDeal'], [everywhere, scoped('read:deals')])],
    aliases: { 'second-form-unit-shows-other': 'second-form-unit-differs' },
    extras: { 'deal-shows-other': { warns: true }, 'read-deals-deal-shows-other': { warns: true } },
  }),
  ...product({
    name: 'keeps-old', requirement: 'UNIT-11', says: (doing) => `${doing} shows it as it was read there first`,
    hooks: (isThere, operation) => () => {
      const first = new Map<unknown, Json>();
      return shown(operation, isThere, (record) => Object.assign(record, first.get(record['id']) ?? (first.set(record['id'], { ...record }), {})));
    },
    cells: cross(['getUnit'], [secondForm, scoped('read:inventory')]),
  }),
  ...product({
    name: 'without-status', needs: vacuous, requirement: 'UNIT-02', says: (doing) => `${doing} shows a unit without a status`,
    hooks: (isThere, operation) => shown(operation, isThere, (unit) => delete unit['status']),
    cells: [...cross(['listUnits'], [...readingUnits, filtered]), ...cross(['getUnit'], [everywhere, ...otherwise])],
    aliases: {
      'second-tenant-unit-list-without-status': 'second-tenant-unit-without-status',
      'second-tenant-unit-without-status': 'second-tenant-single-unit-without-status',
    },
  }),
  ...product({
    name: 'shows-person', requirement: 'UNIT-10', says: (doing) => `${doing} shows a customer`,
    hooks: (isThere, operation) => shown(operation, isThere, (unit, { world }) => (unit['customer'] = person(world.behaviour))),
    cells: cross(['listUnits', 'getUnit'], [secondForm, withoutTenant]),
    aliases: { 'second-form-unit-list-shows-person': 'second-form-list-shows-person' },
  }),
  ...product({
    name: 'with-total-text', needs: vacuous, requirement: 'DEAL-02', says: (doing) => `${doing} shows totalGross as a text`,
    hooks: (isThere, operation) => shown(operation, isThere, (deal) => (deal['totalGross'] = String(deal['totalGross']))),
    cells: [...cross(['listDeals'], [...otherwise, scoped('read:deals'), paged]), ...cross(['getDeal'], [everywhere, ...otherwise, scoped('read:deals')])],
    aliases: { 'second-tenant-deal-list-with-total-text': 'second-tenant-deal-total-text', 'deal-with-total-text': 'deal-total-text-when-read' },
  }),
  ...product({
    name: 'with-id-number', needs: vacuous, requirement: 'DEAL-02', says: (doing) => `${doing} shows an id that is a number`,
    hooks: (isThere, operation) => shown(operation, isThere, (deal) => (deal['id'] = 4_711)),
    cells: [...cross(['listDeals'], [...otherwise, scoped('read:deals')]), ...cross(['getDeal'], [everywhere, ...otherwise])],
    aliases: { 'second-form-deal-list-with-id-number': 'second-form-deal-id-number' },
  }),
  ...product({
    name: 'absent', requirement: (operation) => (/Unit$/.test(operation) && operation !== 'getUnit' ? 'UNIT-11' : 'VER-01'), says: (doing) => `${doing} answers 404`,
    hooks: (isThere) => refuses(/^/, notFound, isThere),
    cells: cross(all, [secondForm]),
    aliases: {
      'second-form-unit-creation-absent': 'second-form-makes-no-units',
      'second-form-unit-change-absent': 'second-form-changes-no-units',
      'second-form-deal-list-absent': 'second-form-without-deals',
      'second-form-lead-list-absent': 'second-form-without-lead-list',
      'second-form-lead-creation-absent': 'second-form-refuses-leads',
    },
    extras: { 'second-form-without-lead-list': { needs: { 'document-statuses': 'default' } } },
  }),
  ...product({
    name: 'ignores-key', requirement: (operation) => (isUnit(operation) ? 'UNIT-11' : 'IDEM-01'), says: (doing) => `${doing} ignores the idempotency key`,
    hooks: (isThere, operation) => keyNames(isThere, isUnit(operation) ? 'units' : 'leads', () => null),
    cells: cross(['createLead', 'createUnit'], sent),
    aliases: {
      'scoped-lead-creation-ignores-key': 'key-ignored-for-scoped-keys',
      'second-form-unit-creation-ignores-key': 'second-form-unit-key-ignored',
    },
  }),
  ...product({
    name: 'takes-other-body', requirement: 'IDEM-04', says: (doing) => `${doing} with the key of another body makes a second one`,
    hooks: (isThere) => ({
      replay: (_, { outcome }, same, creation) => (!same && outcome !== null && isThere(creation.exchange) ? creation.make() : null),
    }),
    cells: cross(['createLead', 'createUnit'], sent),
  }),
  ...product({
    name: 'replay-shows-other', requirement: 'IDEM-01', says: (doing) => `${doing} again shows another phone`,
    hooks: (isThere) => ({
      replay: (_, { outcome }, same, creation) => {
        if (!same || outcome === null || !isThere(creation.exchange)) return null;
        const { status, record } = creation.show(outcome);
        return { status, record: { ...record, phone: '+10000000000' } };
      },
    }),
    cells: cross(['createLead'], sent),
  }),
  ...product({
    name: 'races', requirement: 'IDEM-03', says: (doing) => `${doing} twice within 5 ms with one key makes two`,
    hooks: (isThere) => ({ work: (work, creation) => (isThere(creation.exchange) ? { ms: 5, remembered: false } : work) }),
    cells: cross(['createLead', 'createUnit'], sent),
  }),
  ...product({
    name: 'unknown-gives-first', requirement: (operation) => (isUnit(operation) ? 'UNIT-07' : 'LEAD-07'), says: (doing) => `${doing} by an unknown id gives another`,
    hooks: (isThere, operation) => ({
      handle: (exchange) => {
        if (!isThere(exchange)) return;
        const shelf = shelfOf(operation, ownTenant(exchange));
        const [first] = shelf.placed();
        if (shelf.get(exchange.id) === undefined && first) exchange.id = first.record.id;
      },
    }),
    cells: [...cross(['getUnit'], readingUnits), ...cross(['getLead'], [...otherwise, scoped('read:leads')])],
  }),
  ...['desk', 'calls', 'transcript', 'dispatch', 'funnel'].flatMap((path, at) =>
    product({
      name: `planned-${path}-alive`, requirement: `PLAN-0${String(at + 1)}`, says: () => `the planned path of ${path} answers 200`,
      hooks: (isThere) => ({ plannedStatus: (status, index, exchange, key) => (index === at && isThere(exchange, key) ? 200 : status) }),
      cells: cross(['any'], [secondForm, secondTenant, scopedKeys]),
    }),
  ),
];
