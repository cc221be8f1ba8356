import { ApiFailure } from '../api-failure.js';
import { mainTenant, otherTenant } from '../api-keys.js';
import { showListedUnit } from '../data/show-records.js';
import type { TenantStore } from '../data/tenant-store.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { ownTenant, records, refuses, sentJson, success, type Json } from './change.js';
import { fault, faultsOf, type Fault } from './fault.js';

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
  ...faultsOf('AUTH-03')([
    ['named-lead-change-needs-no-scope', 'any key may change a lead that the body names',
      { allowed: (allowed, _, { operation }) => allowed || operation === 'updateLead' }, { needs: { 'second-lead-operation': 'patch' } }],
    ['method-overridden-after-scope', 'a reading key deletes a unit by a GET with X-HTTP-Method-Override',
      { handle: (exchange) => { if (exchange.operation === 'getUnit' && exchange.headers['x-http-method-override'] === 'DELETE') ownTenant(exchange).units.remove(exchange.id); } }],
    ['replay-before-scope', 'a used idempotency key is answered before the scope is looked at', replayBeforeScope],
  ]),
  ...faultsOf('AUTH-04')([
    ['foreign-tenant-in-capitals', 'X-Tenant in capitals selects any tenant',
      { tenant: (tenant, { headers, world }) => /^[A-Z-]+$/.test(String(headers['x-tenant'])) ? world.tenantOf(String(headers['x-tenant']).toLowerCase()) : tenant }],
    ['last-of-several-tenants-shown', 'where X-Tenant names several tenants the first is checked, and the last is shown', {
      tenant: (tenant, { headers, world }, key) => {
        const [first = '', ...more] = String(headers['x-tenant']).split(/, ?/);
        return first === key.tenant && more.length > 0 ? (world.tenants.get(more.at(-1) ?? '') ?? tenant) : tenant;
      },
    }],
    ['tenant-in-query-shown', 'a tenant that the query names is shown, to whichever key',
      { tenant: (tenant, { query, world }) => world.tenants.get(String(query['tenant'])) ?? tenant }],
    ['list-cached-for-all-tenants', 'a unit list is kept for a moment, and shown to whichever key asks next', listCache],
    ['lead-shows-foreign-unit', 'a lead for another tenant’s unit shows that unit', records(/^(create|get)Lead$/, ({ vehicleId, vehicle }, { world }) => {
      const unit = Array.from(world.tenants.values(), ({ units }) => units.get(String(vehicleId))).find(Boolean);
      return { vehicle: unit ? showListedUnit(unit, world.behaviour) : vehicle };
    }), { needs: { 'lead-vehicle': 'shown' } }],
    ['lead-tells-foreign-unit', 'a lead is refused for a unit that no tenant has, and taken for another tenant’s',
      refuses('createLead', () => new ApiFailure(422, 'unknown_vehicle', 'There is no such unit.'), (exchange) => {
        const id = String((sentJson(exchange) as Json | null)?.['vehicleId']);
        return !Array.from(exchange.world.tenants.values()).some(({ units }) => units.get(id));
      }), { warns: true }],
    ['one-inventory-for-all', 'both tenants share one inventory',
      { tenant: (tenant, { operation, world }) => tenant && /Unit/.test(operation) ? world.tenantOf(mainTenant) : tenant }],
  ]),
  fault('second-admin-cannot-create-leads', 'AUTH-05', 'every lead of the second tenant is refused as invalid',
    refuses('createLead', () => new ApiFailure(422, 'invalid_lead', 'The lead is not valid.', { issues: ['/name is not accepted'] }), (exchange) => ownTenant(exchange).slug === otherTenant)),
];
