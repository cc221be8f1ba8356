import { notFound } from '../api-failure.js';
import type { Exchange, FaultHooks } from '../instance.js';
import type { TenantStore } from '../data/tenant-store.js';
import { isSecond, items, listKeepsOld, otherThan, ownTenant, success, type Json } from './change.js';
import { deals } from './deal-faults.js';
import { fault, type Fault } from './fault.js';

/** Changes the list of units under the second address form. */
const list = (change: (items: Json[]) => void): FaultHooks =>
  items('listUnits', (shown, { second }) => second && change(shown));
/** Lists the units of another store under the second address form. */
const listOf = (other: (tenant: TenantStore, exchange: Exchange) => TenantStore): FaultHooks => ({
  tenant: (tenant, exchange) =>
    tenant && exchange.second && exchange.operation === 'listUnits' ? other(tenant, exchange) : tenant,
});
const handled = (operation: string, change: (exchange: Exchange) => void): FaultHooks => ({
  handle: (exchange) => {
    if (exchange.second && exchange.operation === operation) change(exchange);
  },
});

/** Lists under the second address form the leads that were made there. */
function apartLeads(): FaultHooks {
  const own = new Set<unknown>();
  return {
    ...success('createLead', ({ body }, { second }) => second && own.add((body as { data: Json }).data['id'])),
    ...items('listLeads', (list, { second }) => {
      if (second) list.splice(0, Infinity, ...list.filter(({ id }) => own.has(id)));
    }),
  };
}

/** Faults of the version in the path. */
// prettier-ignore
export const versionFaults: readonly Fault[] = [
  fault('second-form-absent', 'VER-01', 'the second address form answers 404',
    { arrive: ({ url }) => { if (url.startsWith('/gateway/')) throw notFound(); } }),
  fault('second-form-bare', 'VER-01', 'the second address form answers without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure === null) answer.body = (answer.body as Json)['data']; } }),
  fault('second-form-refusal-bare', 'VER-01', 'the second address form refuses without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure !== null) answer.body = { message: failure.message }; } }),
  fault('second-form-other-data', 'VER-01', 'the second address form shows other units', listOf(otherThan)),
  fault('second-form-list-stale', 'VER-01', 'the second address form lists the units that were there at the start',
    listOf((tenant) => tenant.atStart())),
  fault('second-form-list-keeps-old', 'VER-01', 'the second address form lists every unit as it was before any change',
    () => listKeepsOld(isSecond)),
  fault('second-form-list-lacks-newest', 'VER-01', 'the second address form lists all units but the two newest',
    items('listUnits', (shown, exchange) => {
      const newest = Array.from(ownTenant(exchange).units.placed(), ({ record }) => record.id).slice(-2);
      if (exchange.second) shown.splice(0, Infinity, ...shown.filter(({ id }) => !newest.includes(String(id))));
    }), { elsewhere: 'UNIT' }),
  fault('second-form-list-empty', 'VER-01', 'the second address form lists no units', list((shown) => shown.splice(0))),
  fault('second-form-lead-loses-source', 'VER-01', 'a lead sent under the second address form is stored without its source',
    success('createLead', ({ headers }, exchange) => {
      const { leads } = ownTenant(exchange);
      const lead = leads.get(headers['Location']?.split('/').at(-1) ?? '');
      if (lead !== undefined && exchange.second) leads.replace({ ...lead, source: null });
    })),
  fault('second-form-deals-empty', 'VER-01', 'the second address form lists no deals',
    deals((_, shown, { second }) => second && shown.splice(0))),
  fault('second-form-deals-fewer', 'VER-01', 'the second address form lacks the last deal of each page',
    deals((_, shown, { second }) => second && shown.pop())),
  fault('second-form-lead-list-apart', 'VER-01', 'the second address form lists no lead that was made under the first',
    apartLeads),
  fault('second-form-leads-apart', 'VER-01', 'no single lead can be read under the second address form',
    handled('getLead', (exchange) => (exchange.id = ''))),
  fault('second-form-list-differs', 'VER-01', 'a listed unit shows another mileage under the second address form',
    list(([, , , fourth]) => fourth && (fourth['mileageKm'] = Number(fourth['mileageKm']) + 7))),
];
