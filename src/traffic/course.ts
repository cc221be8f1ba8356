import type { Check } from '../run/check.js';
import { conduct, timeoutMs } from './conduct.js';
import type { Stimulus, Turnstile } from './conduct.js';
import type { Conducted } from './take-steps.js';
import type { RequestShape } from './lane.js';
import type { LimitSubject, PlanTrace } from './limit-traces.js';
import { beyondBounds, costOf } from './plan.js';
import type { Step } from './plan.js';
import { trySecondKey } from './second-key.js';

async function usedBefore(check: Check, subject: LimitSubject): Promise<boolean> {
  if (subject.keyName === null) {
    const exchanges = await check.run.exchanges();
    return exchanges.some((exchange) => exchange.surface === subject.plan);
  }
  const value = check.target.keys[subject.keyName];
  return Object.values(check.target.keys).filter((other) => other === value).length > 1;
}

/** What is asked for: as little as possible, and, where a service refuses so small a limit, what the specification shows. */
function queriesOf(subject: LimitSubject, small: boolean): readonly [string, string] {
  if (small) return ['?limit=1', '?limit=2'];
  return subject.plan === 'demo' ? ['', ''] : ['?limit=50', '?status=available&limit=50'];
}

/** A limit counts a key's requests, whatever they ask for: stretches of fifty take turns between two queries. */
function stimulusOf(subject: LimitSubject, headers: Readonly<Record<string, string>>, small: boolean): Stimulus {
  const { href, pathname } = new URL(subject.url);
  const [one, two] = queriesOf(subject, small).map((query) => ({ method: 'GET', path: pathname + query, headers }));
  const shape = (at: RequestShape | undefined): RequestShape => at ?? { method: 'GET', path: pathname, headers };
  return { url: href, headers, shapeOf: (index) => shape(Math.floor(index / 50) % 2 === 0 ? one : two) };
}

/** One after the other, as though they had been conducted in one go. */
export function joined(first: Conducted, then: Conducted): Conducted {
  const from = first.records.length;
  return {
    records: [...first.records, ...then.records.map((record) => ({ ...record, index: record.index + from }))],
    steps: [...first.steps, ...then.steps.map((step) => ({ ...step, firstIndex: step.firstIndex + from }))],
  };
}

/** Why what was driven so far tells too little, or null. */
export type Wanting = (trace: PlanTrace) => string | null;

/** What to drive beyond the plan, and why; null where nothing is wanting. */
export type WantingMore = (trace: PlanTrace) => { readonly why: string; readonly steps: readonly Step[] } | null;

/** How often a plan is driven again where this machine was too busy to drive it well. */
const mostRepeats = 2;

/** Beyond this many seconds nothing is driven again. */
const mostSeconds = 800;

/** One subject on its way: what it did so far, and how its requests are made. */
export interface Course {
  readonly trace: PlanTrace;
  readonly stimulus: Stimulus;
}

/** Asks once, with another query where the first one is refused as such, and takes all steps where the answer is one that counts. */
export async function begin(
  check: Check,
  subject: LimitSubject,
  steps: readonly Step[],
  turnstile: Turnstile,
): Promise<Course> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': check.run.userAgent };
  if (subject.keyName !== null) headers['authorization'] = `Bearer ${check.target.keys[subject.keyName] ?? ''}`;
  // The clock began with this process, and this run has not touched the key since.
  const idleBeforeMs = (await usedBefore(check, subject)) ? 0 : performance.now();
  const beyond = beyondBounds(steps);
  if (beyond !== null) {
    const conducted: Conducted = { records: [], steps: [] };
    return {
      stimulus: stimulusOf(subject, headers, true),
      trace: { subject, conducted, idleBeforeMs, unusable: beyond },
    };
  }
  const ping: Step = { kind: 'fast', scenario: 'burst', count: 1, connections: 1 };
  let stimulus = stimulusOf(subject, headers, true);
  let asked = '?limit=1';
  let first = await conduct([ping], stimulus, { timeoutMs, turnstile });
  if ([400, 422].includes(first.records[0]?.status ?? 0)) {
    stimulus = stimulusOf(subject, headers, false);
    [asked] = queriesOf(subject, false);
    first = joined(first, await conduct([ping], stimulus, { timeoutMs, turnstile }));
  }
  const answer = first.records.at(-1);
  if (answer?.outcome !== 'accepted' && answer?.outcome !== 'refused') {
    const why = answer?.status == null ? (first.steps.at(-1)?.drive.trouble ?? 'no answer') : `status ${answer.status}`;
    const unusable = `GET ${new URL(subject.url).pathname}${asked} was answered with ${why}`;
    return { stimulus, trace: { subject, conducted: first, idleBeforeMs, unusable } };
  }
  const rest = await conduct(steps, stimulus, { timeoutMs, turnstile, lastSentMs: answer.sentMs });
  return { stimulus, trace: { subject, conducted: joined(first, rest), idleBeforeMs, unusable: null } };
}

