import { ApiFailure } from '../api-failure.js';
import { freshId } from '../data/tenant-store.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { data, items, listKeepsOld, person, seededUnit, success, vacuous, type Json } from './change.js';
import { fault, type Fault } from './fault.js';
import { read, shown, stored, created } from './unit-faults.js';

const maria = { firstName: 'Maria', lastName: 'Kowalska' };
const buyer = { name: 'Maria Kowalska', phone: '+48221234567', email: 'maria.kowalska@example.net' };

const tenantHeader = ({ headers }: Exchange): unknown => headers['x-tenant'];
/** Declares a maximum of the year that the service does not keep. */
const declaresMaximum = (name: 'UnitCreate' | 'UnitPatch'): FaultHooks => ({
  document: ({ components: { schemas = {} } }) => {
    const { properties } = schemas[name] as { properties: { year: Json } };
    properties.year = { ...properties.year, maximum: 2027 };
  },
});

/** Faults of who sees units, and of the operation that the document declares beside the list. */
// prettier-ignore
export const unitAccessFaults: readonly Fault[] = [
  fault('tenant-header-required', 'UNIT-09', 'without X-Tenant units are refused',
    {
      tenant: (tenant, exchange) => {
        if (exchange.operation !== 'listUnits' || tenantHeader(exchange) !== undefined) return tenant;
        throw new ApiFailure(400, 'tenant_missing', 'X-Tenant is needed.');
      },
    }),
  fault('tenant-header-refused', 'UNIT-09', 'units are refused where X-Tenant names the own tenant',
    {
      tenant: (tenant, exchange, key) => {
        if (exchange.operation !== 'listUnits' || tenantHeader(exchange) !== key.tenant) return tenant;
        throw new ApiFailure(403, 'tenant_forbidden', 'X-Tenant is not allowed here.');
      },
    }),
  fault('tenant-header-empties-list', 'UNIT-09', 'without X-Tenant no unit is listed',
    items('listUnits', (list, exchange) => tenantHeader(exchange) === undefined && list.splice(0))),
  fault('personal-data-plain', 'UNIT-10', 'every unit shows ownerName and ownerPhone',
    seededUnit(() => ({ ownerName: buyer.name, ownerPhone: buyer.phone }))),
  fault('personal-data-nested', 'UNIT-10', 'every unit shows a buyer two levels down',
    seededUnit(() => ({ history: { lastSale: { buyer: { name: buyer.name, email: buyer.email } } } }))),
  fault('personal-data-of-a-driver', 'UNIT-10', 'every unit shows who drove it last',
    seededUnit(() => ({ lastTestDrive: { driver: buyer.name, minutes: 25 } })), { warns: true }),
  fault('personal-data-on-page-three', 'UNIT-10', 'one unit far down the list shows a customer',
    seededUnit((_, at) => (at === 113 ? { reservation: { customer: buyer } } : {}))),
  fault('personal-data-in-list-of-people', 'UNIT-10', 'sold units show their contact persons in an array',
    seededUnit(({ status }) => {
      const contact = { role: 'buyer', contactPerson: buyer.name, mobile: buyer.phone, birthDate: '1987-04-12' };
      return status === 'sold' ? { contacts: [contact] } : {};
    })),
  fault('personal-data-under-filter', 'UNIT-10', 'the list of reserved units shows their buyers',
    items('listUnits', (list, { query }) => {
      if (query['status'] === 'reserved') for (const item of list) item['buyer'] = { ...maria, phone: '+48501234567' };
    })),
  fault('personal-data-when-read', 'UNIT-10', 'a unit read by itself shows who reserved it',
    shown(() => ({ reservation: { reservedBy: { ...maria, email: buyer.email } } }))),
  fault('demo-shows-person', 'UNIT-10', 'one unit of the demo list shows a customer',
    items('demoUnits', (list, { world: { behaviour } }) => {
      const one = list[behaviour.seed % 5];
      if (one) one['customer'] = person(behaviour);
    })),
  fault('unit-create-refused', 'UNIT-11', 'every unit is refused as invalid',
    {
      accept: (_, kind, __, { behaviour }) => {
        if (kind === 'unit')
          throw new ApiFailure(Number(behaviour.option('invalid-status')), 'invalid_unit', 'The unit is not valid.');
      },
    },
    { warns: true }),
  fault('created-unit-not-readable', 'UNIT-11', 'a created unit cannot be read',
    read((unit) => (unit?.stockNumber.startsWith('S') ? unit : null))),
  fault('created-unit-not-listed', 'UNIT-11', 'a created unit is not listed',
    { matchingUnits: (matching) => matching.filter(({ place }) => place <= 346) }),
  fault('created-unit-loses-field', 'UNIT-11', 'a created unit forgets its model',
    created(() => ({ model: '' })), { needs: vacuous }),
  fault('created-unit-other-price', 'UNIT-11', 'a created unit is stored with its price rounded down to hundreds',
    created(({ priceCents }) => ({ priceCents: Math.floor(priceCents / 100) * 100 - 100 }))),
  fault('created-unit-zero-replaced', 'UNIT-11', 'a created unit with a mileage of 0 is stored with one of 10',
    created(({ mileageKm }) => (mileageKm === 0 ? { mileageKm: 10 } : {}))),
  fault('created-unit-ignores-status', 'UNIT-11', 'a created unit is available, whatever status was sent',
    created(() => ({ status: 'available' }))),
  fault('created-unit-loses-fraction', 'UNIT-11', 'a created unit is stored with its litres as a whole number',
    created(({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) }))),
  fault('created-unit-cuts-texts', 'UNIT-11', 'a created unit is stored with 40 characters of its model',
    created(({ model }) => ({ model: model.slice(0, 40) }))),
  fault('unit-change-loses-fraction', 'UNIT-11', 'a change of the litres of a unit is stored as a whole number',
    stored((unit, before) =>
      before === null ? unit : { ...unit, engineLitres: Math.floor(unit.engineLitres ?? 0) })),
  fault('unit-change-makes-available', 'UNIT-11', 'a change of a unit that does not name its status makes it available',
    stored((unit, before) =>
      before === null || unit.status !== before.status ? unit : { ...unit, status: 'available' })),
  fault('unit-change-resets-later', 'UNIT-11', 'a change of a unit resets a text of it a moment later',
    () => {
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
  fault('unit-list-keeps-old', 'UNIT-11', 'the list shows every unit as it was before any change',
    () => listKeepsOld()),
  fault('unit-change-spills-over', 'UNIT-11', 'a change of a unit renames its model besides',
    stored((unit, before) => (before === null ? unit : { ...unit, model: `${before.model} II` }))),
  fault('unit-change-resets-mileage', 'UNIT-11', 'a change of a unit that does not name its mileage sets it to 0',
    stored((unit, before) =>
      before === null || unit.mileageKm !== before.mileageKm ? unit : { ...unit, mileageKm: 0 })),
  fault('unit-year-unchecked', 'UNIT-11', 'a unit is created with a year above the declared maximum',
    declaresMaximum('UnitCreate')),
  fault('unit-change-unchecked', 'UNIT-11', 'a unit is changed to a year above the declared maximum',
    declaresMaximum('UnitPatch')),
  fault('created-unit-id-changes', 'UNIT-11', 'the answer shows another id than the one stored',
    data('createUnit', (unit) => (unit['id'] = freshId('unit')))),
];
