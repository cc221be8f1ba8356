import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiFailure } from '../api-failure.js';
import { refuse, sendJson } from '../answers.js';
import { readCredentials } from '../credentials.js';
import { surfaceOf, originalPath } from '../request-state.js';
import type { World } from '../world.js';
import { plannedIndex, plannedStatus } from './planned-paths.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function planned(status: number, reply: FastifyReply, world: World): FastifyReply {
  if (status < 300) return sendJson(reply, world, status, { ok: true, data: {} });
  if (status !== 404) return refuse(reply, world, new ApiFailure(status, 'not_live', 'This is not live.'));
  switch (world.behaviour.dial('planned-answer')) {
    case 'bare':
      return sendJson(reply, world, 404, { message: 'Not Found', statusCode: 404 });
    case 'text':
      return reply.code(404).header('Content-Type', 'text/plain; charset=utf-8').send('Not Found');
    case 'empty':
      return reply.code(404).send();
    default:
      return refuse(reply, world, new ApiFailure(404, 'not_live', 'There is nothing here.'));
  }
}

/** Answers what no route takes: planned paths, methods that a path does not have, and everything else. */
export function absent(request: FastifyRequest, reply: FastifyReply, world: World): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const index = plannedIndex(path);
  if (index >= 0) {
    const scopes = readCredentials(request, world).key?.scopes ?? [];
    return planned(plannedStatus(index, request.method, path, scopes, world), reply, world);
  }
  const others = methods.filter((method) => request.server.findRoute({ method, url: routeOf(path) }) !== null);
  if (others.length === 0 || surfaceOf(originalPath(request)) === 'other')
    return refuse(reply, world, new ApiFailure(404, 'not_found', 'There is nothing here.'));
  if (request.method === 'OPTIONS' && world.behaviour.dial('options') === 'answered')
    return reply.code(204).header('Allow', others.join(', ')).send();
  const status = Number(world.behaviour.dial('method-status'));
  const headers = status === 405 ? { Allow: others.join(', ') } : {};
  return refuse(
    reply,
    world,
    new ApiFailure(status, 'method_not_allowed', 'This path does not have that method.', { headers }),
  );
}

/** The route that would serve a path, as it was declared. */
function routeOf(path: string): string {
  return path.replace(/^(\/api\/v1\/(?:units|leads|deals))\/[^/]+$/, '$1/:id');
}
