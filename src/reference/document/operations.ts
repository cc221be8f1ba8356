import type { Behaviour } from '../behaviour.js';
import { unitStatuses } from '../data/records.js';
import {
  declaredLeadSchema,
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

function list(field: string, items: Schema, behaviour: Behaviour): Schema {
  const form = behaviour.dial('last-cursor');
  const cursor: Schema = {
    type: form === 'null' ? ['string', 'null'] : 'string',
    description: 'Leads on to the next page.',
  };
  const required = form === 'absent' ? [field] : [field, 'nextCursor'];
  return { type: 'object', required, properties: { [field]: { type: 'array', items }, nextCursor: cursor } };
}

/** The query parameter `limit`. */
export function limitParameter(behaviour: Behaviour): Schema {
  const most = behaviour.dial('over-limit') === 'refuse' ? { maximum: Number(behaviour.dial('max-limit')) } : {};
  const step = behaviour.dial('limit-values') === 'tens' ? { multipleOf: 10 } : {};
  return {
    name: 'limit',
    in: 'query',
    description: 'How many records a page holds at most.',
    schema: { type: 'integer', minimum: 1, ...most, ...step },
  };
}

function cursorParameter(behaviour: Behaviour): Schema {
  return {
    name: behaviour.dial('cursor-parameter'),
    in: 'query',
    ...(behaviour.dial('cursor-parameter') === 'c' ? {} : { description: 'The nextCursor of the page before.' }),
    schema: { type: 'string' },
  };
}

const idParameter: Schema = { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } };

function keyParameter(behaviour: Behaviour): Schema {
  const schema =
    behaviour.dial('key-format') !== 'any'
      ? { type: 'string', format: 'uuid' }
      : { type: 'string', minLength: 1, maxLength: 255 };
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: behaviour.dial('key-required') === 'yes',
    description: 'One key, one record.',
    schema,
  };
}

function unitOperations(behaviour: Behaviour): Described[] {
  const { dial } = behaviour;
  const unit = inside(dial('unit-place'), 'unit', ref('Unit'));
  const listed = dial('list-fields') === 'fewer' ? ref('UnitSummary') : ref('Unit');
  const status = {
    name: 'status',
    in: 'query',
    description: 'Only units of this status.',
    schema: { type: 'string', ...(dial('unknown-status') === 'refuse' ? { enum: [...unitStatuses] } : {}) },
  };
  const year = {
    name: 'minYear',
    in: 'query',
    description: 'Only units of this model year or later.',
    schema: { type: 'integer', minimum: 1900, maximum: 2100 },
  };
  const filters = dial('unit-filters') === 'status-year' ? [status, year] : [status];
  const paging = [limitParameter(behaviour), cursorParameter(behaviour)];
  const search: Described = {
    id: 'searchUnits',
    method: 'post',
    path: '/units',
    summary: 'List the units that the body asks for.',
    scope: 'read:inventory',
    status: '200',
    data: list('items', listed, behaviour),
    parameters: [],
    body: { name: 'UnitSearch', schema: unitSearchSchema() },
  };
  const made: Described[] = [
    {
      id: 'listUnits',
      method: 'get',
      path: '/units',
      summary: 'List units.',
      scope: 'read:inventory',
      status: '200',
      data: list('items', listed, behaviour),
      parameters: [...filters, ...paging],
    },
    dial('second-unit-operation') === 'search'
      ? search
      : {
          id: 'createUnit',
          method: dial('second-unit-operation'),
          path: '/units',
          summary: 'Create a unit.',
          scope: 'write:inventory',
          status: dial('create-status'),
          data: unit,
          parameters: [keyParameter(behaviour)],
          body: { name: 'UnitCreate', schema: unitCreateSchema(behaviour) },
          creates: true,
        },
    {
      id: 'getUnit',
      method: 'get',
      path: '/units/{id}',
      summary: 'Read a unit.',
      scope: 'read:inventory',
      status: '200',
      data: unit,
      parameters: [idParameter],
    },
  ];
  if (dial('unit-writes') === 'none') return made;
  const method = dial('unit-writes') === 'put-delete' ? 'put' : 'patch';
  const done = dial('unit-writes') === 'patch-delete-later' ? '202' : '200';
  const removed = {
    type: 'object',
    required: ['id', 'deleted'],
    properties: { id: { type: 'string' }, deleted: { const: done === '200' } },
  };
  return [
    ...made,
    {
      id: 'updateUnit',
      method,
      path: '/units/{id}',
      summary: 'Change some fields of a unit.',
      scope: 'write:inventory',
      status: done,
      data: unit,
      parameters: [idParameter],
      body: { name: 'UnitPatch', schema: unitPatchSchema() },
    },
    {
      id: 'deleteUnit',
      method: 'delete',
      path: '/units/{id}',
      summary: 'Delete a unit.',
      scope: 'write:inventory',
      status: done,
      data: removed,
      parameters: [idParameter],
    },
  ];
}

