import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, readJson } from './body-reader.js';
import { withIdempotency } from './idempotency.js';
import { leadData, leadRecord } from './lead-shapes.js';
import { crash, failure, success } from './replies.js';
import type { Call, FieldProblem, Flavour, Json, JsonObject, LeadState, Reply } from './types.js';
import type { Courier } from './webhooks.js';
import type { World } from './world.js';

const strictPhone = /^\+[1-9][0-9]{6,14}$/;
const loosePhone = /^\+[0-9 ().-]{5,25}$/;

const leadFields = ['name', 'phone', 'vehicleId', 'source'] as const;

const check = (flavour: Flavour, world: World, call: Call, body: JsonObject, partial: boolean): FieldProblem[] => {
  const { leadRules } = flavour;
  const problems: FieldProblem[] = [];
  for (const field of leadFields) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value === undefined) {
      if (!partial && leadRules.required.includes(field)) problems.push({ field, reason: 'required' });
      continue;
    }
    if (typeof value !== 'string') {
      problems.push({ field, reason: 'must be a string' });
      continue;
    }
    if (
      field === 'name' &&
      (value.length > leadRules.nameMax || (leadRules.required.includes('name') && value.trim() === ''))
    )
      problems.push({ field, reason: `1 to ${leadRules.nameMax} characters` });
    if (field === 'phone') {
      const form =
        leadRules.phone === 'strict' ? strictPhone : leadRules.phone === 'plus' ? loosePhone : /^[\s\S]{0,200}$/;
      if (!form.test(value)) problems.push({ field, reason: 'international format with a leading plus' });
    }
    if (field === 'vehicleId' && leadRules.vehicle === 'must-exist' && !call.tenant.units.has(value))
      problems.push({ field, reason: 'no such unit' });
    if (field === 'vehicleId' && value.length > 500) problems.push({ field, reason: 'too long' });
    if (
      field === 'source' &&
      (value.length > 200 || (leadRules.sources.length > 0 && !leadRules.sources.includes(value)))
    )
      problems.push({ field, reason: 'not an allowed value' });
  }
  if (leadRules.extra === 'refuse')
    for (const key of Object.keys(body))
      if (!leadFields.some((f) => f === key)) problems.push({ field: key, reason: 'unknown property' });
  return problems;
};

const text = (body: JsonObject, field: string): string => {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  return typeof value === 'string' ? value : '';
};

/** Refusals of perfectly valid leads, one per breach. */
const unjust = (world: World, call: Call, body: JsonObject): FieldProblem | null => {
  const { broken } = world;
  const name = text(body, 'name');
  const phone = text(body, 'phone');
  if (broken('lead-source-required') && !Object.hasOwn(body, 'source')) return { field: 'source', reason: 'required' };
  if (broken('lead-source-refused') && Object.hasOwn(body, 'source'))
    return { field: 'source', reason: 'unknown property' };
  if (broken('lead-phone-one-country') && !phone.startsWith('+1'))
    return { field: 'phone', reason: 'must be a US number' };
  if (broken('lead-name-two-words') && !name.includes(' ')) return { field: 'name', reason: 'first and last name' };
  if (broken('lead-name-letters') && !/^[A-Za-z -]*$/.test(name)) return { field: 'name', reason: 'letters only' };
  if (broken('lead-vehicle-sold-out') && ![...call.tenant.units.keys()].slice(0, 10).includes(text(body, 'vehicleId')))
    return { field: 'vehicleId', reason: 'no such unit' };
  return null;
};

