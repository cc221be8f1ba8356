import { notFound } from '../api-failure.js';
import type { Exchange, FaultHooks } from '../instance.js';
import type { TenantStore } from '../data/tenant-store.js';
import { isSecond, items, listKeepsOld, otherThan, ownTenant, records, success, takes, type Json } from './change.js';
import { fault, type Fault } from './fault.js';
import { secondFormLosesSource } from './lead-faults.js';

/** Lists the units of another store under the second address form. */
const listOf = (other: (tenant: TenantStore, exchange: Exchange) => TenantStore): FaultHooks => ({
  tenant: (tenant, exchange) =>
    tenant && exchange.second && exchange.operation === 'listUnits' ? other(tenant, exchange) : tenant,
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
  fault('second-form-absent', 'VER-01', 'the second address form answers 404', { arrive: ({ url }) => { if (url.startsWith('/gateway/')) throw notFound(); } }),
  fault('second-form-bare', 'VER-01', 'the second address form answers without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure === null) answer.body = (answer.body as Json)['data']; } }),
  fault('second-form-refusal-bare', 'VER-01', 'the second address form refuses without the envelope',
    { answer: (answer, { second }, failure) => { if (second && failure !== null) answer.body = { message: failure.message }; } }),
  fault('second-form-other-data', 'VER-01', 'the second address form shows other units', listOf(otherThan)),
  fault('second-form-list-stale', 'VER-01', 'the second address form lists the units that were there at the start', listOf((tenant) => tenant.atStart())),
  fault('second-form-list-keeps-old', 'VER-01', 'the second address form lists every unit as it was before any change', () => listKeepsOld(isSecond)),
  fault('second-form-list-lacks-newest', 'VER-01', 'the second address form lists all units but the two newest', items('listUnits', (shown, exchange) => {
    const newest = Array.from(ownTenant(exchange).units.placed(), ({ record }) => record.id).slice(-2);
    if (exchange.second) shown.splice(0, Infinity, ...shown.filter(({ id }) => !newest.includes(String(id))));
  }), { elsewhere: 'UNIT' }),
  fault('second-form-list-empty', 'VER-01', 'the second address form lists no units', items('listUnits', (shown, { second }) => second && shown.splice(0))),
  fault('second-form-lead-loses-source', 'VER-01', 'a lead sent under the second address form is stored without its source', secondFormLosesSource),
  fault('second-form-takes-any-phone', 'VER-01', 'a phone needs no plus sign under the second address form',
    takes('createLead', (fields, { second }) => second && /^\d/.test(String(fields['phone'])) ? { ...fields, phone: `+1${String(fields['phone'])}` } : null)),
  fault('second-form-deals-empty', 'VER-01', 'the second address form lists no deals', items('listDeals', (shown, { second }) => second && shown.splice(0))),
  fault('second-form-deals-fewer', 'VER-01', 'the second address form lacks the last deal of each page', items('listDeals', (shown, { second }) => second && shown.pop())),
  fault('second-form-lead-list-apart', 'VER-01', 'the second address form lists no lead that was made under the first', apartLeads),
  fault('second-form-list-differs', 'VER-01', 'a listed unit shows another mileage under the second address form',
    records('listUnits', ({ mileageKm }, { second }, at) => (second && at === 3 ? { mileageKm: Number(mileageKm) + 7 } : {}))),
];
