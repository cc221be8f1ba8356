import { setTimeout as sleep } from 'node:timers/promises';
import { integer, listOf, membersOf, objectOf, ref, text, textOf, type FieldProblem, type JsonObject } from './json.js';
import type { Flavour } from './flavours.js';
import { query, type Operation } from './operations.js';
import { failure, invalid, success } from './replies.js';
import type { Call, Reply, Stored, World } from './world.js';

const fields = ['name', 'phone', 'vehicleId', 'source'] as const;

/** Refusals of perfectly valid leads. */
const unjust = ({ broken }: World, input: JsonObject): FieldProblem[] => {
  const [name, phone] = [textOf(input, 'name'), textOf(input, 'phone')];
  const hasSource = Object.hasOwn(input, 'source');
  const reasons = [
    [broken('lead-source-refused') && hasSource, 'source', 'unknown property'],
    [broken('lead-phone-one-country') && !phone.startsWith('+1'), 'phone', 'must be a US number'],
    [broken('lead-name-two-words') && !name.includes(' '), 'name', 'first and last name'],
    [broken('lead-name-letters') && !/^[A-Za-z -]*$/.test(name), 'name', 'letters only'],
  ] as const;
  return reasons.flatMap(([isWrong, field, reason]) => (isWrong ? [{ field, reason }] : []));
};

/** A lead as it is listed. */
const shown = ({ leads }: Flavour, { record }: Stored): JsonObject => {
  const { id = null, name = null, phone = null, vehicleId = null, source = null, createdAt = null } = record;
  if (leads.shape === 'contact')
    return { leadId: id, contact: { name, phone }, interest: { vehicleId }, origin: source, score: null };
  return { id, name, phone, vehicleId, ...(source === null ? {} : { source }), stage: 'new', createdAt };
};

export const leadSchema = ({ leads, units }: Flavour): JsonObject => {
  if (leads.shape === 'contact')
    return objectOf({
      leadId: text,
      contact: objectOf({ name: text, phone: text }),
      interest: objectOf({ vehicleId: text }),
      origin: { type: ['string', 'null'] },
      score: { type: ['number', 'null'] },
    });
  const stage = { type: 'string', enum: ['new', 'qualified', 'converted'] };
  const createdAt = { type: 'string', format: 'date-time' };
  return {
    ...objectOf({ id: text, name: text, phone: text, vehicleId: text, 'source?': text, stage, createdAt }),
    ...(units.profile.closed ? { additionalProperties: false } : {}),
  };
};

/** The `data` of a created or changed lead. */
const dataOf = (flavour: Flavour, lead: Stored): JsonObject => {
  if (flavour.leads.shape === 'id-only') return { id: lead.record['id'] ?? null };
  return flavour.leads.shape === 'nested' ? { lead: shown(flavour, lead) } : shown(flavour, lead);
};

/** The vehicle must be a unit where the flavour says so. */
const strangeVehicle = ({ flavour }: World, { tenant }: Call, input: JsonObject): FieldProblem[] => {
  const isChecked = flavour.leadRules.vehicle === 'must-exist' && Object.hasOwn(input, 'vehicleId');
  const isStrange = isChecked && !tenant.units.has(textOf(input, 'vehicleId'));
  return isStrange ? [{ field: 'vehicleId', reason: 'no such unit' }] : [];
};

const createLead = async (world: World, call: Call, input: JsonObject): Promise<Reply> => {
  const { flavour, broken } = world;
  const { leads } = call.tenant;
  const problems = [...strangeVehicle(world, call, input), ...unjust(world, input)];
  if (problems.length > 0) return invalid(world, problems);
  await sleep(flavour.bodies.writeMs);
  const sent = Object.fromEntries(fields.slice(0, 3).map((field) => [field, textOf(input, field)]));
  const name = textOf(input, 'name');
  if (broken('lead-name-mangled')) sent['name'] = Buffer.from(name, 'utf8').toString('latin1');
  const source = Object.hasOwn(input, 'source') ? textOf(input, 'source') : null;
  const seq = world.next('lead');
  const id = flavour.ids.of('lead', seq);
  const lead = { seq, record: { ...sent, source, createdAt: new Date().toISOString(), id } };
  leads.set(id, lead);
  if (flavour.hook.leadEmits) world.emit(call.tenant, 'lead.created');
  const data = broken('env-create-data-string') ? textOf(lead.record, 'id') : dataOf(flavour, lead);
  world.latestLead = success(flavour.leads.status, data);
  return world.latestLead;
};

