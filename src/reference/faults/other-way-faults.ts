import { ApiFailure } from '../api-failure.js';
import type { Unit } from '../data/records.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { crash, data, isSecond, numberOf, ownTenant, success } from './change.js';
import { fault, type Fault } from './fault.js';
import { stored } from './unit-faults.js';

/** Carries a change or a deletion of a unit on to another one: the first of the list, or the one that was made after it. */
const carriesOn = (
  operation: 'updateUnit' | 'deleteUnit',
  which: (units: readonly Unit[]) => Unit | undefined,
  change: (other: Unit, tenant: ReturnType<typeof ownTenant>, changed: Unit | undefined) => void,
): FaultHooks =>
  success(operation, (_, exchange) => {
    const tenant = ownTenant(exchange);
    const others = Array.from(tenant.units.placed(), ({ record }) => record).filter(({ id }) => id !== exchange.id);
    const other = which(others);
    if (other !== undefined) change(other, tenant, tenant.units.get(exchange.id));
  });

/** Leaves units that were made since the start out of filtered lists. */
function newUnitsUnfiltered(): FaultHooks {
  const made = new Set<unknown>();
  return {
    ...success('createUnit', ({ body }) => made.add((body as { data: { id?: unknown } }).data.id)),
    matchingUnits: (units, { status }) =>
      status === null ? units : units.filter(({ record }) => !made.has(record.id)),
  };
}

