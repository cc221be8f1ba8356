import type { EngineOptions } from './engine.js';
import { assertBounded } from '../load-guard.js';

const most = { requests: 2_000, seconds: 2, connections: 64 } as const;

/**
 * How many answers a second an engine that is not this suite's own gets there, asking as fast as it goes; null where it may not ask: it
 * checks no certificate, so that it must not carry a key over TLS, and knows no proxy. What it is answered is not judged: it asks again by
 * itself where a connection is closed, and gives later answers to earlier requests.
 */
export async function topSpeed({
  url,
  headers,
  network,
}: Pick<EngineOptions, 'url' | 'headers' | 'network'>): Promise<number | null> {
  if (new URL(url).protocol === 'https:' || (network?.proxyFor(url) ?? null) !== null) return null;
  assertBounded(most.requests, most.seconds, most.connections);
  const { default: autocannon } = await import('autocannon');
  const { requests, duration } = await autocannon({
    url,
    headers,
    connections: most.connections,
    duration: most.seconds,
    maxOverallRequests: most.requests,
    sampleInt: 50,
  });
  return duration > 0 ? requests.total / duration : null;
}
