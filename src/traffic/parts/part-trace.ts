import { createHash, scryptSync } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { TraceOutcome, TraceRecord } from '../../ratelimit/trace.js';
import type { Limit } from '../../settings/limits.js';
import type { PlanName } from '../../settings/target.js';
import { version } from '../../version.js';
import type { ClockOffset } from './clock-offset.js';
import { partSchedule } from './part-schedule.js';

/** What all generators of a run have in common. */
export interface PartRun {
  readonly suite: string;
  readonly target: string;
  readonly plan: PlanName;
  readonly limits: readonly Limit[];
  /** When the first slot is due, on the common clock; milliseconds since 1970. */
  readonly startMs: number;
  readonly parts: number;
  /** Tells whether two generators used the same key, and not which. */
  readonly key: string;
}

/** How one generator drove its share of a segment. */
export interface PartDrive {
  readonly count: number;
  readonly connections: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly trouble: string | null;
}

/** The first line of a trace. */
export interface PartHeader {
  readonly format: typeof partFormat;
  /** Digest of the run and its schedule. */
  readonly identity: string;
  readonly run: PartRun;
  /** From 1. */
  readonly part: number;
  readonly generator: string;
  /** The common clock less that of the generator, before the run and after it. */
  readonly clock: { readonly before: ClockOffset; readonly after: ClockOffset };
  /** One for each segment of the schedule. */
  readonly drives: readonly PartDrive[];
  readonly requests: number;
}

/** All that one generator sent, on its own clock. */
export interface PartTrace {
  /** How messages name it. */
  readonly file: string;
  readonly header: PartHeader;
  /** In the order of the segments. */
  readonly records: readonly TraceRecord[];
}

const partFormat = 'dealership-conformance load part 1';

/** The run that a generator takes part in. A key is slow to guess from what is kept of it. */
export function partRun(parts: Omit<PartRun, 'key' | 'suite'>, key: string): PartRun {
  const salt = `${parts.target} ${parts.plan} ${parts.startMs}`;
  return { suite: version, ...parts, key: scryptSync(key, salt, 16).toString('hex') };
}

/** Digest of all that has to be the same for every generator. */
export function identityOf(run: PartRun): string {
  const whole = JSON.stringify([run, partSchedule(run.limits, run.parts)]);
  return createHash('sha256').update(whole).digest('hex');
}

/** The header of a trace. */
export function headerOf(run: PartRun, rest: Omit<PartHeader, 'format' | 'identity' | 'run'>): PartHeader {
  return { format: partFormat, identity: identityOf(run), run, ...rest };
}

/** A trace as a file: JSON lines, compressed. */
export function encodePart({ header, records }: Omit<PartTrace, 'file'>): Buffer {
  const lines = [header, ...records.map((record) => ({ ...record, receivedMs: finite(record.receivedMs) }))];
  return gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);

/** Larger than any trace of `driveBounds`; a hostile file does not fill the memory. */
const mostBytes = 2 ** 30;

/** Reads what `encodePart` wrote; null where it is anything else, or damaged. */
export function decodePart(file: string, bytes: Buffer): PartTrace | null {
  try {
    const [first, ...rest] = gunzipSync(bytes, { maxOutputLength: mostBytes }).toString('utf8').trimEnd().split('\n');
    const header = JSON.parse(first ?? '') as PartHeader;
    const records = rest.map((line, index) => recordFrom(JSON.parse(line) as TraceRecord, index));
    return isHeader(header) && records.length === header.requests && records.every(isRecord)
      ? { file, header, records }
      : null;
  } catch {
    return null;
  }
}

function recordFrom(record: TraceRecord & { receivedMs: number | null }, index: number): TraceRecord {
  return { ...record, index, receivedMs: record.receivedMs ?? Infinity };
}

const outcomes: readonly TraceOutcome[] = ['accepted', 'refused', 'other', 'failed', 'timeout', 'unsent'];

function isRecord({ dueMs, sentMs, receivedMs, outcome, status }: TraceRecord): boolean {
  const timed = [dueMs, sentMs].every(Number.isFinite) && receivedMs >= sentMs;
  return timed && outcomes.includes(outcome) && (status === null || Number.isInteger(status));
}

const isOffset = (one: ClockOffset): boolean => one.leastMs <= one.mostMs;

function isHeader(header: PartHeader): boolean {
  const { run, clock, drives, part, requests } = header;
  return (
    header.format === partFormat &&
    Number.isInteger(run.parts) &&
    part >= 1 &&
    part <= run.parts &&
    header.identity === identityOf(run) &&
    isOffset(clock.before) &&
    isOffset(clock.after) &&
    drives.length === partSchedule(run.limits, run.parts).length &&
    drives.reduce((sum, { count }) => sum + count, 0) === requests
  );
}
