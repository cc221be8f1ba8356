import { findingOf, type HeaderFinding } from './header-finding.js';
import { resetSeconds, retrySeconds } from './judge-form.js';
import type { PlanNumbers } from './reading.js';
import { countBelow } from './rank.js';
import type { Trace, TraceRecord } from './trace.js';

/** A moment at which nothing was in flight, with what was said last before it and what was decided first after it. */
interface Quiet {
  /** Every answer that may have been the last one decided. */
  readonly last: readonly TraceRecord[];
  /** Every request that may have been the first one decided. */
  readonly next: readonly TraceRecord[];
  readonly first: TraceRecord;
}

/** Seconds are whole: a promise may be rounded down by one. */
const roundingMs = 1000;

/**
 * Promises of acceptance that were kept waiting for in silence, and broken: all that may have been decided first afterwards was refused.
 * Needs the key to be used by nobody else.
 */
export function judgePromises(trace: Trace, numbers: PlanNumbers): HeaderFinding[] {
  const sent = trace.records.filter((record) => record.outcome !== 'unsent').sort((a, b) => a.sentMs - b.sentMs);
  const broken = quiets(sent).filter(({ last, next }) => [...last, ...next].every(isRefused));
  const mayBeSustained = sustainedGuard(sent, numbers, trace);
  const after = (seconds: (record: TraceRecord) => number | null): TraceRecord[] =>
    broken
      .filter((quiet) => !mayBeSustained(quiet))
      .filter(({ last, first }) => {
        const promisedMs = Math.max(...last.map((record) => record.receivedMs + 1000 * (seconds(record) ?? Infinity)));
        const silenceMs = first.sentMs - Math.max(...last.map((record) => record.receivedMs));
        return first.sentMs > promisedMs + roundingMs + trace.quantumMs + silenceMs * trace.clockErrorRate;
      })
      .map(({ first }) => first);
  const refusedAgain = 'refused, although all was silent for the seconds that the last answer before had asked for';
  return [
    ...findingOf(
      { id: 'LIMIT-07', severity: 'breach', expected: 'after RateLimit-Reset seconds requests are accepted again' },
      after(resetSeconds),
      () => `${refusedAgain} (RateLimit-Reset)`,
    ),
    ...findingOf(
      { id: 'LIMIT-05', severity: 'breach', expected: 'after Retry-After seconds requests are accepted again' },
      after(retrySeconds),
      () => `${refusedAgain} (Retry-After)`,
    ),
  ];
}

const isRefused = ({ outcome }: TraceRecord): boolean => outcome === 'refused';

/** The moments of silence between two refusals, as long as a promise at the least. */
function quiets(sent: readonly TraceRecord[]): Quiet[] {
  const found: Quiet[] = [];
  let latestMs = -Infinity;
  for (let k = 0; k < sent.length; k += 1) {
    const first = sent[k];
    const before = sent[k - 1];
    const silent = first !== undefined && before !== undefined && first.sentMs > latestMs + roundingMs;
    if (silent && isRefused(before) && isRefused(first)) {
      // Only what was answered after the last sending can have been decided last.
      found.push({
        first,
        last: overlapping(sent, k - 1, before.sentMs, -1),
        next: overlapping(sent, k, first.receivedMs, 1),
      });
    }
    latestMs = Math.max(latestMs, first?.receivedMs ?? 0);
  }
  return found;
}

/** Backwards: those still unanswered at `instantMs`, as far as a thousand requests back; forwards: those sent by then. */
function overlapping(sent: readonly TraceRecord[], from: number, instantMs: number, step: 1 | -1): TraceRecord[] {
  const found: TraceRecord[] = [];
  for (let k = from; k >= 0 && k < sent.length && Math.abs(k - from) < 1000; k += step) {
    const record = sent[k];
    if (record === undefined || (step === 1 && record.sentMs > instantMs)) break;
    if (step === 1 || record.receivedMs >= instantMs) found.push(record);
  }
  return found;
}

/**
 * With two limits both may be spent at once, and the answer may speak of the shorter one while the longer one refuses next: then
 * nothing was promised about the longer one.
 */
function sustainedGuard(
  sent: readonly TraceRecord[],
  { sustained }: PlanNumbers,
  trace: Trace,
): (quiet: Quiet) => boolean {
  if (sustained === null) return () => false;
  const sentMs = Float64Array.from(sent, (record) => record.sentMs);
  const receivedMs = Float64Array.from(sent, (record) => record.receivedMs).sort();
  const lookBackMs = 2 * sustained.windowSeconds * 1000 * (1 + trace.clockErrorRate) + trace.quantumMs;
  return ({ first, last }) => {
    const expired = countBelow(receivedMs, (last.at(-1)?.sentMs ?? 0) - lookBackMs);
    return countBelow(sentMs, first.sentMs) - expired >= sustained.count;
  };
}
