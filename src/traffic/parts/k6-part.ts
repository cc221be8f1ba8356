import { createReadStream, openSync, readSync, closeSync } from 'node:fs';
import { basename } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { errorCode } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { version } from '../../version.js';
import { limitHeaders, outcomeOf, unsentRecord } from '../engine/trace-record.js';
import { identityBeforeKey, k6Metric } from '../export/export-limits.js';
import { lateAfterMs, lateShare } from '../statistical-power.js';
import { offsetFrom, shownBy, type ClockOffset } from './clock-offset.js';
import { partSchedule, shareOf } from './part-schedule.js';
import { headerOf, type PartDrive, type PartRun, type PartTrace } from './part-trace.js';

/** When the clock was asked and had answered, and what it showed. */
type Reading = readonly [number, number, string];

interface Begun {
  readonly run: Omit<PartRun, 'key'>;
  readonly identity: string;
  readonly part: number;
  readonly key: string;
  readonly isDate: boolean;
  readonly startedMs: number;
  readonly before: readonly Reading[];
}

interface Request {
  readonly segment: number;
  /** Its place among the requests that were sent; dropped ones have none. */
  readonly turn: number;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  readonly hasEnvelope: boolean | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly error?: string;
  readonly timedOut: boolean;
}

/** What one instance noted. */
interface Noted {
  readonly begun: readonly Begun[];
  readonly requests: readonly Request[];
  readonly ended: readonly { readonly after: readonly Reading[] }[];
}

function isCompressed(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(2);
    return readSync(handle, head) === 2 && head.equals(Buffer.from([0x1f, 0x8b]));
  } finally {
    closeSync(handle);
  }
}

/** Calls `take` with each line; the last one may lack its end. */
async function eachLine(file: string, take: (line: string) => void): Promise<void> {
  const decoder = isCompressed(file) ? createGunzip() : new PassThrough();
  await pipeline(createReadStream(file), decoder, async (chunks: AsyncIterable<Buffer>) => {
    let rest = '';
    for await (const chunk of chunks) {
      // What is looked for is ASCII, so a letter that is cut in two does no harm.
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(take);
    }
    take(rest);
  });
}

const marker = `"metric":"${k6Metric}"`;

/** Reads the points of the script among all that k6 writes. */
async function readPoints(file: string): Promise<Noted> {
  const noted = { begun: [] as Begun[], requests: [] as Request[], ended: [] as Noted['ended'][number][] };
  await eachLine(file, (line) => {
    if (!line.includes(marker) || !line.includes('"point":')) return;
    const { data } = JSON.parse(line) as { data: { metadata: { point: string } } };
    const point = JSON.parse(data.metadata.point) as {
      begun?: Begun;
      request?: Request;
      ended?: Noted['ended'][number];
    };
    if (point.begun !== undefined) noted.begun.push(point.begun);
    if (point.request !== undefined) noted.requests.push(point.request);
    if (point.ended !== undefined) noted.ended.push(point.ended);
  });
  return noted;
}

function offsetBy(readings: readonly Reading[], isDate: boolean): ClockOffset {
  const shown = readings.map(([sentMs, receivedMs, text]) => {
    const [fromMs, toMs] = shownBy(text, text, isDate) ?? [NaN, NaN];
    return { sentMs, receivedMs, fromMs, toMs };
  });
  return offsetFrom(
    shown.filter(({ fromMs }) => !Number.isNaN(fromMs)),
    isDate,
  );
}

function recordOf({
  sentMs,
  receivedMs,
  status,
  hasEnvelope,
  headers,
  timedOut,
}: Request): Omit<TraceRecord, 'index' | 'dueMs'> {
  if (status === 0)
    return { sentMs, receivedMs: Infinity, status: null, outcome: timedOut ? 'timeout' : 'failed', hasEnvelope };
  return { sentMs, receivedMs, status, outcome: outcomeOf(status), ...limitHeaders(headers.flat()), hasEnvelope };
}

/**
 * The slots of one segment, each with the latest request in turn that can be of it; unsent where k6 found no virtual user free. Null where
 * there are more requests than slots.
 */