const crashes = (world: World, call: Call): Reply | null => {
  const { broken, flavour } = world;
  const raw = call.body.toString('utf8');
  if (broken('lead-bad-utf8-crash') && raw.includes('\ufffd'))
    return crash('TypeError: The encoded data was not valid for encoding utf-8');
  let value: Json;
  try {
    value = JSON.parse(raw) as Json;
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  if (broken('lead-object-phone-crash') && typeof value['phone'] === 'object')
    return crash('TypeError: phone.startsWith is not a function');
  const inner = failure(flavour, 'bad_request', 'internal error').json ?? null;
  if (broken('lead-hostile-500') && leadFields.some((f) => Object.hasOwn(value, f) && typeof value[f] !== 'string'))
    return { status: 500, json: inner };
  return null;
};

const altered = (world: World, call: Call, lead: LeadState): void => {
  const { broken } = world;
  if (broken('lead-phone-reformatted') && lead.phone.length > 12) lead.phone = lead.phone.slice(0, -1);
  if (broken('lead-name-mangled')) lead.name = Buffer.from(lead.name, 'utf8').toString('latin1');
  if (broken('lead-name-capitalised'))
    lead.name = lead.name.replace(/\S+/g, (w) => w.charAt(0).toUpperCase() + w.slice(1).toLowerCase());
  if (broken('lead-last-name-kept')) {
    const earlier = [...call.tenant.leads.values()].find((l) => l.phone === lead.phone);
    if (earlier) lead.name = earlier.name;
  }
};

export const createLead = async (world: World, call: Call, courier: Courier): Promise<Reply> => {
  const { flavour, broken } = world;
  const crashed = crashes(world, call);
  if (crashed) return crashed;
  const read = readJson(flavour, call);
  if ('refusal' in read) {
    if (broken('env-too-large-plain') && call.tooLarge)
      return crash('PayloadTooLargeError: request entity too large', 413);
    return read.refusal;
  }
  let body = read.value;
  if (broken('lead-array-accepted') && Array.isArray(body)) body = (body as Json[])[0] ?? null;
  if (!isObject(body)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  const given = body;
  return withIdempotency(world, call, 'lead', read.raw, given, async () => {
    const problems = check(flavour, world, call, given, false);
    const wrong = problems.length === 0 ? unjust(world, call, given) : null;
    if (wrong) problems.push(wrong);
    if (problems.length > 0) {
      const reply = failure(flavour, 'invalid_fields', 'some fields are not acceptable', problems);
      if (broken('env-error-array'))
        reply.json = { ok: false, error: problems.map((p) => ({ field: p.field, reason: p.reason })) };
      return reply;
    }
    await sleep(broken('idem-race') ? 20 : flavour.writeMs);
    const lead: LeadState = {
      id: flavour.id('lead', world.next('lead')),
      name: text(given, 'name'),
      phone: text(given, 'phone'),
      vehicleId: text(given, 'vehicleId'),
      source: Object.hasOwn(given, 'source') ? text(given, 'source') : null,
      createdAt: new Date().toISOString(),
    };
    altered(world, call, lead);
    if (!broken('lead-not-kept')) call.tenant.leads.set(lead.id, lead);
    if (broken('lead-kept-twice')) {
      const twin: LeadState = { ...lead, id: flavour.id('lead', world.next('lead')) };
      call.tenant.leads.set(twin.id, twin);
    }
    if (flavour.hook.leadEmits) courier.emit(call.tenant, 'lead.created');
    const reply = success(flavour.leadStatus, leadData(flavour, lead));
    if (broken('env-create-data-string')) reply.json = { ok: true, data: lead.id };
    world.latestLead = reply;
    return reply;
  });
};

const listed = (world: World, call: Call): LeadState[] => {
  if (world.broken('leads-tenant-leak')) return [...world.tenants.values()].flatMap((t) => [...t.leads.values()]);
  return [...call.tenant.leads.values()];
};

export const listLeads = (world: World, call: Call): Reply => {
  const { flavour } = world;
  const rawLimit = call.query.get('limit');
  let limit = 50;
  if (rawLimit !== null) {
    if (/^[0-9]{1,6}$/.test(rawLimit) && Number(rawLimit) >= 1) limit = Math.min(Number(rawLimit), 200);
    else if (flavour.limit.odd === 'refuse')
      return failure(flavour, 'bad_request', 'limit: a whole number from 1', [{ field: 'limit', reason: 'integer' }]);
  }
  const rawOffset = call.query.get('offset');
  const offset = rawOffset !== null && /^[0-9]{1,9}$/.test(rawOffset) ? Number(rawOffset) : 0;
  const all = listed(world, call).reverse();
  const page = all.slice(offset, offset + limit);
  return success(200, {
    items: page.map((l) => leadRecord(flavour, l)),
    nextOffset: offset + limit < all.length ? offset + limit : null,
  });
};

export const lookUpLeads = (world: World, call: Call): Reply => {
  const { flavour } = world;
  const phone = call.query.get('phone');
  if (phone === null || phone === '')
    return failure(flavour, 'bad_request', 'phone: required', [{ field: 'phone', reason: 'required' }]);
  return success(200, {
    matches: listed(world, call)
      .filter((l) => l.phone === phone)
      .map((l) => leadRecord(flavour, l)),
  });
};

/** PUT { id, ...fields } or PATCH { leadId, changes: {...} } on the lead collection. */
export const updateLead = (world: World, call: Call): Reply => {
  const { flavour } = world;
  const read = readJson(flavour, call);
  if ('refusal' in read) return read.refusal;
  const body = read.value;
  if (!isObject(body)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  const patch = flavour.leadsSecond === 'patch';
  const { [patch ? 'leadId' : 'id']: id, ...others } = body;
  const rest: Json | undefined = patch ? others['changes'] : others;
  if (typeof id !== 'string' || !isObject(rest))
    return failure(flavour, 'invalid_fields', 'some fields are not acceptable', [
      { field: patch ? 'leadId' : 'id', reason: 'required' },
    ]);
  const lead = call.tenant.leads.get(id);
  if (!lead) return failure(flavour, 'not_found', 'no such lead');
  const problems = check(flavour, world, call, rest, true);
  if (problems.length > 0) return failure(flavour, 'invalid_fields', 'some fields are not acceptable', problems);
  if (Object.hasOwn(rest, 'name')) lead.name = text(rest, 'name');
  if (Object.hasOwn(rest, 'phone')) lead.phone = text(rest, 'phone');
  if (Object.hasOwn(rest, 'vehicleId')) lead.vehicleId = text(rest, 'vehicleId');
  if (Object.hasOwn(rest, 'source')) lead.source = text(rest, 'source');
  return success(200, leadData(flavour, lead));
};

export const getLead = (world: World, call: Call, id: string): Reply => {
  const lead = call.tenant.leads.get(id);
  return lead ? success(200, leadRecord(world.flavour, lead)) : failure(world.flavour, 'not_found', 'no such lead');
};
