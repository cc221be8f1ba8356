import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import { admit } from './admission.js';
import { contentType, failureBody, refuse } from './answers.js';
import { ApiFailure } from './api-failure.js';
import { withTextCursor } from './data/paging.js';
import { describedOperations } from './document/operations.js';
import { limitHeaders } from './limit-headers.js';
import type { AddRoute, Exchange, Surface, World } from './instance.js';
import { absent } from './routes/absent.js';
import { dealHandlers } from './routes/deal-routes.js';
import { demoRoutes } from './routes/demo-routes.js';
import { leadHandlers } from './routes/lead-routes.js';
import { Routes, type Route } from './routes/routes.js';
import { serviceRoutes } from './routes/service-routes.js';
import { unitHandlers } from './routes/unit-routes.js';

/** Refuses a caller that accepts `application/json` only (RFC 9110 §12.5.1) where production answers have other types. */
function negotiate({ headers, operation }: Exchange): void {
  const accepted = headers.accept ?? '*/*';
  if (operation !== '' && !/\*\/\*|application\/(\*|vnd\.)/.test(accepted))
    throw new ApiFailure(406, 'not_acceptable', 'Accept application/vnd.dealer.v1+json.');
}

const nginxPage = (title: string): string =>
  `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr><center>nginx</center></body></html>`;

/** The answer of a strict HTTP server in front of the application: a status and a page; null if it passes the request on. */
function serverRefusal({ url, headers }: Exchange): readonly [status: number, page: string] | null {
  const [path = ''] = url.split('?');
  if (path.length > 2_000) return [414, '<h1>414 Request-URI Too Large</h1>'];
  if (path.includes('%00')) return [404, '<h1>404 Not Found</h1>'];
  if ((headers.authorization ?? '').length > 4_096) return [400, nginxPage('400 Request Header Or Cookie Too Large')];
  if (Number(headers['content-length']) > 1_048_576) return [413, nginxPage('413 Request Entity Too Large')];
  return Object.values(headers).some((value) => /[\x80-\xff]/.test(String(value))) ? [400, ''] : null;
}

/** A complete answer for what never became a request. */
function rawRefusal(error: Error & { code?: string }, world: World): string {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  const body = JSON.stringify(
    failureBody(new ApiFailure(Number(status.slice(0, 3)), 'bad_request', 'The request was not understood.'), world),
  );
  const ruling = world.limits.rule('functional', 'nobody', '', performance.timeOrigin + performance.now());
  const headers = {
    ...limitHeaders(ruling, world),
    'X-Request-Id': randomUUID(),
    'Content-Type': contentType(world),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join(
    '\r\n',
  );
}

/** The face of the service that a path belongs to. */
function surfaceOf(path: string): Surface {
  if (/^\/sandbox(\/|$)/.test(path)) return 'sandbox';
  if (/^\/gateway\/v1(\/|$)/.test(path)) return 'second-form';
  if (/^\/api\/demo(\/|$)/.test(path)) return 'demo';
  return /^\/api\/v\d+(\/|$)/.test(path) ? 'production' : 'other';
}

/** Every face is served by the same routes under `/api/v1`. */
function routedPath(path: string): string {
  if (path.startsWith('/gateway/v1')) return `/api${path.slice('/gateway'.length)}`;
  if (path.startsWith('/sandbox/v1')) return `/api${path.slice('/sandbox'.length)}`;
  return path.startsWith('/sandbox/api/v1') ? path.slice('/sandbox'.length) : path;
}

/** What answers a path, be it that there is nothing, and the id in it. */
function routeOf(routes: Routes, method: string, path: string): { readonly route: Route; readonly id: string } {
  const unnamed = (answer: Route['answer']): Route => ({ answer, operation: '', scope: undefined });
  try {
    const { route, id } = routes.find(method, path);
    return { route: route ?? unnamed((exchange) => absent(exchange, routes)), id };
  } catch {
    const failure = new ApiFailure(400, 'bad_url', 'The request was not understood.');
    return { route: unnamed(() => Promise.reject(failure)), id: '' };
  }
}

const handlers = { ...unitHandlers, ...leadHandlers, ...dealHandlers };

/** Adds every operation that the document of this instance describes. A change of a lead is one operation, wherever the lead is named. */
function productionRoutes(add: AddRoute, world: World): void {
  for (const { id, method, path, scope } of describedOperations(world)) {
    const operation = id === 'updateNamedLead' ? 'updateLead' : id;
    const answer = handlers[id];
    if (answer) add(method.toUpperCase(), `/api/v1${path.replace('{id}', ':id')}`, answer, operation, scope);
  }
}

/** Reads the body; throws the refusal of one that has more bytes than `most`. */
async function readBody(request: IncomingMessage, { response }: Exchange, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const declared = Number(request.headers['content-length'] ?? 0);
  for await (const chunk of declared > most ? [] : request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    if ((bytes += (chunk as Buffer).length) > most) break;
  }
  if (Math.max(declared, bytes) <= most) return Buffer.concat(chunks);
  // The client may send more of it.
  response.setHeader('Connection', 'close');
  throw new ApiFailure(413, 'body_too_large', 'The body is too large.');
}

const noBytes = Buffer.alloc(0);

/** The service, not listening yet. */
export function buildService(world: World): Server {
  const { option, apply } = world;
  const routes = new Routes();
  for (const addRoutes of [serviceRoutes, demoRoutes, productionRoutes]) addRoutes(routes.add, world);
  apply('routes', routes.add, world);
  const most = 1_048_576;
  const serve = async (request: IncomingMessage, exchange: Exchange, answer: Route['answer']): Promise<void> => {
    const refusal = option('http-server') === 'strict' ? serverRefusal(exchange) : null;
    if (refusal !== null) {
      const [status, page] = refusal;
      exchange.response.writeHead(status, { 'Content-Type': 'text/html', 'Content-Length': page.length }).end(page);
      return;
    }
    apply('arrive', exchange);
    admit(exchange);
    if (option('media-type') === 'vendor') negotiate(exchange);
    const { 'content-length': length = 0, 'transfer-encoding': coding } = exchange.headers;
    const hasBody = !['GET', 'HEAD'].includes(exchange.method) && (coding !== undefined || Number(length) > 0);
    if (hasBody) exchange.body = await readBody(request, exchange, most);
    apply('handle', exchange);
    await answer(exchange);
  };
  const server = createServer({ keepAliveTimeout: 72_000, requestTimeout: 0 }, (request, response) => {
    const { method = '', url = '', headers, socket } = request;
    const mark = url.indexOf('?');
    const sent = mark < 0 ? url : url.slice(0, mark);
    const path = routedPath(sent);
    const surface = surfaceOf(sent);
    const served = method === 'HEAD' && option('head') === 'answered' ? 'GET' : method;
    const { route, id } = routeOf(routes, served, path);
    const exchange: Exchange = {
      world,
      response,
      requestId: randomUUID(),
      method,
      url,
      path,
      headers,
      source: socket.remoteAddress ?? '',
      surface,
      second: surface === 'second-form',
      operation: route.operation,
      scope: route.scope,
      query: withTextCursor(parse(mark < 0 ? '' : url.slice(mark + 1)), world) as Exchange['query'],
      id,
      body: noBytes,
      caller: null,
    };
    serve(request, exchange, route.answer)
      .catch((error: unknown) => {
        const internal = new ApiFailure(500, 'internal', 'something went wrong');
        refuse(exchange, error instanceof ApiFailure ? error : internal);
      })
      .catch(() => response.destroy());
  });
  return server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawRefusal(error, world));
    else socket.destroy();
  });
}
