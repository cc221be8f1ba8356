import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { createOnce } from '../idempotency/create-once.js';
import type { Unit } from '../data/records.js';
import { undeclaredField, unitCreateSchema, unitPatchSchema, unitSearchSchema } from '../document/input-schemas.js';
import { fingerprint, isRegistered } from '../idempotency/fingerprint.js';
import type { CreateOutcome } from '../idempotency/idempotency-keys.js';
import { listUnits } from '../data/list-units.js';
import type { Query } from '../data/paging.js';
import { bytesOf, readJson } from '../read-json.js';
import { callerOf, exchangeOf } from '../request-state.js';
import { isVisible, showUnit, withOwner } from '../data/show-records.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { violations, withoutInvalid } from '../validate.js';
import type { World } from '../world.js';

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

/** The tenant in which a unit is looked for. */
function ownerOf(id: string, request: FastifyRequest, world: World): TenantStore {
  const { operation = '' } = request.routeOptions.config;
  return world.behaviour.apply('owner', callerOf(request).tenant, 'units', id, operation, world);
}

function readUnit(request: FastifyRequest, reply: FastifyReply, id: string, world: World): Json {
  const { behaviour } = world;
  const tenant = ownerOf(id, request, world);
  const exchange = exchangeOf(request, reply, world);
  const unit = behaviour.apply('readUnit', tenant.units.get(id) ?? null, tenant, exchange);
  if (unit === null || !isVisible(unit, behaviour)) throw noSuchUnit(world);
  return withOwner(showUnit(unit, behaviour), callerOf(request).scopes.includes('admin:*'), behaviour);
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

async function createUnit(request: FastifyRequest, reply: FastifyReply, world: World): Promise<FastifyReply> {
  const { behaviour } = world;
  const { tenant } = callerOf(request);
  const body = readJson(request, world);
  const status = Number(behaviour.option('create-status'));
  const build = (id: string): CreateOutcome & { record: Unit } => {
    const fields = checked(body, unitCreateSchema(behaviour), world);
    const further = undeclaredField(behaviour);
    if (further !== null && fields[further] === undefined) throw invalid(world, [`/${further} is missing`]);
    if (isRegistered(fields, 20, behaviour)) throw invalid(world);
    return { status, record: unitFrom(behaviour.apply('accept', fields, 'unit', tenant, world), id, world) };
  };
  const outcome = await createOnce({
    exchange: exchangeOf(request, reply, world),
    route: 'units',
    tenant: tenant.slug,
    key: headerText(request.headers['idempotency-key']),
    body,
    fingerprint: fingerprint(body, bytesOf(request)),
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
  return succeed(reply, world, outcome.status, shown, { Location: `/api/v1/units/${outcome.record.id}` });
}

/** One value of a header that may have been given several times. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Adds the unit operations that this instance has. */
export function unitRoutes(app: FastifyInstance, world: World): void {
  const { behaviour } = world;
  const { option } = behaviour;
  const config = (operation: string, scope: string) => ({ config: { operation, scope } });
  const list = (query: Query, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { tenant, scopes } = callerOf(request);
    return succeed(reply, world, 200, listUnits(query, tenant, world, scopes.includes('admin:*')).data);
  };
  app.get('/api/v1/units', config('listUnits', 'read:inventory'), (request, reply) =>
    list(request.query as Query, request, reply),
  );
  app.get<{ Params: { id: string } }>('/api/v1/units/:id', config('getUnit', 'read:inventory'), (request, reply) =>
    succeed(reply, world, 200, placed(readUnit(request, reply, request.params.id, world), world)),
  );
  if (option('second-unit-operation') === 'search')
    app.post('/api/v1/units', config('searchUnits', 'read:inventory'), (request, reply) => {
      const fields = checked(readJson(request, world), unitSearchSchema(), world);
      const query = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      return list(query, request, reply);
    });
  else
    app.route({
      method: option('second-unit-operation') === 'put' ? 'PUT' : 'POST',
      url: '/api/v1/units',
      ...config('createUnit', 'write:inventory'),
      handler: (request, reply) => createUnit(request, reply, world),
    });
  if (option('unit-writes') === 'none') return;
  const later = option('unit-writes') === 'patch-delete-later';
  const done = later ? 202 : 200;
  /** Does what was asked at once, or soon after. */
  const carryOut = (work: () => void): void => {
    if (later) setTimeout(work, 30).unref();
    else work();
  };
  app.route<{ Params: { id: string } }>({
    method: option('unit-writes') === 'put-delete' ? 'PUT' : 'PATCH',
    url: '/api/v1/units/:id',
    ...config('updateUnit', 'write:inventory'),
    handler: (request, reply) => {
      const tenant = ownerOf(request.params.id, request, world);
      const unit = tenant.units.get(request.params.id);
      if (unit === undefined) throw noSuchUnit(world);
      const fields = checked(readJson(request, world), unitPatchSchema(), world);
      const known = Object.entries(fields).filter(([name]) => name in unit && name !== 'id');
      const updated: Unit = { ...unit, ...Object.fromEntries(known), updatedAt: new Date().toISOString() };
      const changed = behaviour.apply('storedUnit', updated, unit);
      carryOut(() => tenant.units.replace(changed));
      const answer = succeed(reply, world, done, placed(showUnit(changed, behaviour), world));
      if (changed.status === 'sold' && unit.status !== 'sold')
        carryOut(() => world.sender.emit(tenant.slug, 'unit.sold', showUnit(changed, behaviour)));
      return answer;
    },
  });
  if (behaviour.has('declared-delete-not-served')) return;
  app.delete<{ Params: { id: string } }>(
    '/api/v1/units/:id',
    config('deleteUnit', 'write:inventory'),
    (request, reply) => {
      const { id } = request.params;
      const { units } = ownerOf(id, request, world);
      if (units.get(id) === undefined) throw noSuchUnit(world);
      carryOut(() => units.remove(id));
      return succeed(reply, world, done, { id, deleted: !later });
    },
  );
}
