import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseVariant } from './breaches/breaches.js';
import { demoFailure, demoUnits } from './demo.js';
import { buildDocument } from './document/document.js';
import { failure } from './replies.js';
import { answerVersioned, withRateHeaders } from './router.js';
import type { AddressForm, Call, Flavour, Json, Reply } from './types.js';
import { createCourier, isKind, signatureHeader, type Courier } from './webhooks.js';
import { createWorld, limitSettings, realScale, tenantNamed, type Scale, type World } from './world.js';

export type IndependentServiceOptions = {
  flavour?: string;
  breach?: string;
  /** What is otherwise than in the flavour, such as a tenant without units. */
  change?: Partial<Flavour>;
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
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
    else if (size > 32 * 1024 * 1024) break;
  }
  const tooLarge = size > mostBytes;
  return { body: tooLarge ? Buffer.alloc(0) : Buffer.concat(chunks), tooLarge };
};

const send = (world: World, response: ServerResponse, reply: Reply): void => {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store', ...reply.headers };
  let body = '';
  if (reply.json !== undefined) {
    body = JSON.stringify(reply.json);
    headers['Content-Type'] = reply.type ?? world.flavour.contentType;
  } else if (reply.text !== undefined) {
    body = reply.text;
    headers['Content-Type'] = reply.type ?? 'text/plain; charset=utf-8';
  }
  const bytes = Buffer.from(body, 'utf8');
  if (reply.status !== 204) headers['Content-Length'] = String(bytes.length);
  response.writeHead(reply.status, headers);
  response.end(bytes);
};

const isEnvelope = (json: Json | undefined): json is { ok: Json; [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && 'ok' in json;

/** Breaches of the envelope that concern every production reply alike. */
const rewrap = (world: World, call: Call, reply: Reply): Reply => {
  const { broken } = world;
  const { json } = reply;
  if (!isEnvelope(json)) return reply;
  if (json.ok !== false) return reply;
  const { ok: _ok, ...rest } = json;
  if (broken('env-ok-number')) return { ...reply, json: { ...json, ok: 0 } };
  if (broken('env-ok-missing-on-404') && reply.status === 404) return { ...reply, json: rest };
  return reply;
};

const listen = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const shut = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });

type Place =
  | { readonly kind: 'versioned'; readonly form: AddressForm; readonly rest: readonly string[] }
  | { readonly kind: 'demo' | 'document' | 'none' }
  | { readonly kind: 'emit'; readonly event: string };

const locate = (world: World, path: string, secondServer: boolean): Place => {
  const { flavour } = world;
  const split = (text: string): string[] => {
    const parts = text.split('/');
    if (flavour.trailingSlash && parts.length > 1 && parts.at(-1) === '') parts.pop();
    return parts;
  };
  const below = (prefix: string): string[] | null => {
    const found = new RegExp(`^${prefix}/v1/(.*)$`, 's').exec(path);
    return found ? split(found[1] ?? '') : null;
  };
  if (secondServer) {
    const rest = below('');
    return rest ? { kind: 'versioned', form: 'second', rest } : { kind: 'none' };
  }
  if (path.startsWith('/_ops/emit/')) return { kind: 'emit', event: path.slice('/_ops/emit/'.length) };
  const base = flavour.basePath;
  const first = below(`${base}/api`);
  if (first) return { kind: 'versioned', form: 'first', rest: first };
  const second =
    flavour.secondForm === 'root' ? below(base) : flavour.secondForm === 'prefix' ? below('/gateway') : null;
  if (second) return { kind: 'versioned', form: 'second', rest: second };
  const sandbox = flavour.sandbox ? (below(`${base}/sandbox`) ?? below(`${base}/sandbox/api`)) : null;
  if (sandbox) return { kind: 'versioned', form: 'sandbox', rest: sandbox };
  if (path === `${base}/api/demo/units` || (flavour.trailingSlash && path === `${base}/api/demo/units/`))
    return { kind: 'demo' };
  if (path === `${base}/api/openapi.json`) return { kind: 'document' };
  return { kind: 'none' };
};

const answerDemo = (world: World, call: Call, client: string): Reply => {
  const { flavour, broken } = world;
  const name = broken('rate-demo-key')
    ? `${call.header('x-forwarded-for') ?? client} ${call.header('user-agent') ?? ''}`
    : client;
  const limiter = world.demoLimiter(name);
  const decision = limiter.take();
  const reply = decision.allowed
    ? demoUnits(world, call)
    : demoFailure(flavour, failure(flavour, 'rate', 'too many requests'));
  return withRateHeaders(world, reply, decision, limiter, true, false);
};

const answerDocument = (world: World, origin: string): Reply => {
  const { broken, flavour } = world;
  const document = buildDocument(flavour, broken, origin);
  const type = 'application/json';
  if (broken('doc-yaml'))
    return {
      status: 200,
      type: 'application/yaml',
      text: Object.entries(document)
        .map(([k, v]) => `${k}: ${JSON.stringify(v)}`)
        .join('\n'),
    };
  const text = JSON.stringify(document, null, 1);
  return { status: 200, type, text: broken('doc-trailing-comma') ? `${text.slice(0, -2)},\n}` : text };
};