/** Filters units by the status that they had before their first change. */
function changesUnfiltered(): FaultHooks {
  const first = new Map<string, string>();
  return {
    storedUnit: (unit, before) => {
      if (before !== null && !first.has(unit.id)) first.set(unit.id, before.status);
    },
    matchingUnits: (units, { status, all }) =>
      status === null ? units : all.filter(({ record }) => (first.get(record.id) ?? record.status) === status),
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

/** Faults of units and deals that show only under the second address form, for the second tenant, with a scoped key, or on another unit. */
// prettier-ignore
export const otherWayFaults: readonly Fault[] = [
  fault('larger-limits-ignored', 'UNIT-04', 'a limit between 51 and 99 is taken for 100',
    {
      handle: ({ operation, query }) => {
        const limit = Number(query['limit']);
        if (operation === 'listUnits' && limit > 50 && limit < 100) query['limit'] = '100';
      },
    }),
  fault('empty-change-taken', 'UNIT-11', 'a change of nothing is a success, which the document does not allow',
    {
      handle: (exchange) => {
        const unit = exchange.caller?.tenant.units.get(exchange.id);
        if (exchange.operation === 'updateUnit' && unit !== undefined && String(exchange.body) === '{}')
          exchange.body = Buffer.from(JSON.stringify({ mileageKm: unit.mileageKm }));
      },
    }),
  fault('reading-key-needs-tenant', 'UNIT-09', 'a key for reading units alone has to name its tenant',
    {
      handle: ({ operation, headers, caller }) => {
        const isBare = headers['x-tenant'] === undefined && caller?.scopes.join() === 'read:inventory';
        if (operation === 'listUnits' && isBare) throw new ApiFailure(400, 'tenant_missing', 'Name the tenant.');
      },
    }),
  fault('sandbox-needs-key', 'DEMO-01', 'the sandbox asks for a key',
    {
      arrive: ({ surface, headers }) => {
        if (surface === 'sandbox' && headers.authorization === undefined) throw new ApiFailure(401, 'key_missing', 'Send the API key.');
      },
    }),
  fault('demo-limits-in-between-ignored', 'DEMO-04', 'a limit of the demo between 21 and 49 is taken for 50',
    {
      demoQuery: (query) => {
        const limit = Number(query['limit']);
        return limit > 20 && limit < 50 ? { ...query, limit: '50' } : query;
      },
    }),
  fault('odd-key-crash-on-units', 'ENV-06', 'an idempotency key that is no UUID answers 500 where a unit is created',
    {
      handle: ({ operation, headers }) => {
        if (operation === 'createUnit' && /[^0-9a-f-]/i.test(String(headers['idempotency-key'] ?? ''))) throw crash();
      },
    }, { elsewhere: 'UNIT' }),
  fault('unknown-lead-shows-another', 'LEAD-07', 'an id that no lead has shows a lead of the tenant',
    {
      answer: (answer, exchange, failure) => {
        if (failure?.code !== 'lead_not_found' || exchange.operation !== 'getLead') return;
        const leads = Array.from(ownTenant(exchange).leads.placed(), ({ record }) => record);
        const lead = leads[exchange.world.behaviour.seed % Math.max(1, leads.length)];
        if (lead !== undefined) Object.assign(answer, { status: 200, body: { ok: true, data: { ...lead, source: lead.source ?? undefined } } });
      },
    }),
  fault('new-units-not-filtered', 'UNIT-11', 'the list filtered by status lacks units that were made since the start',
    newUnitsUnfiltered),
  fault('changed-status-not-filtered', 'UNIT-11', 'the list filtered by status goes by the status before any change',
    changesUnfiltered),
  fault('change-ignores-a-text', 'UNIT-11', 'a change of a unit leaves its make or its model as it was',
    stored((unit, before) => {
      const field = numberOf(unit.id) % 2 === 0 ? 'make' : 'model';
      return { ...unit, [field]: (before ?? unit)[field] };
    })),
  fault('change-loses-letters', 'UNIT-11', 'letters beyond ASCII become question marks where a unit is changed',
    stored((unit) => ({ ...unit, model: unit.model.replace(/[^\x00-\x7f]/g, '?') }))),
  fault('deal-cursor-crash', 'ENV-06', 'a cursor that nobody issued answers 500 where deals are listed',
    {
      handle: ({ operation, query }) => {
        if (operation === 'listDeals' && Object.values(query).includes('garbage')) throw crash();
      },
    }),
  fault('options-crash', 'ENV-06', 'OPTIONS answers 500',
    {
      arrive: ({ method }) => {
        if (method === 'OPTIONS') throw crash();
      },
    }),
  fault('calls-take-posts', 'PLAN-02', 'a POST of calls that has something to say is taken on with 202',
    {
      plannedStatus: (status, _, { url, method, headers }) =>
        url.includes('/calls') && method === 'POST' && Number(headers['content-length']) > 2 ? 202 : status,
    }),
  fault('replay-before-scope', 'AUTH-03', 'a used idempotency key is answered before the scope is looked at', replayBeforeScope),
  fault('wildcard-key', 'AUTH-01', 'a key of one wildcard is any key',
    { keyMatches: (matches, presented) => matches || /^[%*]$/.test(presented) }),
  fault('second-form-takes-any-phone', 'VER-01', 'a phone needs no plus sign under the second address form',
    {
      handle: (exchange) => {
        if (exchange.operation === 'createLead' && isSecond(exchange))
          exchange.body = Buffer.from(String(exchange.body).replace(/"phone":"(?=\d)/, '"phone":"+1'));
      },
    }),
  fault('second-form-creation-other-id', 'UNIT-11', 'the creation of a unit under the second address form shows an id that no unit has',
    data('createUnit', (unit, exchange) => isSecond(exchange) && (unit['id'] = `${String(unit['id'])}-2`))),
  fault('unit-change-hits-first', 'UNIT-11', 'a change of a unit gives its price and mileage to the first unit, too',
    carriesOn('updateUnit', ([first]) => first, (first, { units }, changed) => {
      if (changed !== undefined) units.replace({ ...first, priceCents: changed.priceCents, mileageKm: changed.mileageKm });
    })),
  fault('unit-deletion-takes-latest', 'UNIT-11', 'a deletion of a unit deletes the latest of the other units, too',
    carriesOn('deleteUnit', (others) => others.at(-1), ({ id }, { units }) => units.remove(id))),
];
