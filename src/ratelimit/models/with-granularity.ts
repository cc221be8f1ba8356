import type { Limit } from '../../settings/index.js';
import { granularityMs } from './granularity.js';
import type { Envelope } from './envelope.js';
import type { Justification, LimitRole, PlanNumbers, LimiterModel } from './model.js';

/** The same model kept as coarsely as is usual for windows of each length: in whole seconds where they are long. */
export function withGranularity(limiter: LimiterModel, { burst, sustained }: PlanNumbers): LimiterModel {
  const coarseMs = (part: LimitRole): number => granularityMs(part === 'sustained' ? (sustained ?? burst) : burst);
  return {
    ...limiter,
    bounds: limiter.bounds.map(({ part, envelope }) => ({ part, envelope: wider(envelope, coarseMs(part)) })),
    justifications: limiter.justifications.map((group) =>
      group.map((justification) => longer(justification, coarseMs(justification.part))),
    ),
  };
}

/** Windows may be short by their coarseness, and a bucket filled up once in it. */
function wider(envelope: Envelope, coarseMs: number): Envelope {
  return envelope.kind === 'line'
    ? { ...envelope, capacity: envelope.capacity + envelope.perMs * coarseMs }
    : { ...envelope, windowMs: Math.max(1, envelope.windowMs - coarseMs) };
}

function longer(justification: Justification, coarseMs: number): Justification {
  if (justification.kind === 'bucket') return { ...justification, tickMs: Math.max(justification.tickMs, coarseMs) };
  return { ...justification, lookBackMs: justification.lookBackMs + coarseMs };
}

/** The usual inaccuracy of clocks that keep the windows of one limit. */
export function granularSlack<S extends { readonly quantumMs: number }>(slack: S, limit: Limit): S {
  return { ...slack, quantumMs: Math.max(slack.quantumMs, granularityMs(limit)) };
}
