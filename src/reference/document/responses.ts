import type { Behaviour } from '../instance.js';
import { mediaTypeOf } from '../answers.js';
import type { Described } from './operations.js';
import { listOf, object, ref, text, type Schema } from './schema.js';

/** The headers that every answer carries. */
export function headerComponents(behaviour: Behaviour): Record<string, Schema> {
  const count = { type: 'integer', minimum: 0 };
  const limit = behaviour.option('limit-header') === 'policy' ? text : count;
  const header = (description: string, schema: Schema): Schema => ({ required: true, description, schema });
  return {
    RateLimitLimit: header('The limit that is nearest to being reached.', limit),
    RateLimitRemaining: header('What is left of it.', count),
    RateLimitReset: header('Seconds until more is free.', count),
    RequestId: header('Names this request in the logs.', { type: 'string', format: 'uuid' }),
    Location: header('Where the new record is.', text),
    RetryAfter: { description: 'When to come back.', schema: text },
  };
}

const everyHeader: Schema = {
  'RateLimit-Limit': ref('RateLimitLimit', 'headers'),
  'RateLimit-Remaining': ref('RateLimitRemaining', 'headers'),
  'RateLimit-Reset': ref('RateLimitReset', 'headers'),
  'X-Request-Id': ref('RequestId', 'headers'),
};

function content(schema: Schema, behaviour: Behaviour, type = 'application/json'): Schema {
  return { [type]: { schema: behaviour.option('document-schemas') === 'vacuous' ? {} : schema } };
}

function failureContent(behaviour: Behaviour): Schema {
  return content(ref('Failure'), behaviour, mediaTypeOf(behaviour, true));
}

function failure(behaviour: Behaviour, more: Schema = {}, body: Schema = failureContent(behaviour)): Schema {
  return { description: 'Refused.', headers: { ...everyHeader, ...more }, content: body };
}

function limited(behaviour: Behaviour, body?: Schema): Schema {
  return { '429': failure(behaviour, { 'Retry-After': ref('RetryAfter', 'headers') }, body) };
}

function failureStatuses({ body, parameters, creates }: Described): string[] {
  const more = body ? ['413', '415', '422'] : parameters.length > 0 ? ['422'] : [];
  return ['400', '401', '403', '404', ...more, ...(creates ? ['409'] : [])];
}

/** The failures that an operation declares, in the manner of this instance. */
export function failures(operation: Described, behaviour: Behaviour): Schema {
  const { option } = behaviour;
  const declared = { listed: failureStatuses(operation), ranges: ['4XX'], default: ['default'] };
  const usual = declared[option('document-statuses')];
  const statuses = option('failure-status') === 'own' ? usual : operation.status === '200' ? [] : ['200'];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, failure(behaviour)])),
    ...limited(behaviour),
  };
}

/** The successes that an operation declares. */
export function successes(operation: Described, behaviour: Behaviour): Schema {
  const envelope = object({ ok: { const: true }, data: operation.data });
  const type = mediaTypeOf(behaviour, false);
  const refused = behaviour.option('failure-status') === '200' && operation.status === '200';
  const headers =
    operation.creates && !refused ? { ...everyHeader, Location: ref('Location', 'headers') } : everyHeader;
  const joined =
    refused && type === mediaTypeOf(behaviour, true)
      ? content({ oneOf: [envelope, ref('Failure')] }, behaviour, type)
      : { ...content(envelope, behaviour, type), ...(refused ? failureContent(behaviour) : {}) };
  return { [operation.status]: { description: 'Done.', headers, content: joined } };
}

/** The demo list, which has no envelope. */
export function demoResponses(listed: Schema, behaviour: Behaviour): Schema {
  const place = behaviour.option('demo-place');
  const body = place === 'array' ? listOf(listed) : object({ [place]: listOf(listed) });
  const refused = content(ref('Failure'), behaviour);
  return {
    '200': { description: 'Units.', headers: everyHeader, content: content(body, behaviour) },
    ...limited(behaviour, refused),
    '4XX': failure(behaviour, {}, refused),
  };
}
