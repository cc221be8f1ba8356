import { ApiFailure, methodNotAllowed, notFound } from '../api-failure.js';
import { send } from '../answers.js';
import type { Exchange } from '../instance.js';
import type { Routes } from './routes.js';

/** Templates of the paths that are planned and not live. */
export const plannedTemplates = [
  '/deals/{id}/desk',
  '/calls',
  '/calls/{id}/transcript',
  '/assistant/dispatch',
  '/reports/funnel',
] as const;

const patterns = plannedTemplates.map((template) => new RegExp(`^/api/v1${template.replace('{id}', '[^/]+')}/?$`));

/** The index of the planned path; −1 for none. */
export function plannedIndex(path: string): number {
  return patterns.findIndex((pattern) => pattern.test(path));
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function planned(exchange: Exchange): void {
  const form = exchange.world.option('planned-answer');
  if (form === 'bare') send(exchange, 404, { message: 'Not Found', statusCode: 404 });
  else if (form === 'text') send(exchange, 404, 'Not Found', { type: 'text/plain; charset=utf-8' });
  else if (form === 'empty') exchange.response.writeHead(404, { 'Content-Length': 0 }).end();
  else throw new ApiFailure(404, 'not_live', 'There is nothing here.');
}

/** Answers what no route takes: planned paths, methods that a path does not have, and everything else. */
export function absent(exchange: Exchange, routes: Routes): void {
  const { method, path, response, surface, world } = exchange;
  const { option } = world;
  if (plannedIndex(path) >= 0) {
    planned(exchange);
    return;
  }
  const others = methods.filter((other) => routes.find(other, path).route !== undefined);
  if (others.length === 0 || surface === 'other') throw notFound();
  const allow = { Allow: others.join(', ') };
  const status = Number(option('method-status'));
  if (method === 'OPTIONS' && option('options') === 'answered') response.writeHead(204, allow).end();
  else throw methodNotAllowed(status, status === 405 ? allow : {});
}
