import { mainTenant, otherTenant } from '../api-keys.js';
import { ApiFailure, notFound } from '../api-failure.js';
import { send } from '../answers.js';
import { readCredentials } from '../credentials.js';
import { servedDocument, servedSchema } from '../document/served-document.js';
import { readJson } from '../read-json.js';
import type { AddRoute, Exchange, World } from '../instance.js';
import { eventKinds } from '../webhooks/kinds.js';
import { sampleRecord } from '../webhooks/sample-record.js';
import { isReceiverUrl } from '../webhooks/sender.js';

/** Adds the OpenAPI document, the registration of a receiver, and the switch that makes the service emit an event. */
export function serviceRoutes(add: AddRoute, world: World): void {
  const { option } = world;
  const slugOf = ({ query }: Exchange): string => (query['tenant'] === 'other' ? otherTenant : mainTenant);
  const checkKey = (exchange: Exchange): void => {
    if (option('document-access') === 'key' && readCredentials(exchange).key === null)
      throw new ApiFailure(401, 'key_missing', 'Send the API key.');
  };
  const sendDocument = (exchange: Exchange): void => {
    checkKey(exchange);
    send(exchange, 200, servedDocument(world, world.baseUrl), { type: 'application/json; charset=utf-8' });
  };
  const redirect = ({ response }: Exchange): void =>
    void response.writeHead(302, { Location: '/api/openapi-v1.json', 'Content-Length': 0 }).end();
  add('GET', '/api/openapi.json', option('document-access') === 'moved' ? redirect : sendDocument);
  add('GET', '/api/openapi-v1.json', sendDocument);
  add('GET', '/api/schemas/:id', (exchange) => {
    checkKey(exchange);
    const [name = '', extension = ''] = exchange.id.split('.');
    const text = servedSchema(world, world.baseUrl, name);
    if (text === null) throw notFound();
    send(exchange, 200, text, { type: `application/${extension}; charset=utf-8` });
  });
  add('POST', '/__webhook', (exchange) => {
    const { url } = (readJson(exchange) ?? {}) as { url?: unknown };
    if (!isReceiverUrl(url)) throw new ApiFailure(400, 'invalid_url', 'Send {"url": "http://host:port/path"}.');
    world.sender.setReceiver(slugOf(exchange), url);
    send(exchange, 201, { ok: true, data: { url } });
  });
  add('POST', '/__trigger/:id', (exchange) => {
    const kind = eventKinds.find((one) => one === exchange.id);
    const tenant = world.tenantOf(slugOf(exchange));
    if (kind === undefined) throw notFound('There is no such kind of event.');
    world.sender.emit(tenant.slug, kind, sampleRecord(kind, tenant));
    send(exchange, 202, { ok: true, data: { kind } });
  });
}
