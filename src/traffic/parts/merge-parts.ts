import { planKeys, type KeyName } from '../../settings/target.js';
import { argsort } from '../../ratelimit/rank.js';
import { RecordColumns, textFields } from '../../ratelimit/record-columns.js';
import { SettingsError } from '../../settings/settings-error.js';
import { booksOf, countsOf } from '../engine/drive.js';
import type { PlanTrace } from '../limit-traces.js';
import type { DrivenStep } from '../scenario/scenario-runner.js';
import { lateAfterMs, lateShare } from '../statistical-power.js';
import { lostTooMuch } from '../under-driven.js';
import { hullOf } from './clock-offset.js';
import { partSchedule } from './part-schedule.js';
import type { PartRun, PartTrace } from './part-trace.js';

const fields: readonly (readonly [keyof PartRun, string])[] = [
  ['target', 'target'],
  ['plan', 'plan'],
  ['limits', 'limits'],
  ['parts', 'number of parts'],
  ['startMs', 'start'],
  ['key', 'key'],
  ['suite', 'version of the suite'],
  ['soak', 'soak'],
];

/** What tells parts of runs apart, of whatever kind. */
type AnyPart = Pick<PartTrace, 'file'> & { readonly header: Pick<PartTrace['header'], 'identity' | 'part' | 'run'> };

function shown(field: keyof PartRun, run: PartRun): string {
  if (field === 'startMs') return new Date(run.startMs).toISOString();
  if (field === 'limits') return run.limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');
  if (field === 'soak') return JSON.stringify(run.soak ?? 'none');
  return String(run[field]);
}

/** Throws SettingsError, in one sentence, unless these are all parts of one run, each once. */
export function assertOneRun(parts: readonly AnyPart[]): void {
  const [first] = parts;
  if (first === undefined) throw new SettingsError('no trace is given: expected the files that load --part wrote.');
  const { run } = first.header;
  for (const { file, header } of parts) {
    if (header.identity === first.header.identity) continue;
    const [field, name] = fields.find(([one]) => shown(one, header.run) !== shown(one, run)) ?? ['suite', 'schedule'];
    const both = field === 'key' ? '' : ` (${shown(field, header.run)} and ${shown(field, run)})`;
    throw new SettingsError(
      `${file} is of another run than ${first.file}: the ${name} differs${both}; expected the parts of one run.`,
    );
  }
  for (let part = 1; part <= run.parts; part += 1) {
    const own = parts.filter(({ header }) => header.part === part);
    if (own.length === 0)
      throw new SettingsError(`part ${part} of ${run.parts} is missing: expected the traces of all generators.`);
    if (own.length > 1)
      throw new SettingsError(
        `${own.map(({ file }) => file).join(' and ')} are both part ${part} of ${run.parts}: expected each part once.`,
      );
  }
}

/** All that the offset of a generator can have been meanwhile, if it drifted one way. */
export function offsetOf({ header: { clock } }: PartTrace): ReturnType<typeof hullOf> {
  return hullOf([clock.before, clock.after]);
}

/** The records of each part by segment. */
function bySegment({ header, records }: PartTrace): RecordColumns[] {
  const columns = RecordColumns.of(records);
  let from = 0;
  return header.drives.map(({ count }) => columns.slice(from, (from += count)));
}

/** What all generators sent, as one trace. `generators` names the part of each record. */
export interface MergedParts {
  readonly trace: PlanTrace<RecordColumns>;
  readonly generators: Uint8Array;
}

/** What one generator sent in one segment, and the codes of the merged trace for its own texts. */
interface Run {
  readonly part: PartTrace;
  readonly offset: ReturnType<typeof offsetOf>;
  readonly records: RecordColumns;
  readonly codes: Map<number, number>;
}

/**
 * Copies a record to place `to`, on the common clock. How far the clocks are apart is known within bounds only, so the interval in which the
 * service decided grows by that: a wrong clock makes a verdict weaker. How late it was sent stays as it was.
 */
function copyMoved({ columns, table }: RecordColumns, to: number, { offset, records, codes }: Run, at: number): void {
  const { leastMs, mostMs } = offset;
  columns.dueMs[to] = (records.columns.dueMs[at] ?? 0) + leastMs;
  columns.sentMs[to] = (records.columns.sentMs[at] ?? 0) + leastMs;
  columns.receivedMs[to] = (records.columns.receivedMs[at] ?? 0) + mostMs;
  columns.outcome[to] = records.columns.outcome[at] ?? 0;
  columns.status[to] = records.columns.status[at] ?? 0;
  for (const field of textFields) {
    const code = records.columns[field][at] ?? 0;
    if (code === 0) continue;
    const known = code > 0 ? code : (codes.get(code) ?? table.codeOf(records.table.textOf(code)));
    if (code < 0) codes.set(code, known);
    columns[field][to] = known;
  }
}

