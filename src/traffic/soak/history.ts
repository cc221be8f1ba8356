import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject } from '../../openapi/index.js';
import { writeWhole } from '../../settings/index.js';
import type { SoakReport } from './run-soak.js';
import { median, medianAbsoluteDeviation } from 'simple-statistics';

/** One soak run: the load on the service, and the same load on the reference service right after it (`control`), where it was run. */
export interface SoakRun {
  readonly format: 'dealership-soak-run/1';
  readonly started: string;
  readonly target: string;
  /** Two runs are comparable only where this is equal: plan and digest of the operations. */
  readonly conditions: string;
  readonly service: SoakReport;
  readonly control: SoakReport | null;
}

const dayMs = 86_400_000;

/** Whether a parsed file has what comparisons read, and did not begin in the future, apart from clock differences of up to a day. */
function isSoakRun(value: unknown): value is SoakRun {
  const run = asObject(value);
  const service = asObject(run?.['service']);
  const total = asObject(service?.['total']);
  const texts = [run?.['started'], run?.['target'], run?.['conditions'], service?.['ended']];
  const figures = ['due', 'errors', 'p50Ms', 'p95Ms', 'p99Ms'].map((name) => total?.[name]);
  return (
    run?.['format'] === 'dealership-soak-run/1' &&
    texts.every((one) => typeof one === 'string') &&
    [service?.['ratePerSecond'], ...figures].every((one) => typeof one === 'number') &&
    Date.parse(String(run['started'])) < Date.now() + dayMs
  );
}

function readSoakRun(path: string): SoakRun | null {
  try {
    const run: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isSoakRun(run) ? run : null;
  } catch {
    return null;
  }
}

/** The soak runs in a folder but for one file, oldest first; `onSkipped` hears of files that are incomplete or in another format. */
export function readSoakRuns(folder: string, onSkipped?: (path: string) => void, except?: string): readonly SoakRun[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const paths = names.map((name) => join(folder, name)).filter((path) => path !== except);
  const runs = paths.flatMap((path): SoakRun[] => {
    const run = readSoakRun(path);
    if (run === null) onSkipped?.(path);
    return run === null ? [] : [run];
  });
  return runs.sort((a, b) => Date.parse(a.started) - Date.parse(b.started));
}

/** Adds one file to the history and hands back its path; no other run has that name, and a crash leaves at most a `.part` file behind. */
export function saveSoakRun(folder: string, run: SoakRun): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.started.replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}.json`);
  writeWhole(path, `${JSON.stringify(run)}\n`);
  return path;
}

/** A figure of one night beside the nights before it. */
interface NightFigure {
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

/** Whether a run is complete and had the same target and conditions as the current one. */
function isAlike(current: SoakRun, { target, conditions, service }: SoakRun): boolean {
  return (
    target === current.target &&
    conditions === current.conditions &&
    service.ended === 'complete' &&
    service.ratePerSecond === current.service.ratePerSecond
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
