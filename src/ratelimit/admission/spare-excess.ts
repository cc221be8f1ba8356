import type { Limit } from '../../settings/index.js';
import type { Slack } from '../model.js';
import type { RequestIntervals } from '../request-intervals.js';

/** Bursts that together took more than there is to spare. */
export interface SpareExcess {
  /** Positions in the columns: the first acceptance of the first burst, and the one of the last burst that was answered last. */
  readonly first: number;
  readonly last: number;
  readonly bursts: number;
  /** The minimum number of acceptances beyond the other limit, and the maximum allowed. */
  readonly spared: number;
  readonly allowed: number;
  readonly lengthMs: number;
}

/** Acceptances that follow one another closely. */
interface Burst {
  readonly first: number;
  readonly last: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Certainly beyond the base. */
  readonly spared: number;
}

/** Bursts of acceptances, separated by half a base window, that exceed what the base limit admits. */
function burstsOf(accepted: RequestIntervals, base: Limit, slack: Slack): Burst[] {
  const baseMs = base.windowSeconds * 1000;
  const found: Burst[] = [];
  for (let first = 0; first < accepted.count;) {
    let last = first;
    let next = first;
    let untilMs = -Infinity;
    while (next < accepted.count && (next === first || (accepted.sent[next] ?? 0) - untilMs < baseMs / 2)) {
      if ((accepted.received[next] ?? 0) > untilMs) last = next;
      untilMs = Math.max(untilMs, accepted.received[next] ?? 0);
      next += 1;
    }
    const fromMs = accepted.sent[first] ?? 0;
    const windows = Math.ceil(longest(untilMs - fromMs, slack) / baseMs) + 1;
    const spared = next - first - windows * base.count;
    if (spared > 0) found.push({ first, last, fromMs, untilMs, spared });
    first = next;
  }
  return found;
}

function longest(lengthMs: number, slack: Slack): number {
  return lengthMs * (1 + slack.clockErrorRate) + slack.quantumMs;
}

/** Bursts further apart than this many windows are not added up: an excess shows within fewer. */
const mostWindows = 4;

/**
 * Whether bursts took more than `spare` allows in its windows. A burst takes from `spare` what exceeds the windows of `base` that it may
 * overlap; several bursts add up. A bound that counts every second in between as used would miss this. Null where nothing contradicts.
 */
export function spareExcess(accepted: RequestIntervals, base: Limit, spare: Limit, slack: Slack): SpareExcess | null {
  const bursts = burstsOf(accepted, base, slack);
  for (const [from, { first, fromMs }] of bursts.entries()) {
    let spared = 0;
    for (let at = from; at < bursts.length; at += 1) {
      const burst = bursts[at];
      if (burst === undefined) break;
      const lengthMs = longest(burst.untilMs - fromMs, slack);
      const windows = Math.ceil(lengthMs / (spare.windowSeconds * 1000));
      if (windows > mostWindows) break;
      spared += burst.spared;
      const allowed = spare.count * (windows + 1);
      if (spared > allowed) return { first, last: burst.last, bursts: at - from + 1, spared, allowed, lengthMs };
    }
  }
  return null;
}
