import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mainTenant, otherTenant } from '../api-keys.js';
import { ApiFailure } from '../api-failure.js';
import { sendJson } from '../answers.js';
import { readCredentials } from '../credentials.js';
import { servedDocument, servedSchema } from '../document/served-document.js';
import { eventKinds } from '../webhooks/kinds.js';
import { isReceiverUrl } from '../webhooks/sender.js';
import { sampleRecord } from '../webhooks/sample-record.js';
import { readJson } from '../read-json.js';
import type { World } from '../world.js';

/** Adds the OpenAPI document, the registration of a receiver, and the switch that makes the service emit an event. */
export function serviceRoutes(app: FastifyInstance, world: World): void {
  const { has, dial } = world.behaviour;
  app.get('/api/openapi.json', (request, reply) => {
    if (dial('document-access') === 'moved') return reply.redirect('/api/openapi-v1.json', 302);
    return sendDocument(request, reply);
  });
  app.get('/api/openapi-v1.json', (request, reply) => sendDocument(request, reply));
  const sendDocument = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (has('document-missing')) throw new ApiFailure(404, 'not_found', 'There is nothing here.');
    if (dial('document-access') === 'key' && readCredentials(request, world).key === null)
      throw new ApiFailure(401, 'key_missing', 'Send the API key.');
    if (has('document-as-page'))
      return reply
        .header('Content-Type', 'text/html; charset=utf-8')
        .send('<!doctype html><title>API</title><p>The description has moved.');
    const text = servedDocument(world.behaviour, world.baseUrl);
    reply.header('Content-Type', 'application/json; charset=utf-8');
    if (has('document-as-part')) reply.code(206);
    if (has('document-in-array')) return reply.send(`[${text}]`);
    return reply.send(has('document-cut-short') ? text.slice(0, -40) : text);
  };
  app.get<{ Params: { name: string } }>('/api/schemas/:name', (request, reply) => {
    if (dial('document-access') === 'key' && readCredentials(request, world).key === null)
      throw new ApiFailure(401, 'key_missing', 'Send the API key.');
    const [name, extension] = request.params.name.split('.');
    const text = servedSchema(world.behaviour, world.baseUrl, name ?? '');
    if (text === null || (has('document-schema-file-missing') && name === 'Lead'))
      throw new ApiFailure(404, 'not_found', 'There is nothing here.');
    return reply.header('Content-Type', `application/${extension ?? ''}; charset=utf-8`).send(text);
  });
  app.post<{ Querystring: { tenant?: string } }>('/__webhook', (request, reply) => {
    const { url } = (readJson(request, world) ?? {}) as { url?: unknown };
    if (!isReceiverUrl(url)) throw new ApiFailure(400, 'invalid_url', 'Send {"url": "http://host:port/path"}.');
    world.sender.setReceiver(request.query.tenant === 'other' ? otherTenant : mainTenant, url);
    return sendJson(reply, world, 201, { ok: true, data: { url } });
  });
  app.post<{ Params: { kind: string }; Querystring: { tenant?: string } }>('/__trigger/:kind', (request, reply) => {
    const kind = eventKinds.find((one) => one === request.params.kind);
    const tenant = world.tenants.get(request.query.tenant === 'other' ? otherTenant : mainTenant);
    if (kind === undefined || tenant === undefined)
      throw new ApiFailure(404, 'not_found', 'There is no such kind of event.');
    world.sender.emit(tenant.slug, kind, sampleRecord(kind, tenant));
    return sendJson(reply, world, 202, { ok: true, data: { kind } });
  });
}
