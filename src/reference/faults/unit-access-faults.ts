import { ApiFailure } from '../api-failure.js';
import { freshId } from '../data/tenant-store.js';
import type { Exchange, FaultHooks } from '../instance.js';
import {
  afterwards,
  items,
  listKeepsOld,
  numberOf,
  ownTenant,
  person,
  records,
  refuses,
  seededUnit,
  success,
  takes,
  vacuous,
  type Json,
} from './change.js';
import { faultsOf, type Fault } from './fault.js';
import { read, shown, created, changed, unitsOf } from './unit-faults.js';

const maria = { firstName: 'Maria', lastName: 'Kowalska' };
const buyer = { name: 'Maria Kowalska', phone: '+48221234567', email: 'maria.kowalska@example.net' };

const isBare = ({ headers, caller }: Exchange): boolean => caller?.key !== null && headers['x-tenant'] === undefined;
/** Declares a maximum of the year that the service does not keep. */
const declaresMaximum = (name: 'UnitCreate' | 'UnitPatch'): FaultHooks => ({
  document: ({ components: { schemas = {} } }) => {
    const { properties } = schemas[name] as { properties: { year: Json } };
    properties.year = { ...properties.year, maximum: 2027 };
  },
});

/** Filters units by the status that they had before their first change. */
function changesUnfiltered(): FaultHooks {
  const first = new Map<string, string>();
  return {
    storedUnit: (unit, old) => {
      if (old !== null && !first.has(unit.id)) first.set(unit.id, old.status);
    },
    matchingUnits: (units, { status, all }) =>
      status === null ? units : all.filter(({ record }) => (first.get(record.id) ?? record.status) === status),
  };
}

