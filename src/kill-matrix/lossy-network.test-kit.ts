import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../loopback.test-kit.js';
import type { Service } from './judge-service.js';

/** A service behind a network, and what that lost. */
export interface Lossy {
  readonly service: Service;
  /** `POST /api/v1/leads, delivered` for each request whose answer did not come back. */
  readonly lost: string[];
}

const hopByHop = /^(connection|keep-alive|transfer-encoding)$/i;

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Puts a network before a service that cuts one connection in so many requests, before or after the service has heard them. */
export async function behindLossyNetwork(service: Service, oneIn: number, random: () => number): Promise<Lossy> {
  const { origin, hostname, port } = new URL(service.settings.BASE_URL ?? '');
  const agent = new Agent({ keepAlive: true });
  const lost: string[] = [];
  const pass = async (asked: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const loses = random() < 1 / oneIn;
    const delivers = random() < 0.5;
    const body = await bodyOf(asked);
    if (loses) lost.push(`${asked.method} ${asked.url}, ${delivers ? 'delivered' : 'undelivered'}`);
    if (loses && !delivers) return void asked.socket.destroy();
    const { method, url: path, headers } = asked;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { hostname, port, method, path, headers, agent };
      request(options, resolve).on('error', reject).end(body);
    });
    const content = await bodyOf(answer);
    if (loses) return void asked.socket.destroy();
    reply.writeHead(
      answer.statusCode ?? 0,
      pairs(answer.rawHeaders)
        .filter(([name]) => !hopByHop.test(name))
        .flat(),
    );
    reply.end(content);
  };
  const { url, close } = await listen(
    createServer((asked, reply) => void pass(asked, reply).catch(() => asked.socket.destroy())),
  );
  const settings = Object.fromEntries(
    Object.entries(service.settings).map(([name, value]) => [name, value?.replaceAll(origin, url)]),
  );
  return {
    lost,
    service: {
      ...service,
      settings,
      close: async () => {
        await close();
        agent.destroy();
        await service.close();
      },
    },
  };
}
