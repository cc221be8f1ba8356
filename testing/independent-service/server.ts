import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseVariant } from './breaches.js';
import { dealOperations } from './deals.js';
import { buildDocument } from './document.js';
import { changed, type FlavourChange } from './flavours.js';
import { isObject } from './json.js';
import { leadInput, leadOperations } from './leads.js';
import { answerVersioned, withRateHeaders } from './router.js';
import { answerDemo, unitInput, unitOperations } from './units.js';
import { createCourier, kinds, signatureHeader } from './webhooks.js';
import { limitSettings, realScale, type Scale } from './limits.js';
import { failure } from './replies.js';
import { createWorld, tenantNamed, type AddressForm, type Call, type Reply, type World } from './world.js';

export type IndependentServiceOptions = {
  flavour?: string;
  breach?: string;
  /** What is otherwise than in the flavour, such as a tenant without units. */
  change?: FlavourChange;
  /** How the limits are scaled; real unless given. */
  scale?: Scale;
};
export type IndependentService = {
  settings: Record<string, string>;
  register(tenant: 'main' | 'other', url: string): void;
  close(): Promise<void>;
};

const mostBytes = 256 * 1024;

const readBody = async (request: IncomingMessage): Promise<{ body: Buffer; tooLarge: boolean }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
    else if (size > 32 * 1024 * 1024) break;
  }
  const tooLarge = size > mostBytes;
  return { body: tooLarge ? Buffer.alloc(0) : Buffer.concat(chunks), tooLarge };
};

const send = ({ flavour }: World, response: ServerResponse, { status, json, text, type, headers }: Reply): void => {
  const body = json === undefined ? (text ?? '') : JSON.stringify(json);
  const usual = json === undefined ? 'text/plain; charset=utf-8' : flavour.contentType;
  const bytes = Buffer.from(body, 'utf8');
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    ...headers,
    ...(body === '' ? {} : { 'Content-Type': type ?? usual }),
    ...(status === 204 ? {} : { 'Content-Length': String(bytes.length) }),
  });
  response.end(bytes);
};

/** A breach of the envelope of every failure. */
const rewrap = ({ broken }: World, reply: Reply): Reply => {
  const { json } = reply;
  const isFailure = isObject(json) && json['ok'] === false;
  return isFailure && broken('env-ok-number') ? { ...reply, json: { ...json, ok: 0 } } : reply;
};

/** Where the path of a request leads: to a versioned resource, or to what has a name. */
type Place = { readonly form: AddressForm; readonly rest: readonly string[] } | 'demo' | 'document' | 'none';

const locate = ({ flavour: { addresses } }: World, path: string, secondServer: boolean): Place => {
  const { base, secondForm, sandbox, trailingSlash } = addresses;
  const slash = trailingSlash ? '/?' : '';
  const prefixes: readonly (readonly [string | null, AddressForm])[] = secondServer
    ? [['', 'second']]
    : [
        [`${base}/api`, 'first'],
        [{ root: base, prefix: '/gateway', port: null }[secondForm], 'second'],
        [sandbox ? `${base}/sandbox(?:/api)?` : null, 'sandbox'],
      ];
  for (const [prefix, form] of prefixes) {
    const below = prefix === null ? null : new RegExp(`^${prefix}/v1/(.*?)${slash}$`, 's').exec(path);
    if (below) return { form, rest: (below[1] ?? '').split('/') };
  }
  if (secondServer) return 'none';
  if (new RegExp(`^${base}/api/demo/units${slash}$`).test(path)) return 'demo';
  return path === `${base}/api/openapi.json` ? 'document' : 'none';
};

const answerEmit = (world: World, { method, header, query }: Call, kind: string): Reply => {
  if (method !== 'POST' || !kinds.includes(kind)) return { status: 404, text: 'no such event' };
  const wanted = header('x-tenant') ?? query.get('tenant');
  const tenants = ['main', 'other']
    .map((name) => tenantNamed(world, name))
    .filter(({ slug, name }) => wanted === null || wanted === slug || wanted === name);
  for (const tenant of tenants) world.emit(tenant, kind);
  return { status: 202, json: { emitted: kind, tenants: tenants.map(({ slug }) => slug) } };
};

