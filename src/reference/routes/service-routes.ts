import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mainTenant, otherTenant } from '../api-keys.js';
import { ApiFailure, notFound } from '../api-failure.js';
import { send } from '../answers.js';
import { readCredentials } from '../credentials.js';
import { servedDocument, servedSchema } from '../document/served-document.js';
import { readJson } from '../read-json.js';
import { exchangeOf } from '../request-state.js';
import { eventKinds } from '../webhooks/kinds.js';
import { sampleRecord } from '../webhooks/sample-record.js';
import { isReceiverUrl } from '../webhooks/sender.js';
import type { World } from '../world.js';

/** Adds the OpenAPI document, the registration of a receiver, and the switch that makes the service emit an event. */
export function serviceRoutes(app: FastifyInstance, world: World): void {
  const { option } = world.behaviour;
  const checkKey = (request: FastifyRequest, reply: FastifyReply): void => {
    if (option('document-access') === 'key' && readCredentials(exchangeOf(request, reply, world)).key === null)
      throw new ApiFailure(401, 'key_missing', 'Send the API key.');
  };
  const sendDocument = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    checkKey(request, reply);
    const text = servedDocument(world.behaviour, world.baseUrl);
    return send(reply, world, 200, text, { type: 'application/json; charset=utf-8' });
  };
  app.get('/api/openapi.json', (request, reply) => {
    if (option('document-access') === 'moved') return reply.redirect('/api/openapi-v1.json', 302);
    return sendDocument(request, reply);
  });
  app.get('/api/openapi-v1.json', sendDocument);
  app.get<{ Params: { name: string } }>('/api/schemas/:name', (request, reply) => {
    checkKey(request, reply);
    const [name = '', extension = ''] = request.params.name.split('.');
    const text = servedSchema(world.behaviour, world.baseUrl, name);
    if (text === null) throw notFound();
    return send(reply, world, 200, text, { type: `application/${extension}; charset=utf-8` });
  });
  app.post<{ Querystring: { tenant?: string } }>('/__webhook', (request, reply) => {
    const { url } = (readJson(request, world) ?? {}) as { url?: unknown };
    if (!isReceiverUrl(url)) throw new ApiFailure(400, 'invalid_url', 'Send {"url": "http://host:port/path"}.');
    world.sender.setReceiver(request.query.tenant === 'other' ? otherTenant : mainTenant, url);
    return send(reply, world, 201, { ok: true, data: { url } });
  });
  app.post<{ Params: { kind: string }; Querystring: { tenant?: string } }>('/__trigger/:kind', (request, reply) => {
    const kind = eventKinds.find((one) => one === request.params.kind);
    const tenant = world.tenantOf(request.query.tenant === 'other' ? otherTenant : mainTenant);
    if (kind === undefined) throw notFound('There is no such kind of event.');
    world.sender.emit(tenant.slug, kind, sampleRecord(kind, tenant));
    return send(reply, world, 202, { ok: true, data: { kind } });
  });
}
