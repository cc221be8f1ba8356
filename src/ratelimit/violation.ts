import type { Counterevidence } from './counterevidence.js';
import type { ModelName } from './model.js';

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
  /** The same for the vendor, without the trace. */
  readonly plain?: string;
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
    const plain = found.plain === undefined ? {} : { plain: found.plain };
    return [{ id, ...expectations[id], actual: found.sentence, ...plain, records: found.records }];
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
