import type { Limit } from '../target/limits.js';
import { judgeTrace, type JudgeOptions } from './judge-trace.js';
import type { Trace, TraceRecord } from './trace.js';

/** Whether two keys of one tenant spend from one counter. */
export type Sharing = 'separate' | 'shared' | 'cannot tell';

/**
 * Judges two traces recorded side by side, on one clock. If no reading lets a single counter accept what both were granted, the keys
 * are counted apart; if a key was refused what its own requests never earned, yet theirs together do, they are counted together.
 */
export function judgeSharing(one: Trace, other: Trace, limits: readonly Limit[], options: JudgeOptions): Sharing {
  const together = judgeTrace(merge(one, other), limits, options);
  const granted = judgeTrace(onlyAccepted(merge(one, other)), limits, options);
  const alone = [one, other].map((trace) => judgeTrace(trace, limits, options).explained);
  if (alone.every(Boolean)) return granted.explained ? 'cannot tell' : 'separate';
  return together.explained ? 'shared' : 'cannot tell';
}

function merge(one: Trace, other: Trace): Trace {
  return {
    records: [...one.records, ...other.records],
    clockErrorRate: Math.max(one.clockErrorRate, other.clockErrorRate),
    quantumMs: Math.max(one.quantumMs, other.quantumMs),
    idleBeforeMs: Math.min(one.idleBeforeMs, other.idleBeforeMs),
  };
}

/** Over-admission alone: a refusal says nothing of two counters that are apart. */
function onlyAccepted(trace: Trace): Trace {
  const kept = (record: TraceRecord): boolean => record.outcome !== 'refused';
  return { ...trace, records: trace.records.filter(kept) };
}
