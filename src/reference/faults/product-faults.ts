import { foreignTenantFailure, missingKey, scopeFailure } from '../admission.js';
import { notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import { grants, readCredentials } from '../credentials.js';
import { readCursor } from '../data/paging.js';
import type { Lead, Unit } from '../data/records.js';
import { showDeal, showLead, showListedUnit } from '../data/show-records.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { callerOf, type Creation, type Exchange, type FaultHooks, type Json } from '../instance.js';
import { noSuch } from '../routes/records.js';
import {
  afterwards,
  anyStatus,
  before,
  isPaged,
  isSecond,
  items,
  listKeepsOld,
  opens,
  otherThan,
  ownTenant,
  person,
  planned,
  records,
  refuses,
  shelfOf,
  success,
  takes,
  vacuous,
} from './change.js';
import { fault, type Fault } from './fault.js';
import { at, cross, product, scoped, within, type OperationName } from './places.js';

const lists = ['listUnits', 'listLeads', 'listDeals'] as const;
const reads = ['listUnits', 'getUnit', 'listLeads', 'getLead', 'listDeals', 'getDeal'] as const;
const changes = ['updateUnit', 'deleteUnit', 'updateLead'] as const;
const writes = ['createLead', 'createUnit', ...changes] as const;
const ones = ['getUnit', 'updateUnit', 'deleteUnit', 'getLead', 'updateLead', 'getDeal'] as const;
const all = [...reads, ...writes] as const;
const forms = [at.everywhere, at.secondForm];
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
const otherwise = [at.secondForm, at.secondTenant, at.withoutTenant];
const readingUnits = [...otherwise, scoped('read:inventory')];
const sent = [...otherwise, at.scopedKeys];

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
    const record = operation.startsWith('list') ? list?.[exchange.world.seed % Math.max(1, list.length)] : data;
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
  const { world } = exchange;
  const [deal] = other.deals;
  if (operation === 'listDeals') return deal && showDeal(deal, world);
  const [lead] = other.leads.all();
  if (operation === 'listLeads') return lead && showLead(lead);
  const unit = other.units.all().find(({ status }) => status === (exchange.query['status'] ?? status));
  return unit && showListedUnit(unit, world);
}

/** Lists the units of another store under the second address form. */
const listOf = (other: (tenant: TenantStore, exchange: Exchange) => TenantStore): FaultHooks => ({
  tenant: (tenant, exchange) =>
    tenant && exchange.second && exchange.operation === 'listUnits' ? other(tenant, exchange) : tenant,
});

