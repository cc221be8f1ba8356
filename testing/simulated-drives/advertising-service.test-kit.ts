import { fixedAnchored, fixedByClock, slidingLog } from '../limiter-simulators/simulated-limiters.test-kit.js';
import type { TraceRecord } from '../../src/ratelimit/trace.js';
import type { Limit } from '../../src/settings/limits.js';
import type { SimulatedService } from './simulated-drive.test-kit.js';
import { randomFrom } from '../limiter-simulators/test-kit.js';
import { readBehaviour } from '../../src/reference/behaviour.js';
import { limitHeaders } from '../../src/reference/limit-headers.js';
import type { Ruling } from '../../src/reference/instance.js';
import { Limits } from '../../src/reference/limits.js';
import { generousLimits } from '../../src/reference/settings.js';
import { limitHeaders as readHeaders } from '../../src/traffic/engine/drive.js';

/** A limit that is kept, and the instant at which what is full now is open again. */
interface Kept {
  readonly room: (atMs: number) => boolean;
  readonly take: (atMs: number) => void;
  readonly opensMs: (atMs: number) => number;
}

type Keep = (limit: Limit, phaseMs: number) => Kept;

/** Kinds of limiters that know when they open again. */
export const advertisedKinds: Readonly<Record<'log' | 'anchored' | 'clock', Keep>> = {
  log: (limit) => {
    const { room, take } = slidingLog(limit);
    const taken: number[] = [];
    const oldest = (): number => taken.at(-limit.count) ?? taken[0] ?? 0;
    return {
      room,
      take: (atMs) => (take(atMs), void taken.push(atMs)),
      opensMs: () => oldest() + limit.windowSeconds * 1000,
    };
  },
  anchored: (limit) => {
    const { room, take } = fixedAnchored(limit);
    let endMs = -Infinity;
    return {
      room,
      take: (atMs) => {
        take(atMs);
        if (atMs >= endMs) endMs = atMs + limit.windowSeconds * 1000;
      },
      opensMs: () => endMs,
    };
  },
  clock: (limit, phaseMs) => {
    const windowMs = limit.windowSeconds * 1000;
    const opensMs = (atMs: number): number => (Math.floor((atMs + phaseMs) / windowMs) + 1) * windowMs - phaseMs;
    return { ...fixedByClock(limit, phaseMs), opensMs };
  },
};

/** A service that keeps all of `limits` and advertises truly, in whole seconds, when the first one that is full opens again. */
export function advertisingService(
  kind: keyof typeof advertisedKinds,
  limits: readonly Limit[],
  random: () => number,
): Pick<SimulatedService, 'decide' | 'tell'> {
  const kept = limits.map((limit) => advertisedKinds[kind](limit, random() * limit.windowSeconds * 1000));
  let answer: Partial<TraceRecord> = {};
  const decide = (atMs: number): boolean => {
    const full = kept.find((one) => !one.room(atMs));
    if (full === undefined) for (const one of kept) one.take(atMs);
    const reset = String(Math.max(1, Math.ceil(((full ?? kept[0])?.opensMs(atMs) ?? 0) / 1000 - atMs / 1000)));
    answer = full === undefined ? { reset } : { reset, retryAfter: reset };
    return full === undefined;
  };
  return { decide, tell: () => answer };
}

/** The reference service's limiter with its headers, of which `told` may be others, without the service. */
export function referenceLimiter(
  variant: Readonly<Record<string, string>>,
  kept: readonly Limit[],
  jitterMs: number,
  seed: number,
  told: (ruling: Ruling) => Partial<TraceRecord> = () => ({}),
): SimulatedService {
  const random = randomFrom(seed);
  const behaviour = readBehaviour([], variant, 1);
  const numbers = kept.map(({ count, windowSeconds }) => ({ count, seconds: windowSeconds }));
  const others = { functional: generousLimits, franchise: generousLimits, enterprise: generousLimits };
  const limits = new Limits(behaviour, { ...others, independent: numbers, demo: numbers, sandbox: numbers });
  const phaseMs = 1e12 + 6e4 * random();
  let headers: Partial<TraceRecord> = {};
  return {
    jitterMs,
    random,
    decide: (atMs) => {
      const ruling = limits.rule('independent', 'a key', '/', phaseMs + atMs);
      headers = { ...readHeaders(Object.entries(limitHeaders(ruling, behaviour)).flat()), ...told(ruling) };
      return ruling.allowed;
    },
    tell: () => headers,
  };
}
