import type { TraceRecord } from '../../src/ratelimit/trace.js';
import type { Limit } from '../../src/settings/limits.js';
import type { SimulatedService } from './simulated-drive.test-kit.js';
import { randomFrom } from '../limiter-simulators/test-kit.js';
import { readBehaviour } from '../../src/reference/behaviour.js';
import { limitHeaders } from '../../src/reference/limit-headers.js';
import type { Ruling } from '../../src/reference/instance.js';
import { makeLimits } from '../../src/reference/limits.js';
import { generousLimits } from '../../src/reference/settings.js';
import { limitHeaders as readHeaders } from '../../src/traffic/engine/drive.js';

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
  const limits = makeLimits(behaviour, { ...others, independent: numbers, demo: numbers, sandbox: numbers });
  const phaseMs = 1e12 + 6e4 * random();
  let headers: Partial<TraceRecord> = {};
  return {
    jitterMs,
    random,
    decide: (atMs) => {
      const ruling = limits.rule('independent', 'a key', '/', phaseMs + atMs);
      headers = { ...readHeaders(Object.entries(limitHeaders(ruling, behaviour))), ...told(ruling) };
      return ruling.allowed;
    },
    tell: () => headers,
  };
}
