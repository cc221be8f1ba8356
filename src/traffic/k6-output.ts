import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { TraceRecord } from '../ratelimit/index.js';
import { errorCode, SettingsError } from '../settings/index.js';
import { version } from '../version.js';
import { limitHeaders, outcomeOf, unsentRecord } from './engine/drive.js';
import { k6Metric } from './export/export-limits.js';
import { lateAfterMs, lateShare } from './limit-verdicts.js';
import { identityOf, k6Schedule, shareOf, type K6Run } from './k6-schedule.js';

/** What one instance sent in one segment of the schedule. */
interface K6Segment {
  readonly records: readonly TraceRecord[];
  /** Why the first request that failed did so, or null. */
  readonly trouble: string | null;
}

/** All that one instance of k6 sent, on its own clock. */
export interface K6Trace {
  /** How messages name it. */
  readonly file: string;
  readonly run: K6Run;
  /** From 1. */
  readonly instance: number;
  /** Tells whether two instances used the same key, and not which. */
  readonly key: string;
  readonly startedMs: number;
  readonly segments: readonly K6Segment[];
}

interface Begun extends Pick<K6Trace, 'run' | 'instance' | 'key' | 'startedMs'> {
  readonly identity: string;
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
  readonly ended: number;
}

/** Calls `take` with each line; the last one may lack its end. */
async function eachLine(file: string, take: (line: string) => void): Promise<void> {
  const decoder = file.endsWith('.gz') ? createGunzip() : new PassThrough();
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
  const begun: Begun[] = [];
  const requests: Request[] = [];
  let ended = 0;
  await eachLine(file, (line) => {
    if (!line.includes(marker) || !line.includes('"point":')) return;
    const { data } = JSON.parse(line) as { data: { metadata: { point: string } } };
    const point = JSON.parse(data.metadata.point) as { begun?: Begun; request?: Request; ended?: unknown };
    if (point.begun !== undefined) begun.push(point.begun);
    if (point.request !== undefined) requests.push(point.request);
    if (point.ended !== undefined) ended += 1;
  });
  return { begun, requests, ended };
}

function recordOf(
  { sentMs, receivedMs, status, hasEnvelope, headers, timedOut }: Request,
  slot: TraceRecord,
): TraceRecord {
  if (status === 0) return { ...slot, sentMs, outcome: timedOut ? 'timeout' : 'failed' };
  const outcome = outcomeOf(status);
  return { ...slot, sentMs, receivedMs, status, outcome, ...limitHeaders(headers), hasEnvelope };
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
    records[slot] = recordOf(request, unsentRecord(0, dueMs[slot] ?? 0));
    slot -= 1;
  }
  return records;
}

/**
 * The same slots, where a clock that was set forward for a while cannot do harm: it shows requests later than they were sent, and none is
 * sent before it is due. Where many are late, its share is too poor anyway.
 */
function widened(records: readonly TraceRecord[], lateMs: number): readonly TraceRecord[] {
  const isLate = ({ sentMs, dueMs }: TraceRecord): boolean => sentMs - dueMs > lateMs;
  if (records.filter(isLate).length > lateShare * records.length) return records;
  return records.map((record) => (isLate(record) ? { ...record, sentMs: record.dueMs } : record));
}

/** What one instance noted, as a trace; a text, which follows the name of the file, where it is none. */
function traceFrom(file: string, { begun: all, requests, ended }: Noted): K6Trace | string {
  const [begun] = all;
  if (begun === undefined) return 'has no trace: expected the JSON output of a script that load export wrote';
  if (all.length > 1 || ended > 1) return 'holds several runs: expected one file for each instance of each run';
  const { run, instance, key, startedMs } = begun;
  if (run.suite !== version)
    return `is of a script of version ${run.suite}: expected one that this version (${version}) exported`;
  if (ended === 0) return 'is cut short: expected the output of a run that went to its end';
  if (begun.identity !== identityOf(run)) return 'is of a script that was changed: expected it as it was exported';
  const lateMs = lateAfterMs(run.limits);
  const segments: K6Segment[] = [];
  for (const [at, segment] of k6Schedule(run.limits, run.instances).entries()) {
    const { atSeconds, count, ratePerSecond } = shareOf(segment, instance, run.instances);
    const own = requests.filter((one) => one.segment === at);
    const dueMs = Array.from({ length: count }, (_, k) => startedMs + 1000 * (atSeconds + k / ratePerSecond));
    const records = fill(own, dueMs);
    if (records === null) return 'has more requests than one instance sends: expected the output of one instance';
    const early = records.reduce((most, record) => Math.max(most, record.dueMs - record.sentMs), 0);
    if (early > lateMs)
      return `has requests ${early.toFixed(0)} ms before they were due: its clock was set back while it sent, so nothing can be judged`;
    const trouble = own.find(({ error }) => error !== undefined)?.error ?? null;
    segments.push({ records: widened(records, lateMs), trouble });
  }
  return { file, run, instance, key, startedMs, segments };
}

/** Reads the JSON output of one instance of k6, compressed or not. Throws SettingsError. */
export async function readK6Output(file: string): Promise<K6Trace> {
  let trace: K6Trace | string;
  try {
    trace = traceFrom(file, await readPoints(file));
  } catch (error) {
    const code = errorCode(error);
    trace = /^E[A-Z]+$/.test(code)
      ? `cannot be read (${code}): expected the JSON output of k6`
      : 'is damaged or cut short: expected the JSON output of k6';
  }
  if (typeof trace === 'string') throw new SettingsError(`"${file}" ${trace}.`);
  return trace;
}
