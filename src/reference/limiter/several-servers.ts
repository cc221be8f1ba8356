import type { Limiter } from './compose.js';

const howMany = 3;

/** The server that a client meets, by the last character of its address. */
const placeOf = (source: string): number => (source.at(-1)?.charCodeAt(0) ?? 0) % howMany;

/** Servers that count for themselves. Each tells the others at each multiple of `everyMs` what it accepted; a client always meets the same one. */
export function severalServers(everyMs: number, make: () => Limiter): Limiter {
  const first = make();
  const servers = [first, ...Array.from({ length: howMany - 1 }, make)];
  const untold: { readonly by: Limiter; readonly atMs: number }[] = [];
  return {
    ...first,
    decide(nowMs, request, source = '') {
      const toldMs = Math.floor(nowMs / everyMs) * everyMs;
      const next = untold.findIndex(({ atMs }) => atMs >= toldMs);
      for (const { by, atMs } of untold.splice(0, next < 0 ? untold.length : next))
        for (const server of servers) if (server !== by) server.count(atMs);
      const own = servers[placeOf(source)] ?? first;
      const decision = own.decide(nowMs, request);
      if (decision.allowed) untold.push({ by: own, atMs: nowMs });
      return decision;
    },
  };
}
