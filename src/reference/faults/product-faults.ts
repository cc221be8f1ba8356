import { foreignTenantFailure, missingKey, scopeFailure } from '../admission.js';
import { notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
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
  anyStatus,
  before,
  isPaged,
  items,
  opens,
  otherThan,
  ownTenant,
  person,
  planned,
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
});

/** Faults of one operation in one place. */
// prettier-ignore
export const productFaults: readonly Fault[] = [
  ...product({
    name: 'needs-no-key', requirement: 'AUTH-01', says: (doing) => `${doing} needs no key`,
    hooks: letIn,
    cells: [...cross(all, [...forms, withoutTenant]), ...cross(['any'], [head]), ...cross(['listUnits'], [filtered]), ...cross(lists, [head, paged])],
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
  }),
  ...product({
    name: 'granted', requirement: 'AUTH-03', says: (doing) => `${doing} is granted`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }),
    cells: notGranted,
  }),
  ...product({
    name: 'needs-no-scope', requirement: 'AUTH-03', says: (doing) => `${doing} needs no scope`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }),
    cells: [...cross(all, [...forms, withoutTenant]), ...cross(['any'], [head, secondForm]), ...cross(['listUnits'], [filtered]), ...cross(lists, [paged, limitedTo])],
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
  }),
  ...product({
    name: 'refused', requirement: (_, { name }) => (/admin|tenant/.test(name) ? 'AUTH-05' : 'AUTH-02'), says: (doing) => `${doing} is refused`,
    hooks: (isThere) => ({ allowed: (allowed, key, exchange) => allowed && !isThere(exchange, key) }),
    cells: [
      ...all.flatMap((name) => cross([name], [scoped(scopeOf(name)), within(secondForm, scoped(scopeOf(name)))])),
      ...cross(['listUnits'], [within(paged, scoped('read:inventory'))]),
      ...cross(['listDeals', ...all.filter((name) => name !== 'listDeals')], [fullAccess, within(secondForm, fullAccess), secondTenant]),
    ],
  }),
  ...product({
    name: 'of-named-tenant', requirement: 'AUTH-04', says: (doing) => `X-Tenant selects any tenant for ${doing}`,
    hooks: follows,
    cells: [...cross(['any'], [everywhere, head, filtered, secondForm]), ...cross(all, [...forms, scopedKeys, secondTenant])],
  }),
  ...product({
    name: 'of-first-tenant', requirement: 'AUTH-04', says: (doing) => `${doing} is for the first tenant, whichever key`,
    hooks: (isThere) => ({ tenant: (tenant, exchange, key) => (tenant && isThere(exchange, key) ? exchange.world.tenantOf(mainTenant) : tenant) }),
    cells: [...cross(['createLead', 'createUnit'], [withoutTenant]), ...cross(['listDeals'], [everywhere]), ...cross(['any'], [within(secondForm, withoutTenant)])],
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
  }),
  ...product({
    name: 'finds-foreign', requirement: 'AUTH-04', says: (doing) => `${doing} finds another tenant’s by its id`,
    hooks: findsForeign,
    cells: cross(ones, [...forms, scopedKeys]),
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
  }),
  ...product({
    name: 'unfiltered', requirement: (_, place) => (place === secondForm ? 'VER-01' : 'UNIT-03'), says: (doing) => `${doing} ignores the status asked for`,
    hooks: withoutParameter('status'),
    cells: cross(['listUnits'], [...readingUnits, within(paged, secondTenant), within(paged, scoped('read:inventory'))]),
  }),
  ...product({
    name: 'unlimited', requirement: 'UNIT-04', says: (doing) => `${doing} ignores the limit`,
    hooks: withoutParameter('limit'),
    cells: cross(['listUnits'], readingUnits),
  }),
  ...product({
    name: 'loses-one', requirement: (_, place) => (place === secondForm ? 'VER-01' : 'UNIT-05'), says: (doing) => `${doing} shows each page after the first without its first unit`,
    hooks: (isThere) => unitList(isThere, (list, exchange) => isPaged(exchange) && list.shift()),
    cells: cross(['listUnits'], [...readingUnits, filtered]),
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
    cells: [...cross(['getUnit'], [everywhere, ...readingUnits]), ...cross(['getLead'], [...otherwise, scoped('read:leads')]), ...cross(['getDeal'], [everywhere, scoped('read:deals')])],
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
    name: 'without-status', needs: vacuous.needs, requirement: 'UNIT-02', says: (doing) => `${doing} shows a unit without a status`,
    hooks: (isThere, operation) => shown(operation, isThere, (unit) => delete unit['status']),
    cells: [...cross(['listUnits'], [...readingUnits, filtered]), ...cross(['getUnit'], [everywhere, ...otherwise])],
  }),
  ...product({
    name: 'shows-person', requirement: 'UNIT-10', says: (doing) => `${doing} shows a customer`,
    hooks: (isThere, operation) => shown(operation, isThere, (unit, { world }) => (unit['customer'] = person(world.behaviour))),
    cells: cross(['listUnits', 'getUnit'], [secondForm, withoutTenant]),
  }),
  ...product({
    name: 'with-total-text', needs: vacuous.needs, requirement: 'DEAL-02', says: (doing) => `${doing} shows totalGross as a text`,
    hooks: (isThere, operation) => shown(operation, isThere, (deal) => (deal['totalGross'] = String(deal['totalGross']))),
    cells: [...cross(['listDeals'], [...otherwise, scoped('read:deals'), paged]), ...cross(['getDeal'], [everywhere, ...otherwise, scoped('read:deals')])],
  }),
  ...product({
    name: 'with-id-number', needs: vacuous.needs, requirement: 'DEAL-02', says: (doing) => `${doing} shows an id that is a number`,
    hooks: (isThere, operation) => shown(operation, isThere, (deal) => (deal['id'] = 4_711)),
    cells: [...cross(['listDeals'], [...otherwise, scoped('read:deals')]), ...cross(['getDeal'], [everywhere, ...otherwise])],
  }),
  ...product({
    name: 'absent', requirement: (operation) => (/Unit$/.test(operation) && operation !== 'getUnit' ? 'UNIT-11' : 'VER-01'), says: (doing) => `${doing} answers 404`,
    hooks: (isThere) => refuses(/^/, notFound, isThere),
    cells: cross(all, [secondForm]),
    extras: {
      'second-form-lead-list-absent': anyStatus,
      'second-form-lead-change-absent': { missed: 'no check changes a lead there' },
    },
  }),
  ...product({
    name: 'ignores-key', requirement: (operation) => (isUnit(operation) ? 'UNIT-11' : 'IDEM-01'), says: (doing) => `${doing} ignores the idempotency key`,
    hooks: (isThere, operation) => keyNames(isThere, isUnit(operation) ? 'units' : 'leads', () => null),
    cells: cross(['createLead', 'createUnit'], sent),
  }),
  ...product({
    name: 'takes-other-body', requirement: 'IDEM-04', says: (doing) => `${doing} with the key of another body makes a second one`,
    hooks: (isThere) => ({
      replay: (_, { outcome }, same, creation) => (!same && outcome !== null && isThere(creation.exchange) ? creation.make() : null),
    }),
    cells: cross(['createLead', 'createUnit'], [everywhere, ...sent]),
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
    cells: cross(['createLead'], [everywhere, ...sent]),
  }),
  ...product({
    name: 'races', requirement: 'IDEM-03', says: (doing) => `${doing} twice within 5 ms with one key makes two`,
    hooks: (isThere) => ({ work: (work, creation) => (isThere(creation.exchange) ? { ms: 5, remembered: false } : work) }),
    cells: cross(['createLead', 'createUnit'], [everywhere, ...sent]),
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
    cells: [...cross(['getUnit'], [everywhere, ...readingUnits]), ...cross(['getLead'], [everywhere, ...otherwise, scoped('read:leads')])],
  }),
  ...['desk', 'calls', 'transcript', 'dispatch', 'funnel'].flatMap((path, at) =>
    product({
      name: `planned-${path}-alive`, requirement: `PLAN-0${String(at + 1)}`, says: () => `the planned path of ${path} answers 200`,
      hooks: (isThere) => planned(at, 200, isThere),
      cells: cross(['any'], [secondForm, secondTenant, scopedKeys]),
    }),
  ),
];
