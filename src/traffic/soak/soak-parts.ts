import { gunzipSync, gzipSync } from 'node:zlib';
import { identityOf, type PartHeader, type PartRun } from '../parts/part-trace.js';
import type { SoakRun } from './history/history.js';
import { isSoakRun } from './history/is-soak-run.js';
import { judge } from './judge.js';
import { newTally, tallyOf, type Tally } from './latency.js';
import { slotsOf, summaryOf, windowOf, type PartReport, type SoakReport, type SoakSummary } from './run-soak.js';
import { parseThreshold } from './thresholds.js';

/** What every generator of a soak is asked for. */
export type SoakShape = NonNullable<PartRun['soak']>;

/** One generator's share of a soak. */
export interface SoakPart {
  /** How messages name it. */
  readonly file: string;
  readonly header: Pick<PartHeader, 'identity' | 'part' | 'generator' | 'clock'> & {
    readonly format: typeof soakPartFormat;
    readonly run: PartRun & { readonly soak: SoakShape };
  };
  readonly service: PartReport;
  readonly control: PartReport | null;
}

export const soakPartFormat = 'dealership-conformance soak part 1';
const mostBytes = 2 ** 29;

/** A part as a file. */
export function encodeSoakPart({ header, service, control }: Omit<SoakPart, 'file'>): Buffer {
  return gzipSync(JSON.stringify({ header, service, control }));
}

/** Reads what `encodeSoakPart` wrote; null where it is anything else, or damaged. */
export function decodeSoakPart(file: string, bytes: Buffer): SoakPart | null {
  try {
    const text = gunzipSync(bytes, { maxOutputLength: mostBytes }).toString('utf8');
    const part = { ...(JSON.parse(text) as Omit<SoakPart, 'file'>), file };
    const { header, service } = part;
    const isWhole = [service, part.control ?? service].every(({ windows }) =>
      windows.every(({ histogram }) => histogram),
    );
    return header.format === soakPartFormat &&
      header.identity === identityOf(header.run) &&
      isWhole &&
      isSoakRun(runOf(part, part))
      ? part
      : null;
  } catch {
    return null;
  }
}

/** Some reports of parts as an entry of the history. */
function runOf({ header: { run } }: SoakPart, { service, control }: Pick<SoakRun, 'service' | 'control'>): SoakRun {
  const { soak, plan, parts, target, startMs } = run;
  return {
    format: 'dealership-soak-run/1',
    started: new Date(startMs).toISOString(),
    target,
    conditions: `${plan}, operations ${soak.operations}, ramp ${soak.rampSeconds} s, ${parts} generators`,
    service,
    control,
  };
}

/** Why a generator's share is no fair part of the load, in words; null where it is one. */
export function poorSoakShare({ header, service }: SoakPart): string | null {
  const { run, part, generator } = header;
  const planned = slotsOf(run.soak, part, run.parts);
  const { due } = service.total;
  return service.ended === 'complete' && due === planned
    ? null
    : `part ${part} of ${run.parts} (${generator}) sent ${due} of its ${planned} requests`;
}

/** Adds what several summaries counted: histograms bin by bin, which loses nothing. */
function addedTally(summaries: readonly SoakSummary[]): Tally {
  const sum = newTally();
  const tallies = summaries.map(tallyOf);
  for (const { latency, statuses, due, errors, bareEnvelopes } of tallies) {
    sum.latency.add(latency);
    for (const [status, count] of statuses) sum.statuses.set(status, (sum.statuses.get(status) ?? 0) + count);
    sum.due += due;
    sum.errors += errors;
    sum.bareEnvelopes += bareEnvelopes;
  }
  const answered = tallies.filter(({ latency }) => latency.totalCount > 0);
  const extremes = (of: 'maxMs' | 'minMs'): number[] => answered.map(({ exact }) => exact?.[of] ?? 0);
  return { ...sum, exact: { maxMs: Math.max(0, ...extremes('maxMs')), minMs: Math.min(...extremes('minMs')) } };
}

/** Puts the elements of several lists together that have the same key. */
function grouped<T>(lists: readonly (readonly T[])[], keyOf: (one: T) => string | number): T[][] {
  const groups = new Map<string | number, T[]>();
  for (const one of lists.flat()) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}

/** One report of what several generators saw at the same time; thresholds are decided on all of it together. */
function mergeReports(reports: readonly PartReport[], { ratePerSecond, thresholds }: SoakShape): SoakReport {
  const [first] = reports as readonly [PartReport, ...PartReport[]];
  const { traceId: _, ...common } = first;
  const total = addedTally(reports.map((one) => one.total));
  const windows = grouped(
    reports.map((one) => one.windows),
    ({ startSeconds }) => startSeconds,
  );
  const operations = grouped(
    reports.map((one) => one.operations),
    ({ name }) => name,
  );
  const sum = (of: 'connections' | 'queued'): number => reports.reduce((all, one) => all + (one[of] ?? 0), 0);
  return {
    ...common,
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
    ratePerSecond,
    connections: sum('connections'),
    queued: sum('queued'),
    total: summaryOf('all', total, true),
    operations: operations.map((own) => summaryOf(own[0]?.name ?? '', addedTally(own), true)),
    windows: windows
      .map((own) => windowOf(addedTally(own), own[0]?.startSeconds ?? 0))
      .sort((a, b) => a.startSeconds - b.startSeconds),
    thresholds: thresholds.map((text) => judge(parseThreshold(text), total)),
  };
}

/** The soak that all generators sent together, as an entry of the history. Without a control of each of them there is none. */
export function mergeSoakParts(parts: readonly SoakPart[]): SoakRun {
  const [first] = parts as readonly [SoakPart, ...SoakPart[]];
  const { soak } = first.header.run;
  const controls = parts.flatMap(({ control }) => control ?? []);
  return runOf(first, {
    service: mergeReports(
      parts.map(({ service }) => service),
      soak,
    ),
    control: controls.length < parts.length ? null : mergeReports(controls, { ...soak, thresholds: [] }),
  });
}
