import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiFailure } from './api-failure.js';
import { mediaTypeOf } from './media-type.js';
import { originalPath, surfaceOf } from './request-state.js';
import type { World } from './world.js';

type FaultName = Parameters<World['behaviour']['has']>[0];

/** Refusals that a fault strips of their envelope, by code. */
const bare: Readonly<Record<string, FaultName>> = {
  unit_not_found: 'bare-unknown-unit',
  method_not_allowed: 'bare-405',
  unsupported_media_type: 'bare-415',
  malformed_json: 'bare-malformed',
  key_conflict: 'bare-conflict',
  invalid_lead: 'bare-invalid-lead',
  invalid_cursor: 'bare-garbage-cursor',
  key_missing: 'bare-401',
  rate_limited: 'refusal-bare',
};

/** The media type of production answers, with the charset as this service writes it. */
export function contentType(world: World, type = 'application/json'): string {
  const charset = world.behaviour.dial('charset');
  return charset === 'none' ? type : charset === 'upper' ? `${type}; charset=UTF-8` : `${type}; charset=utf-8`;
}

function isProduction(request: FastifyRequest): boolean {
  return ['production', 'second-form', 'sandbox'].includes(surfaceOf(originalPath(request)));
}

/** Sends a value as JSON. */
export function sendJson(reply: FastifyReply, world: World, status: number, body: unknown): FastifyReply {
  const failed = (body as { ok?: unknown } | null)?.ok === false;
  const type = isProduction(reply.request) ? mediaTypeOf(world.behaviour, failed) : 'application/json';
  return reply
    .code(status)
    .header('Content-Type', contentType(world, type))
    .serializer(String)
    .send(JSON.stringify(body));
}

/** Sends `{ ok: true, data }`. */
export function succeed(
  request: FastifyRequest,
  reply: FastifyReply,
  world: World,
  status: number,
  data: object,
): FastifyReply {
  const { has, dial } = world.behaviour;
  const meta = dial('extra-fields') === 'some' ? { meta: { requestId: request.id } } : {};
  const body: Record<string, unknown> = { ok: true, data, ...meta };
  if (has('second-form-bare') && surfaceOf(originalPath(request)) === 'second-form')
    return sendJson(reply, world, status, data);
  return sendJson(reply, world, status, body);
}

function errorObject(failure: ApiFailure, world: World): Record<string, unknown> {
  const { has, dial } = world.behaviour;
  const error: Record<string, unknown> = shaped(failure, dial('error-shape'));
  if (failure.code === 'unit_not_found') {
    if (has('error-with-stack'))
      error['stack'] =
        `Error: ${failure.message}\n    at findUnit (/srv/app/dist/units/find-unit.js:41:13)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;
    if (has('error-breaks-schema')) error[dial('error-shape') === 'type-title' ? 'title' : 'message'] = 404;
  }
  if (failure.code === 'invalid_lead' && has('error-with-sql'))
    error['cause'] = 'SELECT id, name FROM leads WHERE tenant_id = $1 AND phone = $2 -- 0 rows';
  if (failure.code === 'malformed_json' && has('error-with-path'))
    error['cause'] = 'cannot parse body, see /srv/dealership/app/src/http/read-json.ts:22';
  return error;
}

function shaped(failure: ApiFailure, shape: string): Record<string, unknown> {
  const { code, message, issues, status } = failure;
  switch (shape) {
    case 'type-title':
      return {
        type: `https://docs.example.com/errors/${code}`,
        title: message,
        status,
        ...(issues.length > 0 ? { detail: issues.join('; ') } : {}),
      };
    case 'message':
      return { message };
    case 'issues':
      return { code, message, issues: issues.map((text) => ({ text })) };
    default:
      return { code, message, ...(issues.length > 0 ? { details: issues } : {}) };
  }
}

/** The body of a refusal. */
export function failureBody(failure: ApiFailure, world: World): unknown {
  const { has } = world.behaviour;
  const error = errorObject(failure, world);
  const strip = bare[failure.code];
  if (strip !== undefined && has(strip)) return { message: failure.message };
  if (failure.code === 'unit_not_found' && has('refusal-error-is-text')) return { ok: false, error: failure.message };
  if (failure.code === 'unit_not_found' && has('error-with-data')) return { ok: false, error, data: {} };
  if (failure.code === 'scope_missing' && has('refusal-says-ok')) return { ok: true, error };
  return {
    ok: false,
    error,
    ...(world.behaviour.dial('extra-fields') === 'some' ? { meta: { documentation: 'https://docs.example.com' } } : {}),
  };
}

/** Sends `{ ok: false, error }`. */
export function refuse(reply: FastifyReply, world: World, failure: ApiFailure): FastifyReply {
  const { has } = world.behaviour;
  reply.headers(failure.headers);
  if (failure.code === 'rate_limited' && has('refusal-text'))
    return reply.code(failure.status).header('Content-Type', 'text/plain; charset=utf-8').send('Too Many Requests');
  if (failure.code === 'unit_not_found' && reply.request.originalUrl.length > 2_500 && has('long-path-as-page'))
    return reply.code(404).header('Content-Type', 'text/html; charset=utf-8').send('<h1>404 Not Found</h1>');
  if (failure.code === 'rate_limited') world.refused += 1;
  if (failure.code === 'rate_limited' && has('refusal-sometimes-overload-page') && world.refused % 9 === 0)
    return reply.code(503).header('Content-Type', 'text/html; charset=utf-8').send('<h1>503 Service Unavailable</h1>');
  if (has('headers-missing-on-failure') && failure.code !== 'rate_limited')
    for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']) reply.removeHeader(name);
  let { status } = failure;
  if (failure.code === 'rate_limited' && has('refusal-sometimes-403') && world.refused % 9 === 0) status = 403;
  if (failure.code === 'unit_not_found') {
    if (has('refusal-with-200') || has('refusal-with-undeclared-200')) status = 200;
    if (has('unknown-unit-410')) status = 410;
    if (has('unknown-unit-403')) status = 403;
    if (has('crash-on-unknown-unit')) status = 500;
  }
  if (failure.code === 'lead_not_found' && has('crash-on-unknown-lead')) status = 500;
  // The specification gives these a status: 429, and 404 on what is not live.
  const isFree = !['rate_limited', 'not_live'].includes(failure.code) && status < 500;
  const covered = isProduction(reply.request) || ['method_not_allowed', 'not_found'].includes(failure.code);
  if (world.behaviour.dial('failure-status') === '200' && isFree && covered) status = 200;
  const isBare = has('second-form-refusal-bare') && surfaceOf(originalPath(reply.request)) === 'second-form';
  return sendJson(reply, world, status, isBare ? { message: failure.message } : failureBody(failure, world));
}
