import type { TraceRecord } from '../ratelimit/index.js';
import { type KeyName, planKeys, SettingsError } from '../settings/index.js';
import { booksOf, countsOf } from './engine/drive.js';
import type { PlanTrace } from './limit-traces.js';
import type { DrivenStep } from './scenario/scenario-runner.js';
import { lateAfterMs, lateShare } from './statistical-power.js';
import { lostTooMuch } from './under-driven.js';
import type { K6Trace } from './k6-output.js';
import { k6Schedule } from './k6-schedule.js';

/** What has to be the same for all instances, in words; a key is not shown. */
function namesOf({ run, key }: K6Trace): Readonly<Record<string, string>> {
  const limits = run.limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');
  return { target: run.target, plan: run.plan, limits, 'number of instances': String(run.instances), key };
}

/** Throws SettingsError, in one sentence, unless these are all instances of one run, each once. */
export function assertOneRun(instances: readonly K6Trace[]): void {
  const [first] = instances;
  if (first === undefined) throw new SettingsError('no file is given: expected the JSON outputs of k6.');
  const [expected, count] = [namesOf(first), first.run.instances];
  for (const instance of instances) {
    const found = namesOf(instance);
    const name = Object.keys(expected).find((one) => found[one] !== expected[one]);
    if (name === undefined) continue;
    const both = name === 'key' ? '' : ` (${found[name] ?? ''} and ${expected[name] ?? ''})`;
    throw new SettingsError(
      `${instance.file} is of another run than ${first.file}: the ${name} differs${both}; expected the outputs of one run.`,
    );
  }
  for (let at = 1; at <= count; at += 1) {
    const own = instances.filter(({ instance }) => instance === at);
    if (own.length === 0)
      throw new SettingsError(`instance ${at} of ${count} is missing: expected the outputs of all instances.`);
    if (own.length > 1)
      throw new SettingsError(
        `${own.map(({ file }) => file).join(' and ')} are both instance ${at} of ${count}: expected each instance once.`,
      );
  }
}

/** What all instances sent, as one trace. `generators` names the instance of each record. */
interface MergedInstances {
  readonly trace: PlanTrace;
  readonly generators: Uint8Array;
}

interface Sent {
  readonly instance: number;
  readonly record: TraceRecord;
}

/**
 * What all instances sent in one segment, in the order of sending. Each clock is wrong by up to `errorMs`, so the interval in which the
 * service decided grows by that at both ends: wrong clocks make a verdict weaker. How late a request was sent stays as it was.
 */
function sentIn(instances: readonly K6Trace[], at: number, errorMs: number): Sent[] {
  return instances
    .flatMap(({ instance, segments }) =>
      (segments[at]?.records ?? []).map((record): Sent => {
        const { dueMs, sentMs, receivedMs } = record;
        return {
          instance,
          record: { ...record, dueMs: dueMs - errorMs, sentMs: sentMs - errorMs, receivedMs: receivedMs + errorMs },
        };
      }),
    )
    .sort((a, b) => a.record.sentMs - b.record.sentMs);
}

/** Puts together what the instances of one run sent. Nothing is known of the key before the first request. */
export function mergeInstances(instances: readonly K6Trace[], errorMs: number): MergedInstances {
  const { run } = instances[0] as K6Trace;
  const steps: DrivenStep[] = [];
  const merged: Sent[] = [];
  for (const [at, { step, ratePerSecond }] of k6Schedule(run.limits, run.instances).entries()) {
    const own = sentIn(instances, at, errorMs);
    const records = own.map(({ record }) => record);
    const segments = instances.flatMap(({ segments: { [at]: segment } }) => segment ?? []);
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
    generators: Uint8Array.from(merged, ({ instance }) => instance),
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
export function poorShare({ run, instance, name, segments }: K6Trace): string | null {
  const lateMs = lateAfterMs(run.limits);
  const which = `instance ${instance} of ${run.instances} (${name})`;
  for (const [at, { step }] of k6Schedule(run.limits, run.instances).entries()) {
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
