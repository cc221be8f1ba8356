import type { TraceRecord } from '../../ratelimit/trace.js';
import { SettingsError } from '../../settings/settings-error.js';
import { planKeys, type KeyName } from '../../settings/target.js';
import { booksOf, countsOf } from '../engine/drive.js';
import type { PlanTrace } from '../limit-traces.js';
import type { DrivenStep } from '../scenario/scenario-runner.js';
import { lateAfterMs, lateShare } from '../statistical-power.js';
import { lostTooMuch } from '../under-driven.js';
import type { PartTrace } from './k6-part.js';
import { partSchedule } from './part-schedule.js';

/** What has to be the same for all parts, in words; a key is not shown. */
function namesOf({ run, key }: PartTrace): Readonly<Record<string, string>> {
  const limits = run.limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');
  return { target: run.target, plan: run.plan, limits, 'number of instances': String(run.parts), key };
}

/** Throws SettingsError, in one sentence, unless these are all parts of one run, each once. */
export function assertOneRun(parts: readonly PartTrace[]): void {
  const [first] = parts;
  if (first === undefined) throw new SettingsError('no file is given: expected the JSON outputs of k6.');
  const [expected, count] = [namesOf(first), first.run.parts];
  for (const part of parts) {
    const found = namesOf(part);
    const name = Object.keys(expected).find((one) => found[one] !== expected[one]);
    if (name === undefined) continue;
    const both = name === 'key' ? '' : ` (${found[name] ?? ''} and ${expected[name] ?? ''})`;
    throw new SettingsError(
      `${part.file} is of another run than ${first.file}: the ${name} differs${both}; expected the outputs of one run.`,
    );
  }
  for (let at = 1; at <= count; at += 1) {
    const own = parts.filter(({ part }) => part === at);
    if (own.length === 0)
      throw new SettingsError(`part ${at} of ${count} is missing: expected the outputs of all instances.`);
    if (own.length > 1)
      throw new SettingsError(
        `${own.map(({ file }) => file).join(' and ')} are both part ${at} of ${count}: expected each part once.`,
      );
  }
}

/** What all instances sent, as one trace. `generators` names the part of each record. */
interface MergedParts {
  readonly trace: PlanTrace;
  readonly generators: Uint8Array;
}

interface Sent {
  readonly part: number;
  readonly record: TraceRecord;
}

/**
 * What all instances sent in one segment, in the order of sending. Each clock is wrong by up to `errorMs`, so the interval in which the
 * service decided grows by that at both ends: wrong clocks make a verdict weaker. How late a request was sent stays as it was.
 */
function sentIn(parts: readonly PartTrace[], at: number, errorMs: number): Sent[] {
  return parts
    .flatMap(({ part, segments }) =>
      (segments[at]?.records ?? []).map((record): Sent => {
        const { dueMs, sentMs, receivedMs } = record;
        return {
          part,
          record: { ...record, dueMs: dueMs - errorMs, sentMs: sentMs - errorMs, receivedMs: receivedMs + errorMs },
        };
      }),
    )
    .sort((a, b) => a.record.sentMs - b.record.sentMs);
}

/** Puts parts of one run together. Nothing is known of the key before the first request. */
export function mergeParts(parts: readonly PartTrace[], errorMs: number): MergedParts {
  const { run } = parts[0] as PartTrace;
  const steps: DrivenStep[] = [];
  const merged: Sent[] = [];
  for (const [at, { step, ratePerSecond }] of partSchedule(run.limits, run.parts).entries()) {
    const own = sentIn(parts, at, errorMs);
    const records = own.map(({ record }) => record);
    const segments = parts.flatMap(({ segments: { [at]: segment } }) => segment ?? []);
    const firstIndex = merged.length;
    for (const one of own) merged.push(one);
    steps.push({
      scenario: step.scenario,
      step,
      firstIndex,
      count: own.length,
      drive: {
        startedMs: records[0]?.sentMs ?? 0,
        endedMs: records.reduce(
          (last, { sentMs, receivedMs }) => Math.max(last, receivedMs === Infinity ? sentMs : receivedMs),
          0,
        ),
        ...booksOf(records),
        ratePerSecond: step.kind === 'fast' ? null : ratePerSecond,
        connections: segments.reduce((sum, { connections }) => sum + connections, 0),
        trouble: segments.find(({ trouble }) => trouble !== null)?.trouble ?? null,
      },
    });
  }
  const records = merged.map(({ record }, index) => ({ ...record, index }));
  earliestFirst(records, steps);
  const keyName: KeyName | null = run.plan in planKeys ? planKeys[run.plan as keyof typeof planKeys] : null;
  const subject = { plan: run.plan, keyName, limits: run.limits, url: run.target };
  return {
    trace: { subject, conducted: { records, steps }, idleBeforeMs: 0, unusable: null },
    generators: Uint8Array.from(merged, ({ part }) => part),
  };
}

/**
 * Lets no record be sent before the first one of its segment or of an earlier one, so that what comes before a segment did so certainly.
 * Where clocks are uncertain, the first one's interval grows: that is always allowed.
 */
function earliestFirst(records: { sentMs: number }[], steps: readonly DrivenStep[]): void {
  let leastMs = Infinity;
  for (const { firstIndex } of [...steps].reverse()) {
    const first = records[firstIndex];
    if (first !== undefined) leastMs = first.sentMs = Math.min(leastMs, first.sentMs);
  }
}

/** Why an instance's share is no fair part of the load, in words: it sent too little, or too late; null where it is one. */
export function poorShare({ run, part, name, segments }: PartTrace): string | null {
  const lateMs = lateAfterMs(run.limits);
  const which = `part ${part} of ${run.parts} (${name})`;
  for (const [at, { step }] of partSchedule(run.limits, run.parts).entries()) {
    const { records = [], connections = 0, trouble = null } = segments[at] ?? {};
    const { scenario } = step;
    const drive = { ...countsOf(records), connections, trouble, ratePerSecond: null, startedMs: 0, endedMs: 0 };
    const lost = lostTooMuch({ scenario, step, firstIndex: 0, count: records.length, drive }, scenario !== 'burst');
    if (lost !== null) return `${which}: ${lost}`;
    const late = records.filter(({ sentMs, dueMs }) => sentMs - dueMs > lateMs).length;
    if (late > lateShare * records.length)
      return `${which}: ${late} of ${records.length} requests of ${scenario} were sent more than ${lateMs.toFixed(0)} ms late`;
  }
  return null;
}
