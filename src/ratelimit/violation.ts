import type { LimitRole, ModelName } from './model.js';
import { indexOf, type RequestIntervals } from './trace.js';

/** An instant in a sentence, in seconds after the first request. */
export function formatInstant(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100_000 ? 3 : 2)} s`;
}

/** A length of time in a sentence. */
export function formatDuration(ms: number): string {
  return `${Number((ms / 1000).toPrecision(4))} s`;
}

/** A whole number, or one decimal where it is not whole. */
export function formatCount(number: number): string {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}

/** Why a model cannot have produced a trace: one sentence, and the records it speaks of (their `index`, the decisive one last). */
export interface Counterevidence {
  readonly part: LimitRole | 'refusal';
  readonly sentence: string;
  readonly records: readonly number[];
  /** When the decisive answer was in, for telling which contradiction came first. */
  readonly atMs: number;
  /** Whatever the numbers are, they are not kept in this way. */
  readonly whateverNumbers?: true;
}

/** `request 7, sent at 1.000 s and answered at 1.005 s`. */
export function decided(columns: RequestIntervals, k: number): string {
  const [sentMs, receivedMs] = [columns.sent[k] ?? 0, columns.received[k] ?? 0];
  return `request ${indexOf(columns, k)}, sent at ${formatInstant(sentMs)} and answered at ${formatInstant(receivedMs)}`;
}

/** A contradiction that some records show, `k` the decisive one; `others` have their own numbers. */
export function against(
  part: Counterevidence['part'],
  columns: RequestIntervals,
  k: number,
  sentence: string,
  more: Partial<Counterevidence> = {},
  others: readonly number[] = [],
): Counterevidence {
  return { part, sentence, records: [...others, indexOf(columns, k)], atMs: columns.received[k] ?? 0, ...more };
}

/** The result of one model for a trace. */
export interface ModelVerdict {
  readonly name: ModelName;
  /** Whether it could have produced the trace. */
  readonly admitted: boolean;
  /** The first thing that it cannot explain, in one sentence. */
  readonly reason: string | null;
  readonly counterevidence: readonly Counterevidence[];
  /** It explains the refusals only if refused requests count as well. */
  readonly needsRefusalsCounted: boolean;
  /** It explains the acceptances of the burst limit only with windows aligned to the clock. */
  readonly needsClock: boolean;
  /** It explains the acceptances only as a bucket refilled by a slow timer. */
  readonly needsTimer: boolean;
  /** Refill interval in milliseconds, where this model is a bucket refilled in steps; else null. */
  readonly tickMs: number | null;
}

/** One requirement that a trace breaks. */
export interface Violation {
  readonly id: 'LIMIT-01' | 'LIMIT-02' | 'LIMIT-03';
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  /** The `index` of the records concerned. */
  readonly records: readonly number[];
}

type RequirementId = Violation['id'];

const expectations: Readonly<Record<RequirementId, Pick<Violation, 'code' | 'expected'>>> = {
  'LIMIT-01': { code: 'refused-within', expected: 'the service refuses no request that is within the limits' },
  'LIMIT-02': { code: 'admitted-beyond', expected: 'the service refuses requests beyond the burst limit' },
  'LIMIT-03': { code: 'admitted-beyond', expected: 'the service refuses requests beyond the sustained limit' },
};

/**
 * Chooses which requirements to report when no model fits the trace.
 * - The model that violates the fewest requirements wins. Models that are impossible whatever the numbers are do not take part.
 * - Among equals, over-admission wins over over-refusal: a missing limit looks to other models like refusals without reason.
 * - Where every model of windows shows over-refusal only, that is reported, unless the sliding log shows exactly one over-admission.
 * - Where nothing was refused, every exceeded limit is reported.
 */
export function attributeViolations(models: readonly ModelVerdict[], anyRefused: boolean): readonly Violation[] {
  const meant = models.filter((limiter) => !limiter.counterevidence.some((one) => one.whateverNumbers));
  const suspects = (meant.length > 0 ? meant : models).map((limiter) => ({ limiter, ids: idsOf(limiter) }));
  const weight = (ids: readonly RequirementId[]): number => 2 * ids.length + (ids.includes('LIMIT-01') ? 1 : 0);
  const windowed = suspects.filter(({ limiter }) => limiter.name === 'fixed' || limiter.name === 'mixed');
  const onlyTooStrict = windowed.every(({ ids }) => ids.length === 1 && ids[0] === 'LIMIT-01');
  const [nearest] = [...suspects].sort((a, b) => weight(a.ids) - weight(b.ids));
  const logged = suspects.find(
    ({ limiter, ids }) => limiter.name === 'sliding' && ids.length === 1 && ids[0] !== 'LIMIT-01',
  );
  const best = (onlyTooStrict ? (logged ?? windowed[0]) : undefined) ?? nearest;
  if (best === undefined) return [];
  const ids = anyRefused ? best.ids : [...new Set(suspects.flatMap((suspect) => suspect.ids))].sort();
  return ids.flatMap((id) => {
    const preferred = [best, ...suspects].map((suspect) => contradictionFor(suspect.limiter, id));
    const found = preferred.find((each) => each !== undefined);
    if (found === undefined) return [];
    return [{ id, ...expectations[id], actual: found.sentence, records: found.records }];
  });
}

function contradictionFor(limiter: ModelVerdict, id: RequirementId): Counterevidence | undefined {
  return limiter.counterevidence.find((contradiction) => idOf(contradiction) === id);
}

function idOf(contradiction: Counterevidence): RequirementId {
  if (contradiction.part === 'refusal') return 'LIMIT-01';
  return contradiction.part === 'sustained' ? 'LIMIT-03' : 'LIMIT-02';
}

function idsOf(limiter: ModelVerdict): RequirementId[] {
  return [...new Set(limiter.counterevidence.map(idOf))].sort();
}
