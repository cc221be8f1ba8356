import { wholeNumber } from './fields.js';
import { findingOf, type HeaderFinding } from './header-finding.js';
import { resetSeconds } from './judge-form.js';
import { quotaOf } from './judge-remaining.js';
import type { PlanNumbers } from './reading.js';
import type { Trace, TraceRecord } from './trace.js';

/** Whole seconds on either side, and a little for servers that spread their resets. */
const roundingSeconds = 2;

/**
 * Resets that lie too far ahead. Whatever the mechanism, the quota is whole again at the reset or after it: an answer that shows it whole,
 * well before the instant advertised last, proves that instant wrong; a clock that never counted down is then the reason.
 */
export function judgeReset(
  trace: Trace,
  answers: readonly TraceRecord[],
  numbers: PlanNumbers,
  pinnedFixed: boolean,
): HeaderFinding[] {
  const longest = numbers.burst.windowSeconds;
  const stuck = stuckResets(answers, trace);
  const early = earlyRestorations(trace, answers);
  const proven = stuck.length > 0 && (pinnedFixed || early.length > 0);
  const breach = { id: 'LIMIT-07', severity: 'breach' } as const;
  const warning = { id: 'LIMIT-10', severity: 'warning' } as const;
  const tell = ({ reset, sentMs }: TraceRecord): string =>
    `RateLimit-Reset: ${reset ?? ''} at ${(sentMs / 1000).toFixed(2)} s of the client's clock`;
  return [
    ...findingOf(
      { ...breach, expected: `RateLimit-Reset is in seconds, and no window is longer than ${longest} s` },
      answers.filter((record) => (resetSeconds(record) ?? 0) > 10 * longest + 10),
      tell,
    ),
    ...findingOf(
      {
        ...(proven ? breach : warning),
        expected: 'RateLimit-Reset counts down to the instant at which the quota is whole again',
      },
      stuck,
      (record) => `${tell(record)}, unchanged for longer than itself while requests were refused`,
    ),
    ...findingOf(
      { ...warning, expected: 'RateLimit-Reset names the instant at which the quota is whole again' },
      stuck.length > 0 ? [] : early,
      (record) => `${tell(record)}, yet the quota was whole long before`,
    ),
  ];
}

/** Refusals, with no acceptance among them, that kept naming the same number of seconds for longer than rounding can hide. */
function stuckResets(answers: readonly TraceRecord[], trace: Trace): TraceRecord[] {
  const inOrder = [...answers].sort((a, b) => a.sentMs - b.sentMs);
  let began: TraceRecord | null = null;
  for (const record of inOrder) {
    const reset = resetSeconds(record);
    if (
      record.outcome !== 'refused' ||
      reset === null ||
      reset < 2 ||
      (began !== null && resetSeconds(began) !== reset)
    ) {
      began = record.outcome === 'refused' && reset !== null && reset >= 2 ? record : null;
      continue;
    }
    began ??= record;
    if (record.sentMs - began.receivedMs > roundingSeconds * 1000 + trace.quantumMs) return [began, record];
  }
  return [];
}

/** Answers whose reset lay well beyond a later answer with nothing spent but the requests since. */
function earlyRestorations(trace: Trace, answers: readonly TraceRecord[]): TraceRecord[] {
  const inOrder = [...answers].sort((a, b) => a.sentMs - b.sentMs);
  return inOrder.filter((record, k) => {
    const next = inOrder[k + 1];
    const reset = resetSeconds(record);
    const quota = next === undefined ? null : quotaOf(next);
    if (next === undefined || reset === null || quota === null || next.sentMs <= record.receivedMs) return false;
    const left = wholeNumber(record.remaining ?? '');
    const whole = (wholeNumber(next.remaining ?? '') ?? -1) >= quota - 1;
    const advertisedMs = record.sentMs + 1000 * reset;
    const marginMs = 1000 * Math.max(roundingSeconds, 0.1 * reset) + trace.quantumMs;
    return whole && left !== null && left < quota / 2 && next.receivedMs < advertisedMs - marginMs;
  });
}
