import type { Behaviour } from '../instance.js';
import { mediaTypeOf } from '../media-type.js';
import type { Described } from './operations.js';

type Schema = Record<string, unknown>;

const ref = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` });

/** The headers that every answer carries. */
export function headerComponents(behaviour: Behaviour): Schema {
  const count = { type: 'integer', minimum: 0 };
  const limit = behaviour.option('limit-header') === 'policy' ? { type: 'string' } : count;
  return {
    RateLimitLimit: { required: true, description: 'The limit that is nearest to being reached.', schema: limit },
    RateLimitRemaining: { required: true, description: 'What is left of it.', schema: count },
    RateLimitReset: { required: true, description: 'Seconds until more is free.', schema: count },
    RequestId: {
      required: true,
      description: 'Names this request in the logs.',
      schema: { type: 'string', format: 'uuid' },
    },
    Location: { required: true, description: 'Where the new record is.', schema: { type: 'string' } },
    RetryAfter: { description: 'When to come back.', schema: { type: 'string' } },
  };
}

const limitHeaders: Schema = {
  'RateLimit-Limit': ref('headers', 'RateLimitLimit'),
  'RateLimit-Remaining': ref('headers', 'RateLimitRemaining'),
  'RateLimit-Reset': ref('headers', 'RateLimitReset'),
};
const everyHeader: Schema = { ...limitHeaders, 'X-Request-Id': ref('headers', 'RequestId') };

function content(schema: Schema, behaviour: Behaviour, type = 'application/json'): Schema {
  return { [type]: { schema: behaviour.option('document-schemas') === 'vacuous' ? {} : schema } };
}

function failureContent(behaviour: Behaviour): Schema {
  return content(ref('schemas', 'Failure'), behaviour, mediaTypeOf(behaviour, true));
}

function failure(
  description: string,
  behaviour: Behaviour,
  more: Schema = {},
  body: Schema = failureContent(behaviour),
): Schema {
  return { description, headers: { ...everyHeader, ...more }, content: body };
}

const meanings: Readonly<Record<string, string>> = {
  400: 'Not understood.',
  401: 'Not known.',
  403: 'Not allowed.',
  404: 'Not there.',
  409: 'In conflict with an earlier request.',
  413: 'Too large.',
  415: 'Not JSON.',
  422: 'Not valid.',
};

function failureStatuses(operation: Described): string[] {
  return [
    '400',
    '401',
    '403',
    '404',
    ...(operation.body ? ['413', '415', '422'] : operation.parameters.length > 0 ? ['422'] : []),
    ...(operation.creates ? ['409'] : []),
  ];
}

/** The failures that an operation declares, in the manner of this instance. */
export function failures(operation: Described, behaviour: Behaviour): Schema {
  const limited = failure('Too many requests.', behaviour, { 'Retry-After': ref('headers', 'RetryAfter') });
  if (behaviour.option('failure-status') === '200')
    return { ...(operation.status === '200' ? {} : { '200': failure('Refused.', behaviour) }), '429': limited };
  switch (behaviour.option('document-statuses')) {
    case 'ranges':
      return { '429': limited, '4XX': failure('Refused.', behaviour) };
    case 'default':
      return { '429': limited, default: failure('Refused.', behaviour) };
    default:
      return {
        ...Object.fromEntries(
          failureStatuses(operation).map((status) => [status, failure(meanings[status] ?? 'Refused.', behaviour)]),
        ),
        '429': limited,
      };
  }
}

/** The successes that an operation declares. */
export function successes(operation: Described, behaviour: Behaviour): Schema {
  const data = operation.data;
  const envelope = { type: 'object', required: ['ok', 'data'], properties: { ok: { const: true }, data } };
  const type = mediaTypeOf(behaviour, false);
  const refused = behaviour.option('failure-status') === '200' && operation.status === '200';
  const headers =
    operation.creates && !refused ? { ...everyHeader, Location: ref('headers', 'Location') } : everyHeader;
  const joined =
    refused && type === mediaTypeOf(behaviour, true)
      ? content({ oneOf: [envelope, ref('schemas', 'Failure')] }, behaviour, type)
      : { ...content(envelope, behaviour, type), ...(refused ? failureContent(behaviour) : {}) };
  return { [operation.status]: { description: 'Done.', headers, content: joined } };
}

/** The demo list, which has no envelope. */
export function demoResponses(listed: Schema, behaviour: Behaviour): Schema {
  const place = behaviour.option('demo-place');
  const records = { type: 'array', items: listed };
  const body = place === 'array' ? records : { type: 'object', required: [place], properties: { [place]: records } };
  const refused = content(ref('schemas', 'Failure'), behaviour);
  const limited = failure('Too many requests.', behaviour, { 'Retry-After': ref('headers', 'RetryAfter') }, refused);
  return {
    '200': { description: 'Units.', headers: everyHeader, content: content(body, behaviour) },
    '429': limited,
    '4XX': failure('Refused.', behaviour, {}, refused),
  };
}
