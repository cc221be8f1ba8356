import { setTimeout as sleep } from 'node:timers/promises';
import { RecordColumns } from '../../ratelimit/record-columns.js';
import { driveEvenly, type Drive, type DriveOptions } from '../engine/drive.js';
import { timeoutMs } from '../scenario/run-steps.js';
import type { LocalClock } from './clock-offset.js';
import { partSchedule, shareOf, type Segment } from './part-schedule.js';
import type { PartDrive, PartRun } from './part-trace.js';

/** How one generator sends its share. */
export interface PartOptions extends Pick<
  DriveOptions,
  'url' | 'headers' | 'network' | 'trace' | 'source' | 'signal' | 'activity'
> {
  readonly run: PartRun;
  readonly part: number;
  /** The common clock less this generator's, as far as it is known now. */
  readonly offsetMs: number;
  readonly now: LocalClock;
}

/** Connections are opened so long before they are needed, so that a step needs no pause before it. */
const openingMs = 3_000;
/** A stalled client sends late rather than not at all; the trace says when. */
const queueMs = 2_000;

/** Waits in several pieces, as a clock may be corrected meanwhile. */
export async function waitUntil(atMs: number, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const leftMs = atMs - performance.now();
    if (leftMs <= 0 || signal?.aborted) return;
    await sleep(Math.min(leftMs, 10_000), undefined, signal && { signal }).catch(() => undefined);
  }
}

async function driveShare(options: PartOptions, segment: Segment, into: RecordColumns): Promise<Drive | null> {
  const { run, part, offsetMs, now, activity } = options;
  const share = shareOf(segment, part, run.parts);
  if (share.count === 0) return null;
  // This process's own clock of drives, which tells the same time from another origin.
  const startAtMs = run.startMs + share.atSeconds * 1000 - offsetMs - (now() - performance.now());
  await waitUntil(startAtMs - openingMs, options.signal);
  if (options.signal?.aborted) return null;
  const { count, ratePerSecond, connections } = share;
  const names = { plan: run.plan, scenario: segment.step.scenario };
  const drive = (): Promise<Drive> =>
    driveEvenly({ ...options, ...names, into, count, ratePerSecond, connections, startAtMs, timeoutMs, queueMs });
  const about = `${run.plan} sends ${count.toLocaleString('en')} (${segment.step.scenario})`;
  return activity === undefined ? drive() : activity.during(about, drive);
}

/** Sends one generator's share of a run at its instants; what was sent, on the clock `now`. */
export async function drivePart(
  options: PartOptions,
): Promise<{ readonly drives: readonly PartDrive[]; readonly records: RecordColumns }> {
  const { run, part, now } = options;
  const aheadMs = now() - performance.now();
  const segments = partSchedule(run.limits, run.parts);
  const counts = segments.map((segment) => shareOf(segment, part, run.parts).count);
  const records = RecordColumns.empty(counts.reduce((sum, count) => sum + count, 0));
  let from = 0;
  const drives = await Promise.all(
    segments.map((segment, at) => driveShare(options, segment, records.slice(from, (from += counts[at] ?? 0)))),
  );
  const shifted = (ms: number): number => ms + aheadMs;
  const { dueMs, sentMs, receivedMs } = records.columns;
  for (const column of [dueMs, sentMs, receivedMs]) column.forEach((ms, at) => (column[at] = shifted(ms)));
  return {
    records,
    drives: drives.map((drive, at) => ({
      count: counts[at] ?? 0,
      connections: drive?.connections ?? 0,
      startedMs: shifted(drive?.startedMs ?? 0),
      endedMs: shifted(drive?.endedMs ?? 0),
      trouble: drive?.trouble ?? null,
    })),
  };
}