function fill(requests: readonly Request[], dueMs: readonly number[]): TraceRecord[] | null {
  if (requests.length > dueMs.length) return null;
  const records = dueMs.map((due) => unsentRecord(0, due));
  const latestFirst = [...requests].sort((a, b) => b.turn - a.turn);
  let slot = dueMs.length - 1;
  for (const [at, request] of latestFirst.entries()) {
    // Enough slots stay for the requests before it.
    const least = requests.length - 1 - at;
    while (slot > least && (dueMs[slot] ?? 0) > request.sentMs + 1) slot -= 1;
    records[slot] = { ...unsentRecord(0, dueMs[slot] ?? 0), ...recordOf(request) };
    slot -= 1;
  }
  return records;
}

/**
 * The same slots, where a clock that was set forward for a while cannot do harm: it shows requests later than they were sent, and none is
 * sent before it is due. Where many are late, the part is too poor anyway.
 */
function widened(records: readonly TraceRecord[], lateMs: number): readonly TraceRecord[] {
  const isLate = ({ sentMs, dueMs }: TraceRecord): boolean => sentMs - dueMs > lateMs;
  if (records.filter(isLate).length > lateShare * records.length) return records;
  return records.map((record) => (isLate(record) ? { ...record, sentMs: record.dueMs } : record));
}

function driveOf(requests: readonly Request[], count: number, connections: number): PartDrive {
  const sent = requests.map(({ sentMs }) => sentMs);
  const startedMs = sent.reduce((least, one) => Math.min(least, one), Infinity);
  const endedMs = requests.reduce((most, { receivedMs }) => Math.max(most, receivedMs), 0);
  const trouble = requests.find(({ error }) => error !== undefined)?.error ?? null;
  return { count, connections, startedMs: requests.length === 0 ? 0 : startedMs, endedMs, trouble };
}

/** What one instance noted, as a part; a text, which follows the name of the file, where it is none. */
function partFrom(file: string, { begun: all, requests, ended }: Noted): PartTrace | string {
  const [begun] = all;
  if (begun === undefined) return 'has no trace: expected the JSON output of a script that load export wrote';
  if (all.length > 1 || ended.length > 1) return 'holds several runs: expected one file for each instance of each run';
  if (begun.run.suite !== version)
    return `is of a script of version ${begun.run.suite}: expected one that this version (${version}) exported`;
  const [{ after } = { after: null }] = ended;
  if (after === null) return 'is cut short: expected the output of a run that went to its end';
  const run: PartRun = { ...begun.run, key: begun.key };
  const schedule = partSchedule(run.limits, run.parts);
  if (begun.identity !== identityBeforeKey(begun.run))
    return 'is of a script that was changed: expected it as it was exported';
  const shares = schedule.map((segment) => shareOf(segment, begun.part, run.parts));
  const groups = shares.map((_, at) => requests.filter(({ segment }) => segment === at));
  const filled = shares.map(({ atSeconds, count, ratePerSecond }, at) => {
    const dueMs = Array.from({ length: count }, (_, k) => begun.startedMs + 1000 * (atSeconds + k / ratePerSecond));
    return fill(groups[at] ?? [], dueMs);
  });
  const lateMs = lateAfterMs(run.limits);
  const records = filled.flatMap((own) => widened(own ?? [], lateMs)).map((record, index) => ({ ...record, index }));
  if (filled.includes(null) || groups.flat().length < requests.length)
    return 'has more requests than its part: expected the output of one instance';
  const early = records.reduce((most, { sentMs, dueMs }) => Math.max(most, dueMs - sentMs), 0);
  if (early > lateMs)
    return `has requests ${early.toFixed(0)} ms before they were due: its clock was set back while it sent, so nothing can be judged`;
  const drives = shares.map(({ count, connections }, at) => driveOf(groups[at] ?? [], count, connections));
  const clock = { before: offsetBy(begun.before, begun.isDate), after: offsetBy(after, begun.isDate) };
  const generator = basename(file);
  const header = headerOf(run, { part: begun.part, generator, clock, drives, requests: records.length });
  return { file, header, records };
}

/** Reads the JSON output of one instance of k6, compressed or not. Throws SettingsError. */
export async function readK6Part(file: string): Promise<PartTrace> {
  let part: PartTrace | string;
  try {
    part = partFrom(file, await readPoints(file));
  } catch (error) {
    const code = errorCode(error);
    part = /^E[A-Z]+$/.test(code)
      ? `cannot be read (${code}): expected the JSON output of k6`
      : 'is damaged or cut short: expected the JSON output of k6';
  }
  if (typeof part === 'string') throw new SettingsError(`"${file}" ${part}.`);
  return part;
}
