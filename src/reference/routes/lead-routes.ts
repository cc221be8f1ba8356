import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { foreignTenantFailure, missingKey, scopeFailure } from '../admission.js';
import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { createOnce } from '../create-once.js';
import type { Lead } from '../data/records.js';
import { leadCreateSchema, leadPatchSchema } from '../document/input-schemas.js';
import { fingerprint } from '../fingerprint.js';
import type { Outcome } from '../idempotency-keys.js';
import { afterValidation, beforeStoring, beforeValidation } from '../lead-quirks.js';
import { cursorField, makeCursor, readPageWish } from '../paging.js';
import type { Query } from '../paging.js';
import { readJson } from '../read-json.js';
import { callerOf, originalPath, surfaceOf } from '../request-state.js';
import { allowed } from '../scopes.js';
import { showLead, showListedUnit, showReadLead } from '../show-records.js';
import { freshId } from '../tenant-store.js';
import type { TenantStore } from '../tenant-store.js';
import { violations } from '../validate.js';
import type { World } from '../world.js';
import { headerText } from './unit-routes.js';

type Json = Record<string, unknown>;

function invalid(world: World, issues: readonly string[]): ApiFailure {
  return new ApiFailure(Number(world.behaviour.dial('invalid-status')), 'invalid_lead', 'The lead is not valid.', {
    issues,
  });
}