/** Listens on a free port, also for the second address form alone; resolves with the server and its origin. */
const createListener = (world: World) => {
  const { flavour, broken } = world;
  const operations = [...unitOperations(flavour, broken), ...leadOperations(flavour), ...dealOperations(flavour)];

  const answerDocument = ({ method, header }: Call): Reply => {
    if (method !== 'GET' && method !== 'HEAD') return failure(flavour, 'method', 'read-only');
    const document = buildDocument(world, operations, `http://${header('host') ?? ''}`);
    const yaml = Object.entries(document).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    if (broken('doc-yaml')) return { status: 200, type: 'application/yaml', text: yaml.join('\n') };
    return { status: 200, type: 'application/json', json: document };
  };

  const answerVersion = async (call: Call, search: string): Promise<Reply> => {
    if (broken('param-percent-crash') && /%(?![0-9A-Fa-f]{2})/.test(search))
      return { status: 400, text: 'Bad Request: URI malformed', type: 'text/plain' };
    try {
      const rest = call.rest.map((part) => decodeURIComponent(part));
      return rewrap(world, await answerVersioned(world, operations, { ...call, rest }));
    } catch (error) {
      if (error instanceof URIError) return rewrap(world, failure(flavour, 'bad_request', 'malformed path'));
      throw error;
    }
  };

  const handle = async (request: IncomingMessage, secondServer: boolean): Promise<Reply> => {
    const [path = '', search = ''] = (request.url ?? '/').split(/\?(.*)/s);
    const place = locate(world, path, secondServer);
    const { form, rest } = typeof place === 'string' ? { form: 'first' as const, rest: [] } : place;
    const call: Call = {
      method: request.method ?? 'GET',
      form,
      rest,
      query: new URLSearchParams(search),
      header: (name) => [request.headers[name]].flat()[0],
      ...(await readBody(request)),
      tenant: tenantNamed(world, form === 'sandbox' ? 'sandbox' : 'main'),
      key: null,
    };
    const kind = secondServer ? null : /^\/_ops\/emit\/(.*)$/s.exec(path);
    if (kind) return answerEmit(world, call, kind[1] ?? '');
    if (place === 'none') return failure(flavour, 'not_found', 'no such path');
    if (place === 'document') return answerDocument(call);
    if (place !== 'demo') return answerVersion(call, search);
    const limiter = world.limiterNamed(`demo ${request.socket.remoteAddress ?? ''}`, 'demo');
    const decision = limiter.take();
    const reply = answerDemo(world, call, decision.allowed);
    return broken('rate-headers-demo-none') ? reply : withRateHeaders(world, reply, decision, limiter);
  };

  return async (secondServer: boolean): Promise<{ server: Server; origin: string }> => {
    const error = (status: number, message: string): Reply => ({ ...failure(flavour, 'bad_request', message), status });
    const server = createServer((request, response) => {
      handle(request, secondServer)
        .catch(() => error(500, 'internal error'))
        .then((reply) => response.destroyed || send(world, response, reply))
        .catch(() => response.destroy());
    });
    server.on('clientError', (_error, socket) => {
      if (!socket.writable) return;
      const text = JSON.stringify(error(400, 'malformed HTTP').json);
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
};

const shut = async (server: Server): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
};

export const startIndependentService = async (options: IndependentServiceOptions = {}): Promise<IndependentService> => {
  const { flavour: chosen, broken } = chooseVariant(options.flavour, options.breach);
  const flavour = changed(chosen, options.change ?? {});
  const { addresses, tenants } = flavour;
  const scale = options.scale ?? realScale;
  const inputs = { UnitInput: unitInput(flavour, false), LeadInput: leadInput(flavour, false) };
  const world = createWorld(flavour, broken, inputs, scale);
  const stopped = new AbortController();
  world.emit = createCourier(world, stopped);

  const listen = createListener(world);
  const { server, origin } = await listen(false);
  const second = addresses.secondForm === 'port' ? await listen(true) : null;
  const baseUrl = `${origin}${addresses.base}`;
  const settings: Record<string, string> = {
    BASE_URL: baseUrl,
    API_BASE_URL: second?.origin ?? (addresses.secondForm === 'prefix' ? `${origin}/gateway` : baseUrl),
    TENANT: tenants.main,
    OTHER_TENANT: tenants.other,
    ...world.namedKeys,
    ...limitSettings(scale),
    SIGNING_SECRET: tenantNamed(world, 'main').secret,
    OTHER_SIGNING_SECRET: tenantNamed(world, 'other').secret,
    WEBHOOK_TRIGGER: `${origin}/_ops/emit/{kind}`,
    SIGNATURE_HEADER: signatureHeader(flavour),
    ASSISTANT_SEGMENT: flavour.assistant,
    ...(addresses.sandbox ? { SANDBOX_URL: `${baseUrl}/sandbox` } : {}),
  };

  return {
    settings,
    register: (tenant, url) => void (tenantNamed(world, tenant).receiver = url),
    close: async () => {
      stopped.abort();
      await Promise.all([shut(server), ...(second ? [shut(second.server)] : [])]);
    },
  };
};
