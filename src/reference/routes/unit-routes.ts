import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingKey, scopeFailure } from '../admission.js';
import { ApiFailure, crash } from '../api-failure.js';
import { sendJson, succeed } from '../answers.js';
import { createOnce } from '../create-once.js';
import type { Unit } from '../data/records.js';
import { unitCreateSchema, unitPatchSchema, unitSearchSchema } from '../document/input-schemas.js';
import { fingerprint } from '../fingerprint.js';
import type { Outcome } from '../idempotency-keys.js';
import { listUnits } from '../list-units.js';
import type { Query } from '../paging.js';
import { readJson } from '../read-json.js';
import { callerOf, originalPath, surfaceOf } from '../request-state.js';
import { allowed } from '../scopes.js';
import { isVisible, person, showUnit, withOwner } from '../show-records.js';
import { freshId } from '../tenant-store.js';
import type { TenantStore } from '../tenant-store.js';
import { violations } from '../validate.js';
import type { World } from '../world.js';

type Json = Record<string, unknown>;

/** `data` around one unit. */
function placed(unit: Json, world: World): Json {
  return world.behaviour.dial('unit-place') === 'nested' ? { unit } : unit;
}

function notFound(world: World): ApiFailure {
  return new ApiFailure(Number(world.behaviour.dial('unknown-id-status')), 'unit_not_found', 'There is no such unit.');
}

function findUnit(
  id: string,
  tenant: TenantStore,
  world: World,
  door: 'foreign-unit-by-id' | 'foreign-unit-changed' | 'foreign-unit-deleted',
): { unit: Unit; tenant: TenantStore } {
  const { has } = world.behaviour;
  const open = has(door) || (door === 'foreign-unit-changed' && has('foreign-unit-changed-though-refused'));
  const owners = open ? [tenant, ...world.tenants.values()] : [tenant];
  for (const owner of owners) {
    const unit = owner.units.get(id);
    if (unit !== undefined) return { unit, tenant: owner };
  }
  throw notFound(world);
}

