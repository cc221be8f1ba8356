import { allowedToLoad, assertBounded } from './engine/drive.js';
import type { Check, Run } from '../run/index.js';
import { type Network, toSet } from '../settings/index.js';
import { drivesOf, type LimitSubject, limitSubjects, type LimitTraces, tallyOf, whyLeftOut } from './limit-traces.js';
import { extensionFor, judgeAnswers, judgePlan, type PlanVerdict, repeatReason, slowBurst } from './limit-verdicts.js';
import {
  createBodies,
  mostTried,
  type PlanSession,
  readAt,
  sendWrites,
  startSession,
  writesStep,
} from './scenario/plan-session.js';
import { createMutex, joined } from './scenario/run-steps.js';
import { beyondBounds, costOf, repeatSteps, type ScenarioName, scenarioSteps, type Step } from './scenario/scenario.js';

const most = { requests: 2_000, seconds: 2, connections: 64 } as const;

/**
 * How many answers a second an engine that is not this suite's own gets there, asking as fast as it goes; null where it may not ask: it
 * checks no certificate, so that it must not carry a key over TLS, and knows no proxy. What it is answered is not judged: it asks again by
 * itself where a connection is closed, and gives later answers to earlier requests.
 */
async function topSpeed(
  url: string,
  headers: Readonly<Record<string, string>>,
  network: Network,
): Promise<number | null> {
  if (new URL(url).protocol === 'https:' || network.proxyFor(url) !== null) return null;
  assertBounded(most.requests, most.seconds, most.connections);
  const { default: autocannon } = await import('autocannon');
  const { requests, duration } = await autocannon({
    url,
    headers,
    connections: most.connections,
    duration: most.seconds,
    maxOverallRequests: most.requests,
    sampleInt: 50,
  });
  return duration > 0 ? requests.total / duration : null;
}

/** Traces with the verdicts on them. */
export type LimitVerdicts = LimitTraces & { readonly verdicts: readonly PlanVerdict[] };

/** The verdicts that a run has come to, or null where nothing has been driven in it so far. */
export function drivenIn(run: Run): LimitVerdicts | null {
  return run.driven as LimitVerdicts | null;
}

/** The verdicts on every subject that could be tried, computed once in a run. */
export function limitVerdicts(check: Check): Promise<LimitVerdicts> {
  return check.once('limit verdicts', async () => {
    const traces = await check.recorded('limit traces', () => driveLimits(check));
    const usable = traces.plans.filter((plan) => plan.unusable === null);
    const found = { ...traces, verdicts: usable.map((plan) => judgePlan(plan, check.target.limitModel)) };
    check.run.driven = found;
    return found;
  });
}

/** The subjects that load may be sent to, and why others are left out. */
function drivableSubjects(check: Check, scenario: ScenarioName | null): ReturnType<typeof limitSubjects> {
  const { subjects, leftOut } = limitSubjects(check.target, scenario);
  const isAllowed = ({ url }: LimitSubject): boolean => allowedToLoad(url, check.target.allowLoad);
  const barred = subjects.filter((subject) => !isAllowed(subject));
  const [first] = barred;
  if (first !== undefined && barred.length === subjects.length)
    return check.blocked(`load may not be sent to ${new URL(first.url).hostname}`, toSet('ALLOW_LOAD'), ' to it');
  if (subjects.length === 0) return check.notApplicable(...whyLeftOut('no limit can be tried', leftOut));
  const why = 'set ALLOW_LOAD to its host';
  return {
    subjects: subjects.filter(isAllowed),
    leftOut: [...leftOut, ...barred.map(({ plan }) => ({ plan, why }))],
  };
}

/** How often a plan is driven again where this machine was too busy to drive it well. */
const mostRepeats = 2;
/** Beyond this many seconds nothing is driven again. */
const mostSeconds = 800;

/** What to drive next with a key, and why where it is beyond the plan. */
type NextDrive =
  | { readonly how: 'planned'; readonly steps: readonly Step[] }
  | { readonly how: 'repeated' | 'extended'; readonly why: string; readonly steps: readonly Step[] };

/**
 * Whether a drive is repeated, extended, or enough (null), by its verdict and the seconds that have passed. A scenario of its own sends
 * nothing more, and what stays within the limits is sent by one of them alone.
 */
export function nextDrive(
  verdict: PlanVerdict,
  scenario: ScenarioName | null,
  passedSeconds: number,
): NextDrive | null {
  const { subject, additions = [] } = verdict.trace;
  const staysWithin = scenario === null || scenario === 'boundary';
  const why = additions.length < mostRepeats ? repeatReason(verdict, staysWithin) : null;
  const again = repeatSteps(subject.limits, scenario);
  if (why !== null && passedSeconds + costOf(again).floorSeconds <= mostSeconds)
    return { how: 'repeated', why, steps: again };
  const extension = scenario === null ? extensionFor(verdict) : null;
  return extension === null || beyondBounds(extension.steps) !== null ? null : { how: 'extended', ...extension };
}

