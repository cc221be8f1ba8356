import type { Behaviour } from '../instance.js';
import { unitStatuses } from '../data/records.js';
import {
  leadCreateSchema,
  leadPatchSchema,
  unitCreateSchema,
  unitPatchSchema,
  unitSearchSchema,
} from './input-schemas.js';
import { integer, listOf, object, oneOf, ref, text, upTo, type Schema } from './schema.js';

/** One operation as the document describes it. */
export interface Described {
  readonly id: string;
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  readonly scope: string;
  readonly status: string;
  /** `data` of the success. */
  readonly data: Schema;
  readonly parameters: readonly Schema[];
  readonly body?: { readonly name: string; readonly schema: Schema };
  readonly creates?: true;
}

const inside = (place: string, name: string, schema: Schema): Schema =>
  place === 'nested' ? object({ [name]: schema }) : schema;

/** What a create of a lead answers with: a job that names none only where the list of leads, if there is one, shows them all. */
export function createdLeadForm({ option }: Behaviour): string {
  const isCut = option('last-cursor') === 'never' || option('required-parameters') === 'unit';
  const form = option('lead-created');
  return form === 'job' && isCut && option('second-lead-operation') === 'list' ? 'lead' : form;
}

/** The answers to the creation of a lead. */
function createdLead(form: string, lead: Schema): Schema {
  if (form === 'receipt') return object({ id: text, leadId: text });
  if (form === 'job') return object({ job: text });
  return form === 'related' ? object({ related: listOf(ref('Lead')), lead: ref('Lead') }) : lead;
}

function list(field: string, items: Schema, behaviour: Behaviour): Schema {
  const form = behaviour.option('last-cursor');
  const type = behaviour.option('cursor-type') === 'text' ? 'string' : 'object';
  const last = { null: ['null'], never: ['null'], false: ['boolean'], absent: [], empty: ['string'] }[form];
  const nextCursor = { type: [...new Set([type, ...last])], description: 'Leads on to the next page.' };
  return object({ [field]: listOf(items), nextCursor }, form === 'absent' ? ['nextCursor'] : []);
}

/** A parameter of the query. */
const query = (name: string, schema: Schema, more: Schema = {}): Schema => ({ name, in: 'query', schema, ...more });

/** The query parameter `limit`. */
export function limitParameter(behaviour: Behaviour): Schema {
  const most = behaviour.option('over-limit') === 'refuse' ? { maximum: Number(behaviour.option('max-limit')) } : {};
  const step = behaviour.option('limit-values') === 'tens' ? { multipleOf: 10 } : {};
  const schema = { type: 'integer', minimum: 1, ...most, ...step };
  return query('limit', schema, { description: 'How many records a page holds at most.' });
}

/** How the document says that a cursor is sent. */
function cursorDeclaration(behaviour: Behaviour): Schema {
  const type = behaviour.option('cursor-type');
  const schema = type === 'text' ? text : object({ after: text, version: integer });
  if (type === 'json') return { content: { 'application/json': { schema } } };
  if (type === 'text') return { schema };
  return { style: type === 'pairs' ? 'form' : 'deepObject', explode: type !== 'pairs', schema };
}

/** The query parameters of a list that has pages. */
function pageParameters(behaviour: Behaviour): Schema[] {
  const cursor = {
    name: behaviour.option('cursor-parameter'),
    in: 'query',
    ...(behaviour.option('cursor-parameter') === 'c' ? {} : { description: 'The nextCursor of the page before.' }),
    ...cursorDeclaration(behaviour),
  };
  return [limitParameter(behaviour), ...(behaviour.option('last-cursor') === 'never' ? [] : [cursor])];
}

const byId = { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } }] };

function keyParameter({ option }: Behaviour): Schema {
  const required = option('key-required') === 'yes';
  const schema = option('key-format') === 'any' ? upTo(255) : { type: 'string', format: 'uuid' };
  return { name: 'Idempotency-Key', in: 'header', required, description: 'One key, one record.', schema };
}

/** Declares an operation: `GET /units`. */
function operation(
  id: string,
  route: string,
  summary: string,
  scope: string,
  data: Schema,
  more: Partial<Pick<Described, 'status' | 'parameters' | 'body' | 'creates'>> = {},
): Described {
  const [method = '', path = ''] = route.split(' ');
  return { id, method: method.toLowerCase(), path, summary, scope, status: '200', data, parameters: [], ...more };
}

const body = (name: string, schema: Schema) => ({ body: { name, schema } });