/** The fields of a valid lead, or the refusal. */
function validFields(body: unknown, tenant: TenantStore, world: World): Json {
  const { behaviour } = world;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const fields = isObject ? beforeValidation(body as Json, behaviour) : body;
  const found = violations(leadCreateSchema(behaviour), fields);
  if (found.length > 0) throw invalid(world, found);
  const valid = fields as Json;
  const phone = String(valid['phone']);
  if (behaviour.dial('phone') === 'enforced' && !/^\+[1-9]\d{1,14}$/.test(phone))
    throw invalid(world, ['/phone has to be an international number']);
  if (behaviour.dial('source') === 'hidden' && ![undefined, 'showroom-fair'].includes(valid['source'] as undefined))
    throw invalid(world, ['/source is unknown']);
  if (behaviour.dial('lead-names') === 'people' && !/^[\p{L}\p{M} '’-]{1,100}$/u.test(String(valid['name'])))
    throw invalid(world, ['/name is no name']);
  const unit = tenant.units.get(String(valid['vehicleId']));
  if (behaviour.dial('unknown-vehicle') === 'refused' && unit === undefined)
    throw invalid(world, ['/vehicleId names no unit']);
  if (behaviour.dial('lead-units') === 'available' && unit !== undefined && unit.status !== 'available')
    throw invalid(world, ['/vehicleId names a unit that is not for sale']);
  afterValidation(valid, behaviour);
  return valid;
}

function leadFrom(fields: Json, id: string, world: World): Lead {
  const now = new Date().toISOString();
  const lead: Lead = {
    id,
    name: String(fields['name']),
    phone: String(fields['phone']),
    vehicleId: String(fields['vehicleId']),
    source: typeof fields['source'] === 'string' ? fields['source'] : null,
    status: 'new',
    score: 50,
    createdAt: now,
    updatedAt: now,
  };
  return beforeStoring(world.behaviour.dial('lead-texts') === 'normalised' ? normalised(lead) : lead, world.behaviour);
}

/** The lead with its name in composed form and without needless blanks, and its phone in groups. */
function normalised(lead: Lead): Lead {
  const name = lead.name.normalize('NFC').trim().replace(/\s+/gu, ' ');
  return { ...lead, name, phone: lead.phone.replace(/^(\+\d{4})(\d{3})(\d+)$/, '$1 $2-$3') };
}

const conflicts = new Map([
  ['refused', 'lead_exists'],
  ['phone-refused', 'phone_known'],
  ['name-refused', 'name_known'],
]);

/** Refuses a lead for a unit that has one, where a unit has one lead at a time. */
function checkVehicle(lead: Lead, tenant: TenantStore, world: World): void {
  const { dial } = world.behaviour;
  if (dial('vehicle-leads') === 'any' || dial('second-unit-operation') !== 'post') return;
  for (const { record } of tenant.leads.placed())
    if (record.vehicleId === lead.vehicleId)
      throw new ApiFailure(409, 'vehicle_has_lead', 'The vehicle has an open lead.');
}

function earlierLead(lead: Lead, tenant: TenantStore, world: World): Lead | undefined {
  const { has, dial } = world.behaviour;
  const how = has('leads-joined-by-phone') ? 'phone-joined' : dial('content-duplicates');
  if (how === 'made') return undefined;
  const fields = how.startsWith('phone')
    ? ['phone']
    : how.startsWith('name')
      ? ['name']
      : ['name', 'phone', 'vehicleId', 'source'];
  for (const { record } of tenant.leads.placed()) {
    if (!fields.every((field) => record[field as keyof Lead] === lead[field as keyof Lead])) continue;
    const code = conflicts.get(how);
    if (code !== undefined) throw new ApiFailure(409, code, 'There is such a lead.');
    return record;
  }
  return undefined;
}

/** Adds the unit that a lead is for, where leads show one and the tenant has it. */
function withUnit(lead: Json, tenant: TenantStore, world: World): Json {
  if (world.behaviour.dial('lead-vehicle') === 'id') return lead;
  const owners = world.behaviour.has('lead-shows-foreign-unit') ? [...world.tenants.values()] : [tenant];
  const unit = owners.map((one) => one.units.get(String(lead['vehicleId']))).find((one) => one !== undefined);
  return { ...lead, vehicle: unit === undefined ? null : showListedUnit(unit, world.behaviour) };
}

function placed(lead: Json, world: World): Json {
  return world.behaviour.dial('lead-place') === 'nested' ? { lead } : lead;
}

/** The lead of an earlier create, with a score that has moved where replays show leads as they are now. */
function shownNow(outcome: Outcome, tenant: TenantStore, world: World): Outcome {
  if (world.behaviour.dial('replay') === 'first') return outcome;
  const lead = tenant.leads.get(outcome.record.id);
  if (lead === undefined) return outcome;
  const moved: Lead = { ...lead, score: Math.min(99, lead.score + 1), updatedAt: new Date().toISOString() };
  tenant.leads.replace(moved);
  return { ...outcome, record: moved };
}

async function createLead(request: FastifyRequest, reply: FastifyReply, world: World): Promise<FastifyReply> {
  const { behaviour } = world;
  const { has } = behaviour;
  const { tenant, key } = callerOf(request);
  if (has('replay-needs-no-key') && key === null) {
    const known = world.remembered.nameOf(tenant.slug, 'leads', headerText(request.headers['idempotency-key']) ?? '');
    if (!world.remembered.get(known)?.outcome) throw missingKey(world);
  }
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (has('drop-on-large-body') && bytes.length > 512 * 1_024) request.raw.socket.destroy();
  const body = readJson(request, world);
  if (has('hang-on-null-body') && body === null) return new Promise<FastifyReply>(() => undefined);
  const status = has('create-answers-202') ? 202 : Number(behaviour.dial('create-status'));
  const imagine = (id: string): Outcome => ({
    status,
    record: leadFrom(
      validFields(body, tenant, world),
      id.includes('_') && id.length > 20 ? id : freshId('lead'),
      world,
    ),
  });
  const outcome = await createOnce(
    {
      route: 'leads',
      tenant: tenant.slug,
      key: headerText(request.headers['idempotency-key']),
      unit: String((body as Json | null)?.['vehicleId']),
      form: surfaceOf(originalPath(request)),
      fingerprint: fingerprint(body, bytes),
      make: () => {
        const lead = leadFrom(validFields(body, tenant, world), tenant.newId('lead'), world);
        const earlier = earlierLead(lead, tenant, world);
        if (earlier !== undefined) return { status, record: earlier };
        checkVehicle(lead, tenant, world);
        tenant.leads.add(lead);
        world.sender.emit(tenant.slug, 'lead.created', showLead(lead));
        return { status, record: lead };
      },
      show: (known) => shownNow(known, tenant, world),
      imagine,
      overwrite: (known) => {
        const changed = imagine(known.record.id);
        const { name } = changed.record as Lead;
        if (has('refused-name-is-stored')) tenant.leads.replace({ ...(known.record as Lead), name });
        else tenant.leads.replace(changed.record as Lead);
        return changed;
      },
      otherPhone: (known) => (known.record as Lead).phone !== (body as Json)['phone'],
    },
    world,
  );
  if (has('refusal-after-effect') && key !== null && !allowed(key, 'createLead', 'write:leads', world))
    throw scopeFailure(world);
  if (has('lead-stored-without-key') && key === null) throw missingKey(world);
  if (has('foreign-tenant-written-though-refused') && key !== null && key.tenant !== tenant.slug)
    throw foreignTenantFailure(world);
  if (has('lead-answers-failure')) throw new ApiFailure(409, 'lead_disputed', 'The lead could not be handed over.');
  if (!has('location-missing')) reply.header('Location', `/api/v1/leads/${outcome.record.id}`);
  const record = outcome.record as Partial<Lead>;
  const shown = typeof record.name === 'string' ? showLead(outcome.record as Lead) : { ...outcome.record };
  return succeed(request, reply, world, outcome.status, placed(withUnit(shown, tenant, world), world));
}

function findLead(
  id: string,
  tenant: TenantStore,
  world: World,
  open = world.behaviour.has('foreign-lead-by-id'),
): { lead: Lead; owner: TenantStore } {
  const owners = open ? [tenant, ...world.tenants.values()] : [tenant];
  const owner = owners.find((one) => one.leads.get(id) !== undefined);
  const lead = owner?.leads.get(id);
  if (owner === undefined || lead === undefined)
    throw new ApiFailure(Number(world.behaviour.dial('unknown-id-status')), 'lead_not_found', 'There is no such lead.');
  return { lead, owner };
}

function changeLead(request: FastifyRequest, reply: FastifyReply, id: string | null, world: World): FastifyReply {
  const { tenant } = callerOf(request);
  const { has } = world.behaviour;
  const open = has('foreign-lead-changed') || has('foreign-lead-changed-though-refused');
  if (id !== null) findLead(id, tenant, world, open);
  const body = readJson(request, world);
  const found = violations(leadPatchSchema(id === null), body);
  if (found.length > 0) throw invalid(world, found);
  const fields = body as Json;
  const { lead, owner } = findLead(id ?? String(fields['id']), tenant, world, open);
  const changed: Lead = { ...lead, status: String(fields['status']), updatedAt: new Date().toISOString() };
  const later = id !== null && world.behaviour.dial('lead-item') === 'get-patch-later';
  if (later) setTimeout(() => owner.leads.replace(changed), 5_000).unref();
  else if (!has('lead-change-not-stored')) owner.leads.replace(changed);
  if (has('foreign-lead-changed-though-refused') && owner !== tenant) throw foreignTenantFailure(world);
  if (changed.status !== lead.status && (changed.status === 'qualified' || changed.status === 'converted')) {
    world.sender.emit(tenant.slug, `lead.${changed.status}`, showLead(changed));
  }
  return succeed(
    request,
    reply,
    world,
    later ? 202 : 200,
    placed(withUnit(showReadLead(changed, world.behaviour), tenant, world), world),
  );
}

/** Adds the lead operations that this instance has. */
export function leadRoutes(app: FastifyInstance, world: World): void {
  const { behaviour } = world;
  const { has, dial } = behaviour;
  const config = (operation: string, scope: string) => ({ config: { operation, scope } });
  app.post('/api/v1/leads', config('createLead', 'write:leads'), (request, reply) => {
    if (has('second-form-refuses-leads') && surfaceOf(originalPath(request)) === 'second-form')
      throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
    return createLead(request, reply, world);
  });
  if (dial('second-lead-operation') === 'patch') {
    app.patch('/api/v1/leads', config('updateLead', 'write:leads'), (request, reply) =>
      changeLead(request, reply, null, world),
    );
  } else {
    app.get('/api/v1/leads', config('listLeads', 'read:leads'), (request, reply) => {
      if (has('second-form-without-lead-list') && surfaceOf(originalPath(request)) === 'second-form')
        throw new ApiFailure(404, 'not_found', 'There is nothing here.');
      const { tenant } = callerOf(request);
      const wish = readPageWish(request.query as Query, 'leads', tenant.slug, behaviour);
      const rest = Array.from(tenant.leads.placed()).filter((one) => one.place > wish.after);
      const page = rest.slice(0, wish.limit);
      const last = page.at(-1);
      const next =
        last !== undefined && rest.length > page.length ? makeCursor('leads', tenant.slug, last.place) : null;
      return succeed(request, reply, world, 200, {
        items: page.map((one) => withUnit(showReadLead(one.record, behaviour), tenant, world)),
        ...cursorField(next, behaviour),
      });
    });
  }
  if (dial('lead-item') === 'none') return;
  app.get<{ Params: { id: string } }>('/api/v1/leads/:id', config('getLead', 'read:leads'), (request, reply) => {
    if (has('declared-lead-read-not-served'))
      throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
    const apart = has('second-form-leads-apart') && surfaceOf(originalPath(request)) === 'second-form';
    const { lead } = findLead(apart ? '' : request.params.id, callerOf(request).tenant, world);
    const shown = withUnit(showReadLead(lead, behaviour), callerOf(request).tenant, world);
    return succeed(request, reply, world, 200, placed(shown, world));
  });
  if (!dial('lead-item').startsWith('get-patch')) return;
  app.patch<{ Params: { id: string } }>('/api/v1/leads/:id', config('updateLead', 'write:leads'), (request, reply) =>
    changeLead(request, reply, request.params.id, world),
  );
}
