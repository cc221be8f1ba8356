import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, bodyOf, type Loopback } from '../../src/loopback.test-kit.js';
import type { Service } from './judge-service.js';

/** A service behind a network, and what that lost. */
export interface Lossy {
  readonly service: Service;
  /** `POST /api/v1/leads, delivered` for each request whose answer did not come back, or came back in part (`cut`). */
  readonly lost: string[];
}

const hopByHop = /^(connection|keep-alive|transfer-encoding)$/i;

/** The raw headers of an answer that a network hands on: those whose names `isLeft` does not match. */
function headersWithout(isLeft: RegExp, { rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => !isLeft.test(rawHeaders[at - (at % 2)] ?? ''));
}

/** The way to the service that stands behind. */
type Way = ReturnType<typeof forwardTo>;

/** Hands requests on to the service. */
function forwardTo(service: Service) {
  const { origin, hostname, port } = new URL(service.settings.BASE_URL ?? '');
  const agent = new Agent({ keepAlive: true });
  return {
    origin,
    agent,
    async forward({ method, url: path, headers }: IncomingMessage, body: Buffer) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { hostname, port, method, path, headers, agent };
        request(options, resolve).on('error', reject).end(body);
      });
      return { answer, content: await bodyOf(answer) };
    },
  };
}

function handBack(reply: ServerResponse, answer: IncomingMessage, content: Buffer): void {
  reply.writeHead(answer.statusCode ?? 0, headersWithout(hopByHop, answer)).end(content);
}

/** The service as it is reached through what stands before it. */
function reachedThrough({ url, close }: Loopback, service: Service, { origin, agent }: Way): Service {
  const settings = Object.entries(service.settings).map(([name, value]) => [name, value?.replaceAll(origin, url)]);
  return {
    ...service,
    settings: Object.fromEntries(settings) as Service['settings'],
    close: async () => {
      await close();
      agent.destroy();
      await service.close();
    },
  };
}

/** Hands half of an answer back, and cuts the connection. */
function handBackHalf(reply: ServerResponse, answer: IncomingMessage, content: Buffer): void {
  const headers = headersWithout(/^(connection|keep-alive|transfer-encoding|content-length)$/i, answer);
  reply.writeHead(answer.statusCode ?? 0, [...headers, 'content-length', String(content.length)]);
  reply.write(content.subarray(0, Math.floor(content.length / 2)), () => reply.socket?.destroy());
}

/** Puts a network before a service on which each request and each answer takes up to `mostMs`, so that they overtake each other. */
export async function behindSlowNetwork(service: Service, mostMs: number, random: () => number): Promise<Service> {
  return (await behindLossyNetwork(service, Infinity, random, mostMs)).service;
}

/**
 * Puts a network before a service that loses one in `oneIn` answers: it cuts or half-closes the connection, before or after the service
 * received the request, or in mid-answer. Each request and each answer takes up to `mostMs`.
 */
export async function behindLossyNetwork(
  service: Service,
  oneIn: number,
  random: () => number,
  mostMs = 0,
): Promise<Lossy> {
  const way = forwardTo(service);
  const lost: string[] = [];
  const pass = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const loses = random() < 1 / oneIn;
    const how = ['undelivered', 'delivered', 'cut', 'half-closed'][Math.floor(random() * 4)];
    const body = await bodyOf(request);
    if (mostMs > 0) await sleep(random() * mostMs);
    if (loses) lost.push(`${request.method} ${request.url}, ${how}`);
    if (loses && how === 'undelivered') return void request.socket.destroy();
    const { answer, content } = await way.forward(request, body);
    if (mostMs > 0) await sleep(random() * mostMs);
    if (loses && how === 'half-closed') return void request.socket.end();
    if (loses && how === 'cut' && content.length > 1) handBackHalf(reply, answer, content);
    else if (loses) request.socket.destroy();
    else handBack(reply, answer, content);
  };
  const server = await listen(
    createServer((request, reply) => void pass(request, reply).catch(() => request.socket.destroy())),
  );
  return { lost, service: reachedThrough(server, service, way) };
}

/** How a service may be away: its port is closed, or a gateway answers in its place. */
export type OutageKind = 'closed port' | '502 in HTML';

/** Puts a gateway before a service that is away for some seconds from each of these requests on, counted from the first. */
export async function behindUnsteadyGateway(
  service: Service,
  outages: ReadonlyMap<number, OutageKind>,
): Promise<{ readonly service: Service; readonly begun: readonly string[] }> {
  const way = forwardTo(service);
  const begun: string[] = [];
  let requests = 0;
  let untilMs = 0;
  const pass = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    requests += 1;
    const outage = outages.get(requests);
    if (outage !== undefined) begun.push(`${outage} at ${request.method} ${request.url}`);
    if (outage === '502 in HTML') untilMs = performance.now() + 5_000;
    const body = await bodyOf(request);
    if (outage === 'closed port') {
      server.close();
      server.closeAllConnections();
      void sleep(3_000).then(() => server.listen(port, '127.0.0.1'));
      return;
    }
    if (performance.now() < untilMs)
      return void reply.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
    const { answer, content } = await way.forward(request, body);
    handBack(reply, answer, content);
  };
  const server = createServer((request, reply) => void pass(request, reply).catch(() => request.socket.destroy()));
  const front = await listen(server);
  const port = Number(new URL(front.url).port);
  return { begun, service: reachedThrough(front, service, way) };
}
