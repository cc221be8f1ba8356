import { succeed } from '../answers.js';
import { listUnits } from '../data/list-units.js';
import type { Unit } from '../data/records.js';
import { isVisible, showUnit, withOwner } from '../data/show-records.js';
import { freshId } from '../data/tenant-store.js';
import { unitCreateSchema, unitPatchSchema, unitSearchSchema } from '../document/input-schemas.js';
import { isRegistered } from '../idempotency/fingerprint.js';
import { callerOf, type Exchange, type Handlers, type Json, type Query, type World } from '../instance.js';
import { readJson } from '../read-json.js';
import { checked, checkedNew, create, find, invalid, noSuch, placed } from './records.js';

function getUnit(exchange: Exchange): void {
  const { world } = exchange;
  const unit = find('unit', exchange);
  if (!isVisible(unit, world)) throw noSuch('unit', world);
  const shown = withOwner(showUnit(unit, world), callerOf(exchange).scopes.includes('admin:*'), world);
  succeed(exchange, 200, placed('unit', shown, world));
}

/** A complete unit from what a client gave. */
function unitFrom(fields: Json, id: string, world: World): Unit {
  const now = new Date().toISOString();
  const isLoose = world.option('unit-create-body') === 'named';
  const unit: Unit = {
    id,
    stockNumber: `N${freshId('n').slice(2, 10)}`,
    vin: String(fields['vin']),
    status: String(fields['status'] ?? 'available'),
    condition: String(fields['condition'] ?? 'used'),
    make: String(fields['make']),
    model: String(fields['model']),
    year: isLoose ? 2020 : Number(fields['year']),
    trim: typeof fields['trim'] === 'string' ? fields['trim'] : null,
    mileageKm: Number(fields['mileageKm'] ?? 0),
    engineLitres: typeof fields['engineLitres'] === 'number' ? fields['engineLitres'] : null,
    priceCents: isLoose ? 0 : Number(fields['priceCents']),
    currency: 'USD',
    features: (fields['features'] as string[] | undefined) ?? [],
    location: { lot: 'north', row: 1, geo: { lat: 39.75, lng: -104.95 } },
    createdAt: now,
    updatedAt: now,
  };
  return world.apply('storedUnit', unit, null);
}

function createUnit(exchange: Exchange): Promise<void> {
  const { world } = exchange;
  const { tenant } = callerOf(exchange);
  return create('unit', exchange, {
    build(body, id) {
      const fields = checkedNew('unit', body, unitCreateSchema(world), world);
      if (isRegistered(fields, 20, world)) throw invalid('unit', world);
      return unitFrom(fields, id, world);
    },
    store(unit) {
      tenant.units.add(unit);
      world.sender.emit(tenant.slug, 'unit.created', showUnit(unit, world));
      return unit;
    },
    now: (unit) => unit,
    data: (unit) => placed('unit', showUnit(unit, world), world),
  });
}

function list(query: Query, exchange: Exchange): void {
  const { tenant, scopes } = callerOf(exchange);
  succeed(exchange, 200, listUnits(query, tenant, exchange.world, scopes.includes('admin:*')).data);
}

function searchUnits(exchange: Exchange): void {
  const fields = checked('unit', readJson(exchange), unitSearchSchema(), exchange.world);
  list(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])), exchange);
}

/** Does what was asked at once, or where the instance writes late, soon after; gives the status that says so. */
function carryOut(world: World, work: () => void): number {
  const later = world.option('unit-writes') === 'patch-delete-later';
  if (later) setTimeout(work, 30).unref();
  else work();
  return later ? 202 : 200;
}

function updateUnit(exchange: Exchange): void {
  const { world } = exchange;
  const { slug, units } = callerOf(exchange).tenant;
  const unit = find('unit', exchange);
  const fields = checked('unit', readJson(exchange), unitPatchSchema(), world);
  const known = Object.entries(fields).filter(([name]) => name in unit && name !== 'id');
  const updated: Unit = { ...unit, ...Object.fromEntries(known), updatedAt: new Date().toISOString() };
  const changed = world.apply('storedUnit', updated, unit);
  const status = carryOut(world, () => units.replace(changed));
  succeed(exchange, status, placed('unit', showUnit(changed, world), world));
  if (changed.status === 'sold' && unit.status !== 'sold')
    carryOut(world, () => world.sender.emit(slug, 'unit.sold', showUnit(changed, world)));
}

function deleteUnit(exchange: Exchange): void {
  const { world } = exchange;
  const { units } = callerOf(exchange).tenant;
  const { id } = find('unit', exchange);
  const status = carryOut(world, () => units.remove(id));
  succeed(exchange, status, { id, deleted: status === 200 });
}

/** What answers the operations on units. */
export const unitHandlers: Handlers = {
  listUnits: (exchange) => list(exchange.query, exchange),
  searchUnits,
  getUnit,
  createUnit,
  updateUnit,
  deleteUnit,
};
