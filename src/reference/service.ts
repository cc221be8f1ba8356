import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { admit } from './admission.js';
import { refuse, contentType, failureBody } from './answers.js';
import { ApiFailure, notFound } from './api-failure.js';
import { withTextCursor, type Query } from './data/paging.js';
import { limitHeaders } from './limit-headers.js';
import { exchangeOf, routedUrl } from './request-state.js';
import { absent } from './routes/absent.js';
import { dealRoutes } from './routes/deal-routes.js';
import { demoRoutes } from './routes/demo-routes.js';
import { leadRoutes } from './routes/lead-routes.js';
import { serviceRoutes } from './routes/service-routes.js';
import { unitRoutes } from './routes/unit-routes.js';
import type { World } from './world.js';

/** An error of the framework or a route, as a refusal. */
function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  switch (statusCode) {
    case 413:
      return new ApiFailure(413, 'body_too_large', 'The body is too large.');
    case 415:
      return new ApiFailure(415, 'unsupported_media_type', 'Send the body as application/json in UTF-8.');
    case 404:
      return notFound();
    default:
      if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
        return new ApiFailure(400, (code ?? 'bad_request').toLowerCase(), 'The request was not understood.');
      return new ApiFailure(500, 'internal', 'something went wrong');
  }
}

/** Refuses a caller that accepts `application/json` only (RFC 9110 §12.5.1) where production answers have other types. */
function negotiate(request: FastifyRequest): void {
  const accepted = request.headers.accept ?? '*/*';
  if (request.routeOptions.config.operation !== undefined && !/\*\/\*|application\/(\*|vnd\.)/.test(accepted))
    throw new ApiFailure(406, 'not_acceptable', 'Accept application/vnd.dealer.v1+json.');
}

const nginxPage = (title: string): string =>
  `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr><center>nginx</center></body></html>`;

/** The answer of a strict HTTP server in front of the application: a status and a page; null if it passes the request on. */
function serverRefusal({ originalUrl, headers }: FastifyRequest): readonly [status: number, page: string] | null {
  const [path = ''] = originalUrl.split('?');
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
    ...limitHeaders(ruling, world.behaviour),
    'X-Request-Id': randomUUID(),
    'Content-Type': contentType(world),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join(
    '\r\n',
  );
}

/** The service, not listening yet. */
export function buildService(world: World): FastifyInstance {
  const app = Fastify({
    bodyLimit: world.behaviour.apply('bodyLimit', 1_048_576),
    exposeHeadRoutes: world.behaviour.option('head') === 'answered',
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => routedUrl(request.url ?? '/'),
    routerOptions: { maxParamLength: 8_192, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      try {
        admit(exchangeOf(request, reply, world));
        void refuse(reply, world, asFailure(error));
      } catch (refusal) {
        void refuse(reply, world, asFailure(refusal));
      }
    },
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => {
      if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawRefusal(error, world));
      else socket.destroy();
    },
  });
  app.decorateRequest('caller', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = world.behaviour.option('http-server') === 'strict' ? serverRefusal(request) : null;
    if (refusal !== null) {
      const [status, page] = refusal;
      void reply.code(status).header('Content-Type', 'text/html').send(page);
      return;
    }
    request.query = withTextCursor(request.query as Query, world.behaviour);
    const exchange = exchangeOf(request, reply, world);
    world.behaviour.apply('arrive', exchange);
    admit(exchange);
    if (world.behaviour.option('media-type') === 'vendor') negotiate(request);
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    world.behaviour.apply('handle', exchangeOf(request, reply, world));
    if (!reply.sent) done();
  });
  app.setErrorHandler((error, _request, reply) => refuse(reply, world, asFailure(error)));
  app.setNotFoundHandler((request, reply) => absent(request, reply, world));
  serviceRoutes(app, world);
  demoRoutes(app, world);
  unitRoutes(app, world);
  leadRoutes(app, world);
  dealRoutes(app, world);
  return world.behaviour.apply('routes', app, world);
}
