import { createHash, scryptSync } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { outcomes, RecordColumns, textFields } from '../../ratelimit/record-columns.js';
import type { TraceOutcome, TraceRecords } from '../../ratelimit/trace.js';
import { outcomeOf } from '../engine/trace-record.js';
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
  /** What all together send, where it is a soak. */
  readonly soak?: {
    readonly ratePerSecond: number;
    readonly durationSeconds: number;
    readonly rampSeconds: number;
    /** Digest of the operations. */
    readonly operations: string;
    readonly thresholds: readonly string[];
  };
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
  readonly records: TraceRecords;
  /** Lets go of the records of a file; they are read again when they are asked for. */
  readonly release?: () => void;
}

const partFormat = 'dealership-conformance load part 1';

/** The run that a generator takes part in. A key is slow to guess from what is kept of it. */
export function partRun(parts: Omit<PartRun, 'key' | 'suite'>, key: string): PartRun {
  const salt = `${parts.target} ${parts.plan} ${parts.startMs}`;
  return { suite: version, ...parts, key: scryptSync(key, salt, 16).toString('hex') };
}

/** Digest of all that has to be the same for every generator. */
export function identityOf(run: PartRun): string {
  const whole = JSON.stringify([run, run.soak === undefined ? partSchedule(run.limits, run.parts) : null]);
  return createHash('sha256').update(whole).digest('hex');
}

/** The header of a trace. */
export function headerOf(run: PartRun, rest: Omit<PartHeader, 'format' | 'identity' | 'run'>): PartHeader {
  return { format: partFormat, identity: identityOf(run), run, ...rest };
}

/** The last whole microsecond that is no later. */
function earlyUs(ms: number): number {
  const us = Math.round(ms * 1000);
  return us / 1000 > ms ? us - 1 : us;
}

const lateUs = (ms: number): number => -earlyUs(-ms);

const chunkLength = 2 ** 20;

/**
 * A trace as a file, compressed: the header as JSON, then a line a request. Its fields, between tabs: when it was sent, in microseconds after
 * the start of the run; how much later than planned; how much later the head of the answer was in; the status, or what became of it; the
 * headers. Instants are rounded away from each other, which only widens an interval.
 */
export function encodePart({ header, records }: Omit<PartTrace, 'file'>): Buffer {
  const startUs = Math.round(header.run.startMs * 1000);
  const chunks: Buffer[] = [];
  let lines = `${JSON.stringify(header)}\n`;
  for (const record of records) {
    const { dueMs, sentMs, receivedMs, outcome, status } = record;
    const sentUs = earlyUs(sentMs);
    const tookUs = Number.isFinite(receivedMs) ? lateUs(receivedMs) - sentUs : '';
    const texts = textFields.map((field) => record[field]?.replaceAll('\t', ' ') ?? '');
    const fields = [sentUs - startUs, sentUs - earlyUs(dueMs), tookUs, status ?? outcome, ...texts];
    lines += `${fields.join('\t').trimEnd()}\n`;
    if (lines.length > chunkLength) {
      chunks.push(Buffer.from(lines));
      lines = '';
    }
  }
  return gzipSync(Buffer.concat([...chunks, Buffer.from(lines)]));
}

/** Larger than any trace of `driveBounds`; a hostile file does not fill the memory. */
const mostBytes = 2 ** 30;
const leastLineBytes = 7;

/** Reads what `encodePart` wrote; null where it is anything else, or damaged. The bytes are asked for again with records that were released. */
export function decodePart(file: string, bytes: () => Buffer): PartTrace | null {
  try {
    const text = (): Buffer => gunzipSync(bytes(), { maxOutputLength: mostBytes });
    const { header, records } = decodeText(text());
    let kept: RecordColumns | null = records;
    return {
      file,
      header,
      get records() {
        return (kept ??= decodeText(text()).records);
      },
      release: () => void (kept = null),
    };
  } catch {
    return null;
  }
}

/** Throws where it is no trace. */
function decodeText(text: Buffer): { readonly header: PartHeader; readonly records: RecordColumns } {
  const begin = text.indexOf('\n') + 1;
  const header = JSON.parse(text.toString('utf8', 0, begin)) as PartHeader;
  const fits = isHeader(header) && header.requests * leastLineBytes <= text.length;
  const records = fits ? decodeRecords(text.subarray(begin), header) : null;
  if (records === null) throw new RangeError('not a trace');
  return { header, records };
}

const [tab, newline, minus, zero] = [9, 10, 45, 48];

/** Reads fields one after another, without a string for each. */
function fieldReader(text: Buffer) {
  let from = 0;
  let to = -1;
  return {
    beginLine: () => void (from = to += 1),
    isAtEnd: () => text[to] === newline,
    isDone: () => to + 1 === text.length,
    isEmpty: () => from === to,
    text: () => text.toString('utf8', from, to),
    /** Goes to the next field of the line, an empty one where there is none, and hands back the whole number that it is, or NaN. */
    next(): number {
      if (text[to] === tab) to += 1;
      from = to;
      if (text[to] === minus) to += 1;
      let value = 0;
      const digits = to;
      for (let byte = text[to]; byte !== undefined && byte !== tab && byte !== newline; byte = text[(to += 1)])
        value = byte >= zero && byte < zero + 10 ? value * 10 + byte - zero : NaN;
      if (to === digits) return NaN;
      return digits > from ? -value : value;
    },
    /** Whether the number of a field tells how it was written. */
    isPlain: () => to - from < 10 && text[from] !== minus && (text[from] !== zero || to - from === 1),
  };
}

/** Reads record `k`; whether it is one. */
function readRecord(
  reader: ReturnType<typeof fieldReader>,
  { columns, table }: RecordColumns,
  k: number,
  startUs: number,
): boolean {
  const sentUs = startUs + reader.next();
  const lateUs = reader.next();
  const tookUs = reader.next();
  const receivedUs = reader.isEmpty() ? Infinity : sentUs + tookUs;
  const status = reader.next();
  const outcome = Number.isNaN(status) ? (reader.text() as TraceOutcome) : outcomeOf(status);
  columns.sentMs[k] = sentUs / 1000;
  columns.dueMs[k] = (sentUs - lateUs) / 1000;
  columns.receivedMs[k] = receivedUs / 1000;
  columns.status[k] = status;
  columns.outcome[k] = outcomes.indexOf(outcome);
  for (const field of textFields) {
    const number = reader.next();
    if (!reader.isEmpty())
      columns[field][k] = reader.isPlain() && number >= 0 ? number + 1 : table.codeOf(reader.text());
  }
  return Number.isFinite(sentUs - lateUs) && receivedUs >= sentUs && outcomes.includes(outcome) && reader.isAtEnd();
}

/** The records in the lines of a trace; null where they are not as many as the header says, or not such lines. */
function decodeRecords(text: Buffer, { requests, run }: PartHeader): RecordColumns | null {
  const records = RecordColumns.empty(requests);
  const reader = fieldReader(text);
  for (let k = 0; k < requests; k += 1) {
    reader.beginLine();
    if (!readRecord(reader, records, k, Math.round(run.startMs * 1000))) return null;
  }
  return reader.isDone() ? records : null;
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
