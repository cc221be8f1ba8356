import { foreignTenantFailure, scopeFailure } from '../admission.js';
import { ApiFailure } from '../api-failure.js';
import { mainTenant, otherTenant, type ApiKey } from '../api-keys.js';
import { readCursor } from '../data/paging.js';
import { callerOf, type Exchange, type FaultHooks } from '../instance.js';
import { noSuch } from '../routes/records.js';
import { grants } from '../scopes.js';
import { showDeal, showLead, showListedUnit } from '../data/show-records.js';
import type { TenantStore } from '../data/tenant-store.js';
import { always, anyOwner, isPaged, isSecond, items, otherThan, ownTenant, success, type Json } from './change.js';
import { deals } from './deal-faults.js';
import { because, fault, type Fault } from './fault.js';
import { isHead, shuts, type Test } from './authentication-faults.js';

/** Allows operations to keys of a scope. */
const lets = (scope: string, ...names: readonly string[]): FaultHooks => ({
  allowed: (allowed, key, { operation }) => allowed || (key.scopes.includes(scope) && names.includes(operation)),
});
const anyKey = (when: Test): FaultHooks => ({ allowed: (allowed, _, exchange) => allowed || when(exchange) });
const anyKeyFor = (name: string): FaultHooks => anyKey(({ operation }) => operation === name);

/** Does what a key without the scope asks for, then refuses it. */
const refusedLate = (operation: string): FaultHooks => ({
  ...anyKeyFor(operation),
  ...success(operation, (_, exchange) => {
    const { key } = callerOf(exchange);
    const { scope = '', world } = exchange;
    if (key && !grants(key, scope, world.behaviour)) throw scopeFailure(world);
  }),
});
/** Takes X-Tenant for the tenant. */
const follows = (when: (exchange: Exchange, key: ApiKey) => boolean = always): FaultHooks => ({
  tenant: (tenant, exchange, key, named) => (named !== undefined && when(exchange, key) ? named : tenant),
});
const followsFor = (name: string): FaultHooks => follows(({ operation }) => operation === name);

/** Caches each list for a moment by its URL alone, for all keys. */
function listCache(): FaultHooks {
  const lists = new Map<string, { readonly tenant: TenantStore; readonly data: unknown; readonly at: number }>();
  return {
    answer: (answer, exchange, failure) => {
      const { operation, caller, url } = exchange;
      if (operation !== 'listUnits' || caller === null) return;
      const { tenant } = caller;
      const kept = lists.get(url);
      if (kept !== undefined && kept.tenant !== tenant && performance.now() - kept.at < 1_500)
        Object.assign(answer, { status: 200, body: { ok: true, data: kept.data } });
      else if (failure === null) lists.set(url, { tenant, data: (answer.body as Json)['data'], at: performance.now() });
    },
  };
}

