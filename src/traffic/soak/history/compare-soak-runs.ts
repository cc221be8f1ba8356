import { median, medianAbsoluteDeviation } from 'simple-statistics';
import type { SoakRun } from './history.js';

/** A figure of one night beside the nights before it. */
export interface NightFigure {
  readonly name: keyof typeof figures;
  readonly value: number;
  /** Of the earlier nights: the median, and the median distance from it. */
  readonly usual: number;
  readonly spread: number;
  /** Whether it is above both bounds in this night, and in the night before as well. */
  readonly isAbove: boolean;
  readonly isRise: boolean;
}

/** A soak run compared with earlier runs. */
export interface SoakComparison {
  /** Of the latency. */
  readonly verdict: 'slower' | 'not slower' | 'cannot tell';
  readonly reason: string;
  /** How many more requests failed, in a sentence; null where it is no rise. */
  readonly moreErrors: string | null;
  /** Empty where there are too few earlier runs; without the latencies where too many requests failed. */
  readonly nights: readonly NightFigure[];
}

const errorShare = ({ service: { total } }: SoakRun): number => (total.due === 0 ? 0 : total.errors / total.due);

/** What is compared, and the least rise that is reported: of a latency a share, of the errors a tenth of a percentage point as well. */
const figures = {
  p50: { of: ({ service }: SoakRun) => service.total.p50Ms, least: 0 },
  p95: { of: ({ service }: SoakRun) => service.total.p95Ms, least: 0 },
  p99: { of: ({ service }: SoakRun) => service.total.p99Ms, least: 0 },
  errors: { of: errorShare, least: 0.001 },
} as const;

const smallestRise = 0.05;
const spreads = 3;
const mostRuns = 10;
/** The night before needs as many before it. */
const fewestRuns = 4;
/** Above this share of errors a latency means nothing: an error may be answered faster or slower than a success. */
const largestErrorShare = 0.05;

/** Whether a run is complete and had the same conditions as the current one. */
function isAlike(current: SoakRun, { conditions, service }: SoakRun): boolean {
  return (
    conditions === current.conditions &&
    service.ended === 'complete' &&
    service.ratePerSecond === current.service.ratePerSecond &&
    service.windowSeconds === current.service.windowSeconds
  );
}

/** A figure of the last of some nights beside up to ten before it; null where they are too few. */
function against(name: NightFigure['name'], nights: readonly SoakRun[]): Omit<NightFigure, 'isRise'> | null {
  const { of, least } = figures[name];
  const values = nights.map(of);
  const value = values.pop() ?? 0;
  const before = values.slice(-mostRuns);
  if (before.length < fewestRuns) return null;
  const [usual, spread] = [median(before), medianAbsoluteDeviation(before)];
  const isAbove = value - usual > spreads * spread && value - usual >= Math.max(smallestRise * usual, least);
  return { name, value, usual, spread, isAbove };
}

/**
 * Compares a run with up to ten earlier runs under the same conditions. A figure has risen where it is above their median by more than three
 * times their median absolute deviation and by at least 5 %, in this night and in the night before.
 */
export function compareSoakRuns(current: SoakRun, earlier: readonly SoakRun[]): SoakComparison {
  const none = { verdict: 'cannot tell', moreErrors: null, nights: [] } as const;
  if (current.service.ended !== 'complete') return { ...none, reason: 'this run was ended early' };
  const alike = earlier.filter((run) => isAlike(current, run));
  const isMeasured = (run: SoakRun): boolean => errorShare(run) <= largestErrorShare;
  const nights = (Object.keys(figures) as NightFigure['name'][]).flatMap((name): NightFigure[] => {
    if (name !== 'errors' && !isMeasured(current)) return [];
    const before = name === 'errors' ? alike : alike.filter(isMeasured);
    const tonight = against(name, [...before, current]);
    const last = against(name, before);
    return tonight === null || last === null ? [] : [{ ...tonight, isRise: tonight.isAbove && last.isAbove }];
  });
  const errors = nights.find(({ name }) => name === 'errors');
  const latencies = nights.filter(({ name }) => name !== 'errors');
  const risen = latencies.filter(({ isRise }) => isRise);
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const texts = (some: readonly NightFigure[]): string =>
    some.map(({ name, value, usual }) => `${name} ${value.toFixed(1)} ms, usually ${usual.toFixed(1)} ms`).join('; ');
  const reason = !isMeasured(current)
    ? `${percent(errorShare(current))} of the requests failed, and how long an error takes is not how fast a service is`
    : latencies.length === 0
      ? `${alike.length} comparable earlier runs, where ${fewestRuns + 1} are needed`
      : risen.length > 0
        ? `${texts(risen)}, in this night and in the night before`
        : texts(latencies);
  return {
    verdict: latencies.length === 0 ? 'cannot tell' : risen.length > 0 ? 'slower' : 'not slower',
    reason,
    moreErrors:
      errors?.isRise === true
        ? `${percent(errors.value)} of the requests failed, usually ${percent(errors.usual)}, in this night and in the night before`
        : null,
    nights,
  };
}
