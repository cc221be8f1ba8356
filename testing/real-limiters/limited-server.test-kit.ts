import { serve } from '../../src/loopback.test-kit.js';
import type { Loopback } from '../../src/loopback.test-kit.js';
import type { Limit } from '../../src/settings/limits.js';

/** How the small service limits: by windows that a key's first request opens, or by logs that slide; both count accepted requests only. */
export interface LimitedOptions {
  readonly kind: 'fixed' | 'sliding';
  /** By bearer key; `demo` for the demo path. */
  readonly limits: Readonly<Record<string, readonly Limit[]>>;
  readonly headers?: (given: Record<string, string>, refused: boolean) => Record<string, string>;
}

/** A service with a unit list, a demo list and limits. */
export interface LimitedServer extends Loopback {
  readonly requests: () => number;
}

/** Serves on a free loopback port. */
export async function startLimited(options: LimitedOptions): Promise<LimitedServer> {
  const hits = new Map<string, number[][]>();
  let requests = 0;
  const look = (times: number[], limit: Limit, now: number): { used: number; resetMs: number } => {
    const windowMs = limit.windowSeconds * 1000;
    const [first] = times;
    if (options.kind === 'fixed') {
      if (first !== undefined && now >= first + windowMs) times.length = 0;
      return { used: times.length, resetMs: times[0] === undefined ? windowMs : times[0] + windowMs - now };
    }
    while (times[0] !== undefined && times[0] + windowMs <= now) times.shift();
    return { used: times.length, resetMs: times[0] === undefined ? windowMs : times[0] + windowMs - now };
  };
  const server = await serve((request, response) => {
    requests += 1;
    const demo = request.url?.startsWith('/api/demo/') ?? false;
    const key = demo ? 'demo' : (request.headers.authorization ?? '').replace('Bearer ', '');
    const limits = options.limits[key];
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
    const given: Record<string, string> = {
      'content-type': 'application/json',
      'ratelimit-limit': String(announced?.limit.count),
      'ratelimit-remaining': String(full ? 0 : (announced?.limit.count ?? 0) - (announced?.used ?? 0)),
      'ratelimit-reset': String(Math.ceil((announced?.resetMs ?? 0) / 1000)),
      ...(full ? { 'retry-after': String(Math.ceil(full.resetMs / 1000)), 'cache-control': 'no-store' } : {}),
    };
    response.writeHead(full ? 429 : 200, options.headers?.(given, full !== undefined) ?? given);
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
