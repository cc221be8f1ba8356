/** What a tiny lead service may do wrong. */
export type Fault =
  | 'first-eight'
  | 'all-but-last'
  | 'last-twelve'
  | 'fresh-id'
  | 'new-body'
  | 'fresh-time'
  | 'race'
  | 'late-save'
  | 'cross-tenant'
  | 'tenant-blocks'
  | 'cross-tenant-same-body'
  | 'cross-route'
  | 'poison'
  | 'poison-first'
  | 'conflict-creates'
  | 'conflict-updates'
  | 'forgets'
  | 'replay-stored'
  | 'race-500';

/** What a conforming lead service may choose. */
export interface LeadServiceOptions {
  readonly conflict: 409 | 422 | 400 | 'first';
  readonly inProgress: 'wait' | 409;
  readonly created: 200 | 201 | 202;
  /** The status of a replay; from 400 on, it is refused. */
  readonly replayed: 'same' | 200 | 400 | 409 | 422;
  readonly score: 'fixed' | 'moves';
  readonly dedup: boolean;
  readonly burns: boolean;
  readonly shows: 'record' | 'nested' | 'id' | 'echo' | 'masked' | 'nothing';
  /** `earliest`: the first leads (six of tenant a, four of b) and none after them, as of a list too long to be read to where new ones stand. `late`: leads after 800 ms. */
  readonly list: 'full' | 'newest' | 'ids' | 'earliest' | 'late' | 'none';
  readonly ids: 'random' | 'counter' | 'key' | 'content';
  readonly delayMs: number;
  /** Whether the second tenant takes leads; false as where it has no unit that they could be for. */
  readonly secondTakesLeads: boolean;
  /** How many creates with one key have to be there before any of them is looked at. */
  readonly together: number;
  /** The place of the phone that a register refuses among all phones sent, from 1; 0 for none. */
  readonly registered: number;
  readonly faults: readonly Fault[];
}

/** LeadServiceOptions of the plainest conforming service. */
export const plain: LeadServiceOptions = {
  conflict: 422,
  inProgress: 'wait',
  created: 201,
  replayed: 'same',
  score: 'fixed',
  dedup: false,
  burns: false,
  shows: 'record',
  list: 'full',
  ids: 'random',
  delayMs: 0,
  secondTakesLeads: true,
  together: 1,
  registered: 0,
  faults: [],
};

/** The OpenAPI document of a service. */
export function documentOf(options: LeadServiceOptions): unknown {
  const answers = { '200': { description: 'fine' } };
  const page = [
    { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
    { name: 'cursor', in: 'query', schema: { type: 'string' } },
  ];
  const key = [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }];
  const body = {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { status: { type: 'string', enum: ['available'] } },
          required: ['status'],
        },
      },
    },
  };
  const unit = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  return {
    openapi: '3.1.0',
    info: { title: 'leads', version: '1' },
    paths: {
      '/api/v1/units': {
        get: { parameters: page, responses: answers },
        post: { parameters: key, requestBody: body, responses: answers },
      },
      '/api/v1/units/{id}': {
        get: { parameters: unit, responses: answers },
        delete: { parameters: unit, responses: answers },
      },
      '/api/v1/leads': {
        post: { parameters: key, responses: answers },
        ...(options.list === 'none' ? {} : { get: { parameters: page, responses: answers } }),
      },
    },
  };
}
