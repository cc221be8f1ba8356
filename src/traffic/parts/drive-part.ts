import { setTimeout as sleep } from 'node:timers/promises';
import type { TraceRecord } from '../../ratelimit/trace.js';
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

async function driveShare(options: PartOptions, segment: Segment): Promise<Drive | null> {
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
    driveEvenly({ ...options, ...names, count, ratePerSecond, connections, startAtMs, timeoutMs, queueMs });
  const about = `${run.plan} sends ${count.toLocaleString('en')} (${segment.step.scenario})`;
  return activity === undefined ? drive() : activity.during(about, drive);
}

/** Sends one generator's share of a run at its instants; what was sent, on the clock `now`. */
export async function drivePart(
  options: PartOptions,
): Promise<{ readonly drives: readonly PartDrive[]; readonly records: readonly TraceRecord[] }> {
  const { run, now } = options;
  const aheadMs = now() - performance.now();
  const drives = await Promise.all(partSchedule(run.limits, run.parts).map((segment) => driveShare(options, segment)));
  const shifted = (ms: number): number => ms + aheadMs;
  const records = drives
    .flatMap((drive) => drive?.records ?? [])
    .map((record, index) => ({
      ...record,
      index,
      dueMs: shifted(record.dueMs),
      sentMs: shifted(record.sentMs),
      receivedMs: shifted(record.receivedMs),
    }));
  return {
    records,
    drives: drives.map((drive) => ({
      count: drive?.records.length ?? 0,
      connections: drive?.connections ?? 0,
      startedMs: shifted(drive?.startedMs ?? 0),
      endedMs: shifted(drive?.endedMs ?? 0),
      trouble: drive?.trouble ?? null,
    })),
  };
}
