import type { Behaviour } from '../instance.js';
import { unitStatuses } from '../data/records.js';
import {
  leadCreateSchema,
  leadPatchSchema,
  unitCreateSchema,
  unitPatchSchema,
  unitSearchSchema,
} from './input-schemas.js';

type Schema = Record<string, unknown>;

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

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function inside(place: string, name: string, schema: Schema): Schema {
  return place === 'nested' ? { type: 'object', required: [name], properties: { [name]: schema } } : schema;
}

/** What a create of a lead answers with: a job that names none only where the list of leads, if there is one, shows them all. */
export function createdLeadForm({ option }: Behaviour): string {
  const isCut = option('last-cursor') === 'never' || option('required-parameters') === 'unit';
  const form = option('lead-created');
  return form === 'job' && isCut && option('second-lead-operation') === 'list' ? 'lead' : form;
}

/** The answers to the creation of a lead. */
function createdLead(form: string, lead: Schema): Schema {
  const properties: Record<string, Schema> | null =
    form === 'receipt'
      ? { id: { type: 'string' }, leadId: { type: 'string' } }
      : form === 'job'
        ? { job: { type: 'string' } }
        : form === 'related'
          ? { related: { type: 'array', items: ref('Lead') }, lead: ref('Lead') }
          : null;
  return properties === null ? lead : { type: 'object', required: Object.keys(properties), properties };
}

function list(field: string, items: Schema, behaviour: Behaviour): Schema {
  const form = behaviour.option('last-cursor');
  const type = behaviour.option('cursor-type') === 'text' ? 'string' : 'object';
  const last = { null: ['null'], never: ['null'], false: ['boolean'], absent: [], empty: ['string'] }[form];
  const cursor: Schema = {
    type: [...new Set([type, ...last])],
    description: 'Leads on to the next page.',
  };
  const required = form === 'absent' ? [field] : [field, 'nextCursor'];
  return { type: 'object', required, properties: { [field]: { type: 'array', items }, nextCursor: cursor } };
}

/** The query parameter `limit`. */
export function limitParameter(behaviour: Behaviour): Schema {
  const most = behaviour.option('over-limit') === 'refuse' ? { maximum: Number(behaviour.option('max-limit')) } : {};
  const step = behaviour.option('limit-values') === 'tens' ? { multipleOf: 10 } : {};
  return {
    name: 'limit',
    in: 'query',
    description: 'How many records a page holds at most.',
    schema: { type: 'integer', minimum: 1, ...most, ...step },
  };
}

/** How the document says that a cursor is sent. */
function cursorDeclaration(behaviour: Behaviour): Schema {
  const type = behaviour.option('cursor-type');
  const properties = { after: { type: 'string' }, version: { type: 'integer' } };
  const schema =
    type === 'text' ? { type: 'string' } : { type: 'object', required: Object.keys(properties), properties };
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

const idParameter: Schema = { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } };

function keyParameter(behaviour: Behaviour): Schema {
  const schema =
    behaviour.option('key-format') !== 'any'
      ? { type: 'string', format: 'uuid' }
      : { type: 'string', minLength: 1, maxLength: 255 };
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: behaviour.option('key-required') === 'yes',
    description: 'One key, one record.',
    schema,
  };
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
const byId = { parameters: [idParameter] };

function unitOperations(behaviour: Behaviour): Described[] {
  const { option } = behaviour;
  const [read, write] = ['read:inventory', 'write:inventory'];
  const unit = inside(option('unit-place'), 'unit', ref('Unit'));
  const listed = list('items', option('list-fields') === 'fewer' ? ref('UnitSummary') : ref('Unit'), behaviour);
  const status = {
    name: 'status',
    in: 'query',
    description: 'Only units of this status.',
    schema: { type: 'string', ...(option('unknown-status') === 'refuse' ? { enum: [...unitStatuses] } : {}) },
  };
  const year = {
    name: 'minYear',
    in: 'query',
    description: 'Only units of this model year or later.',
    schema: { type: 'integer', minimum: 1900, maximum: 2100 },
  };
  const filters = option('unit-filters') === 'status-year' ? [status, year] : [status];
  const parameters = [...filters, ...pageParameters(behaviour)];
  const second = option('second-unit-operation');
  const made = [
    operation('listUnits', 'GET /units', 'List units.', read, listed, { parameters }),
    second === 'search'
      ? operation('searchUnits', 'POST /units', 'List the units that the body asks for.', read, listed, {
          ...body('UnitSearch', unitSearchSchema()),
        })
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
  const removed = {
    type: 'object',
    required: ['id', 'deleted'],
    properties: { id: { type: 'string' }, deleted: { const: done === '200' } },
  };
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
  const create: Partial<Described> = {
    status: option('create-status'),
    parameters: [keyParameter(behaviour)],
    ...body('LeadCreate', leadCreateSchema(behaviour)),
    creates: true,
  };
  const patch = {
    status: item === 'get-patch-later' ? '202' : '200',
    ...byId,
    ...body('LeadPatch', leadPatchSchema(false)),
  };
  const parameters = pageParameters(behaviour);
  return [
    operation(
      'createLead',
      'POST /leads',
      'Create a lead.',
      write,
      createdLead(createdLeadForm(behaviour), lead),
      create,
    ),
    option('second-lead-operation') === 'patch'
      ? operation('updateNamedLead', 'PATCH /leads', 'Change the lead named in the body.', write, lead, {
          ...body('NamedLeadPatch', leadPatchSchema(true)),
        })
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
export function neededParameters(id: string, behaviour: Behaviour): readonly Schema[] {
  const query = (name: string, schema: Schema): Schema => ({ name, in: 'query', required: true, schema });
  const deals = id === 'listDeals';
  switch (behaviour.option('required-parameters')) {
    case 'from':
      return deals ? [query('from', { type: 'string', format: 'date' })] : [];
    case 'year':
      return deals ? [query('year', { type: 'integer' })] : [];
    case 'unit':
      if (id === 'listLeads') return [query('vehicleId', { type: 'string' })];
      return deals ? [query('unitId', { type: 'string' })] : [];
    case 'everywhere':
      return [
        query('locale', { type: 'string', enum: ['en-US', 'pl-PL'] }),
        {
          name: 'X-Client-Version',
          in: 'header',
          required: true,
          schema: { type: 'string', pattern: '^\\d+\\.\\d+$' },
        },
      ];
    default:
      return [];
  }
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
