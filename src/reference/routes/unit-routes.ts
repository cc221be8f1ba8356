import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { createOnce } from '../idempotency/create-once.js';
import type { Unit } from '../data/records.js';
import { undeclaredField, unitCreateSchema, unitPatchSchema, unitSearchSchema } from '../document/input-schemas.js';
import { fingerprint, isRegistered } from '../idempotency/fingerprint.js';
import { callerOf, type AddRoute, type CreateOutcome, type Exchange, type Query, type World } from '../instance.js';
import { listUnits } from '../data/list-units.js';
import { readJson } from '../read-json.js';
import { isVisible, showUnit, withOwner } from '../data/show-records.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { violations, withoutInvalid } from '../validate.js';

type Json = Record<string, unknown>;

/** `data` around one unit. */
function placed(unit: Json, world: World): Json {
  return world.behaviour.option('unit-place') === 'nested' ? { unit } : unit;
}

/** The refusal of an id that no unit has. */
export function noSuchUnit({ behaviour }: World): ApiFailure {
  return new ApiFailure(Number(behaviour.option('unknown-id-status')), 'unit_not_found', 'There is no such unit.');
}

function invalid(world: World, issues: readonly string[] = []): ApiFailure {
  const status = Number(world.behaviour.option('invalid-status'));
  return new ApiFailure(status, 'invalid_unit', 'The unit is not valid.', { issues });
}

/** The tenant in which the unit is looked for. */
function ownerOf(exchange: Exchange): TenantStore {
  const { id, operation, world } = exchange;
  return world.behaviour.apply('owner', callerOf(exchange).tenant, 'units', id, operation, world);
}

function readUnit(exchange: Exchange): void {
  const { id, world } = exchange;
  const { behaviour } = world;
  const tenant = ownerOf(exchange);
  const unit = behaviour.apply('readUnit', tenant.units.get(id) ?? null, tenant, exchange);
  if (unit === null || !isVisible(unit, behaviour)) throw noSuchUnit(world);
  const shown = withOwner(showUnit(unit, behaviour), callerOf(exchange).scopes.includes('admin:*'), behaviour);
  succeed(exchange, 200, placed(shown, world));
}

function checked(body: unknown, schema: object, world: World): Json {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const isLenient = isObject && world.behaviour.option('invalid-optional') === 'left-out';
  const fields = isLenient ? withoutInvalid(body as Json, schema) : body;
  const found = violations(schema, fields);
  if (found.length > 0) throw invalid(world, found);
  return fields as Json;
}

/** A complete unit from what a client gave. */
function unitFrom(fields: Json, id: string, { behaviour }: World): Unit {
  const now = new Date().toISOString();
  const isLoose = behaviour.option('unit-create-body') === 'named';
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
    features: [],
    location: { lot: 'north', row: 1, geo: { lat: 39.75, lng: -104.95 } },
    createdAt: now,
    updatedAt: now,
  };
  return behaviour.apply('storedUnit', unit, null);
}

async function createUnit(exchange: Exchange): Promise<void> {
  const { headers, world } = exchange;
  const { behaviour } = world;
  const { tenant } = callerOf(exchange);
  const body = readJson(exchange);
  const status = Number(behaviour.option('create-status'));
  const build = (id: string): CreateOutcome & { record: Unit } => {
    const fields = checked(body, unitCreateSchema(behaviour), world);
    const further = undeclaredField(behaviour);
    if (further !== null && fields[further] === undefined) throw invalid(world, [`/${further} is missing`]);
    if (isRegistered(fields, 20, behaviour)) throw invalid(world);
    return { status, record: unitFrom(behaviour.apply('accept', fields, 'unit', tenant, world), id, world) };
  };
  const outcome = await createOnce({
    exchange,
    route: 'units',
    tenant: tenant.slug,
    key: headerText(headers['idempotency-key']),
    body,
    fingerprint: fingerprint(body, exchange.body),
    build,
    make: () => {
      const made = build(tenant.newId('unit'));
      tenant.units.add(made.record);
      world.sender.emit(tenant.slug, 'unit.created', showUnit(made.record, behaviour));
      return made;
    },
    show: (known) => known,
  });
  const shown = placed(showUnit(outcome.record as Unit, behaviour), world);
  succeed(exchange, outcome.status, shown, { Location: `/api/v1/units/${outcome.record.id}` });
}

/** One value of a header that may have been given several times. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Adds the unit operations that this instance has. */
export function unitRoutes(add: AddRoute, world: World): void {
  const { behaviour } = world;
  const { option } = behaviour;
  const [all, one] = ['/api/v1/units', '/api/v1/units/:id'];
  const list = (query: Query, exchange: Exchange): void => {
    const { tenant, scopes } = callerOf(exchange);
    succeed(exchange, 200, listUnits(query, tenant, world, scopes.includes('admin:*')).data);
  };
  const search = (exchange: Exchange): void => {
    const fields = checked(readJson(exchange), unitSearchSchema(), world);
    list(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])), exchange);
  };
  add('GET', all, (exchange) => list(exchange.query, exchange), 'listUnits', 'read:inventory');
  add('GET', one, readUnit, 'getUnit', 'read:inventory');
  const second = option('second-unit-operation');
  if (second === 'search') add('POST', all, search, 'searchUnits', 'read:inventory');
  else add(second === 'put' ? 'PUT' : 'POST', all, createUnit, 'createUnit', 'write:inventory');
  if (option('unit-writes') === 'none') return;
  const later = option('unit-writes') === 'patch-delete-later';
  const done = later ? 202 : 200;
  /** Does what was asked at once, or soon after. */
  const carryOut = (work: () => void): void => {
    if (later) setTimeout(work, 30).unref();
    else work();
  };
  const update = (exchange: Exchange): void => {
    const tenant = ownerOf(exchange);
    const unit = tenant.units.get(exchange.id);
    if (unit === undefined) throw noSuchUnit(world);
    const fields = checked(readJson(exchange), unitPatchSchema(), world);
    const known = Object.entries(fields).filter(([name]) => name in unit && name !== 'id');
    const updated: Unit = { ...unit, ...Object.fromEntries(known), updatedAt: new Date().toISOString() };
    const changed = behaviour.apply('storedUnit', updated, unit);
    carryOut(() => tenant.units.replace(changed));
    succeed(exchange, done, placed(showUnit(changed, behaviour), world));
    if (changed.status === 'sold' && unit.status !== 'sold')
      carryOut(() => world.sender.emit(tenant.slug, 'unit.sold', showUnit(changed, behaviour)));
  };
  add(option('unit-writes') === 'put-delete' ? 'PUT' : 'PATCH', one, update, 'updateUnit', 'write:inventory');
  if (behaviour.has('declared-delete-not-served')) return;
  const remove = (exchange: Exchange): void => {
    const { id } = exchange;
    const { units } = ownerOf(exchange);
    if (units.get(id) === undefined) throw noSuchUnit(world);
    carryOut(() => units.remove(id));
    succeed(exchange, done, { id, deleted: !later });
  };
  add('DELETE', one, remove, 'deleteUnit', 'write:inventory');
}
