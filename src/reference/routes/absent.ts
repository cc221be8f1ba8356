import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiFailure, methodNotAllowed, notFound } from '../api-failure.js';
import { refuse, send } from '../answers.js';
import { readCredentials } from '../credentials.js';
import { exchangeOf } from '../request-state.js';
import type { World } from '../world.js';
import { plannedIndex } from './planned-paths.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function planned(status: number, reply: FastifyReply, world: World): FastifyReply {
  if (status < 300) return send(reply, world, status, { ok: true, data: {} });
  if (status !== 404) return refuse(reply, world, new ApiFailure(status, 'not_live', 'This is not live.'));
  switch (world.behaviour.option('planned-answer')) {
    case 'bare':
      return send(reply, world, 404, { message: 'Not Found', statusCode: 404 });
    case 'text':
      return send(reply, world, 404, 'Not Found', { type: 'text/plain; charset=utf-8' });
    case 'empty':
      return reply.code(404).send();
    default:
      return refuse(reply, world, new ApiFailure(404, 'not_live', 'There is nothing here.'));
  }
}

/** Answers what no route takes: planned paths, methods that a path does not have, and everything else. */
export function absent(request: FastifyRequest, reply: FastifyReply, world: World): FastifyReply {
  const { option, apply } = world.behaviour;
  const exchange = exchangeOf(request, reply, world);
  const path = request.url.split('?', 1)[0] ?? '';
  const index = plannedIndex(path);
  if (index >= 0) {
    const status = apply('plannedStatus', 404, index, exchange, readCredentials(exchange).key);
    return planned(status, reply, world);
  }
  const others = methods.filter((method) => request.server.findRoute({ method, url: routeOf(path) }) !== null);
  if (others.length === 0 || exchange.surface === 'other') return refuse(reply, world, notFound());
  const allow = { Allow: others.join(', ') };
  if (request.method === 'OPTIONS' && option('options') === 'answered') return reply.code(204).headers(allow).send();
  const status = Number(option('method-status'));
  return refuse(reply, world, methodNotAllowed(status, status === 405 ? allow : {}));
}

/** The route that would serve a path, as it was declared. */
function routeOf(path: string): string {
  return path.replace(/^(\/api\/v1\/(?:units|leads|deals))\/[^/]+$/, '$1/:id');
}
