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
  return object({ [field]: listOf(items), [form === 'absent' ? 'nextCursor?' : 'nextCursor']: nextCursor });
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

/** What creates a record: under a key. */
function creating(kind: string, schema: Schema, { option }: Behaviour) {
  const required = option('key-required') === 'yes';
  const format = option('key-format') === 'any' ? upTo(255) : { type: 'string', format: 'uuid' };
  const key = { name: 'Idempotency-Key', in: 'header', required, description: 'One key, one record.', schema: format };
  return {
    status: option('create-status'),
    parameters: [key],
    ...body(`${kind}Create`, schema),
    creates: true,
  } as const;
}

/** Declares an operation: `GET /units`. */
function operation(
  id: string,
  route: string,
  summary: string,
  data: Schema,
  more: Partial<Pick<Described, 'status' | 'parameters' | 'body' | 'creates'>> = {},
): Described {
  const [method = '', path = ''] = route.split(' ');
  const right = method === 'GET' || id === 'searchUnits' || path.startsWith('/deals') ? 'read' : 'write';
  const scope = `${right}:${path.startsWith('/units') ? 'inventory' : (path.split('/')[1] ?? '')}`;
  return { id, method: method.toLowerCase(), path, summary, scope, status: '200', data, parameters: [], ...more };
}

const body = (name: string, schema: Schema) => ({ body: { name, schema } });

/** The filters of units. */
function unitFilters({ option }: Behaviour): Schema[] {
  const statuses = option('unknown-status') === 'refuse' ? oneOf(unitStatuses) : text;
  const status = query('status', statuses, { description: 'Only units of this status.' });
  const year = query('minYear', { type: 'integer', minimum: 1900, maximum: 2100 });
  return option('unit-filters') === 'status-year' ? [status, year] : [status];
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
// prettier-ignore
export function describedOperations(behaviour: Behaviour): readonly Described[] {
  const { option } = behaviour;
  const unit = inside(option('unit-place'), 'unit', ref('Unit'));
  const units = list('items', option('list-fields') === 'fewer' ? ref('UnitSummary') : ref('Unit'), behaviour);
  const lead = inside(option('lead-place'), 'lead', ref('Lead'));
  const leads = list('items', ref('Lead'), behaviour);
  const deals = list(option('deal-place'), ref('Deal'), behaviour);
  const parameters = pageParameters(behaviour);
  const [second, writes, item] = [option('second-unit-operation'), option('unit-writes'), option('lead-item')];
  const method = writes === 'put-delete' ? 'PUT' : 'PATCH';
  const done = { status: writes === 'patch-delete-later' ? '202' : '200', ...byId };
  const removed = object({ id: text, deleted: { const: done.status === '200' } });
  const changed = { status: item === 'get-patch-later' ? '202' : '200', ...byId };
  const byBody = option('second-lead-operation') === 'patch';
  const offered: readonly (readonly [boolean, Described])[] = [
    [true, operation('listUnits', 'GET /units', 'List units.', units, { parameters: [...unitFilters(behaviour), ...parameters] })],
    [second === 'search', operation('searchUnits', 'POST /units', 'List the units that the body asks for.', units, body('UnitSearch', unitSearchSchema()))],
    [second !== 'search', operation('createUnit', `${second} /units`, 'Create a unit.', unit, creating('Unit', unitCreateSchema(behaviour), behaviour))],
    [true, operation('getUnit', 'GET /units/{id}', 'Read a unit.', unit, byId)],
    [writes !== 'none', operation('updateUnit', `${method} /units/{id}`, 'Change some fields of a unit.', unit, { ...done, ...body('UnitPatch', unitPatchSchema()) })],
    [writes !== 'none', operation('deleteUnit', 'DELETE /units/{id}', 'Delete a unit.', removed, done)],
    [true, operation('createLead', 'POST /leads', 'Create a lead.', createdLead(createdLeadForm(behaviour), lead), creating('Lead', leadCreateSchema(behaviour), behaviour))],
    [byBody, operation('updateNamedLead', 'PATCH /leads', 'Change the lead named in the body.', lead, body('NamedLeadPatch', leadPatchSchema(true)))],
    [!byBody, operation('listLeads', 'GET /leads', 'List leads.', leads, { parameters })],
    [item !== 'none', operation('getLead', 'GET /leads/{id}', 'Read a lead.', lead, byId)],
    [item.startsWith('get-patch'), operation('updateLead', 'PATCH /leads/{id}', 'Change a lead.', lead, { ...changed, ...body('LeadPatch', leadPatchSchema(false)) })],
    [true, operation('listDeals', 'GET /deals', 'List deals.', deals, { parameters })],
    [option('deal-item') === 'get', operation('getDeal', 'GET /deals/{id}', 'Read a deal.', ref('Deal'), byId)],
  ];
  return offered.flatMap(([isThere, one]) => (isThere ? [one] : []));
}
