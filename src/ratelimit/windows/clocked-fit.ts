import type { Misfit } from './anchored-fit.js';
import {
  certainlyAccepted,
  fixedFault,
  type WindowBounds,
  type WindowEvidence,
  type WindowFault,
} from './window-evidence.js';

/** Into how many ranges the unknown phase of the service's clock is cut. */
const phases = 480;

/**
 * Tries every phase of windows that follow the clock without a gap; null where one is free of contradictions (of fixed windows: of `only`
 * that kind), else those of the phase that lasted longest. Each range of phases is judged as an interval, and the clocks' drift since the
 * first request widens it.
 */
export function clockedMisfit(
  evidence: WindowEvidence,
  kind: 'fixed' | 'counter',
  only?: WindowFault['kind'],
): Misfit | null {
  let latest: Misfit | null = null;
  for (let phase = 0; phase < phases; phase += 1) {
    const misfit = misfitAt(evidence, kind, phase, only);
    if (misfit === null) return null;
    if (latest === null || misfit.bounds.beginLo > latest.bounds.beginLo) latest = misfit;
  }
  return latest;
}

function misfitAt(
  evidence: WindowEvidence,
  kind: 'fixed' | 'counter',
  phase: number,
  only?: WindowFault['kind'],
): Misfit | null {
  const { slack } = evidence;
  const windowMs = evidence.limit.windowSeconds * 1000;
  const width = windowMs / phases;
  const lastMs = Math.max(evidence.accepted.receivedSorted.at(-1) ?? 0, evidence.owned.sent.at(-1) ?? 0);
  const edge = (number: number): { lo: number; hi: number } => {
    const atMs = phase * width + (number - 1) * windowMs;
    const drift = Math.abs(atMs) * slack.clockErrorRate + slack.quantumMs;
    return { lo: atMs - drift, hi: atMs + width + drift };
  };
  for (let number = 0; ; number += 1) {
    const begin = edge(number);
    const end = edge(number + 1);
    if (begin.lo > lastMs || end.lo <= begin.hi) return null;
    const bounds = { beginLo: begin.lo, beginHi: begin.hi, endLo: end.lo };
    const before = edge(number - 1);
    const fault = kind === 'fixed' ? fixedFault(evidence, bounds, only) : counterFault(evidence, bounds, before);
    // Of a window that may have begun before the key is known to have rested, nobody knows what had filled it.
    const unknown = fault?.kind === 'strict' && bounds.beginLo < -evidence.idleBeforeMs;
    if (fault !== null && !unknown) return { fault, bounds };
  }
}

const shares = 8;

/**
 * The same for a counter that weighs in what is left of the window before. Refusals are left to the justifications: what explains them is not
 * monotone within a window.
 */
function counterFault(
  evidence: WindowEvidence,
  bounds: WindowBounds,
  before: { lo: number; hi: number },
): WindowFault | null {
  const certainMs = bounds.endLo - bounds.beginHi;
  for (let share = 0; share <= shares; share += 1) {
    const untilMs = bounds.beginHi + (certainMs * share) / shares;
    const accepted = certainlyAccepted(evidence, bounds.beginHi, untilMs);
    // Those before, and those that may belong to either window, weigh what is left of the window before in the eyes of the last of all.
    const earlier = certainlyAccepted(evidence, before.hi, untilMs) - accepted;
    const left = Math.max(0, 1 - (untilMs - bounds.beginLo) / certainMs);
    // Estimates are rounded either way, and compared before or after the request itself is added.
    if (earlier * left + accepted > evidence.limit.count + 2) return { kind: 'overfull', accepted };
  }
  return null;
}
