import { ApiFailure } from '../api-failure.js';
import { mainTenant, otherTenant } from '../api-keys.js';
import { showListedUnit } from '../data/show-records.js';
import type { TenantStore } from '../data/tenant-store.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { ownTenant, records, refuses, sentJson, success, type Json } from './change.js';
import { fault, type Fault } from './fault.js';

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

/** Hands the answer kept under an idempotency key to every key of the tenant. */
function replayBeforeScope(): FaultHooks {
  const used = new Set<unknown>();
  const keyOf = ({ headers }: Exchange): unknown => headers['idempotency-key'];
  return {
    allowed: (allowed, _, exchange) => allowed || (exchange.operation === 'createLead' && used.has(keyOf(exchange))),
    ...success('createLead', (_, exchange) => used.add(keyOf(exchange))),
  };
}

/** Faults of scopes and tenants. */
// prettier-ignore
export const accessFaults: readonly Fault[] = [
  fault('named-lead-change-needs-no-scope', 'AUTH-03', 'any key may change a lead that the body names',
    { allowed: (allowed, _, { operation }) => allowed || operation === 'updateLead' }, { needs: { 'second-lead-operation': 'patch' } }),
  fault('method-overridden-after-scope', 'AUTH-03', 'a reading key deletes a unit by a GET with X-HTTP-Method-Override',
    { handle: (exchange) => { if (exchange.operation === 'getUnit' && exchange.headers['x-http-method-override'] === 'DELETE') ownTenant(exchange).units.remove(exchange.id); } }),
  fault('replay-before-scope', 'AUTH-03', 'a used idempotency key is answered before the scope is looked at', replayBeforeScope),
  fault('foreign-tenant-in-capitals', 'AUTH-04', 'X-Tenant in capitals selects any tenant',
    { tenant: (tenant, { headers, world }) => /^[A-Z-]+$/.test(String(headers['x-tenant'])) ? world.tenantOf(String(headers['x-tenant']).toLowerCase()) : tenant }),
  fault('last-of-several-tenants-shown', 'AUTH-04', 'where X-Tenant names several tenants the first is checked, and the last is shown', {
    tenant: (tenant, { headers, world }, key) => {
      const [first = '', ...more] = String(headers['x-tenant']).split(/, ?/);
      return first === key.tenant && more.length > 0 ? (world.tenants.get(more.at(-1) ?? '') ?? tenant) : tenant;
    },
  }),
  fault('tenant-in-query-shown', 'AUTH-04', 'a tenant that the query names is shown, to whichever key',
    { tenant: (tenant, { query, world }) => world.tenants.get(String(query['tenant'])) ?? tenant }),
  fault('list-cached-for-all-tenants', 'AUTH-04', 'a unit list is kept for a moment, and shown to whichever key asks next', listCache),
  fault('lead-shows-foreign-unit', 'AUTH-04', 'a lead for another tenant’s unit shows that unit', records(/^(create|get)Lead$/, ({ vehicleId, vehicle }, { world }) => {
    const unit = Array.from(world.tenants.values(), ({ units }) => units.get(String(vehicleId))).find(Boolean);
    return { vehicle: unit ? showListedUnit(unit, world.behaviour) : vehicle };
  }), { needs: { 'lead-vehicle': 'shown' } }),
  fault('lead-tells-foreign-unit', 'AUTH-04', 'a lead is refused for a unit that no tenant has, and taken for another tenant’s',
    refuses('createLead', () => new ApiFailure(422, 'unknown_vehicle', 'There is no such unit.'), (exchange) => {
      const id = String((sentJson(exchange) as Json | null)?.['vehicleId']);
      return !Array.from(exchange.world.tenants.values()).some(({ units }) => units.get(id));
    }), { warns: true }),
  fault('one-inventory-for-all', 'AUTH-04', 'both tenants share one inventory',
    { tenant: (tenant, { operation, world }) => tenant && /Unit/.test(operation) ? world.tenantOf(mainTenant) : tenant }),
  fault('second-admin-cannot-create-leads', 'AUTH-05', 'every lead of the second tenant is refused as invalid',
    refuses('createLead', () => new ApiFailure(422, 'invalid_lead', 'The lead is not valid.', { issues: ['/name is not accepted'] }), (exchange) => ownTenant(exchange).slug === otherTenant)),
];