/** Takes a plan's steps again, once the key has rested for as long as any window looks back: what came before stays in evidence. */
export async function driveAgain(
  { trace, stimulus }: Course,
  why: string,
  steps: readonly Step[],
  turnstile: Turnstile,
): Promise<Course> {
  const { conducted, repeats = [] } = trace;
  const lastSentMs = conducted.records.reduce((last, record) => Math.max(last, record.sentMs), 0);
  const again = await conduct(steps, stimulus, { timeoutMs, turnstile, lastSentMs });
  const firstStep = conducted.steps.length;
  return {
    stimulus,
    trace: { ...trace, conducted: joined(conducted, again), repeats: [...repeats, { firstStep, why }] },
  };
}

/** Drives again, side by side, whatever `wanting` says has shown too little; nothing is driven while that is judged. */
export async function driveWanted(
  courses: readonly Course[],
  wanting: Wanting,
  again: (course: Course, why: string) => Promise<Course>,
  spentSeconds: (more: readonly Course[]) => number,
): Promise<readonly Course[]> {
  let all = courses;
  for (let turn = 1; turn <= mostRepeats; turn += 1) {
    const wants = new Map(
      all.flatMap((course) => {
        const why = course.trace.unusable === null ? wanting(course.trace) : null;
        return why === null ? [] : [[course, why] as const];
      }),
    );
    if (wants.size === 0 || spentSeconds([...wants.keys()]) > mostSeconds) break;
    for (const [{ trace }, why] of wants) {
      const { plan } = trace.subject;
      process.stderr.write(`${plan}: driven once more (${turn} of at most ${mostRepeats} times): ${why}\n`);
    }
    all = await Promise.all(
      all.map((course) => {
        const why = wants.get(course);
        return why === undefined ? Promise.resolve(course) : again(course, why);
      }),
    );
  }
  return all;
}

/** Goes on at once with a course that has shown too little. */
export async function driveFurther(course: Course, wanting: WantingMore, turnstile: Turnstile): Promise<Course> {
  const { trace, stimulus } = course;
  const { plan } = trace.subject;
  const wanted = trace.unusable === null ? wanting(trace) : null;
  if (wanted === null || beyondBounds(wanted.steps) !== null) return course;
  const { why, steps } = wanted;
  const { requests, floorSeconds } = costOf(steps);
  process.stderr.write(
    `${plan}: driven further, ${requests} requests and ${Math.ceil(floorSeconds)} s at most: ${why}\n`,
  );
  const lastSentMs = trace.conducted.records.reduce((last, record) => Math.max(last, record.sentMs), 0);
  const startedMs = performance.now();
  const more = await conduct(steps, stimulus, { timeoutMs, turnstile, lastSentMs });
  const further = { why, seconds: (performance.now() - startedMs) / 1000 };
  return { stimulus, trace: { ...trace, conducted: joined(trace.conducted, more), further } };
}

/** Tries the second key of a subject, where it has one. */
export async function withSecondKey(
  check: Check,
  { trace, stimulus }: Course,
  turnstile: Turnstile,
): Promise<PlanTrace> {
  const { limits, second } = trace.subject;
  const name = second?.keyName ?? null;
  const value = name === null ? undefined : check.target.keys[name];
  if (trace.unusable !== null || name === null || value === undefined) return trace;
  const key = { name, value, idleBeforeMs: () => performance.now() };
  return { ...trace, second: await trySecondKey(limits, stimulus, key, { timeoutMs, turnstile }) };
}
