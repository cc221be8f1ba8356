import { serve, type Loopback } from '../../src/loopback.test-kit.js';
import type { Limit } from '../../src/settings/limits.js';

/** A service with a unit list, a demo list and limits. */
interface LimitedServer extends Loopback {
  readonly requests: () => number;
}

/**
 * Serves on a free loopback port and limits each bearer key, and `demo` for the demo path: by windows that a key's first request opens, or
 * by logs that slide; both count accepted requests only.
 */
export async function startLimited(
  limitsOf: Readonly<Record<string, readonly Limit[]>>,
  kind: 'fixed' | 'sliding' = 'fixed',
): Promise<LimitedServer> {
  const hits = new Map<string, number[][]>();
  let requests = 0;
  const look = (times: number[], limit: Limit, now: number): { used: number; resetMs: number } => {
    const windowMs = limit.windowSeconds * 1000;
    while (times[0] !== undefined && times[0] + windowMs <= now) times.splice(0, kind === 'fixed' ? times.length : 1);
    return { used: times.length, resetMs: times[0] === undefined ? windowMs : times[0] + windowMs - now };
  };
  const server = await serve((request, response) => {
    requests += 1;
    const demo = request.url?.startsWith('/api/demo/') ?? false;
    const key = demo ? 'demo' : (request.headers.authorization ?? '').replace('Bearer ', '');
    const limits = limitsOf[key];
    if (limits === undefined)
      return void response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"ok":false,"error":{"code":"unauthorized"}}');
    const now = performance.now();
    const logs = hits.get(key) ?? limits.map(() => []);
    hits.set(key, logs);
    const before = limits.map((limit, at) => ({ limit, ...look(logs[at] ?? [], limit, now) }));
    const full = before.filter((one) => one.used >= one.limit.count).sort((a, b) => b.resetMs - a.resetMs)[0];
    if (full === undefined) for (const log of logs) log.push(now);
    const after = limits.map((limit, at) => ({ limit, ...look(logs[at] ?? [], limit, now) }));
    const announced = full ?? after.sort((a, b) => a.limit.count - a.used - (b.limit.count - b.used))[0];
    const given = {
      'content-type': 'application/json',
      'ratelimit-limit': String(announced?.limit.count),
      'ratelimit-remaining': String(full ? 0 : (announced?.limit.count ?? 0) - (announced?.used ?? 0)),
      'ratelimit-reset': String(Math.ceil((announced?.resetMs ?? 0) / 1000)),
      ...(full ? { 'retry-after': String(Math.ceil(full.resetMs / 1000)), 'cache-control': 'no-store' } : {}),
    };
    response.writeHead(full ? 429 : 200, given);
    response.end(
      full
        ? '{"ok":false,"error":{"code":"rate_limited"}}'
        : demo
          ? '[]'
          : '{"ok":true,"data":{"items":[],"nextCursor":null}}',
    );
  });
  return { ...server, requests: () => requests };
}