/** Faults of who sees units, and of the operation that the document declares beside the list. */
// prettier-ignore
export const unitAccessFaults: readonly Fault[] = [
  ...faultsOf('UNIT-09')([
    ['tenant-header-required', 'without X-Tenant units are refused', refuses('listUnits', () => new ApiFailure(400, 'tenant_missing', 'X-Tenant is needed.'), isBare)],
    ['tenant-header-refused', 'units are refused where X-Tenant names the own tenant',
      refuses('listUnits', () => new ApiFailure(403, 'tenant_forbidden', 'X-Tenant is not allowed here.'), ({ headers, caller }) => headers['x-tenant'] === caller?.key?.tenant)],
    ['reading-key-needs-tenant', 'a key for reading units alone has to name its tenant',
      refuses('listUnits', () => new ApiFailure(400, 'tenant_missing', 'Name the tenant.'), (exchange) => isBare(exchange) && exchange.caller?.scopes.join() === 'read:inventory')],
    ['tenant-header-empties-list', 'without X-Tenant no unit is listed', items('listUnits', (list, exchange) => isBare(exchange) && list.splice(0))],
  ]),
  ...faultsOf('UNIT-10', seededUnit)([
    ['personal-data-plain', 'every unit shows ownerName and ownerPhone', () => ({ ownerName: buyer.name, ownerPhone: buyer.phone })],
    ['personal-data-nested', 'every unit shows a buyer two levels down', () => ({ history: { lastSale: { buyer: { name: buyer.name, email: buyer.email } } } })],
    ['personal-data-of-a-driver', 'every unit shows who drove it last', () => ({ lastTestDrive: { driver: buyer.name, minutes: 25 } }), { warns: true }],
    ['personal-data-on-page-three', 'one unit far down the list shows a customer', (_, at) => (at === 113 ? { reservation: { customer: buyer } } : {})],
    ['personal-data-in-list-of-people', 'sold units show their contact persons in an array', ({ status }) => {
      const contact = { role: 'buyer', contactPerson: buyer.name, mobile: buyer.phone, birthDate: '1987-04-12' };
      return status === 'sold' ? { contacts: [contact] } : {};
    }],
  ]),
  ...faultsOf('UNIT-10')([
    ['personal-data-under-filter', 'the list of reserved units shows their buyers',
      records('listUnits', (_, { query }) => (query['status'] === 'reserved' ? { buyer: { ...maria, phone: '+48501234567' } } : {}))],
    ['personal-data-when-read', 'a unit read by itself shows who reserved it', shown(() => ({ reservation: { reservedBy: { ...maria, email: buyer.email } } }))],
    ['demo-shows-person', 'one unit of the demo list shows a customer',
      records('demoUnits', (_, { world: { behaviour } }, at) => (at === behaviour.seed % 5 ? { customer: person(behaviour) } : {}))],
  ]),
  ...faultsOf('UNIT-11')([
    ['unit-create-refused', 'every unit is refused as invalid', refuses('createUnit', () => new ApiFailure(422, 'invalid_unit', 'The unit is not valid.')), { warns: true }],
    ['created-unit-not-readable', 'a created unit cannot be read', read((unit) => (unit?.stockNumber.startsWith('S') ? unit : null))],
    ['created-unit-not-listed', 'a created unit is not listed', { matchingUnits: (matching) => matching.filter(({ place }) => place <= 346) }],
    ['unit-change-resets-later', 'a change of a unit resets a text of it a moment later', () => {
      const dueMs = new Map<string, number>();
      return {
        ...success('updateUnit', (_, { id }) => dueMs.set(id, Date.now() + 300)),
        handle: ({ caller, world }) => {
          const name = (['make', 'trim', 'condition'] as const)[world.behaviour.seed % 3] ?? 'make';
          for (const [id, atMs] of dueMs) {
            const unit = caller?.tenant.units.get(id);
            if (unit === undefined || Date.now() < atMs) continue;
            dueMs.delete(id);
            caller?.tenant.units.replace({ ...unit, [name]: name === 'condition' ? 'used' : 'unknown' });
          }
        },
      };
    }],
    ['unit-list-keeps-old', 'the list shows every unit as it was before any change', () => listKeepsOld()],
    ['unit-year-unchecked', 'a unit is created with a year above the declared maximum', declaresMaximum('UnitCreate')],
    ['unit-change-unchecked', 'a unit is changed to a year above the declared maximum', declaresMaximum('UnitPatch')],
    ['created-unit-id-changes', 'the answer shows another id than the one stored', records('createUnit', () => ({ id: freshId('unit') }))],
    ['empty-change-taken', 'a change of nothing is a success, which the document does not allow',
      takes('updateUnit', (fields, exchange) => Object.keys(fields).length > 0 ? null : { mileageKm: ownTenant(exchange).units.get(exchange.id)?.mileageKm })],
    ['new-units-not-filtered', 'the list filtered by status lacks units that were made since the start',
      { matchingUnits: (units, { status }) => status === null ? units : units.filter(({ record: { stockNumber } }) => stockNumber.startsWith('S')) }],
    ['changed-status-not-filtered', 'the list filtered by status goes by the status before any change', changesUnfiltered],
    ['second-form-creation-other-id', 'the creation of a unit under the second address form shows an id that no unit has',
      records('createUnit', ({ id }, { second }) => (second ? { id: `${String(id)}-2` } : {}))],
    ['unit-change-hits-first', 'a change of a unit gives its price and mileage to the first unit, too', afterwards('updateUnit', (_, { id }, __, exchange) => {
      const { units } = ownTenant(exchange);
      const [first, changedUnit] = [unitsOf(ownTenant(exchange)).find((unit) => unit.id !== id), units.get(id)];
      if (first && changedUnit) units.replace({ ...first, priceCents: changedUnit.priceCents, mileageKm: changedUnit.mileageKm });
    })],
    ['unit-deletion-takes-latest', 'a deletion of a unit deletes the latest of the other units, too',
      afterwards('deleteUnit', (shelf, _, __, exchange) => void shelf.remove(unitsOf(ownTenant(exchange)).at(-1)?.id ?? ''))],
  ]),
  ...faultsOf('UNIT-11', created)([
    ['created-unit-loses-field', 'a created unit forgets its model', () => ({ model: '' }), { needs: vacuous }],
    ['created-unit-other-price', 'a created unit is stored with its price rounded down to hundreds', ({ priceCents }) => ({ priceCents: Math.floor(priceCents / 100) * 100 - 100 })],
    ['created-unit-zero-replaced', 'a created unit with a mileage of 0 is stored with one of 10', ({ mileageKm }) => (mileageKm === 0 ? { mileageKm: 10 } : {})],
    ['created-unit-ignores-status', 'a created unit is available, whatever status was sent', () => ({ status: 'available' })],
    ['created-unit-loses-fraction', 'a created unit is stored with its litres as a whole number', ({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) })],
    ['created-unit-cuts-texts', 'a created unit is stored with 40 characters of its model', ({ model }) => ({ model: model.slice(0, 40) })],
  ]),
  ...faultsOf('UNIT-11', changed)([
    ['unit-change-loses-fraction', 'a change of the litres of a unit is stored as a whole number', ({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) })],
    ['unit-change-makes-available', 'a change of a unit that does not name its status makes it available',
      ({ status }, old) => (status === old.status ? { status: 'available' } : {})],
    ['unit-change-spills-over', 'a change of a unit renames its model besides', (_, { model }) => ({ model: `${model} II` })],
    ['unit-change-resets-mileage', 'a change of a unit that does not name its mileage sets it to 0', ({ mileageKm }, old) => (mileageKm === old.mileageKm ? { mileageKm: 0 } : {})],
    ['change-ignores-a-text', 'a change of a unit leaves its make or its model as it was', ({ id }, { make, model }) => (numberOf(id) % 2 === 0 ? { make } : { model })],
    ['change-loses-letters', 'letters beyond ASCII become question marks where a unit is changed', ({ model }) => ({ model: model.replace(/[^\x00-\x7f]/g, '?') })],
    ['unit-change-ignores-null', 'a change of the trim of a unit to null leaves it as it was', ({ trim }, old) => (trim === null ? { trim: old.trim } : {}), { warns: true }],
  ]),
];
