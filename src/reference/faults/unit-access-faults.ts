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
import { fault, type Fault } from './fault.js';
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
  fault('tenant-header-required', 'UNIT-09', 'without X-Tenant units are refused',
    refuses('listUnits', () => new ApiFailure(400, 'tenant_missing', 'X-Tenant is needed.'), isBare)),
  fault('tenant-header-refused', 'UNIT-09', 'units are refused where X-Tenant names the own tenant',
    refuses('listUnits', () => new ApiFailure(403, 'tenant_forbidden', 'X-Tenant is not allowed here.'), ({ headers, caller }) => headers['x-tenant'] === caller?.key?.tenant)),
  fault('reading-key-needs-tenant', 'UNIT-09', 'a key for reading units alone has to name its tenant',
    refuses('listUnits', () => new ApiFailure(400, 'tenant_missing', 'Name the tenant.'), (exchange) => isBare(exchange) && exchange.caller?.scopes.join() === 'read:inventory')),
  fault('tenant-header-empties-list', 'UNIT-09', 'without X-Tenant no unit is listed', items('listUnits', (list, exchange) => isBare(exchange) && list.splice(0))),
  fault('personal-data-plain', 'UNIT-10', 'every unit shows ownerName and ownerPhone', seededUnit(() => ({ ownerName: buyer.name, ownerPhone: buyer.phone }))),
  fault('personal-data-nested', 'UNIT-10', 'every unit shows a buyer two levels down',
    seededUnit(() => ({ history: { lastSale: { buyer: { name: buyer.name, email: buyer.email } } } }))),
  fault('personal-data-of-a-driver', 'UNIT-10', 'every unit shows who drove it last', seededUnit(() => ({ lastTestDrive: { driver: buyer.name, minutes: 25 } })), { warns: true }),
  fault('personal-data-on-page-three', 'UNIT-10', 'one unit far down the list shows a customer', seededUnit((_, at) => (at === 113 ? { reservation: { customer: buyer } } : {}))),
  fault('personal-data-in-list-of-people', 'UNIT-10', 'sold units show their contact persons in an array', seededUnit(({ status }) => {
    const contact = { role: 'buyer', contactPerson: buyer.name, mobile: buyer.phone, birthDate: '1987-04-12' };
    return status === 'sold' ? { contacts: [contact] } : {};
  })),
  fault('personal-data-under-filter', 'UNIT-10', 'the list of reserved units shows their buyers',
    records('listUnits', (_, { query }) => (query['status'] === 'reserved' ? { buyer: { ...maria, phone: '+48501234567' } } : {}))),
  fault('personal-data-when-read', 'UNIT-10', 'a unit read by itself shows who reserved it', shown(() => ({ reservation: { reservedBy: { ...maria, email: buyer.email } } }))),
  fault('demo-shows-person', 'UNIT-10', 'one unit of the demo list shows a customer',
    records('demoUnits', (_, { world: { behaviour } }, at) => (at === behaviour.seed % 5 ? { customer: person(behaviour) } : {}))),
  fault('unit-create-refused', 'UNIT-11', 'every unit is refused as invalid',
    refuses('createUnit', () => new ApiFailure(422, 'invalid_unit', 'The unit is not valid.')), { warns: true }),
  fault('created-unit-not-readable', 'UNIT-11', 'a created unit cannot be read', read((unit) => (unit?.stockNumber.startsWith('S') ? unit : null))),
  fault('created-unit-not-listed', 'UNIT-11', 'a created unit is not listed', { matchingUnits: (matching) => matching.filter(({ place }) => place <= 346) }),
  fault('unit-change-resets-later', 'UNIT-11', 'a change of a unit resets a text of it a moment later', () => {
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
  }),
  fault('unit-list-keeps-old', 'UNIT-11', 'the list shows every unit as it was before any change', () => listKeepsOld()),
  fault('unit-year-unchecked', 'UNIT-11', 'a unit is created with a year above the declared maximum', declaresMaximum('UnitCreate')),
  fault('unit-change-unchecked', 'UNIT-11', 'a unit is changed to a year above the declared maximum', declaresMaximum('UnitPatch')),
  fault('created-unit-id-changes', 'UNIT-11', 'the answer shows another id than the one stored', records('createUnit', () => ({ id: freshId('unit') }))),
  fault('empty-change-taken', 'UNIT-11', 'a change of nothing is a success, which the document does not allow',
    takes('updateUnit', (fields, exchange) => Object.keys(fields).length > 0 ? null : { mileageKm: ownTenant(exchange).units.get(exchange.id)?.mileageKm })),
  fault('new-units-not-filtered', 'UNIT-11', 'the list filtered by status lacks units that were made since the start',
    { matchingUnits: (units, { status }) => status === null ? units : units.filter(({ record: { stockNumber } }) => stockNumber.startsWith('S')) }),
  fault('changed-status-not-filtered', 'UNIT-11', 'the list filtered by status goes by the status before any change', changesUnfiltered),
  fault('second-form-creation-other-id', 'UNIT-11', 'the creation of a unit under the second address form shows an id that no unit has',
    records('createUnit', ({ id }, { second }) => (second ? { id: `${String(id)}-2` } : {}))),
  fault('unit-change-hits-first', 'UNIT-11', 'a change of a unit gives its price and mileage to the first unit, too', afterwards('updateUnit', (_, { id }, __, exchange) => {
    const { units } = ownTenant(exchange);
    const [first, changedUnit] = [unitsOf(ownTenant(exchange)).find((unit) => unit.id !== id), units.get(id)];
    if (first && changedUnit) units.replace({ ...first, priceCents: changedUnit.priceCents, mileageKm: changedUnit.mileageKm });
  })),
  fault('unit-deletion-takes-latest', 'UNIT-11', 'a deletion of a unit deletes the latest of the other units, too',
    afterwards('deleteUnit', (shelf, _, __, exchange) => void shelf.remove(unitsOf(ownTenant(exchange)).at(-1)?.id ?? ''))),
  fault('created-unit-loses-field', 'UNIT-11', 'a created unit forgets its model', created(() => ({ model: '' })), { needs: vacuous }),
  fault('created-unit-other-price', 'UNIT-11', 'a created unit is stored with its price rounded down to hundreds',
    created(({ priceCents }) => ({ priceCents: Math.floor(priceCents / 100) * 100 - 100 }))),
  fault('created-unit-zero-replaced', 'UNIT-11', 'a created unit with a mileage of 0 is stored with one of 10',
    created(({ mileageKm }) => (mileageKm === 0 ? { mileageKm: 10 } : {}))),
  fault('created-unit-ignores-status', 'UNIT-11', 'a created unit is available, whatever status was sent', created(() => ({ status: 'available' }))),
  fault('created-unit-loses-fraction', 'UNIT-11', 'a created unit is stored with its litres as a whole number',
    created(({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) }))),
  fault('created-unit-cuts-texts', 'UNIT-11', 'a created unit is stored with 40 characters of its model', created(({ model }) => ({ model: model.slice(0, 40) }))),
  fault('unit-change-loses-fraction', 'UNIT-11', 'a change of the litres of a unit is stored as a whole number',
    changed(({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) }))),
  fault('unit-change-makes-available', 'UNIT-11', 'a change of a unit that does not name its status makes it available',
    changed(({ status }, old) => (status === old.status ? { status: 'available' } : {}))),
  fault('unit-change-spills-over', 'UNIT-11', 'a change of a unit renames its model besides', changed((_, { model }) => ({ model: `${model} II` }))),
  fault('unit-change-resets-mileage', 'UNIT-11', 'a change of a unit that does not name its mileage sets it to 0',
    changed(({ mileageKm }, old) => (mileageKm === old.mileageKm ? { mileageKm: 0 } : {}))),
  fault('change-ignores-a-text', 'UNIT-11', 'a change of a unit leaves its make or its model as it was',
    changed(({ id }, { make, model }) => (numberOf(id) % 2 === 0 ? { make } : { model }))),
  fault('change-loses-letters', 'UNIT-11', 'letters beyond ASCII become question marks where a unit is changed',
    changed(({ model }) => ({ model: model.replace(/[^\x00-\x7f]/g, '?') }))),
  fault('unit-change-ignores-null', 'UNIT-11', 'a change of the trim of a unit to null leaves it as it was',
    changed(({ trim }, old) => (trim === null ? { trim: old.trim } : {})), { warns: true }),
];