const answerEmit = (world: World, courier: Courier, call: Call, event: string): Reply => {
  if (call.method !== 'POST' || !isKind(event)) return { status: 404, text: 'no such event' };
  const slug = call.header('x-tenant') ?? call.query.get('tenant');
  const chosen = ['main', 'other']
    .map((n) => tenantNamed(world, n))
    .filter((t) => slug === null || slug === undefined || slug === t.slug || slug === t.name);
  for (const tenant of chosen) courier.emit(tenant, event);
  return { status: 202, json: { emitted: event, tenants: chosen.map((t) => t.slug) } };
};

export const startIndependentService = async (options: IndependentServiceOptions = {}): Promise<IndependentService> => {
  const { flavour: chosen, broken } = chooseVariant(options.flavour, options.breach);
  const flavour = { ...chosen, ...options.change };
  const world = createWorld(flavour, broken, options.scale);
  const courier = createCourier(world);
  const places = { origin: '' };

  const handle = async (request: IncomingMessage, secondServer: boolean): Promise<Reply> => {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const search = mark < 0 ? '' : url.slice(mark + 1);
    const place = locate(world, path, secondServer);
    const { body, tooLarge } = await readBody(request);
    const call: Call = {
      method: request.method ?? 'GET',
      form: place.kind === 'versioned' ? place.form : 'first',
      rest: [],
      query: new URLSearchParams(search),
      header: (name) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body,
      tooLarge,
      tenant: tenantNamed(world, place.kind === 'versioned' && place.form === 'sandbox' ? 'sandbox' : 'main'),
      key: null,
    };
    switch (place.kind) {
      case 'versioned': {
        let rest: string[];
        try {
          rest = place.rest.map((part) => decodeURIComponent(part));
        } catch {
          return rewrap(world, call, failure(flavour, 'bad_request', 'malformed path'));
        }
        if (broken('param-percent-crash') && /%(?![0-9A-Fa-f]{2})/.test(search))
          return { status: 400, text: 'Bad Request: URI malformed', type: 'text/plain' };
        const full: Call = { ...call, rest };
        return rewrap(world, full, await answerVersioned(world, full, courier));
      }
      case 'demo':
        return answerDemo(world, call, request.socket.remoteAddress ?? 'unknown');
      case 'document':
        if (call.method !== 'GET' && call.method !== 'HEAD') return failure(flavour, 'method', 'read-only');
        return answerDocument(world, places.origin);
      case 'emit':
        return answerEmit(world, courier, call, place.event);
      case 'none':
        return failure(flavour, 'not_found', 'no such path');
    }
  };

  const make = (secondServer: boolean): Server => {
    const server = createServer((request, response) => {
      handle(request, secondServer)
        .catch((): Reply => ({
          status: 500,
          json: { ok: false, error: flavour.errors.body('bad_request', 500, 'internal error', []) },
        }))
        .then((reply) => {
          if (!response.destroyed) send(world, response, reply);
        })
        .catch(() => {
          response.destroy();
        });
    });
    server.on('clientError', (_error, socket) => {
      if (!socket.writable) return;
      const text = JSON.stringify({ ok: false, error: flavour.errors.body('bad_request', 400, 'malformed HTTP', []) });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    });
    return server;
  };

  const main = make(false);
  const port = await listen(main);
  const origin = `http://127.0.0.1:${port}`;
  places.origin = origin;
  const second = flavour.secondForm === 'port' ? make(true) : null;
  const secondOrigin = second ? `http://127.0.0.1:${await listen(second)}` : null;
  const baseUrl = `${origin}${flavour.basePath}`;
  const settings: Record<string, string> = {
    BASE_URL: baseUrl,
    API_BASE_URL: secondOrigin ?? (flavour.secondForm === 'prefix' ? `${origin}/gateway` : baseUrl),
    TENANT: flavour.slugs.main,
    OTHER_TENANT: flavour.slugs.other,
    ...world.namedKeys,
    ...limitSettings(options.scale ?? realScale),
    SIGNING_SECRET: tenantNamed(world, 'main').secret,
    OTHER_SIGNING_SECRET: tenantNamed(world, 'other').secret,
    WEBHOOK_TRIGGER: `${origin}/_ops/emit/{kind}`,
    SIGNATURE_HEADER: signatureHeader(flavour),
    ASSISTANT_SEGMENT: flavour.assistant,
    ...(flavour.sandbox ? { SANDBOX_URL: `${baseUrl}/sandbox` } : {}),
  };

  return {
    settings,
    register: (tenant, url) => {
      tenantNamed(world, tenant).receiver = url;
    },
    close: async () => {
      courier.stop();
      await Promise.all([shut(main), ...(second ? [shut(second)] : [])]);
    },
  };
};