const listLeads = (world: World, call: Call): Reply => {
  const { flavour } = world;
  const rawLimit = call.query.get('limit');
  const isNumber = rawLimit !== null && /^[0-9]{1,6}$/.test(rawLimit) && Number(rawLimit) >= 1;
  if (rawLimit !== null && !isNumber && flavour.limit.odd === 'refuse')
    return failure(flavour, 'bad_request', 'limit: a whole number from 1', [{ field: 'limit', reason: 'integer' }]);
  const limit = isNumber ? Math.min(Number(rawLimit), 200) : 50;
  const rawOffset = call.query.get('offset') ?? '';
  const offset = /^[0-9]{1,9}$/.test(rawOffset) ? Number(rawOffset) : 0;
  const all = [...call.tenant.leads.values()].reverse();
  return success(200, {
    items: all.slice(offset, offset + limit).map((lead) => shown(flavour, lead)),
    nextOffset: offset + limit < all.length ? offset + limit : null,
  });
};

const findLeads = (world: World, call: Call): Reply => {
  const { flavour } = world;
  const phone = call.query.get('phone') ?? '';
  if (phone === '') return failure(flavour, 'bad_request', 'phone: required', [{ field: 'phone', reason: 'required' }]);
  const matches = [...call.tenant.leads.values()].filter(({ record }) => record['phone'] === phone);
  return success(200, { matches: matches.map((lead) => shown(flavour, lead)) });
};

const changeLead = (world: World, call: Call, id: string, changes: JsonObject): Reply => {
  const lead = call.tenant.leads.get(id);
  if (!lead) return failure(world.flavour, 'not_found', 'no such lead');
  const problems = strangeVehicle(world, call, changes);
  if (problems.length > 0) return invalid(world, problems);
  const sent = fields.filter((field) => Object.hasOwn(changes, field)).map((field) => [field, changes[field] ?? null]);
  lead.record = { ...lead.record, ...(Object.fromEntries(sent) as JsonObject) };
  return success(200, dataOf(world.flavour, lead));
};

/** By PUT the changes stand beside the id, by PATCH below a name of their own. */
const changeNamed = (world: World, call: Call, { id, leadId, changes, ...beside }: JsonObject): Reply =>
  leadId === undefined
    ? changeLead(world, call, String(id), beside)
    : changeLead(world, call, String(leadId), membersOf(changes));

const getLead = ({ flavour }: World, { tenant, rest: [, id = ''] }: Call): Reply => {
  const lead = tenant.leads.get(id);
  return lead ? success(200, shown(flavour, lead)) : failure(flavour, 'not_found', 'no such lead');
};

/** The schema of what a client sends of a lead; `partial` for a change. */
export const leadInput = ({ leadRules: rules, bodies }: Flavour, partial: boolean): JsonObject => {
  const phones: Record<Flavour['leadRules']['phone'], JsonObject> = {
    strict: { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$' },
    plus: { type: 'string', pattern: '^\\+[0-9 ().-]{5,25}$' },
    any: { type: 'string', maxLength: 200 },
  };
  const isNamed = rules.required.includes('name');
  return {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: rules.nameMax, ...(isNamed ? { minLength: 1, pattern: '\\S' } : {}) },
      phone: phones[rules.phone],
      vehicleId: { type: 'string', maxLength: 500 },
      source: { type: 'string', ...(rules.sources.length > 0 ? { enum: [...rules.sources] } : { maxLength: 200 }) },
    },
    ...(!partial && rules.required.length > 0 ? { required: [...rules.required] } : {}),
    ...(bodies.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

export const leadOperations = (flavour: Flavour): Operation[] => {
  const { leads } = flavour;
  const [lead, body] = [ref('Lead'), ref('LeadInput')];
  const shapes = { 'id-only': objectOf({ id: text }), nested: objectOf({ lead }), flat: lead, contact: lead };
  const data = shapes[leads.shape];
  const change = leadInput(flavour, true);
  const named = { ...change, required: ['id'], properties: { id: text, ...membersOf(change['properties']) } };
  const least = (minimum: number): JsonObject => ({ ...integer, minimum });
  const paged = [query('limit', least(1)), query('offset', least(0))];
  const page = objectOf({ items: listOf(lead), nextOffset: { type: ['integer', 'null'] } });
  const phone = [{ ...query('phone', { type: 'string', minLength: 1 }), required: true }];
  const matches = objectOf({ matches: listOf(lead) });
  const changes = objectOf({ leadId: text, changes: change });
  /** The flavour's second operation on the list. */
  const second: Record<Flavour['leads']['second'], Operation> = {
    list: { at: 'GET /leads', id: 'listLeads', parameters: paged, data: page, run: listLeads },
    lookup: { at: 'GET /leads', id: 'findLeads', parameters: phone, data: matches, run: findLeads },
    put: { at: 'PUT /leads', id: 'updateLead', body: named, data, run: changeNamed },
    patch: { at: 'PATCH /leads', id: 'patchLead', body: changes, data, run: changeNamed },
  };
  return [
    { at: 'POST /leads', id: 'createLead', body, creates: 'lead', status: leads.status, data, run: createLead },
    second[leads.second],
    ...(leads.item ? [{ at: 'GET /leads/{id}', id: 'getLead', data: lead, run: getLead } as const] : []),
  ];
};