/** Faults of scopes and tenants. */
// prettier-ignore
export const accessFaults: readonly Fault[] = [
  fault('read-inventory-writes', 'AUTH-03', 'read:inventory may create units', lets('read:inventory', 'createUnit')),
  fault('read-leads-writes', 'AUTH-03', 'read:leads may create leads', lets('read:leads', 'createLead')),
  fault('read-calls-reads-deals', 'AUTH-03', 'read:calls may read deals', lets('read:calls', 'listDeals')),
  fault('read-deals-reads-leads', 'AUTH-03', 'read:deals may read leads', lets('read:deals', 'listLeads', 'getLead')),
  fault('write-leads-reads-units', 'AUTH-03', 'write:leads may read units',
    lets('write:leads', 'listUnits', 'getUnit')),
  fault('read-inventory-reads-leads', 'AUTH-03', 'read:inventory may read leads',
    lets('read:inventory', 'listLeads', 'getLead')),
  fault('read-inventory-reads-one-lead', 'AUTH-03', 'read:inventory may read a single lead by its id',
    lets('read:inventory', 'getLead')),
  fault('cursor-needs-no-scope', 'AUTH-03', 'any key may read the page of units that a cursor names',
    anyKey((exchange) => exchange.operation === 'listUnits' && isPaged(exchange))),
  fault('filter-needs-no-scope', 'AUTH-03', 'any key may list units where a status is asked for',
    anyKey(({ operation, query }) => operation === 'listUnits' && query['status'] !== undefined)),
  fault('queried-leads-need-no-scope', 'AUTH-03', 'any key may list leads where the query asks for anything',
    anyKey(({ operation, query }) => operation === 'listLeads' && query['limit'] !== undefined)),
  fault('head-needs-no-scope', 'AUTH-03', 'HEAD is answered to any key', anyKey(isHead)),
  fault('second-form-needs-no-scope', 'AUTH-03', 'any key may do anything under the second address form',
    anyKey(isSecond)),
  fault('second-form-leads-need-no-scope', 'AUTH-03', 'any key may list leads under the second address form',
    anyKey(({ second, operation }) => second && operation === 'listLeads')),
  fault('second-form-reading-keys-write', 'AUTH-03', 'keys that read may create leads and change units under the second address form',
    { allowed: (allowed, { scopes }, { second, operation }) => allowed || (second && /^(createLead|updateUnit)$/.test(operation) && scopes.some((scope) => scope.startsWith('read:'))) }),
  fault('patch-needs-no-scope', 'AUTH-03', 'any key may change a unit', anyKeyFor('updateUnit')),
  fault('delete-needs-no-scope', 'AUTH-03', 'any key may delete a unit', anyKeyFor('deleteUnit')),
  fault('lead-change-needs-no-scope', 'AUTH-03', 'any key may change a lead',
    anyKeyFor('updateLead'), { needs: { 'second-lead-operation': 'patch' } }),
  fault('refusal-after-effect', 'AUTH-03', 'a lead of a key without the scope is stored, then refused',
    refusedLate('createLead')),
  fault('unit-stored-then-refused', 'AUTH-03', 'a unit of a key without the scope is stored, then refused',
    refusedLate('createUnit')),
  fault('unit-changed-then-refused', 'AUTH-03', 'a change of a unit by a key without the scope is made, then refused',
    refusedLate('updateUnit')),
  fault('unit-deleted-then-refused', 'AUTH-03', 'a unit is deleted by a key without the scope, then that is refused',
    refusedLate('deleteUnit')),
  fault('foreign-tenant-followed', 'AUTH-04', 'X-Tenant selects any tenant, for every key', follows()),
  fault('foreign-tenant-followed-when-reading-one', 'AUTH-04', 'X-Tenant selects any tenant for single units',
    followsFor('getUnit')),
  fault('foreign-tenant-followed-by-head', 'AUTH-04', 'X-Tenant selects any tenant for HEAD', follows(isHead)),
  fault('foreign-tenant-followed-under-filter', 'AUTH-04', 'X-Tenant selects any tenant where units are filtered',
    follows(({ query }) => query['status'] !== undefined)),
  fault('foreign-tenant-in-capitals', 'AUTH-04', 'X-Tenant in capitals selects any tenant',
    { tenant: (tenant, { headers, world }) => /^[A-Z-]+$/.test(String(headers['x-tenant'])) ? world.tenantOf(String(headers['x-tenant']).toLowerCase()) : tenant }),
  fault('filter-shows-every-tenant', 'AUTH-04', 'the list of available units ends with a unit of another tenant',
    items('listUnits', (list, exchange, { nextCursor }) => {
      if (nextCursor || exchange.query['status'] === undefined) return;
      const others = Array.from(otherThan(ownTenant(exchange), exchange).units.placed(), ({ record }) => record);
      const foreign = others.find(({ status }) => status === 'available');
      if (foreign) list.push(showListedUnit(foreign, exchange.world.behaviour));
    })),
  fault('foreign-tenant-followed-for-one-lead', 'AUTH-04', 'X-Tenant selects any tenant for a single lead',
    followsFor('getLead')),
  fault('foreign-tenant-unit-created', 'AUTH-04', 'X-Tenant selects any tenant when a unit is created',
    followsFor('createUnit')),
  fault('foreign-tenant-followed-by-writing-key', 'AUTH-04', 'X-Tenant selects any tenant when a lead is created with a key for leads alone',
    follows(({ operation }, { scopes }) => operation === 'createLead' && !scopes.includes('admin:*'))),
  fault('second-form-follows-foreign-tenant', 'AUTH-04', 'X-Tenant selects any tenant under the second address form',
    follows(isSecond)),
  fault('second-form-unit-follows-foreign-tenant', 'AUTH-04', 'X-Tenant selects any tenant for a single unit under the second address form',
    follows(({ second, operation }) => second && operation === 'getUnit')),
  fault('second-form-shows-first-tenant', 'AUTH-04', 'without X-Tenant the second address form shows the first tenant, for every key',
    { tenant: (tenant, { second, headers, world }) => second && headers['x-tenant'] === undefined ? world.tenantOf(mainTenant) : tenant }),
  fault('deals-of-first-tenant', 'AUTH-04', 'keys of the second tenant are shown the deals of the first',
    { tenant: (tenant, { operation, world }) => tenant && operation === 'listDeals' ? world.tenantOf(mainTenant) : tenant }),
  fault('list-cached-for-all-tenants', 'AUTH-04', 'a unit list is kept for a moment, and shown to whichever key asks next',
    listCache),
  fault('foreign-tenant-written-by-second', 'AUTH-04', 'X-Tenant selects the tenant that a lead is stored with, for keys of the second tenant only',
    follows(({ operation }, key) => operation === 'createLead' && key.tenant === otherTenant)),
  fault('foreign-tenant-written', 'AUTH-04', 'X-Tenant selects the tenant that a lead is stored with',
    followsFor('createLead')),
  fault('foreign-tenant-written-though-refused', 'AUTH-04', 'a lead for another tenant is refused and stored with it all the same',
    {
      ...followsFor('createLead'),
      ...success('createLead', (_, exchange) => {
        const { key, tenant } = callerOf(exchange);
        if (key !== null && key.tenant !== tenant.slug) throw foreignTenantFailure(exchange.world);
      }),
    }),
  fault('lead-shows-foreign-unit', 'AUTH-04', 'a lead for another tenant’s unit shows that unit',
    anyOwner('units', 'showLead'), { needs: { 'lead-vehicle': 'shown' } }),
  fault('foreign-unit-by-id', 'AUTH-04', 'another tenant’s unit can be read by its id', anyOwner('units', 'getUnit')),
  fault('one-inventory-for-all', 'AUTH-04', 'both tenants share one inventory',
    { start: ({ tenantOf }) => tenantOf(otherTenant).shareUnits(tenantOf(mainTenant)) }),
  fault('foreign-unit-changed', 'AUTH-04', 'another tenant’s unit can be changed by its id',
    anyOwner('units', 'updateUnit')),
  fault('foreign-unit-changed-though-refused', 'AUTH-04', 'a change of another tenant’s unit is refused and carried out',
    {
      ...anyOwner('units', 'updateUnit'),
      ...success('updateUnit', (_, exchange) => {
        if (ownTenant(exchange).units.get(exchange.id) === undefined) throw noSuch('unit', exchange.world);
      }),
    }),
  fault('foreign-unit-deleted', 'AUTH-04', 'another tenant’s unit can be deleted by its id',
    anyOwner('units', 'deleteUnit')),
  fault('foreign-cursor-followed', 'AUTH-04', 'a cursor of another tenant shows that tenant’s units',
    {
      tenant: (tenant, { operation, query, world }) => {
        const cursor = readCursor(query[world.behaviour.option('cursor-parameter')] ?? '', 'units');
        return operation === 'listUnits' && tenant && cursor ? (world.tenants.get(cursor.tenant) ?? tenant) : tenant;
      },
    }),
  fault('foreign-lead-changed', 'AUTH-04', 'another tenant’s lead can be changed by its id',
    anyOwner('leads', 'updateLead'), { needs: { 'lead-item': 'get-patch' } }),
  fault('foreign-lead-changed-though-refused', 'AUTH-04', 'a change of another tenant’s lead is refused and carried out',
    {
      ...anyOwner('leads', 'updateLead'),
      ...success('updateLead', (_, exchange) => {
        if (ownTenant(exchange).leads.get(exchange.id) === undefined) throw foreignTenantFailure(exchange.world);
      }),
    }, { needs: { 'lead-item': 'get-patch' } }),
  fault('foreign-lead-by-id', 'AUTH-04', 'another tenant’s lead can be read by its id', anyOwner('leads', 'getLead')),
  fault('foreign-unit-listed', 'AUTH-04', 'the unit list ends with a unit of another tenant',
    items('listUnits', (list, exchange, { nextCursor }) => {
      if (nextCursor) return;
      const [foreign] = otherThan(ownTenant(exchange), exchange).units.placed();
      if (foreign) list.push(showListedUnit(foreign.record, exchange.world.behaviour));
    }), { also: { 'UNIT-06': 'the foreign unit cannot be read by itself' } }),
  fault('second-form-lists-all-leads', 'AUTH-04', 'the list of leads under the second address form begins with one of another tenant',
    items('listLeads', (list, exchange) => {
      if (isPaged(exchange) || !exchange.second) return;
      const [foreign] = otherThan(ownTenant(exchange), exchange).leads.placed();
      if (foreign) list.unshift(showLead(foreign.record));
    })),
  fault('deal-pages-mix-tenants', 'AUTH-04', 'further pages of deals end with a deal of another tenant',
    deals((_, list, exchange) => {
      const { deals: theirs } = otherThan(ownTenant(exchange), exchange);
      const [foreign] = theirs;
      if (isPaged(exchange) && foreign) list.push(showDeal(foreign, 0, 1, exchange.world.behaviour));
    })),
  fault('admin-cannot-read-deals', 'AUTH-05', 'full access may not read deals',
    shuts('admin:*', 'listDeals'), { also: because('deals are refused', 'DEAL-01', 'DEAL-02', 'VER-01') }),
  fault('second-admin-cannot-read-deals', 'AUTH-05', 'full access to the second tenant may not read its deals',
    { allowed: (allowed, { tenant }, { operation }) => allowed && !(tenant === otherTenant && operation === 'listDeals') }),
  fault('second-admin-cannot-create-leads', 'AUTH-05', 'every lead of the second tenant is refused as invalid',
    {
      accept: (_, kind, { slug }, { behaviour: { option } }) => {
        const issues = ['/name is not accepted'];
        if (kind === 'lead' && slug === otherTenant)
          throw new ApiFailure(Number(option('invalid-status')), 'invalid_lead', 'The lead is not valid.', { issues });
      },
    }, { also: { 'AUTH-04': 'its leads cannot be made' } }),
  fault('admin-cannot-create-unit', 'AUTH-05', 'full access may not create units',
    shuts('admin:*', 'createUnit'), { also: because('a unit cannot be created', 'UNIT-11', 'IDEM-02') }),
  fault('admin-cannot-read-leads', 'AUTH-05', 'full access may not read leads',
    shuts('admin:*', 'listLeads', 'getLead'),
    { also: { 'LEAD-07': 'leads cannot be read back', 'VER-01': 'leads are refused' } }),
  fault('admin-cannot-change-unit', 'AUTH-05', 'full access may not change units',
    shuts('admin:*', 'updateUnit'), { also: { 'UNIT-11': 'a unit cannot be changed' } }),
  fault('admin-cannot-change-lead', 'AUTH-05', 'full access may not change leads',
    shuts('admin:*', 'updateLead'), { needs: { 'lead-item': 'get-patch' } }),
];
