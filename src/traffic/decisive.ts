import { isDeepStrictEqual } from 'node:util';
import { judgeTraces } from '../limiter/judge-trace.js';
import type { ReadingVerdict } from '../limiter/judge-trace.js';
import type { Part } from '../limiter/reading.js';
import type { Trace } from '../limiter/trace.js';
import type { Limit } from '../target/limits.js';
import type { DrivenStep } from './take-steps.js';
import type { DriveProblems } from './drive-problem.js';
import { afterIdleIndex } from './limit-traces.js';
import type { PlanTrace } from './limit-traces.js';
import { longAndShort, stepSeconds } from './plan.js';

/** A limit so many times as large has to look different. */
const factors = { beyond: 1.2, within: 0.8 } as const;
/** More of a step's requests than this may not be late. */
const lateShare = 0.3;

/** Whoever leaves, or is answered, so much later may belong to another part of the shortest window, in milliseconds. */
export function lateBy(limits: readonly Limit[]): number {
  const { long, short } = longAndShort(limits);
  return Math.max(50, ((short ?? long).windowSeconds * 1000) / 4);
}

/** By how much of the longer window the steps of the stream after the rest may begin late, all together. */
const waitedShare = 0.1;

/** Why the stream after the rest did not keep to its window: its steps waited for their turn, or this machine stood still; else null. */
function beganLate(trace: PlanTrace, planned: readonly DrivenStep[], longMs: number): string | null {
  const from = afterIdleIndex(trace);
  const waits = planned
    .filter((one) => one.firstIndex >= from && one.turnMs !== undefined)
    .map((one) => Math.max(0, one.drive.startedMs - (one.turnMs ?? 0) - stepSeconds * 1000));
  const waitedMs = waits.reduce((sum, ms) => sum + ms, 0);
  return waitedMs > waitedShare * longMs
    ? `the steps after the long rest began ${(waitedMs / 1000).toFixed(1)} s late, all together`
    : null;
}

/** The first step that was not driven as planned, in words; null where all were. */
function offPlan(trace: PlanTrace): string | null {
  const { conducted, subject } = trace;
  const lateMs = lateBy(subject.limits);
  const longMs = longAndShort(subject.limits).long.windowSeconds * 1000;
  const told = (one: DrivenStep): string | null => {
    if (one.drive.ratePerSecond === null) {
      const tookMs = one.drive.endedMs - one.drive.startedMs;
      return one.count > 1 && tookMs > longMs / 4
        ? `${one.count} requests at once took ${(tookMs / 1000).toFixed(1)} s`
        : null;
    }
    const own = conducted.records.slice(one.firstIndex, one.firstIndex + one.count);
    const late = own.filter(({ outcome, dueMs, sentMs }) => outcome === 'unsent' || sentMs - dueMs > lateMs).length;
    if (late > lateShare * one.count)
      return `${late} of ${one.count} requests left more than ${lateMs.toFixed(0)} ms late or not at all`;
    // When a request was decided that took so long, nobody can say to within a good part of the shortest window.
    const slow = own.filter(({ sentMs, receivedMs }) => receivedMs - sentMs > lateMs).length;
    return slow > lateShare * one.count
      ? `${slow} of ${one.count} answers took more than ${lateMs.toFixed(0)} ms`
      : null;
  };
  // The last burst and what is driven further only add to what was shown before.
  const until = conducted.steps.findLastIndex(({ scenario }) => scenario !== 'probe');
  const planned = conducted.steps.slice(0, until + 1);
  for (const one of planned) {
    const words = told(one);
    if (words !== null) return `off schedule in ${one.scenario}: ${words}`;
  }
  return beganLate(trace, planned, longMs);
}

/** A reading of windows, and what is said of it. */
type WindowVerdict = ReadingVerdict & { readonly name: 'sliding' | 'fixed' };

const isOfWindows = (reading: ReadingVerdict): reading is WindowVerdict =>
  reading.name === 'sliding' || reading.name === 'fixed';

const partOf = (limit: Limit, limits: readonly Limit[]): Part =>
  limit === longAndShort(limits).long ? 'burst' : 'sustained';

const partsAgainst = (reading: ReadingVerdict | null | undefined): ReadonlySet<Part | 'refusal'> =>
  new Set(reading?.contradictions.map(({ part }) => part));

/** What speaks against a reading in all that was seen. */
function unexplained(
  parts: readonly Trace[],
  limits: readonly Limit[],
  name: WindowVerdict['name'],
): ReadonlySet<Part | 'refusal'> {
  return partsAgainst(judgeTraces(parts, limits, { model: name }).readings[0]);
}

/**
 * The reading of windows that explains what was seen, or most of it where no reading explains it; null where another reading does, or none of
 * windows was asked.
 */
function nearestWindows(readings: readonly ReadingVerdict[]): WindowVerdict | null {
  const explained = readings.some(({ admitted }) => admitted);
  const [best] = readings
    .filter(isOfWindows)
    .filter(({ admitted }) => admitted || !explained)
    .sort((a, b) => partsAgainst(a).size - partsAgainst(b).size);
  return best ?? null;
}

/**
 * Why a drive proves nothing about refusing too much, and about refusing too little, where it did not go as planned, or where one number
 * that is seen to be broken may hide that the other is too large; nulls where all went as planned, or what came of it is clear all the
 * same. Clear it is where the reading of windows that explains most of what was seen (`parts`, of which the drive is the last) would
 * explain more or less of it with one of the numbers a fifth smaller, or a fifth larger: then that fault would have shown.
 */
export function indecisive(
  trace: PlanTrace,
  parts: readonly Trace[],
  readings: readonly ReadingVerdict[],
): DriveProblems {
  const { limits } = trace.subject;
  const reading = nearestWindows(readings);
  const badly = offPlan(trace);
  const broken = limits.filter((limit) => partsAgainst(reading).has(partOf(limit, limits)));
  if (reading === null || (badly === null && broken.length === 0)) return { within: null, beyond: null };
  // What the key may have done before the drive excuses refusals; it does not make another number look like this one.
  const shown = badly === null ? parts.map((part) => ({ ...part, idleBeforeMs: Infinity })) : parts;
  const seen = unexplained(shown, limits, reading.name);
  const hidden = (factor: number): string | null => {
    const found = limits.find((limit) => {
      const other = { ...limit, count: Math.max(1, Math.round(limit.count * factor)) };
      if (other.count === limit.count || (factor > 1 && broken.includes(limit))) return false;
      const changed = limits.map((one) => (one === limit ? other : one));
      return isDeepStrictEqual(unexplained(shown, changed, reading.name), seen);
    });
    if (found === undefined) return null;
    const like = `${Math.round(found.count * factor)} in ${found.windowSeconds} s would have looked the same`;
    return `${badly ?? 'the other number is broken'}; ${like}`;
  };
  return { within: badly === null ? null : hidden(factors.within), beyond: hidden(factors.beyond) };
}
