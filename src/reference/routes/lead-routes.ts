import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { createOnce } from '../idempotency/create-once.js';
import type { Lead } from '../data/records.js';
import { leadCreateSchema, leadPatchSchema, undeclaredField } from '../document/input-schemas.js';
import { fingerprint, isRegistered } from '../idempotency/fingerprint.js';
import { callerOf, type AddRoute, type CreateOutcome, type Exchange, type World } from '../instance.js';
import { createdLeadForm } from '../document/operations.js';
import { cursorField, makeCursor, readPageRequest } from '../data/paging.js';
import { readJson } from '../read-json.js';
import { showLead, showListedUnit, showReadLead } from '../data/show-records.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { violations, withoutInvalid } from '../validate.js';
import { headerText } from './unit-routes.js';

type Json = Record<string, unknown>;

function invalid(world: World, issues: readonly string[]): ApiFailure {
  return new ApiFailure(Number(world.behaviour.option('invalid-status')), 'invalid_lead', 'The lead is not valid.', {
    issues,
  });
}

/** The fields of a valid lead, or the refusal. */
function validFields(body: unknown, tenant: TenantStore, world: World): Json {
  const { behaviour } = world;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const schema = leadCreateSchema(behaviour);
  const given = isObject ? behaviour.apply('leadFields', body as Json) : body;
  const fields =
    isObject && behaviour.option('invalid-optional') === 'left-out' ? withoutInvalid(given as Json, schema) : given;
  const found = violations(schema, fields);
  if (found.length > 0) throw invalid(world, found);
  const valid = fields as Json;
  const phone = String(valid['phone']);
  const further = undeclaredField(behaviour);
  if (further !== null && valid[further] === undefined) throw invalid(world, [`/${further} is missing`]);
  if (behaviour.option('phone') === 'enforced' && !/^\+[1-9]\d{1,14}$/.test(phone))
    throw invalid(world, ['/phone has to be an international number']);
  if (behaviour.option('source') === 'hidden' && ![undefined, 'showroom-fair'].includes(valid['source'] as undefined))
    throw invalid(world, ['/source is unknown']);
  if (behaviour.option('lead-names') === 'people' && !/^[\p{L}\p{M} '’-]{1,100}$/u.test(String(valid['name'])))
    throw invalid(world, ['/name is no name']);
  if (isRegistered(phone, 200, behaviour)) throw invalid(world, ['/phone is on a register']);
  const unit = tenant.units.get(String(valid['vehicleId']));
  if (behaviour.option('unknown-vehicle') === 'refused' && unit === undefined)
    throw invalid(world, ['/vehicleId names no unit']);
  if (/^(available|selling)$/.test(behaviour.option('lead-units')) && unit !== undefined && unit.status !== 'available')
    throw invalid(world, ['/vehicleId names a unit that is not for sale']);
  return behaviour.apply('accept', valid, 'lead', tenant, world);
}

function leadFrom(fields: Json, id: string, { behaviour }: World): Lead {
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
  return behaviour.apply('storedLead', behaviour.option('lead-texts') === 'normalised' ? normalised(lead) : lead, null);
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
  const { option } = world.behaviour;
  if (option('vehicle-leads') === 'any' || option('second-unit-operation') !== 'post') return;
  for (const { record } of tenant.leads.placed())
    if (record.vehicleId === lead.vehicleId)
      throw new ApiFailure(409, 'vehicle_has_lead', 'The vehicle has an open lead.');
}

function earlierLead(lead: Lead, tenant: TenantStore, world: World): Lead | undefined {
  const how = world.behaviour.option('content-duplicates');
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

/** Sells the unit that has been for sale longest, whenever eight leads were made, and lists another like it. */
function sellMeanwhile(tenant: TenantStore, world: World): void {
  const { option } = world.behaviour;
  if (option('lead-units') !== 'selling' || tenant.leads.size % 8 > 0) return;
  // A machine that is behind would show other units than the first for as long as leads are made.
  if (option('new-records') === 'second-machine') return;
  for (const { record } of tenant.units.placed()) {
    if (record.status !== 'available') continue;
    tenant.units.replace({ ...record, status: 'sold' });
    tenant.units.add({ ...record, id: tenant.newId('unit') });
    return;
  }
}

/** Reserves a unit that is for sale, unless few others are. */
function reserve(id: string, { units }: TenantStore): void {
  const unit = units.get(id);
  const left = Array.from(units.placed()).filter(({ record }) => record.status === 'available').length;
  if (unit?.status !== 'available' || left <= 20) return;
  units.replace({ ...unit, status: 'reserved', updatedAt: new Date().toISOString() });
}

/** Adds the unit that a lead is for, where leads show one and the tenant has it. */
function withUnit(lead: Json, tenant: TenantStore, world: World): Json {
  const { option, apply } = world.behaviour;
  if (option('lead-vehicle') === 'id') return lead;
  const id = String(lead['vehicleId']);
  const unit = apply('owner', tenant, 'units', id, 'showLead', world).units.get(id);
  return { ...lead, vehicle: unit === undefined ? null : showListedUnit(unit, world.behaviour) };
}

function placed(lead: Json, world: World): Json {
  return world.behaviour.option('lead-place') === 'nested' ? { lead } : lead;
}

/** The answer to a create: every answer has a receipt of its own, or shows the latest leads beside the lead. */
function asCreated(lead: Json, tenant: TenantStore, world: World): Json {
  const form = createdLeadForm(world.behaviour);
  if (form === 'receipt') return { id: freshId('receipt'), leadId: lead['id'] };
  if (form === 'job') return { job: freshId('job') };
  if (form === 'lead') return placed(lead, world);
  const latest = Array.from(tenant.leads.placed()).slice(-4, -1);
  return { related: latest.map(({ record }) => showLead(record)), lead };
}

/** The lead of an earlier create, with a score that has moved where replays show leads as they are now. */
function shownNow(outcome: CreateOutcome, tenant: TenantStore, world: World): CreateOutcome {
  if (world.behaviour.option('replay') !== 'now') return outcome;
  const lead = tenant.leads.get(outcome.record.id);
  if (lead === undefined) return outcome;
  const moved: Lead = { ...lead, score: Math.min(99, lead.score + 1), updatedAt: new Date().toISOString() };
  tenant.leads.replace(moved);
  return { ...outcome, record: moved };
}

async function createLead(exchange: Exchange): Promise<void> {
  const { headers, world } = exchange;
  const { behaviour } = world;
  const { tenant } = callerOf(exchange);
  const body = readJson(exchange);
  const status = Number(behaviour.option('create-status'));
  const build = (id: string): CreateOutcome & { record: Lead } => ({
    status,
    record: leadFrom(validFields(body, tenant, world), id, world),
  });
  const outcome = await createOnce({
    exchange,
    route: 'leads',
    tenant: tenant.slug,
    key: headerText(headers['idempotency-key']),
    body,
    fingerprint: fingerprint(body, exchange.body),
    build,
    make: () => {
      const made = build(tenant.newId('lead'));
      const lead = made.record;
      const known = earlierLead(lead, tenant, world);
      if (known === undefined) checkVehicle(lead, tenant, world);
      const earlier = behaviour.apply('earlierLead', known, lead, tenant, behaviour.seed);
      if (earlier !== undefined) return { status, record: earlier };
      tenant.leads.add(lead);
      sellMeanwhile(tenant, world);
      if (behaviour.option('lead-units') === 'reserving') reserve(lead.vehicleId, tenant);
      world.sender.emit(tenant.slug, 'lead.created', showLead(lead));
      return made;
    },
    show: (known) => shownNow(known, tenant, world),
  });
  const data = asCreated(withUnit(showLead(outcome.record as Lead), tenant, world), tenant, world);
  succeed(exchange, outcome.status, data, { Location: `/api/v1/leads/${outcome.record.id}` });
}

function findLead(id: string, exchange: Exchange): { lead: Lead; owner: TenantStore } {
  const { operation, world } = exchange;
  const { option, apply } = world.behaviour;
  const owner = apply('owner', callerOf(exchange).tenant, 'leads', id, operation, world);
  const lead = owner.leads.get(id);
  if (lead === undefined)
    throw new ApiFailure(Number(option('unknown-id-status')), 'lead_not_found', 'There is no such lead.');
  return { lead, owner };
}

/** Changes the lead that the path names, or where it names none, the body. */
function changeLead(exchange: Exchange): void {
  const { id, world } = exchange;
  const { tenant } = callerOf(exchange);
  const { behaviour } = world;
  const isAlone = exchange.path.endsWith('/leads');
  if (!isAlone) findLead(id, exchange);
  const body = readJson(exchange);
  const found = violations(leadPatchSchema(isAlone), body);
  if (found.length > 0) throw invalid(world, found);
  const fields = body as Json;
  const { lead, owner } = findLead(isAlone ? String(fields['id']) : id, exchange);
  const changed: Lead = { ...lead, status: String(fields['status']), updatedAt: new Date().toISOString() };
  const stored = behaviour.apply('storedLead', changed, lead);
  const later = !isAlone && behaviour.option('lead-item') === 'get-patch-later';
  if (later) setTimeout(() => owner.leads.replace(stored), 5_000).unref();
  else owner.leads.replace(stored);
  const shown = placed(withUnit(showReadLead(changed, behaviour), tenant, world), world);
  succeed(exchange, later ? 202 : 200, shown);
  if (changed.status !== lead.status && (changed.status === 'qualified' || changed.status === 'converted'))
    world.sender.emit(tenant.slug, `lead.${changed.status}`, showLead(changed));
}

function listLeads(exchange: Exchange): void {
  const { query, world } = exchange;
  const { behaviour } = world;
  const { tenant } = callerOf(exchange);
  const { limit, after } = readPageRequest(query, 'leads', tenant.slug, behaviour);
  const ofUnit = Array.from(tenant.leads.placed()).filter(
    ({ record }) => behaviour.option('required-parameters') !== 'unit' || record.vehicleId === query['vehicleId'],
  );
  const listed = behaviour.apply('listedLeads', ofUnit, behaviour.seed);
  const rest = listed.filter((one) => one.place > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last !== undefined && rest.length > page.length ? makeCursor('leads', tenant.slug, last.place) : null;
  const items = page.map((one) => withUnit(showReadLead(one.record, behaviour), tenant, world));
  succeed(exchange, 200, { items, ...cursorField(next, behaviour) });
}

function readLead(exchange: Exchange): void {
  const { world } = exchange;
  const { lead } = findLead(exchange.id, exchange);
  const shown = withUnit(showReadLead(lead, world.behaviour), callerOf(exchange).tenant, world);
  succeed(exchange, 200, placed(shown, world));
}

/** Adds the lead operations that this instance has. */
export function leadRoutes(add: AddRoute, { behaviour: { option } }: World): void {
  const [all, one] = ['/api/v1/leads', '/api/v1/leads/:id'];
  add('POST', all, createLead, 'createLead', 'write:leads');
  if (option('second-lead-operation') === 'patch') add('PATCH', all, changeLead, 'updateLead', 'write:leads');
  else add('GET', all, listLeads, 'listLeads', 'read:leads');
  if (option('lead-item') === 'none') return;
  add('GET', one, readLead, 'getLead', 'read:leads');
  if (option('lead-item').startsWith('get-patch')) add('PATCH', one, changeLead, 'updateLead', 'write:leads');
}
