import { detectForeignUse } from './headers/detect-foreign-use.js';
import { judgeHeaders } from './headers/judge-headers.js';
import { all, fixedAnchored, slidingLog } from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import { judgeTrace, atMost, randomFrom, simulate } from '../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(600, 60), atMost(100, 1)];

/** Judges requests that were evenly sent at 500 a second over a lively network. */
export function trace(requests: number): () => void {
  const random = randomFrom(requests);
  const plan = Array.from({ length: requests }, (_, index) => index * 2);
  const driven = simulate(
    plan,
    all([fixedAnchored, slidingLog].map((kind, at) => kind(limits[at] ?? atMost(0, 0)))),
    40,
    random,
  );
  return () => {
    if (!judgeTrace(driven, limits, { model: 'auto' }).explained)
      throw new Error('a conforming limiter is not explained');
  };
}

/** Judges headers of a trace with few concurrent requests, and looks for other users of the key. */
export function headers(requests: number): () => void {
  const plan = Array.from({ length: requests }, (_, index) => index * 8);
  const bare = simulate(plan, all(limits.map(fixedAnchored)), 3, randomFrom(requests), {}, 0);
  const records = bare.records.map((record) => {
    const remaining = record.outcome === 'accepted' ? '5' : '0';
    return { ...record, limit: '600, 600;w=60', remaining, reset: '30', retryAfter: '30' };
  });
  const driven = { ...bare, records };
  return () => {
    judgeHeaders(driven, limits, { alone: true });
    detectForeignUse(driven, limits);
  };
}
