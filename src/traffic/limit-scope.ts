import { seenAs } from './refusals.js';
import { blame } from '../limiter/blame.js';
import type { Blame } from '../limiter/blame.js';
import { detectForeignUse } from '../limiter/detect-foreign-use.js';
import { judgeTraces } from '../limiter/judge-trace.js';
import type { ReadingVerdict } from '../limiter/judge-trace.js';
import type { Trace, TraceRecord } from '../limiter/trace.js';
import type { KeyName, LimitModel, LimitScope } from '../target/target.js';
import { partsOf, traceOf } from './limit-traces.js';
import type { PlanTrace } from './limit-traces.js';
import type { SecondKeyTrace } from './second-key.js';

/** By what a plan's limits count, as far as its traffic shows. */
export interface ScopeVerdict {
  readonly keyName: KeyName;
  /** Null where it cannot be told. */
  readonly countsBy: 'key' | 'tenant' | null;
  readonly why: string;
  /** What is held against the service: what was sold is not what is counted, or nothing explains both keys. */
  readonly blames: readonly Blame[];
  /** Why nothing can be said of the second key at all, or null. */
  readonly unusable: string | null;
}

/** How the plan is read, and what refusals look like. */
export interface ScopeOptions {
  readonly model: LimitModel;
  readonly scope: LimitScope;
  readonly refusals: readonly number[];
  /** The first key, by itself, gives no cause for complaint and is used by nobody else. */
  readonly firstIsSound: boolean;
}

/** The share of the second key's requests that may go astray. */
const tolerated = 0.5;

function after(records: readonly TraceRecord[], more: readonly TraceRecord[]): TraceRecord[] {
  return [...records, ...more.map((record) => ({ ...record, index: record.index + records.length }))];
}

function grown(trace: PlanTrace, more: readonly TraceRecord[]): PlanTrace {
  return { ...trace, conducted: { ...trace.conducted, records: after(trace.conducted.records, more) } };
}

const explains = (readings: readonly ReadingVerdict[]): boolean => readings.some((reading) => reading.admitted);

function unusableReason({ keyName, second }: SecondKeyTrace): string | null {
  const strange = second.records.find((record) => record.outcome === 'other' && record.status !== null);
  const judged = second.records.some((record) => record.outcome === 'accepted' || record.outcome === 'refused');
  if (strange !== undefined && !judged) return `${keyName} was answered with status ${strange.status ?? ''}`;
  const lost = second.steps.find(({ drive, count }) => {
    const astray = drive.unsent + drive.failed + drive.timedOut;
    return astray > 1 && astray > tolerated * count;
  });
  if (lost === undefined) return judged ? null : `${keyName} was not answered`;
  const { unsent, failed, timedOut } = lost.drive;
  return `too little load with ${keyName}: of ${lost.count} requests ${unsent} found no connection free, ${failed} failed and ${timedOut} timed out`;
}

/**
 * Holds two keys of one tenant against both ways to count. By key: one reading explains either key for itself. By tenant: one reading
 * explains all requests of both. What only one of them explains is certain; what both explain, or neither, cannot be told.
 */
export function judgeScope(trace: PlanTrace, given: SecondKeyTrace, options: ScopeOptions): ScopeVerdict {
  const { refusals, model, scope } = options;
  const { limits, keyName: firstName } = trace.subject;
  const second = given.second.records.map(seenAs(refusals));
  const first = grown(trace, given.pressure.records.map(seenAs(refusals)));
  const alone: Trace = { ...traceOf(first), records: second, idleBeforeMs: given.idleBeforeMs };
  const undecided = (why: string, unusable: string | null = null): ScopeVerdict => ({
    keyName: given.keyName,
    countsBy: null,
    why,
    blames: [],
    unusable,
  });
  const unusable = unusableReason(given);
  if (unusable !== null) return undecided(unusable, unusable);
  if (!options.firstIsSound) return undecided(`the limits of ${firstName ?? 'the first key'} itself are in doubt`);
  const firstParts = partsOf(first);
  const names = [...firstParts.map(() => ''), `with ${given.keyName}, `];
  const apart = judgeTraces([...firstParts, alone], limits, { model }, names).readings;
  const bothParts = partsOf(grown(first, second));
  const together = judgeTraces(
    bothParts,
    limits,
    { model },
    bothParts.map(() => 'counting both keys, '),
  ).readings;
  const byKey = explains(apart);
  const byTenant = explains(together);
  // Where keys share a count, what the other key spends looks like somebody else; here nothing else is sent meanwhile.
  const foreign = byKey ? null : detectForeignUse(alone, limits);
  if (foreign !== null) {
    const why = `with ${given.keyName}, ${foreign.sentence}: somebody else uses the key, or the service lowers the header`;
    return undecided(why, why);
  }
  const broken = (scope === 'tenant' || !byKey) && (scope === 'key' || !byTenant);
  const refused = [...first.conducted.records, ...second].some(({ outcome }) => outcome === 'refused');
  const blames = broken ? blame(scope === 'tenant' ? together : apart, refused) : [];
  return { keyName: given.keyName, blames, unusable: null, ...answer(byKey, byTenant, apart, together) };
}

/** What speaks against a way to count: the word of the readings that explain the other way. */
function against(readings: readonly ReadingVerdict[], others: readonly ReadingVerdict[]): string {
  const meant = readings.find(({ name }) => others.some((other) => other.admitted && other.name === name));
  return (meant ?? readings[0])?.contradiction ?? 'nothing';
}

function answer(
  byKey: boolean,
  byTenant: boolean,
  apart: readonly ReadingVerdict[],
  together: readonly ReadingVerdict[],
): Pick<ScopeVerdict, 'countsBy' | 'why'> {
  if (byKey && byTenant) return { countsBy: null, why: 'what was seen is consistent with both' };
  if (byKey)
    return { countsBy: 'key', why: `limits that both keys share would contradict it: ${against(together, apart)}` };
  if (byTenant)
    return { countsBy: 'tenant', why: `limits for each key would contradict it: ${against(apart, together)}` };
  return { countsBy: null, why: 'both limits for each key and shared ones contradict it' };
}