/** The unit that a read shows, as faults would have it. */
function readUnit(id: string, tenant: TenantStore, request: FastifyRequest, world: World): Json {
  const { behaviour } = world;
  const { has } = behaviour;
  if (has('crash-on-null-in-id') && id.includes('\0')) throw crash();
  const units = (): Unit[] => Array.from(tenant.units.placed(), (one) => one.record);
  if (has('long-unit-id-gives-first') && id.length > 2_000) return showUnit(units()[0] ?? ({} as Unit), behaviour);
  if (has('unknown-unit-gives-first') && tenant.units.get(id) === undefined)
    return showUnit(units()[0] ?? findUnit(id, tenant, world, 'foreign-unit-by-id').unit, behaviour);
  if (has('odd-unit-id-gives-first') && /['"]/.test(id)) return showUnit(units()[0] ?? ({} as Unit), behaviour);
  if (has('unknown-unit-empty-success') && tenant.units.get(id) === undefined) return {};
  const { unit } = findUnit(id, tenant, world, 'foreign-unit-by-id');
  if (!isVisible(unit, behaviour)) throw notFound(world);
  if (has('created-unit-not-readable') && !unit.stockNumber.startsWith('S')) throw notFound(world);
  if (has('one-unit-not-readable') && units().indexOf(unit) === 211) throw notFound(world);
  const list = has('unit-read-is-neighbour') || has('unit-read-is-first') ? units() : [];
  const other = has('unit-read-is-first') ? list[0] : list[(list.indexOf(unit) + 1) % Math.max(1, list.length)];
  const fullAccess = callerOf(request).scopes.includes('admin:*');
  const shown = withOwner(showUnit(other ?? unit, behaviour), fullAccess, behaviour);
  const second = surfaceOf(originalPath(request)) === 'second-form';
  if (has('unit-read-price-differs') || (second && has('second-form-unit-differs')))
    shown['priceCents'] = unit.priceCents + 1;
  if (has('unit-read-mileage-differs-for-some') && units().indexOf(unit) % 7 === 3)
    shown['mileageKm'] = unit.mileageKm + 1;
  if (has('unit-read-nested-differs'))
    shown['location'] = { ...unit.location, geo: { ...unit.location.geo, lat: unit.location.geo.lat + 0.001 } };
  if (has('unit-read-status-differs') && unit.status === 'reserved') shown['status'] = 'available';
  if (second && has('second-form-unit-shows-person')) shown['customer'] = person(world.behaviour);
  if (has('personal-data-when-read'))
    shown['reservation'] = {
      reservedBy: { firstName: 'Maria', lastName: 'Kowalska', email: 'maria.kowalska@example.net' },
    };
  return shown;
}

function checked(body: unknown, schema: object, world: World): Json {
  const found = violations(schema, body);
  if (found.length > 0)
    throw new ApiFailure(Number(world.behaviour.dial('invalid-status')), 'invalid_unit', 'The unit is not valid.', {
      issues: found,
    });
  return body as Json;
}

/** A complete unit from what a client gave. */
function unitFrom(fields: Json, id: string, world: World): Unit {
  const { has } = world.behaviour;
  const now = new Date().toISOString();
  const isLoose = world.behaviour.dial('unit-create-body') === 'named';
  const price = isLoose ? 0 : Number(fields['priceCents']);
  return {
    id,
    stockNumber: `N${freshId('n').slice(2, 10)}`,
    vin: String(fields['vin']),
    status: String(fields['status'] ?? 'available'),
    condition: String(fields['condition'] ?? 'used'),
    make: String(fields['make']),
    model: has('created-unit-loses-field') ? '' : String(fields['model']),
    year: isLoose ? 2020 : Number(fields['year']),
    trim: typeof fields['trim'] === 'string' ? fields['trim'] : null,
    mileageKm: Number(fields['mileageKm'] ?? 0),
    priceCents: has('created-unit-other-price') ? Math.floor(price / 100) * 100 - 100 : price,
    currency: 'USD',
    features: [],
    location: { lot: 'north', row: 1, geo: { lat: 39.75, lng: -104.95 } },
    createdAt: now,
    updatedAt: now,
  };
}

async function createUnit(request: FastifyRequest, reply: FastifyReply, world: World): Promise<FastifyReply> {
  const { behaviour } = world;
  const { tenant, key } = callerOf(request);
  const body = readJson(request, world);
  const schema = unitCreateSchema(behaviour);
  const status = Number(behaviour.dial('create-status'));
  const valid = (): Json => {
    const fields = checked(body, schema, world);
    if (behaviour.has('unit-create-refused'))
      throw new ApiFailure(Number(behaviour.dial('invalid-status')), 'invalid_unit', 'The unit is not valid.');
    return fields;
  };
  const imagine = (id: string): Outcome => ({ status, record: unitFrom(valid(), id || freshId('unit'), world) });
  const outcome = await createOnce(
    {
      route: 'units',
      tenant: tenant.slug,
      key: headerText(request.headers['idempotency-key']),
      fingerprint: fingerprint(body, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
      make: () => {
        const unit = tenant.units.add(unitFrom(valid(), tenant.newId('unit'), world));
        world.sender.emit(tenant.slug, 'unit.created', showUnit(unit, behaviour));
        return { status, record: unit };
      },
      show: (known) => known,
      imagine,
      overwrite: (known) => imagine(known.record.id),
      otherPhone: () => false,
    },
    world,
  );
  if (behaviour.has('unit-stored-without-key') && key === null) throw missingKey(world);
  if (behaviour.has('unit-stored-then-refused') && key && !allowed(key, 'createUnit', 'write:inventory', world))
    throw scopeFailure(world);
  const shown = showUnit(outcome.record as Unit, behaviour);
  if (behaviour.has('created-unit-status-null')) shown['status'] = null;
  if (behaviour.has('created-unit-id-changes')) shown['id'] = freshId('unit');
  reply.header('Location', `/api/v1/units/${outcome.record.id}`);
  return succeed(request, reply, world, outcome.status, placed(shown, world));
}

/** One value of a header that may have been given several times. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Adds the unit operations that this instance has. */
export function unitRoutes(app: FastifyInstance, world: World): void {
  const { behaviour } = world;
  const { has, dial } = behaviour;
  const config = (operation: string, scope: string) => ({ config: { operation, scope } });
  const atStart = new Map(
    has('second-form-list-stale')
      ? Array.from(world.tenants.values(), (one) => [one, Array.from(one.units.placed())] as const)
      : [],
  );
  const beforeChanges = new Map<string, Unit>();
  const lists = new Map<string, { readonly tenant: TenantStore; readonly data: Json; readonly at: number }>();
  app.get('/api/v1/units', config('listUnits', 'read:inventory'), (request, reply) => {
    const { tenant, scopes } = callerOf(request);
    const second = surfaceOf(originalPath(request)) === 'second-form';
    const whole = request.query as Query;
    const { status: _, ...unfiltered } = whole;
    const query = second && has('second-form-filter-ignored') ? unfiltered : whole;
    const elsewhere = has('second-form-other-data') && surfaceOf(originalPath(request)) === 'second-form';
    const shown = elsewhere
      ? (Array.from(world.tenants.values()).find((one) => one.slug !== tenant.slug) ?? tenant)
      : tenant;
    const kept = lists.get(request.originalUrl);
    if (kept !== undefined && kept.tenant !== tenant && performance.now() - kept.at < 1_500)
      return succeed(request, reply, world, 200, kept.data);
    const { data, items } = listUnits(query, shown, world, scopes.includes('admin:*'), second ? atStart : undefined);
    if (has('list-cached-for-all-tenants')) lists.set(request.originalUrl, { tenant, data, at: performance.now() });
    if (has('second-form-list-keeps-old') && second)
      for (const item of items) Object.assign(item, beforeChanges.get(String(item['id'])));
    if (has('second-form-list-empty') && surfaceOf(originalPath(request)) === 'second-form') data['items'] = [];
    const atRandom = items[behaviour.seed % Math.max(1, items.length)];
    if (atRandom && second && has('second-form-list-shows-person')) atRandom['customer'] = person(behaviour);
    const twisted = items[3];
    if (twisted && has('second-form-list-differs') && surfaceOf(originalPath(request)) === 'second-form')
      twisted['mileageKm'] = Number(twisted['mileageKm']) + 7;
    if (has('tenant-header-empties-list') && request.headers['x-tenant'] === undefined) data['items'] = [];
    if (has('success-without-data') && query['limit'] === '1') return sendJson(reply, world, 200, { ok: true });
    if (has('unit-list-without-ok') && query['status'] !== undefined) return sendJson(reply, world, 200, { data });
    return succeed(request, reply, world, 200, data);
  });
  app.get<{ Params: { id: string } }>('/api/v1/units/:id', config('getUnit', 'read:inventory'), (request, reply) => {
    const { tenant } = callerOf(request);
    return succeed(request, reply, world, 200, placed(readUnit(request.params.id, tenant, request, world), world));
  });
  if (dial('second-unit-operation') === 'search')
    app.post('/api/v1/units', config('searchUnits', 'read:inventory'), (request, reply) => {
      const { tenant, scopes } = callerOf(request);
      const fields = checked(readJson(request, world), unitSearchSchema(), world);
      const query = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      return succeed(request, reply, world, 200, listUnits(query, tenant, world, scopes.includes('admin:*')).data);
    });
  else
    app.route({
      method: dial('second-unit-operation') === 'put' ? 'PUT' : 'POST',
      url: '/api/v1/units',
      ...config('createUnit', 'write:inventory'),
      handler: (request, reply) => createUnit(request, reply, world),
    });
  if (dial('unit-writes') === 'none') return;
  const later = dial('unit-writes') === 'patch-delete-later';
  const done = later ? 202 : 200;
  /** Does what was asked at once, or soon after. */
  const carryOut = (work: () => void): void => {
    if (later) setTimeout(work, 30).unref();
    else work();
  };
  app.route<{ Params: { id: string } }>({
    method: dial('unit-writes') === 'put-delete' ? 'PUT' : 'PATCH',
    url: '/api/v1/units/:id',
    ...config('updateUnit', 'write:inventory'),
    handler: (request, reply) => {
      if (has('declared-unit-patch-not-served'))
        throw new ApiFailure(501, 'not_implemented', 'Units cannot be changed yet.');
      const found = findUnit(request.params.id, callerOf(request).tenant, world, 'foreign-unit-changed');
      const fields = checked(readJson(request, world), unitPatchSchema(), world);
      const known = Object.entries(fields).filter(([name]) => name in found.unit && name !== 'id');
      const changed: Unit = {
        ...found.unit,
        ...Object.fromEntries(known),
        ...(has('unit-change-spills-over') ? { model: `${found.unit.model} II` } : {}),
        updatedAt: new Date().toISOString(),
      };
      if (!beforeChanges.has(found.unit.id)) beforeChanges.set(found.unit.id, found.unit);
      carryOut(() => found.tenant.units.replace(changed));
      if (has('foreign-unit-changed-though-refused') && found.tenant.slug !== callerOf(request).tenant.slug)
        throw notFound(world);
      const { key } = callerOf(request);
      if (has('unit-changed-then-refused') && key && !allowed(key, 'updateUnit', 'write:inventory', world))
        throw scopeFailure(world);
      if (changed.status === 'sold' && found.unit.status !== 'sold')
        carryOut(() => world.sender.emit(found.tenant.slug, 'unit.sold', showUnit(changed, behaviour)));
      return succeed(request, reply, world, done, placed(showUnit(changed, behaviour), world));
    },
  });
  if (has('declared-delete-not-served')) return;
  app.delete<{ Params: { id: string } }>(
    '/api/v1/units/:id',
    config('deleteUnit', 'write:inventory'),
    (request, reply) => {
      const { unit, tenant } = findUnit(request.params.id, callerOf(request).tenant, world, 'foreign-unit-deleted');
      carryOut(() => tenant.units.remove(unit.id));
      const { key } = callerOf(request);
      if (has('unit-deleted-without-key') && key === null) throw missingKey(world);
      if (has('unit-deleted-then-refused') && key && !allowed(key, 'deleteUnit', 'write:inventory', world))
        throw scopeFailure(world);
      return succeed(request, reply, world, done, { id: unit.id, deleted: !later });
    },
  );
}
