import type { Limit } from '../target/limits.js';
import { coarsenessMs } from './coarseness.js';
import type { Envelope } from './envelope.js';
import type { Excuse, Part, PlanNumbers, Reading } from './reading.js';

/** The same reading kept as coarsely as is usual for windows of each length: in whole seconds where they are long. */
export function coarsened(reading: Reading, { burst, sustained }: PlanNumbers): Reading {
  const coarseMs = (part: Part): number => coarsenessMs(part === 'sustained' ? (sustained ?? burst) : burst);
  return {
    ...reading,
    ceilings: reading.ceilings.map(({ part, envelope }) => ({ part, envelope: wider(envelope, coarseMs(part)) })),
    excuses: reading.excuses.map((group) => group.map((excuse) => longer(excuse, coarseMs(excuse.part)))),
  };
}

/** Windows may be short by their coarseness, and a bucket filled up once in it. */
function wider(envelope: Envelope, coarseMs: number): Envelope {
  return envelope.kind === 'line'
    ? { ...envelope, capacity: envelope.capacity + envelope.perMs * coarseMs }
    : { ...envelope, windowMs: Math.max(1, envelope.windowMs - coarseMs) };
}

function longer(excuse: Excuse, coarseMs: number): Excuse {
  if (excuse.kind === 'bucket') return { ...excuse, tickMs: Math.max(excuse.tickMs, coarseMs) };
  return { ...excuse, lookBackMs: excuse.lookBackMs + coarseMs };
}

/** What clocks are off by where windows of one limit are kept as coarsely as is usual. */
export function coarseSlack<S extends { readonly quantumMs: number }>(slack: S, limit: Limit): S {
  return { ...slack, quantumMs: Math.max(slack.quantumMs, coarsenessMs(limit)) };
}
