import { planKeys, type KeyName } from '../../settings/target.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { SettingsError } from '../../settings/settings-error.js';
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
];

function shown(field: keyof PartRun, run: PartRun): string {
  if (field === 'startMs') return new Date(run.startMs).toISOString();
  if (field === 'limits') return run.limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');
  return String(run[field]);
}

/** Throws SettingsError, in one sentence, unless these are all parts of one run, each once. */
export function assertOneRun(parts: readonly PartTrace[]): void {
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

/**
 * One record on the common clock. How far the clocks are apart is known within bounds only, so the interval in which the service decided
 * grows by that: a wrong clock makes a verdict weaker. How late it was sent stays as it was.
 */
function moved(record: TraceRecord, { leastMs, mostMs }: ReturnType<typeof offsetOf>): TraceRecord {
  return {
    ...record,
    dueMs: record.dueMs + leastMs,
    sentMs: record.sentMs + leastMs,
    receivedMs: record.receivedMs + mostMs,
  };
}

/** All that the offset of a generator can have been meanwhile, if it drifted one way. */
export function offsetOf({ header: { clock } }: PartTrace): ReturnType<typeof hullOf> {
  return hullOf([clock.before, clock.after]);
}

/** The records of each part by segment. */
function bySegment({ header, records }: PartTrace): TraceRecord[][] {
  let from = 0;
  return header.drives.map(({ count }) => records.slice(from, (from += count)));
}

/** What all generators sent, as one trace. `generators` names the part of each record. */
export interface MergedParts {
  readonly trace: PlanTrace;
  readonly generators: readonly number[];
}

/** Puts parts of one run together, on the common clock. Nothing is known of the key before the first request. */
export function mergeParts(parts: readonly PartTrace[]): MergedParts {
  const run = parts[0]?.header.run as PartRun;
  const segments = partSchedule(run.limits, run.parts);
  const shares = parts.map((part) => bySegment(part).map((own) => own.map((one) => moved(one, offsetOf(part)))));
  const steps: DrivenStep[] = [];
  const records: TraceRecord[] = [];
  const generators: number[] = [];
  for (const [at, { step, ratePerSecond }] of segments.entries()) {
    const firstIndex = records.length;
    const own = shares
      .flatMap((share, k) => (share[at] ?? []).map((record) => ({ record, part: parts[k]?.header.part ?? 0 })))
      .sort((a, b) => a.record.sentMs - b.record.sentMs);
    for (const { record, part } of own) {
      records.push({ ...record, index: records.length });
      generators.push(part);
    }
    const drives = parts.map(({ header }) => header.drives[at]);
    steps.push({
      scenario: step.scenario,
      step,
      firstIndex,
      count: own.length,
      drive: {
        ...booksOf(records.slice(firstIndex)),
        ratePerSecond: step.kind === 'fast' ? null : ratePerSecond,
        connections: drives.reduce((sum, one) => sum + (one?.connections ?? 0), 0),
        trouble: drives.find((one) => one?.trouble != null)?.trouble ?? null,
      },
    });
  }
  const keyName: KeyName | null = run.plan in planKeys ? planKeys[run.plan as keyof typeof planKeys] : null;
  const subject = { plan: run.plan, keyName, limits: run.limits, url: run.target };
  const conducted = { records: earliestFirst(records, steps), steps };
  return { trace: { subject, conducted, idleBeforeMs: 0, unusable: null }, generators };
}

/**
 * Lets no record be sent before the first one of its segment or of an earlier one, so that what comes before a segment did so certainly.
 * Where clocks are uncertain, the first one's interval grows: that is always allowed.
 */
function earliestFirst(records: readonly TraceRecord[], steps: readonly DrivenStep[]): TraceRecord[] {
  const all = [...records];
  let leastMs = Infinity;
  for (const { firstIndex } of [...steps].reverse()) {
    const first = all[firstIndex];
    if (first === undefined) continue;
    leastMs = Math.min(leastMs, first.sentMs);
    all[firstIndex] = { ...first, sentMs: leastMs };
  }
  return all;
}

function booksOf(
  records: readonly TraceRecord[],
): Omit<DrivenStep['drive'], 'ratePerSecond' | 'connections' | 'trouble'> {
  const count = (...outcomes: TraceRecord['outcome'][]): number =>
    records.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const late = records.map(({ sentMs, dueMs }) => sentMs - dueMs).sort((a, b) => a - b);
  const unsent = count('unsent');
  return {
    startedMs: records[0]?.sentMs ?? 0,
    endedMs: records.reduce(
      (last, { receivedMs, sentMs }) => Math.max(last, Number.isFinite(receivedMs) ? receivedMs : sentMs),
      0,
    ),
    sent: records.length - unsent,
    answered: count('accepted', 'refused', 'other'),
    failed: count('failed'),
    timedOut: count('timeout'),
    unsent,
    late: { p50Ms: late[Math.floor(late.length / 2)] ?? 0, p99Ms: late[Math.floor(late.length * 0.99)] ?? 0 },
  };
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
    const books = { ...booksOf(own), ...drive, ratePerSecond: null };
    const step = { scenario, step: segment.step, firstIndex: 0, count: own.length, drive: books };
    const lost = lostTooMuch(step, scenario !== 'burst');
    if (lost !== null) return `${name}: ${lost}`;
    const late = own.filter(({ sentMs, dueMs }) => sentMs - dueMs > lateMs).length;
    if (late > lateShare * own.length)
      return `${name}: ${late} of ${own.length} requests of ${scenario} were sent more than ${lateMs.toFixed(0)} ms late`;
  }
  return null;
}
