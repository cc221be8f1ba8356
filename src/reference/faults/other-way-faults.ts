import { ApiFailure, notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import type { Unit } from '../data/records.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { crash, data, isPaged, isSecond, items, numberOf, ownTenant, success, vacuous } from './change.js';
import { deals } from './deal-faults.js';
import { fault, type Fault } from './fault.js';
import { stored } from './unit-faults.js';

type Test = (exchange: Exchange) => boolean;

const isSecondTenant: Test = ({ caller }) => caller !== null && caller.tenant.slug !== mainTenant;
const hasOnly =
  (scope: string): Test =>
  ({ caller }) =>
    caller?.scopes.join() === scope;
const isReadingKey = hasOnly('read:inventory');

/** Lists units as if the query lacked a parameter. */
const without = (parameter: string, when: Test): FaultHooks => ({
  handle: (exchange) => {
    if (exchange.operation === 'listUnits' && when(exchange)) delete exchange.query[parameter];
  },
});

/** Lists units without the first of each page after the first. */
const losesOne = (when: Test): FaultHooks =>
  items('listUnits', (list, exchange) => when(exchange) && isPaged(exchange) && list.shift());

/** Answers a change or a deletion of a unit with a success, and leaves the unit as it was. */
function undone(operation: 'updateUnit' | 'deleteUnit', when: Test): FaultHooks {
  const before = new WeakMap<object, Unit>();
  return {
    handle: (exchange) => {
      const unit = exchange.caller?.tenant.units.get(exchange.id);
      if (unit !== undefined) before.set(exchange, unit);
    },
    ...success(operation, (_, exchange) => {
      const [{ units }, unit] = [ownTenant(exchange), before.get(exchange)];
      if (unit === undefined || !when(exchange)) return;
      if (units.get(unit.id) === undefined) units.add(unit);
      else units.replace(unit);
    }),
  };
}

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

/** Takes some leads and does not keep them. */
const losesLeads = (when: Test): FaultHooks =>
  success('createLead', ({ body }, exchange) => {
    const { data: lead } = body as { data: { id?: unknown } };
    if (when(exchange)) ownTenant(exchange).leads.remove(String(lead.id));
  });

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
  fault('second-tenant-unit-without-status', 'UNIT-02', 'one unit of the second tenant has no status',
    items('listUnits', (list, exchange) => {
      const one = list[exchange.world.behaviour.seed % Math.max(1, list.length)];
      if (one && isSecondTenant(exchange)) delete one['status'];
    }), { needs: vacuous }),
  fault('reading-key-filter-ignored', 'UNIT-03', 'a key for reading units alone is shown units of every status',
    without('status', isReadingKey)),
  fault('second-tenant-limit-ignored', 'UNIT-04', 'the limit is not kept to for the second tenant',
    without('limit', isSecondTenant)),
  fault('reading-key-limit-ignored', 'UNIT-04', 'the limit is not kept to for a key for reading units alone',
    without('limit', isReadingKey)),
  fault('second-tenant-loses-one', 'UNIT-05', 'each page after the first lacks a unit for the second tenant',
    losesOne(isSecondTenant)),
  fault('reading-key-loses-one', 'UNIT-05', 'each page after the first lacks a unit for a key for reading units alone',
    losesOne(isReadingKey)),
  fault('larger-limits-ignored', 'UNIT-04', 'a limit between 51 and 99 is taken for 100',
    {
      handle: ({ operation, query }) => {
        const limit = Number(query['limit']);
        if (operation === 'listUnits' && limit > 50 && limit < 100) query['limit'] = '100';
      },
    }),
  fault('second-form-makes-no-units', 'UNIT-11', 'units cannot be created under the second address form',
    {
      handle: (exchange) => {
        if (exchange.operation === 'createUnit' && isSecond(exchange)) throw notFound();
      },
    }),
  fault('second-form-changes-no-units', 'UNIT-11', 'units cannot be changed under the second address form',
    {
      handle: (exchange) => {
        if (exchange.operation === 'updateUnit' && isSecond(exchange)) throw notFound();
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
    }, { also: { 'LIMIT-08': 'requests to the sandbox are refused' } }),
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
    }, { elsewhere: 'UNIT', also: { 'UNIT-11': 'a body that is no unit answers 500' } }),
  fault('lead-of-writing-key-lost', 'LEAD-07', 'a lead made with a key for writing leads alone is not kept',
    losesLeads(hasOnly('write:leads'))),
  fault('lead-without-tenant-lost', 'LEAD-07', 'a lead made without naming the tenant is not kept',
    losesLeads(({ headers }) => headers['x-tenant'] === undefined)),
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
    newUnitsUnfiltered, { also: { 'UNIT-03': 'available units are missing from the filtered list' } }),
  fault('changed-status-not-filtered', 'UNIT-11', 'the list filtered by status goes by the status before any change',
    changesUnfiltered, { also: { 'UNIT-03': 'units that are no longer available are listed' } }),
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
  fault('deals-of-the-named-tenant', 'AUTH-04', 'X-Tenant alone chooses whose deals are listed',
    {
      tenant: (tenant, { operation }, _, named) => (operation === 'listDeals' ? (named ?? tenant) : tenant),
    }),
  fault('head-of-leads-without-key', 'AUTH-01', 'HEAD of the leads is answered without a key',
    { keyless: (admitted, exchange) => admitted || (exchange.operation === 'listLeads' && exchange.method === 'HEAD') }),
  fault('replay-before-scope', 'AUTH-03', 'a used idempotency key is answered before the scope is looked at', replayBeforeScope()),
  fault('wildcard-key', 'AUTH-01', 'a key of one wildcard is any key',
    { keyMatches: (matches, presented) => matches || /^[%*]$/.test(presented) }),
  fault('second-form-takes-any-phone', 'VER-01', 'a phone needs no plus sign under the second address form',
    {
      handle: (exchange) => {
        if (exchange.operation === 'createLead' && isSecond(exchange))
          exchange.body = Buffer.from(String(exchange.body).replace(/"phone":"(?=\d)/, '"phone":"+1'));
      },
    }),
  fault('second-tenant-deal-total-text', 'DEAL-02', 'totalGross is a text for the second tenant',
    deals((_, list, exchange) => {
      if (isSecondTenant(exchange)) for (const one of list) one['totalGross'] = String(one['totalGross']);
    }), { needs: vacuous }),
  fault('second-form-deal-id-number', 'DEAL-02', 'ids of deals are numbers under the second address form',
    deals((_, list, exchange) => {
      if (isSecond(exchange)) list.forEach((one, at) => (one['id'] = at));
    }), { needs: vacuous, also: { 'VER-01': 'the deals have other ids there' } }),
  fault('second-form-change-undone', 'UNIT-11', 'a change of a unit under the second address form is not stored',
    () => undone('updateUnit', isSecond)),
  fault('second-form-deletion-undone', 'UNIT-11', 'a deletion of a unit under the second address form does nothing',
    () => undone('deleteUnit', isSecond)),
  fault('second-tenant-change-undone', 'UNIT-11', 'a change of a unit is not stored for the second tenant',
    () => undone('updateUnit', isSecondTenant)),
  fault('writing-key-change-undone', 'UNIT-11', 'a change of a unit by a key for writing units alone is not stored',
    () => undone('updateUnit', hasOnly('write:inventory'))),
  fault('writing-key-deletion-undone', 'UNIT-11', 'a deletion of a unit by a key for writing units alone does nothing',
    () => undone('deleteUnit', hasOnly('write:inventory'))),
  fault('second-form-creation-other-id', 'UNIT-11', 'the creation of a unit under the second address form shows an id that no unit has',
    data('createUnit', (unit, exchange) => isSecond(exchange) && (unit['id'] = `${String(unit['id'])}-2`))),
  fault('unit-change-hits-first', 'UNIT-11', 'a change of a unit gives its price and mileage to the first unit, too',
    carriesOn('updateUnit', ([first]) => first, (first, { units }, changed) => {
      if (changed !== undefined) units.replace({ ...first, priceCents: changed.priceCents, mileageKm: changed.mileageKm });
    })),
  fault('unit-change-makes-copy', 'UNIT-11', 'a change of a unit makes another unit that looks like it',
    carriesOn('updateUnit', ([first]) => first, (_, tenant, changed) => {
      if (changed !== undefined) tenant.units.add({ ...changed, id: tenant.newId('unit') });
    })),
  fault('unit-deletion-takes-latest', 'UNIT-11', 'a deletion of a unit deletes the latest of the other units, too',
    carriesOn('deleteUnit', (others) => others.at(-1), ({ id }, { units }) => units.remove(id))),
];