/** Faults of one operation in one place, and of the version in the path. */
// prettier-ignore
export const productFaults: readonly Fault[] = [
  ...product('needs-no-key', 'AUTH-01', '… needs no key', letIn,
    [...cross(all, [...forms, at.withoutTenant]), ...cross(['any'], [at.head]), ...cross(['listUnits'], [at.filtered]), ...cross(lists, [at.head, at.paged])]),
  ...product('done-without-key', 'AUTH-01', '… without a key is refused once it is done', (isThere, operation) => ({
    ...letIn(isThere),
    ...success(operation, (_, exchange) => {
      if (readCredentials(exchange).presented === null) throw missingKey(exchange.world);
    }),
  }), cross(writes, forms)),
  ...product('granted', 'AUTH-03', '… is granted', (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }), notGranted),
  ...product('needs-no-scope', 'AUTH-03', '… needs no scope', (isThere) => ({ allowed: (allowed, key, exchange) => allowed || isThere(exchange, key) }),
    [...cross(all, [...forms, at.withoutTenant]), ...cross(['any'], [at.head, at.secondForm]), ...cross(['listUnits'], [at.filtered]), ...cross(lists, [at.paged, at.limited])]),
  ...product('done-without-scope', 'AUTH-03', '… without its scope is refused once it is done', (isThere, operation) => ({
    allowed: (allowed, key, exchange) => allowed || isThere(exchange, key),
    ...success(operation, (_, exchange) => {
      const [{ key }, { scope = '', world }] = [callerOf(exchange), exchange];
      if (key && !grants(key, scope, world)) throw scopeFailure(world);
    }),
  }), cross(writes, forms)),
  ...product('refused', (_, { name }) => (/admin|tenant/.test(name) ? 'AUTH-05' : 'AUTH-02'), '… is refused',
    (isThere) => ({ allowed: (allowed, key, exchange) => allowed && !isThere(exchange, key) }),
    [
      ...all.flatMap((name) => cross([name], [scoped(scopeOf(name)), within(at.secondForm, scoped(scopeOf(name)))])),
      ...cross(['listUnits'], [within(at.paged, scoped('read:inventory'))]),
      ...cross(['listDeals', ...all.filter((name) => name !== 'listDeals')], [at.fullAccess, within(at.secondForm, at.fullAccess), at.secondTenant]),
    ]),
  ...product('of-named-tenant', 'AUTH-04', 'X-Tenant selects any tenant for …', follows,
    [...cross(['any'], [at.everywhere, at.head, at.filtered, at.secondForm]), ...cross(all, [...forms, at.scopedKeys, at.secondTenant])]),
  ...product('of-first-tenant', 'AUTH-04', '… is for the first tenant, whichever key',
    (isThere) => ({ tenant: (tenant, exchange, key) => (tenant && isThere(exchange, key) ? exchange.world.tenantOf(mainTenant) : tenant) }),
    [...cross(['createLead', 'createUnit'], [at.withoutTenant]), ...cross(['listDeals'], [at.everywhere]), ...cross(['any'], [within(at.secondForm, at.withoutTenant)])]),
  ...product('done-for-named-tenant', 'AUTH-04', '… for another tenant is refused once it is done', (isThere, operation) => ({
    ...follows(isThere),
    ...success(operation, (_, exchange) => {
      if (isForeign(exchange)) throw foreignTenantFailure(exchange.world);
    }),
  }), cross(writes, forms)),
  ...product('finds-foreign', 'AUTH-04', '… finds another tenant’s by its id', findsForeign, cross(ones, [...forms, at.scopedKeys])),
  ...product('done-to-foreign', 'AUTH-04', '… that is another tenant’s is refused once it is done', (isThere, operation) => ({
    ...findsForeign(isThere, operation),
    ...success(operation, (_, exchange) => {
      if (isForeign(exchange)) throw noSuch(isUnit(operation) ? 'unit' : 'lead', exchange.world);
    }),
  }), cross(changes, [...forms, at.scopedKeys])),
  ...product('shows-foreign', 'AUTH-04', '… ends with a record of another tenant', (isThere, operation) =>
    success(operation, ({ body }, exchange) => {
      const { data } = body as { data: Json };
      // A page of units may not hold more than its limit.
      const isFull = operation !== 'listDeals' && data['nextCursor'];
      const foreign = isFull || !isThere(exchange) ? undefined : foreignRecord(operation, exchange);
      if (foreign) (Object.values(data).find(Array.isArray) as Json[]).push(foreign);
    }),
    [...cross(lists, [...forms, at.withoutTenant, at.scopedKeys]), ...cross(['listUnits'], [at.filtered]), ...cross(['listDeals'], [at.paged])]),
  ...product('follows-foreign-cursor', 'AUTH-04', '… by a cursor of another tenant shows what that tenant has', (isThere, operation) => ({
    tenant: (tenant, exchange, key) => {
      const { query, world } = exchange;
      const cursor = readCursor(query[world.option('cursor-parameter')] ?? '', operation.slice(4).toLowerCase());
      return tenant && cursor && isThere(exchange, key) ? (world.tenants.get(cursor.tenant) ?? tenant) : tenant;
    },
  }), cross(lists, forms)),
  ...product('undone', (operation, place) => (operation === 'createLead' && place === at.secondForm ? 'VER-01' : writing(operation)), '… is answered as done and not stored',
    (isThere, operation) =>
      afterwards(operation, (shelf, record, isNew) => {
        if (isNew) shelf.remove(record.id);
        else if (shelf.get(record.id) === undefined) shelf.add(record);
        else shelf.replace(record);
      }, isThere),
    [...cross(writes, [at.everywhere, ...otherwise]), ...writes.flatMap((name) => cross([name], [scoped(scopeOf(name))]))]),
  ...product('doubled', (operation) => (isUnit(operation) ? 'UNIT-11' : 'IDEM-01'), '… makes another that looks like it',
    (isThere, operation) => afterwards(operation, (shelf, record) => shelf.add({ ...(shelf.get(record.id) ?? record), id: freshId('more') }), isThere),
    [...cross(['createLead', 'createUnit'], [...sent, at.everywhere]), ...cross(['updateUnit'], [at.everywhere])]),
  ...product('altered', writing, '… stores something else besides what it was answered with', (isThere, operation) =>
    afterwards(operation, (shelf, { id }, isNew) => {
      const record = shelf.get(id);
      if (record === undefined) return;
      const changed = isUnit(operation) ? { model: `${(record as Unit).model} II` } : isNew ? { vehicleId: 'unit_0' } : { name: 'Somebody Else' };
      shelf.replace({ ...record, ...changed });
    }, isThere),
    cross(['createLead', 'createUnit', 'updateUnit', 'updateLead'], [at.everywhere, ...sent])),
  ...product('unfiltered', (_, place) => (place === at.secondForm ? 'VER-01' : 'UNIT-03'), '… ignores the status asked for', withoutParameter('status'),
    cross(['listUnits'], [...readingUnits, within(at.paged, at.secondTenant), within(at.paged, scoped('read:inventory'))])),
  ...product('unlimited', 'UNIT-04', '… ignores the limit', withoutParameter('limit'), cross(['listUnits'], readingUnits)),
  ...product('loses-one', (_, place) => (place === at.secondForm ? 'VER-01' : 'UNIT-05'), '… shows each page after the first without its first unit',
    (isThere) => unitList(isThere, (list, exchange) => isPaged(exchange) && list.shift()),
    cross(['listUnits'], [...readingUnits, at.filtered])),
  ...product('repeats-one', 'UNIT-05', '… shows the first unit of each page again, in place of the last',
    (isThere) => unitList(isThere, (list) => list.length > 2 && list.splice(-1, 1, list[0] ?? {})),
    cross(['listUnits'], [...readingUnits, at.filtered])),
  ...product('shows-other', (operation, place) => (operation === 'getDeal' ? 'DEAL-02' : !isUnit(operation) ? 'LEAD-07' : place === at.secondForm ? 'VER-01' : 'UNIT-06'), '… shows something else than is stored',
    (isThere, operation) =>
      shown(operation, isThere, (record) => Object.assign(record, { getUnit: { priceCents: Number(record['priceCents']) + 1 }, getDeal: { totalGross: Number(record['totalGross']) + 1 } }[operation as string] ?? { phone: '+12025550199' })),
    [...cross(['getUnit'], [at.everywhere, ...readingUnits]), ...cross(['getLead'], [...otherwise, scoped('read:leads')]), ...cross(['getDeal'], [at.everywhere, scoped('read:deals')])], { extras: { 'deal-shows-other': { warns: true }, 'read-deals-deal-shows-other': { warns: true } } }),
  ...product('keeps-old', 'UNIT-11', '… shows it as it was read there first', (isThere, operation) => () => {
    const first = new Map<unknown, Json>();
    return shown(operation, isThere, (record) => Object.assign(record, first.get(record['id']) ?? (first.set(record['id'], { ...record }), {})));
  }, cross(['getUnit'], [at.secondForm, scoped('read:inventory')])),
  ...product('without-status', 'UNIT-02', '… shows a unit without a status', (isThere, operation) => shown(operation, isThere, (unit) => delete unit['status']),
    [...cross(['listUnits'], [...readingUnits, at.filtered]), ...cross(['getUnit'], [at.everywhere, ...otherwise])], { needs: vacuous.needs }),
  ...product('shows-person', 'UNIT-10', '… shows a customer', (isThere, operation) => shown(operation, isThere, (unit, { world }) => (unit['customer'] = person(world))),
    cross(['listUnits', 'getUnit'], [at.secondForm, at.withoutTenant])),
  ...product('with-total-text', 'DEAL-02', '… shows totalGross as a text',
    (isThere, operation) => shown(operation, isThere, (deal) => (deal['totalGross'] = String(deal['totalGross']))),
    [...cross(['listDeals'], [...otherwise, scoped('read:deals'), at.paged]), ...cross(['getDeal'], [at.everywhere, ...otherwise, scoped('read:deals')])], { needs: vacuous.needs }),
  ...product('with-id-number', 'DEAL-02', '… shows an id that is a number', (isThere, operation) => shown(operation, isThere, (deal) => (deal['id'] = 4_711)),
    [...cross(['listDeals'], [...otherwise, scoped('read:deals')]), ...cross(['getDeal'], [at.everywhere, ...otherwise])], { needs: vacuous.needs }),
  ...product('absent', (operation) => (/Unit$/.test(operation) && operation !== 'getUnit' ? 'UNIT-11' : 'VER-01'), '… answers 404', (isThere) => refuses(/^/, notFound, isThere),
    cross(all, [at.secondForm]), { extras: { 'second-form-lead-list-absent': anyStatus, 'second-form-lead-change-absent': { missed: 'no check changes a lead there' } } }),
  ...product('ignores-key', (operation) => (isUnit(operation) ? 'UNIT-11' : 'IDEM-01'), '… ignores the idempotency key',
    (isThere, operation) => keyNames(isThere, isUnit(operation) ? 'units' : 'leads', () => null),
    cross(['createLead', 'createUnit'], sent)),
  ...product('takes-other-body', 'IDEM-04', '… with the key of another body makes a second one', (isThere) => ({
    replay: (_, { outcome }, same, creation) => (!same && outcome !== null && isThere(creation.exchange) ? creation.make() : null),
  }), cross(['createLead', 'createUnit'], [at.everywhere, ...sent])),
  ...product('replay-shows-other', 'IDEM-01', '… again shows another phone', (isThere) => ({
    replay: (_, { outcome }, same, creation) => {
      if (!same || outcome === null || !isThere(creation.exchange)) return null;
      const { status, record } = creation.show(outcome);
      return { status, record: { ...record, phone: '+10000000000' } };
    },
  }), cross(['createLead'], [at.everywhere, ...sent])),
  ...product('races', 'IDEM-03', '… twice within 5 ms with one key makes two',
    (isThere) => ({ work: (work, creation) => (isThere(creation.exchange) ? { ms: 5, remembered: false } : work) }),
    cross(['createLead', 'createUnit'], [at.everywhere, ...sent])),
  ...product('unknown-gives-first', (operation) => (isUnit(operation) ? 'UNIT-07' : 'LEAD-07'), '… by an unknown id gives another', (isThere, operation) => ({
    handle: (exchange) => {
      if (!isThere(exchange)) return;
      const shelf = shelfOf(operation, ownTenant(exchange));
      const [first] = shelf.all();
      if (shelf.get(exchange.id) === undefined && first) exchange.id = first.id;
    },
  }), [...cross(['getUnit'], [at.everywhere, ...readingUnits]), ...cross(['getLead'], [at.everywhere, ...otherwise, scoped('read:leads')])]),
  ...['desk', 'calls', 'transcript', 'dispatch', 'funnel'].flatMap((path, nth) =>
    product(`planned-${path}-alive`, `PLAN-0${String(nth + 1)}`, `the planned path of ${path} answers 200`, (isThere) => planned(nth, 200, isThere),
      cross(['any'], [at.secondForm, at.secondTenant, at.scopedKeys])),
  ),
  fault('second-form-absent', 'VER-01', 'the second address form answers 404', { arrive: ({ url }) => { if (url.startsWith('/gateway/')) throw notFound(); } }),
  fault('second-form-bare', 'VER-01', 'the second address form answers without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure === null) answer.body = (answer.body as Json)['data']; } }),
  fault('second-form-refusal-bare', 'VER-01', 'the second address form refuses without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure !== null) answer.body = { message: failure.message }; } }),
  fault('second-form-other-data', 'VER-01', 'the second address form shows other units', listOf(otherThan)),
  fault('second-form-list-stale', 'VER-01', 'the second address form lists the units that were there at the start', listOf((tenant) => tenant.atStart())),
  fault('second-form-list-keeps-old', 'VER-01', 'the second address form lists every unit as it was before any change', () => listKeepsOld(isSecond)),
  fault('second-form-list-lacks-newest', 'VER-01', 'the second address form lists all units but the two newest', items('listUnits', (shown, exchange) => {
    const newest = ownTenant(exchange).units.all().slice(-2).map(({ id }) => id);
    if (exchange.second) shown.splice(0, Infinity, ...shown.filter(({ id }) => !newest.includes(String(id))));
  }), { elsewhere: 'UNIT' }),
  fault('second-form-list-empty', 'VER-01', 'the second address form lists no units', items('listUnits', (shown, { second }) => second && shown.splice(0))),
  fault('second-form-lead-loses-source', 'VER-01', 'a lead sent under the second address form is stored without its source',
    afterwards('createLead', (leads, lead) => leads.replace({ ...(lead as Lead), source: null }), isSecond)),
  fault('second-form-takes-any-phone', 'VER-01', 'a phone needs no plus sign under the second address form',
    takes('createLead', (fields, { second }) => second && /^\d/.test(String(fields['phone'])) ? { ...fields, phone: `+1${String(fields['phone'])}` } : null)),
  fault('second-form-deals-empty', 'VER-01', 'the second address form lists no deals', items('listDeals', (shown, { second }) => second && shown.splice(0))),
  fault('second-form-deals-fewer', 'VER-01', 'the second address form lacks the last deal of each page', items('listDeals', (shown, { second }) => second && shown.pop())),
  fault('second-form-lead-list-apart', 'VER-01', 'the second address form lists no lead that was made under the first', () => {
    const own = new Set<unknown>();
    return {
      ...success('createLead', ({ body }, { second }) => second && own.add((body as { data: Json }).data['id'])),
      ...items('listLeads', (list, { second }) => second && list.splice(0, Infinity, ...list.filter(({ id }) => own.has(id)))),
    };
  }),
  fault('second-form-list-differs', 'VER-01', 'a listed unit shows another mileage under the second address form',
    records('listUnits', ({ mileageKm }, { second }, at) => (second && at === 3 ? { mileageKm: Number(mileageKm) + 7 } : {}))),
];