/** Goes on with a key; what came before stays in evidence. */
async function drive(session: PlanSession, next: NextDrive, say: (line: string) => void): Promise<void> {
  const { conducted, additions = [], subject } = session.trace;
  const { how, steps } = next;
  if (how !== 'planned') {
    const { requests, floorSeconds } = costOf(steps);
    const seconds = Math.ceil(floorSeconds);
    say(`${subject.plan}: ${how}, with ${requests} requests in ${seconds} s at most: ${next.why}`);
    const addition = { how, why: next.why, firstStep: conducted.steps.length };
    session.trace = { ...session.trace, additions: [...additions, addition] };
  }
  // The first answer of all may have opened a window.
  const first = conducted.records.find(({ outcome }) => outcome === 'accepted' || outcome === 'refused')?.sentMs;
  const last = conducted.records.reduce((latest, { sentMs }) => Math.max(latest, sentMs), 0);
  const more = await session.run(steps, undefined, how === 'planned' ? first : last);
  session.trace = { ...session.trace, conducted: joined(conducted, more) };
}

/** Asks another engine how fast the service goes where the limits were never exceeded: whether the service or this engine is slow. */
async function askTopSpeed({ run, target }: Check, session: PlanSession): Promise<void> {
  const { trace } = session;
  const { plan, url } = trace.subject;
  if (run.calledOff.aborted || slowBurst(drivesOf(trace).at(-1) ?? trace) === null) return;
  run.activity.say(`${plan}: asked by autocannon for two seconds, how fast it goes at all`);
  const speed = await topSpeed(url, readAt(session, 0).headers, target.network);
  if (speed !== null) session.trace = { ...trace, topSpeed: speed };
}

/** Drives every subject side by side, each with its own key, until its verdict asks for no more. Prints the cost first. */
async function driveLimits(check: Check): Promise<LimitTraces> {
  const scenario = check.run.scenario as ScenarioName | null;
  const { subjects, leftOut } = drivableSubjects(check, scenario);
  const { say } = check.run.activity;
  // A limiter may count the requests that fetch the document: none is sent while limits are driven.
  await check.contract();
  const sendsCreates = (scenario === null || scenario === 'burst') && subjects.some(({ keyName }) => keyName !== null);
  const bodies = sendsCreates ? await createBodies(check) : [];
  let mostFloorSeconds = 0;
  for (const { plan, limits, keyName } of subjects) {
    const writes = keyName === null || bodies.length === 0 ? [] : [writesStep(limits)];
    const { requests, floorSeconds } = costOf([...scenarioSteps(limits, scenario), ...writes]);
    const tried = requests + (keyName === null ? 1 : mostTried);
    say(`${plan}: at most ${tried.toLocaleString('en')} requests, at most about ${Math.ceil(floorSeconds)} s`);
    mostFloorSeconds = Math.max(mostFloorSeconds, floorSeconds);
  }
  say(
    `limits: all plans at the same time, at most about ${Math.ceil(mostFloorSeconds)} s, then until requests are accepted again`,
  );
  const mutex = createMutex();
  const startedMs = performance.now();
  const passedSeconds = (): number => (performance.now() - startedMs) / 1000;
  const planOf = ({ limits }: LimitSubject): Step[] => scenarioSteps(limits, scenario);
  const sessions = await Promise.all(subjects.map((subject) => startSession(check, subject, planOf(subject), mutex)));
  const usable = sessions.filter(({ trace }) => trace.unusable === null);
  let going = usable.map((session): { session: PlanSession; next: NextDrive } => {
    return { session, next: { how: 'planned', steps: planOf(session.trace.subject) } };
  });
  while (going.length > 0) {
    await Promise.all(going.map(({ session, next }) => drive(session, next, say)));
    if (check.run.calledOff.aborted) return check.blocked('the run was interrupted');
    // Nothing is driven while what was driven is judged.
    going = going.flatMap(({ session, next: { how } }) => {
      if (how === 'extended') return [];
      const next = nextDrive(judgeAnswers(session.trace, check.target.limitModel), scenario, passedSeconds());
      return next === null ? [] : [{ session, next }];
    });
  }
  for (const session of usable) await askTopSpeed(check, session);
  await Promise.all(usable.map((session) => sendWrites(check, session, bodies)));
  const plans = sessions.map(({ trace }) => trace);
  // The check that asks first pays for all; the others share what it bought.
  check.requests += plans.reduce((sum, plan) => sum + tallyOf(plan).sent, 0);
  say(`limits: took ${Math.round(passedSeconds())} s`);
  return { plans, leftOut };
}