function leadOperations(behaviour: Behaviour): Described[] {
  const { dial } = behaviour;
  const lead = inside(dial('lead-place'), 'lead', ref('Lead'));
  const create: Described = {
    id: 'createLead',
    method: 'post',
    path: '/leads',
    summary: 'Create a lead.',
    scope: 'write:leads',
    status: dial('create-status'),
    data: lead,
    parameters: [keyParameter(behaviour)],
    body: { name: 'LeadCreate', schema: declaredLeadSchema(behaviour) },
    creates: true,
  };
  const second: Described =
    dial('second-lead-operation') === 'patch'
      ? {
          id: 'updateNamedLead',
          method: 'patch',
          path: '/leads',
          summary: 'Change the lead named in the body.',
          scope: 'write:leads',
          status: '200',
          data: lead,
          parameters: [],
          body: { name: 'NamedLeadPatch', schema: leadPatchSchema(true) },
        }
      : {
          id: 'listLeads',
          method: 'get',
          path: '/leads',
          summary: 'List leads.',
          scope: 'read:leads',
          status: '200',
          data: list('items', ref('Lead'), behaviour),
          parameters: [limitParameter(behaviour), cursorParameter(behaviour)],
        };
  const made = [create, second];
  if (dial('lead-item') === 'none') return made;
  made.push({
    id: 'getLead',
    method: 'get',
    path: '/leads/{id}',
    summary: 'Read a lead.',
    scope: 'read:leads',
    status: '200',
    data: lead,
    parameters: [idParameter],
  });
  if (dial('lead-item').startsWith('get-patch')) {
    made.push({
      id: 'updateLead',
      method: 'patch',
      path: '/leads/{id}',
      summary: 'Change a lead.',
      scope: 'write:leads',
      status: dial('lead-item') === 'get-patch-later' ? '202' : '200',
      data: lead,
      parameters: [idParameter],
      body: { name: 'LeadPatch', schema: leadPatchSchema(false) },
    });
  }
  return made;
}

/** The parameters besides an id that an operation needs. */
export function neededParameters(id: string, behaviour: Behaviour): readonly Schema[] {
  const query = (name: string, schema: Schema): Schema => ({ name, in: 'query', required: true, schema });
  const deals = id === 'listDeals';
  switch (behaviour.dial('required-parameters')) {
    case 'from':
      return deals ? [query('from', { type: 'string', format: 'date' })] : [];
    case 'year':
      return deals ? [query('year', { type: 'integer' })] : [];
    case 'unit':
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
  const parameters = [limitParameter(behaviour), cursorParameter(behaviour)];
  const deals: Described = {
    id: 'listDeals',
    method: 'get',
    path: '/deals',
    summary: 'List deals.',
    scope: 'read:deals',
    status: '200',
    data: list(behaviour.dial('deal-place'), ref('Deal'), behaviour),
    parameters,
  };
  const deal: Described = {
    id: 'getDeal',
    method: 'get',
    path: '/deals/{id}',
    summary: 'Read a deal.',
    scope: 'read:deals',
    status: '200',
    data: ref('Deal'),
    parameters: [idParameter],
  };
  const single = behaviour.dial('deal-item') === 'get' ? [deal] : [];
  return [...unitOperations(behaviour), ...leadOperations(behaviour), deals, ...single];
}
