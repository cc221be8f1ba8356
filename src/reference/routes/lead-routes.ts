import { ApiFailure } from '../api-failure.js';
import { succeed } from '../answers.js';
import { cursorField, makeCursor, readPageRequest } from '../data/paging.js';
import type { Lead } from '../data/records.js';
import { showLead, showListedUnit, showReadLead } from '../data/show-records.js';
import { freshId, type TenantStore } from '../data/tenant-store.js';
import { leadCreateSchema, leadPatchSchema } from '../document/input-schemas.js';
import { createdLeadForm } from '../document/operations.js';
import { isRegistered } from '../idempotency/fingerprint.js';
import { callerOf, type Exchange, type Handlers, type Json, type World } from '../instance.js';
import { readJson } from '../read-json.js';
import { checked, checkedNew, create, find, invalid, placed } from './records.js';

/** The fields of a valid lead, or the refusal. */
function validFields(body: unknown, tenant: TenantStore, world: World): Json {
  const valid = checkedNew('lead', body, leadCreateSchema(world), world);
  const { option } = world;
  const demand = (isMet: boolean, issue: string): void => {
    if (!isMet) throw invalid('lead', world, issue);
  };
  const [name, phone, source, unitId] = ['name', 'phone', 'source', 'vehicleId'].map((field) => valid[field]);
  const unit = tenant.units.get(String(unitId));
  const isForSale = unit === undefined || unit.status === 'available';
  demand(option('phone') !== 'enforced' || /^\+[1-9]\d{1,14}$/.test(String(phone)), '/phone is not international');
  demand(option('source') !== 'hidden' || source === undefined || source === 'showroom-fair', '/source is unknown');
  demand(option('lead-names') !== 'people' || /^[\p{L}\p{M} '’-]{1,100}$/u.test(String(name)), '/name is no name');
  demand(!isRegistered(String(phone), 200, world), '/phone is on a register');
  demand(option('unknown-vehicle') !== 'refused' || unit !== undefined, '/vehicleId names no unit');
  demand(
    !/^(available|selling)$/.test(option('lead-units')) || isForSale,
    '/vehicleId names a unit that is not for sale',
  );
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
  return world.apply('storedLead', world.option('lead-texts') === 'normalised' ? normalised(lead) : lead, null);
}

/** The lead with its name in composed form and without needless blanks, its phone in groups, and its source in lower case. */
function normalised(lead: Lead): Lead {
  const name = lead.name.normalize('NFC').trim().replace(/\s+/gu, ' ');
  const phone = lead.phone.replace(/^(\+\d{4})(\d{3})(\d+)$/, '$1 $2-$3');
  return { ...lead, name, phone, source: lead.source?.toLowerCase() ?? null };
}

const conflicts: Readonly<Record<string, string>> = {
  refused: 'lead_exists',
  'phone-refused': 'phone_known',
  'name-refused': 'name_known',
};

/** Refuses a lead for a unit that has one, where a unit has one lead at a time. */
function checkVehicle(lead: Lead, tenant: TenantStore, world: World): void {
  const { option } = world;
  if (option('vehicle-leads') === 'any' || option('second-unit-operation') !== 'post') return;
  if (tenant.leads.all().some(({ vehicleId }) => vehicleId === lead.vehicleId))
    throw new ApiFailure(409, 'vehicle_has_lead', 'The vehicle has an open lead.');
}

function earlierLead(lead: Lead, tenant: TenantStore, world: World): Lead | undefined {
  const how = world.option('content-duplicates');
  if (how === 'made') return undefined;
  const all = ['name', 'phone', 'vehicleId', 'source'] as const;
  const fields = /^(name|phone)/.test(how) ? all.filter((field) => how.startsWith(field)) : all;
  const earlier = tenant.leads.all().find((one) => fields.every((field) => one[field] === lead[field]));
  const code = earlier && conflicts[how];
  if (code !== undefined) throw new ApiFailure(409, code, 'There is such a lead.');
  return earlier;
}

/** Sells the unit that has been for sale longest, whenever eight leads were made, and lists another like it. */
function sellMeanwhile(tenant: TenantStore, world: World): void {
  const { option } = world;
  if (option('lead-units') !== 'selling' || tenant.leads.all().length % 8 > 0) return;
  // A machine that is behind would show other units than the first for as long as leads are made.
  if (option('new-records') === 'second-machine') return;
  const unit = tenant.units.all().find(({ status }) => status === 'available');
  if (unit === undefined) return;
  tenant.units.replace({ ...unit, status: 'sold' });
  tenant.units.add({ ...unit, id: tenant.newId('unit') });
}

/** Reserves a unit that is for sale, unless few others are. */
function reserve(id: string, { units }: TenantStore): void {
  const unit = units.get(id);
  const left = units.all().filter(({ status }) => status === 'available').length;
  if (unit?.status !== 'available' || left <= 20) return;
  units.replace({ ...unit, status: 'reserved', updatedAt: new Date().toISOString() });
}

/** Adds the unit that a lead is for, where leads show one and the tenant has it. */
function withUnit(lead: Json, tenant: TenantStore, world: World): Json {
  if (world.option('lead-vehicle') === 'id') return lead;
  const unit = tenant.units.get(String(lead['vehicleId']));
  return { ...lead, vehicle: unit === undefined ? null : showListedUnit(unit, world) };
}

/** The answer to a create: every answer has a receipt of its own, or shows the latest leads beside the lead. */
function asCreated(lead: Json, tenant: TenantStore, world: World): Json {
  const form = createdLeadForm(world);
  if (form === 'receipt') return { id: freshId('receipt'), leadId: lead['id'] };
  if (form === 'job') return { job: freshId('job') };
  if (form === 'lead') return placed('lead', lead, world);
  return { related: tenant.leads.all().slice(-4, -1).map(showLead), lead };
}

/** The lead of an earlier create, with a score that has moved where replays show leads as they are now. */
function shownNow(earlier: Lead, tenant: TenantStore, world: World): Lead {
  const lead = tenant.leads.get(earlier.id);
  if (lead === undefined || world.option('replay') !== 'now') return earlier;
  const moved: Lead = { ...lead, score: Math.min(99, lead.score + 1), updatedAt: new Date().toISOString() };
  tenant.leads.replace(moved);
  return moved;
}

function createLead(exchange: Exchange): Promise<void> {
  const { world } = exchange;
  const { option } = world;
  const { tenant } = callerOf(exchange);
  return create('lead', exchange, {
    build: (body, id) => leadFrom(validFields(body, tenant, world), id, world),
    store(lead) {
      const earlier = earlierLead(lead, tenant, world);
      if (earlier !== undefined) return earlier;
      checkVehicle(lead, tenant, world);
      tenant.leads.add(lead);
      sellMeanwhile(tenant, world);
      if (option('lead-units') === 'reserving') reserve(lead.vehicleId, tenant);
      world.sender.emit(tenant.slug, 'lead.created', showLead(lead));
      return lead;
    },
    now: (lead) => shownNow(lead, tenant, world),
    data: (lead) => asCreated(withUnit(showLead(lead), tenant, world), tenant, world),
  });
}

/** Changes the lead that the path names, or where it names none, the body. */
function updateLead(exchange: Exchange): void {
  const { id, world } = exchange;
  const { tenant } = callerOf(exchange);
  const isAlone = exchange.path.endsWith('/leads');
  if (!isAlone) find('lead', exchange);
  const fields = checked('lead', readJson(exchange), leadPatchSchema(isAlone), world);
  const lead = find('lead', exchange, isAlone ? String(fields['id']) : id);
  const changed: Lead = { ...lead, status: String(fields['status']), updatedAt: new Date().toISOString() };
  const stored = world.apply('storedLead', changed, lead);
  const later = !isAlone && world.option('lead-item') === 'get-patch-later';
  if (later) setTimeout(() => tenant.leads.replace(stored), 5_000).unref();
  else tenant.leads.replace(stored);
  const shown = placed('lead', withUnit(showReadLead(changed, world), tenant, world), world);
  succeed(exchange, later ? 202 : 200, shown);
  if (changed.status !== lead.status && (changed.status === 'qualified' || changed.status === 'converted'))
    world.sender.emit(tenant.slug, `lead.${changed.status}`, showLead(changed));
}

function listLeads(exchange: Exchange): void {
  const { query, world } = exchange;
  const { tenant } = callerOf(exchange);
  const { limit, after } = readPageRequest(query, 'leads', tenant.slug, world);
  const isOfUnit = world.option('required-parameters') === 'unit';
  const rest = tenant.leads
    .placed()
    .filter(({ place, record }) => place > after && (!isOfUnit || record.vehicleId === query['vehicleId']));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last !== undefined && rest.length > page.length ? makeCursor('leads', tenant.slug, last.place) : null;
  const items = page.map((one) => withUnit(showReadLead(one.record, world), tenant, world));
  succeed(exchange, 200, { items, ...cursorField(next, world) });
}

function getLead(exchange: Exchange): void {
  const { world } = exchange;
  const lead = find('lead', exchange);
  const shown = withUnit(showReadLead(lead, world), callerOf(exchange).tenant, world);
  succeed(exchange, 200, placed('lead', shown, world));
}

/** What answers the operations on leads. */
export const leadHandlers: Handlers = { createLead, listLeads, getLead, updateLead, updateNamedLead: updateLead };