function unitOperations(behaviour: Behaviour): Described[] {
  const { option } = behaviour;
  const [read, write] = ['read:inventory', 'write:inventory'];
  const unit = inside(option('unit-place'), 'unit', ref('Unit'));
  const listed = list('items', option('list-fields') === 'fewer' ? ref('UnitSummary') : ref('Unit'), behaviour);
  const statuses = option('unknown-status') === 'refuse' ? oneOf(unitStatuses) : text;
  const status = query('status', statuses, { description: 'Only units of this status.' });
  const year = query('minYear', { type: 'integer', minimum: 1900, maximum: 2100 });
  const filters = option('unit-filters') === 'status-year' ? [status, year] : [status];
  const parameters = [...filters, ...pageParameters(behaviour)];
  const second = option('second-unit-operation');
  const made = [
    operation('listUnits', 'GET /units', 'List units.', read, listed, { parameters }),
    second === 'search'
      ? operation(
          'searchUnits',
          'POST /units',
          'List the units that the body asks for.',
          read,
          listed,
          body('UnitSearch', unitSearchSchema()),
        )
      : operation('createUnit', `${second} /units`, 'Create a unit.', write, unit, {
          status: option('create-status'),
          parameters: [keyParameter(behaviour)],
          ...body('UnitCreate', unitCreateSchema(behaviour)),
          creates: true,
        }),
    operation('getUnit', 'GET /units/{id}', 'Read a unit.', read, unit, byId),
  ];
  const writes = option('unit-writes');
  if (writes === 'none') return made;
  const method = writes === 'put-delete' ? 'PUT' : 'PATCH';
  const done = writes === 'patch-delete-later' ? '202' : '200';
  const patch = { status: done, ...byId, ...body('UnitPatch', unitPatchSchema()) };
  const removed = object({ id: text, deleted: { const: done === '200' } });
  return [
    ...made,
    operation('updateUnit', `${method} /units/{id}`, 'Change some fields of a unit.', write, unit, patch),
    operation('deleteUnit', 'DELETE /units/{id}', 'Delete a unit.', write, removed, { status: done, ...byId }),
  ];
}

function leadOperations(behaviour: Behaviour): Described[] {
  const { option } = behaviour;
  const [read, write] = ['read:leads', 'write:leads'];
  const lead = inside(option('lead-place'), 'lead', ref('Lead'));
  const item = option('lead-item');
  const create = {
    status: option('create-status'),
    parameters: [keyParameter(behaviour)],
    ...body('LeadCreate', leadCreateSchema(behaviour)),
    creates: true,
  } as const;
  const done = item === 'get-patch-later' ? '202' : '200';
  const patch = { status: done, ...byId, ...body('LeadPatch', leadPatchSchema(false)) };
  const created = createdLead(createdLeadForm(behaviour), lead);
  const parameters = pageParameters(behaviour);
  return [
    operation('createLead', 'POST /leads', 'Create a lead.', write, created, create),
    option('second-lead-operation') === 'patch'
      ? operation(
          'updateNamedLead',
          'PATCH /leads',
          'Change the lead named in the body.',
          write,
          lead,
          body('NamedLeadPatch', leadPatchSchema(true)),
        )
      : operation('listLeads', 'GET /leads', 'List leads.', read, list('items', ref('Lead'), behaviour), {
          parameters,
        }),
    ...(item === 'none' ? [] : [operation('getLead', 'GET /leads/{id}', 'Read a lead.', read, lead, byId)]),
    ...(item.startsWith('get-patch')
      ? [operation('updateLead', 'PATCH /leads/{id}', 'Change a lead.', write, lead, patch)]
      : []),
  ];
}

/** The parameters besides an id that an operation needs. */
export function neededParameters(id: string, { option }: Behaviour): readonly Schema[] {
  const needed = (name: string, schema: Schema): Schema => query(name, schema, { required: true });
  const version = { name: 'X-Client-Version', in: 'header', required: true };
  const form = option('required-parameters');
  if (form === 'everywhere')
    return [
      needed('locale', oneOf(['en-US', 'pl-PL'])),
      { ...version, schema: { type: 'string', pattern: '^\\d+\\.\\d+$' } },
    ];
  if (id === 'listLeads') return form === 'unit' ? [needed('vehicleId', text)] : [];
  if (id !== 'listDeals' || form === 'none') return [];
  if (form === 'from') return [needed('from', { type: 'string', format: 'date' })];
  return [form === 'year' ? needed('year', integer) : needed('unitId', text)];
}

/** Every production operation that this instance has. */
export function describedOperations(behaviour: Behaviour): readonly Described[] {
  const { option } = behaviour;
  const parameters = pageParameters(behaviour);
  const deals = list(option('deal-place'), ref('Deal'), behaviour);
  return [
    ...unitOperations(behaviour),
    ...leadOperations(behaviour),
    operation('listDeals', 'GET /deals', 'List deals.', 'read:deals', deals, { parameters }),
    ...(option('deal-item') === 'get'
      ? [operation('getDeal', 'GET /deals/{id}', 'Read a deal.', 'read:deals', ref('Deal'), byId)]
      : []),
  ];
}