/** Puts parts of one run together, on the common clock. Nothing is known of the key before the first request. */
export function mergeParts(parts: readonly PartTrace[]): MergedParts {
  const run = parts[0]?.header.run as PartRun;
  const total = parts.reduce((sum, { header }) => sum + header.requests, 0);
  const records = RecordColumns.empty(total);
  const generators = new Uint8Array(total);
  const shares = parts.map((part) => ({
    part,
    offset: offsetOf(part),
    own: bySegment(part),
    codes: new Map<number, number>(),
  }));
  const steps: DrivenStep[] = [];
  let firstIndex = 0;
  for (const [at, { step, ratePerSecond }] of partSchedule(run.limits, run.parts).entries()) {
    const runs = shares.flatMap(({ own: { [at]: own }, ...rest }) =>
      own === undefined ? [] : { ...rest, records: own },
    );
    mergeRuns(records, generators, firstIndex, runs);
    const drives = parts.map(({ header }) => header.drives[at]);
    const count = runs.reduce((sum, one) => sum + one.records.length, 0);
    steps.push({
      scenario: step.scenario,
      step,
      firstIndex,
      count,
      drive: {
        ...wholeBooksOf(records.slice(firstIndex, firstIndex + count)),
        ratePerSecond: step.kind === 'fast' ? null : ratePerSecond,
        connections: drives.reduce((sum, one) => sum + (one?.connections ?? 0), 0),
        trouble: drives.find((one) => one?.trouble != null)?.trouble ?? null,
      },
    });
    firstIndex += count;
  }
  earliestFirst(records, steps);
  const keyName: KeyName | null = run.plan in planKeys ? planKeys[run.plan as keyof typeof planKeys] : null;
  const subject = { plan: run.plan, keyName, limits: run.limits, url: run.target };
  return { trace: { subject, conducted: { records, steps }, idleBeforeMs: 0, unusable: null }, generators };
}

/** Writes the records of one segment from place `to` on, in the order in which they were sent; of those sent at once, in the order of the parts. */
function mergeRuns(merged: RecordColumns, generators: Uint8Array, to: number, runs: readonly Run[]): void {
  const total = runs.reduce((sum, { records }) => sum + records.length, 0);
  const keys = new Float64Array(total);
  const owner = new Uint8Array(total);
  const begins: number[] = [];
  let from = 0;
  for (const [k, { offset, records }] of runs.entries()) {
    begins.push(from);
    for (let at = 0; at < records.length; at += 1) keys[from + at] = (records.columns.sentMs[at] ?? 0) + offset.leastMs;
    owner.fill(k, from, (from += records.length));
  }
  argsort(keys).forEach((place, rank) => {
    const k = owner[place] ?? 0;
    const run = runs[k];
    if (run === undefined) return;
    copyMoved(merged, to + rank, run, place - (begins[k] ?? 0));
    generators[to + rank] = run.part.header.part;
  });
}

/**
 * Lets no record be sent before the first one of its segment or of an earlier one, so that what comes before a segment did so certainly.
 * Where clocks are uncertain, the first one's interval grows: that is always allowed.
 */
function earliestFirst({ columns: { sentMs } }: RecordColumns, steps: readonly DrivenStep[]): void {
  let leastMs = Infinity;
  for (const { firstIndex } of [...steps].reverse()) {
    if (firstIndex >= sentMs.length) continue;
    leastMs = Math.min(leastMs, sentMs[firstIndex] ?? Infinity);
    sentMs[firstIndex] = leastMs;
  }
}

function wholeBooksOf(records: RecordColumns): Omit<DrivenStep['drive'], 'ratePerSecond' | 'connections' | 'trouble'> {
  const { sentMs, receivedMs } = records.columns;
  const endedMs = receivedMs.reduce((last, ms, at) => Math.max(last, ms === Infinity ? (sentMs[at] ?? 0) : ms), 0);
  return { startedMs: sentMs[0] ?? 0, endedMs, ...booksOf(records) };
}

/** Why a generator's share is no fair part of the load, in words: it sent too little, or too late; null where it is one. */
export function poorShare(part: PartTrace): string | null {
  const { run, drives } = part.header;
  const lateMs = lateAfterMs(run.limits);
  const name = `part ${part.header.part} of ${run.parts} (${part.header.generator})`;
  for (const [at, own] of bySegment(part).entries()) {
    const segment = partSchedule(run.limits, run.parts)[at];
    const drive = drives[at];
    if (segment === undefined || drive === undefined || own.length === 0) continue;
    const { scenario } = segment.step;
    const books = { ...countsOf(own), ...drive, ratePerSecond: null };
    const step = { scenario, step: segment.step, firstIndex: 0, count: own.length, drive: books };
    const lost = lostTooMuch(step, scenario !== 'burst');
    if (lost !== null) return `${name}: ${lost}`;
    const { sentMs, dueMs } = own.columns;
    const late = sentMs.filter((ms, k) => ms - (dueMs[k] ?? 0) > lateMs).length;
    if (late > lateShare * own.length)
      return `${name}: ${late} of ${own.length} requests of ${scenario} were sent more than ${lateMs.toFixed(0)} ms late`;
  }
  return null;
}
