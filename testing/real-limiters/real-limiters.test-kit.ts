import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastifyRateLimit from '@fastify/rate-limit';
import { createAdaptorServer } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { rateLimiter } from 'hono-rate-limiter';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterUnion, type RateLimiterRes } from 'rate-limiter-flexible';
import { closing, listen, serve, type Loopback } from '../../src/loopback.test-kit.js';
import type { Limit } from '../../src/settings/limits.js';

const units = { ok: true, data: { items: [], nextCursor: null } };
const refusal = { ok: false, error: { code: 'rate_limited', message: 'Too many requests' } };
const unitsPath = '/api/v1/units';
const demoPath = '/api/demo/units';

/** Keys are counted by credential where there is one, and by address on the demo, which has none. */
function counted(authorization: string | undefined, address: string | undefined): string {
  return authorization ?? address ?? '';
}

/** express-rate-limit in its memory store, with the three separate fields of draft 6. */
export function startExpress(limit: Limit): Promise<Loopback> {
  const app = express();
  app.use(
    rateLimit({
      windowMs: limit.windowSeconds * 1000,
      limit: limit.count,
      standardHeaders: 'draft-6',
      legacyHeaders: false,
      keyGenerator: (request) => request.headers.authorization ?? ipKeyGenerator(request.ip ?? ''),
      handler: (_request, response) => void response.status(429).json(refusal),
    }),
  );
  app.get(unitsPath, (_request, response) => void response.json(units));
  app.get(demoPath, (_request, response) => void response.json([]));
  return serve(app as RequestListener);
}

/** `@fastify/rate-limit` in its local store, with the draft's field names. */
export async function startFastify(limit: Limit): Promise<Loopback> {
  const app = fastify({ forceCloseConnections: true });
  await app.register(fastifyRateLimit, {
    max: limit.count,
    timeWindow: limit.windowSeconds * 1000,
    enableDraftSpec: true,
    keyGenerator: (request) => counted(request.headers.authorization, request.ip),
  });
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
    reply.status(error.statusCode ?? 500).send(refusal),
  );
  app.get(unitsPath, () => units);
  app.get(demoPath, () => []);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return closing({
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    close: () => app.close(),
  });
}

/** hono-rate-limiter in its memory store, with the three separate fields of draft 6. */
export function startHono(limit: Limit): Promise<Loopback> {
  const app = new Hono();
  app.use(
    rateLimiter({
      windowMs: limit.windowSeconds * 1000,
      limit: limit.count,
      standardHeaders: 'draft-6',
      keyGenerator: (context) => counted(context.req.header('authorization'), getConnInfo(context).remote.address),
      handler: (context) => context.json(refusal, 429),
    }),
  );
  app.get(unitsPath, (context) => context.json(units));
  app.get(demoPath, (context) => context.json([]));
  return listen(createAdaptorServer({ fetch: app.fetch }));
}

/** What one consumption came to: the window that the headers tell of, and whether the request was let through. */
interface Consumed {
  readonly result: RateLimiterRes;
  readonly limit: Limit;
  readonly allowed: boolean;
}

function memory(limit: Limit): RateLimiterMemory {
  return new RateLimiterMemory({
    keyPrefix: `${limit.count}/${limit.windowSeconds}`,
    points: limit.count,
    duration: limit.windowSeconds,
  });
}

/** The library leaves headers to its user: the window with the least left, and of several that refuse the one that refuses longest. */
function serveFlexible(consume: (key: string) => Promise<Consumed>): Promise<Loopback> {
  const answer = async (request: IncomingMessage, response: Parameters<RequestListener>[1]): Promise<void> => {
    const { result, limit, allowed } = await consume(
      counted(request.headers.authorization, request.socket.remoteAddress),
    );
    const seconds = String(Math.max(0, Math.ceil(result.msBeforeNext / 1000)));
    const path = request.url?.split('?')[0];
    const known = path === unitsPath || path === demoPath;
    response.writeHead(!allowed ? 429 : known ? 200 : 404, {
      'content-type': 'application/json',
      'ratelimit-limit': String(limit.count),
      'ratelimit-remaining': String(result.remainingPoints),
      'ratelimit-reset': seconds,
      ...(allowed ? {} : { 'retry-after': seconds }),
    });
    response.end(JSON.stringify(!allowed ? refusal : path === demoPath ? [] : units));
  };
  return serve((request, response) => void answer(request, response));
}

/** What a limiter rejects with: results where it refuses, errors where it fails. */
async function settled<T>(consumption: Promise<T>): Promise<{ value: T; allowed: boolean }> {
  try {
    return { value: await consumption, allowed: true };
  } catch (reason) {
    if (reason instanceof Error) throw reason;
    return { value: reason as T, allowed: false };
  }
}

/** rate-limiter-flexible with one memory limit, or another of its limiters that tells of one. */
export function startFlexible(
  limit: Limit,
  limiter: Pick<BurstyRateLimiter, 'consume'> = memory(limit),
): Promise<Loopback> {
  return serveFlexible(async (key) => {
    const { value, allowed } = await settled(limiter.consume(key));
    return { result: value, limit, allowed };
  });
}

/** rate-limiter-flexible's union: both limits are charged, and both have to agree. */
export function startUnion(limits: readonly Limit[]): Promise<Loopback> {
  const limiters = limits.map((limit) => ({ limit, limiter: memory(limit) }));
  const union = new RateLimiterUnion(...limiters.map((one) => one.limiter));
  return serveFlexible(async (key) => {
    const { value, allowed } = await settled(union.consume(key));
    const shown = limiters
      .flatMap(({ limit, limiter }) => {
        const result = value[limiter.keyPrefix];
        return result === undefined ? [] : [{ result, limit, allowed }];
      })
      .sort((a, b) =>
        allowed ? a.result.remainingPoints - b.result.remainingPoints : b.result.msBeforeNext - a.result.msBeforeNext,
      );
    const [first] = shown;
    if (first === undefined) throw new Error('the union named none of its limiters');
    return first;
  });
}

/** rate-limiter-flexible's bursty limiter: what the sustained limit refuses is taken from a second pool. */
export function startBursty(sustained: Limit, pool: Limit): Promise<Loopback> {
  return startFlexible(sustained, new BurstyRateLimiter(memory(sustained), memory(pool)));
}
