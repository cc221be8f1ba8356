import { serve, type Loopback } from '../../src/loopback.test-kit.js';
import { readBehaviour } from '../../src/reference/behaviour.js';
import type { LimitNumbers } from '../../src/reference/instance.js';
import { limitHeaders } from '../../src/reference/limit-headers.js';
import { makeLimits } from '../../src/reference/limits.js';
import type { Limit } from '../../src/settings/limits.js';

/** A service with a unit list, a demo list and limits. */
interface LimitedServer extends Loopback {
  readonly requests: () => number;
}

const unknownKey = [401, '{"ok":false,"error":{"code":"unauthorized"}}'] as const;
const refusal = [429, '{"ok":false,"error":{"code":"rate_limited"}}'] as const;
const demoList = [200, '[]'] as const;
const unitList = [200, '{"ok":true,"data":{"items":[],"nextCursor":null}}'] as const;

/**
 * Serves on a free loopback port and limits each bearer key, and `demo` for the demo path, with the limiter of the reference service: by
 * windows that a key's first request opens, or by logs that slide; both count accepted requests only.
 */
export async function startLimited(
  limitsOf: Readonly<Record<string, readonly Limit[]>>,
  kind: 'fixed' | 'sliding' = 'fixed',
): Promise<LimitedServer> {
  const behaviour = readBehaviour([], { limiter: kind === 'fixed' ? 'fixed-first-request' : 'sliding-log' }, 1);
  const limiterOf = (limits: readonly Limit[]) =>
    makeLimits(behaviour, {
      functional: limits.map(({ count, windowSeconds }) => ({ count, seconds: windowSeconds })),
    } as unknown as LimitNumbers);
  const limiters = new Map(Object.entries(limitsOf).map(([key, limits]) => [key, limiterOf(limits)]));
  let requests = 0;
  const server = await serve(({ url, headers }, response) => {
    requests += 1;
    const isDemo = url?.startsWith('/api/demo/') === true;
    const limiter = limiters.get(isDemo ? 'demo' : (headers.authorization ?? '').replace('Bearer ', ''));
    const ruling = limiter?.rule('functional', '', '', performance.now());
    const accepted = isDemo ? demoList : unitList;
    const [status, body] = ruling === undefined ? unknownKey : ruling.allowed ? accepted : refusal;
    const limitFields = ruling && limitHeaders(ruling, behaviour);
    response.writeHead(status, { 'content-type': 'application/json', ...limitFields }).end(body);
  });
  return { ...server, requests: () => requests };
}
