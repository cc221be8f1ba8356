import { allowedToLoad, assertBounded } from './engine/drive.js';
import type { RequestShape } from './engine/connections.js';
import { plainLead } from '../api/index.js';
import { acceptedTypes } from '../http/index.js';
import { blockSize, type TraceRecord } from '../ratelimit/index.js';
import { type Check, type Run, uuidFor } from '../run/index.js';
import { asObject, idOf, itemsIn, paths } from '../service/index.js';
import { type KeyName, type Network, tenantsOf, toSet } from '../settings/index.js';
import {
  drivesOf,
  type LimitSubject,
  limitSubjects,
  type LimitTraces,
  type PlanTrace,
  tallyOf,
  whyLeftOut,
} from './limit-traces.js';
import {
  extensionFor,
  judgeAnswers,
  judgePlan,
  onlySpill,
  type PlanVerdict,
  repeatReason,
  slowBurst,
} from './limit-verdicts.js';
import { createMutex, joined, type Mutex, runSteps, type ScenarioRun } from './scenario/run-steps.js';
import {
  beyondBounds,
  burstCount,
  costOf,
  fast,
  repeatSteps,
  type ScenarioName,
  scenarioSteps,
  type Step,
} from './scenario/scenario.js';

/** For how long this run has sent nothing that the subject's limit may count: requests without a key count for the demo, whatever they asked for. */
async function idleBefore(check: Check, { keyName }: LimitSubject): Promise<number> {
  const valueOf = (name: string | null): string | null =>
    Object.entries(check.target.keys).find(([key]) => key === name)?.[1] ?? null;
  const own = (await check.run.exchanges()).filter(({ request }) => valueOf(request.credential) === valueOf(keyName));
  return performance.now() - own.reduce((last, { receivedAtMs }) => Math.max(last, receivedAtMs), 0);
}

/** The requests of the load: the smallest limits, or the examples of the specification where a service refuses so small a limit. */
function listsOf(subject: LimitSubject, small: boolean, required: string, headers: RequestShape['headers']) {
  const { pathname } = new URL(subject.url);
  const examples = subject.plan === 'demo' ? ['', ''] : ['limit=50', 'status=available&limit=50'];
  return (small ? ['limit=1', 'limit=2'] : examples).map((query): RequestShape => {
    const asked = [query, required].filter(Boolean).join('&');
    return { method: 'GET', path: `${pathname}${asked && `?${asked}`}`, headers };
  });
}

/** Statuses that may speak of the limit that was asked for, or of the tenant; and those that another limit changes nothing about. */
const mayMeanRequest: readonly number[] = [400, 401, 403, 404, 422];
const speakOfCaller: readonly number[] = [401, 403, 404];

/** One subject on its way: what it did so far, and how its requests are made. */
interface PlanSession {
  trace: PlanTrace;
  /** What takes turns, in stretches of fifty: a limit counts a key's requests, whatever they ask for. */
  reads: readonly RequestShape[];
  /** Takes steps, with reads unless said otherwise; the key was last used then, or now. */
  readonly run: (
    steps: readonly Step[],
    shapeOf?: (index: number) => RequestShape,
    lastSentMs?: number,
  ) => Promise<ScenarioRun>;
}

/** The most requests that `begin` sends beside the steps and the first one: it may ask again, and tries every operation. */
const mostTried = 7;

/** The headers of every request that is counted against a key, but for the tenant. */
export function loadHeaders(key: string | undefined, userAgent: string): Record<string, string> {
  const usual = { accept: acceptedTypes, 'user-agent': userAgent };
  return key === undefined ? usual : { ...usual, authorization: `Bearer ${key}` };
}

/** The read of a session at one place of its steps. */
function readAt({ reads }: Pick<PlanSession, 'reads'>, index: number): RequestShape {
  return reads[Math.floor(index / 50) % reads.length] ?? { method: 'GET', headers: {} };
}

/**
 * Sends one request, with another query where the service refuses the first one, and tries every operation; the subject is unusable where no
 * answer is a success or a refusal by the limiter.
 */
async function startSession(
  check: Check,
  subject: LimitSubject,
  steps: readonly Step[],
  mutex: Mutex,
): Promise<PlanSession> {
  const { target, run } = check;
  const { url, plan, keyName } = subject;
  const options = {
    url,
    plan,
    network: target.network,
    trace: run.trace,
    signal: run.calledOff,
    activity: run.activity,
  };
  const session: PlanSession = {
    trace: {
      subject,
      conducted: { records: [], steps: [] },
      idleBeforeMs: await idleBefore(check, subject),
      unusable: beyondBounds(steps),
    },
    reads: [],
    run: (taken, shapeOf = (index) => readAt(session, index), lastSentMs) =>
      runSteps(taken, { ...options, shapeOf }, mutex, lastSentMs),
  };
  if (session.trace.unusable !== null) return session;
  const keep = (more: ScenarioRun): void =>
    void (session.trace = { ...session.trace, conducted: joined(session.trace.conducted, more) });
  const parts = await check.required(
    plan === 'demo' ? { path: paths.demoUnits, surface: 'demo' } : { path: paths.units },
  );
  const required = new URLSearchParams(Object.fromEntries(parts.query)).toString();
  const key = keyName === null ? undefined : (target.keys[keyName] ?? '');
  const usual = { ...Object.fromEntries(target.headers), ...loadHeaders(key, run.userAgent) };
  const lastAnswer = (): TraceRecord | undefined => session.trace.conducted.records.at(-1);
  let isSmall = true;
  // A service may refuse so small a limit, and a plan's key may be of another tenant.
  const tries = tenantsOf(target, plan).flatMap((tenant) => [true, false].map((small) => ({ tenant, small })));
  for (const { tenant, small } of tries) {
    const last = lastAnswer();
    if (last !== undefined && !mayMeanRequest.includes(last.status ?? 0)) break;
    if (last !== undefined && !small && speakOfCaller.includes(last.status ?? 0)) continue;
    const own = tenant === null ? {} : { 'x-tenant': tenant };
    isSmall = small;
    session.reads = listsOf(subject, small, required, { ...usual, ...Object.fromEntries(parts.headers), ...own });
    keep(await session.run([fast('burst', 1)]));
  }
  const { conducted } = session.trace;
  const [list = readAt(session, 0)] = session.reads;
  const outcome = lastAnswer()?.outcome;
  if (outcome !== 'accepted' && outcome !== 'refused') {
    const status = lastAnswer()?.status ?? null;
    const why = status === null ? (conducted.steps.at(-1)?.trouble ?? 'no answer') : `status ${status}`;
    const doubt = plan === 'sandbox' ? ': is SANDBOX_URL right?' : '';
    const unusable = `GET ${list.path ?? ''} was answered with ${why}${doubt}`;
    if (!run.calledOff.aborted) run.activity.say(`${plan}: not tried: ${unusable}`);
    session.trace = { ...session.trace, unusable };
  } else if (keyName !== null && outcome === 'accepted') {
    const others = await otherReads(check, subject, list.headers, isSmall);
    const missing = { ...list, path: `${basePath(subject)}${paths.unit(check.fresh('no unit'))}` };
    const shapes = [list, missing, missing, list, ...others];
    const tried = await session.run([{ ...fast('burst', shapes.length), connections: 1 }], (at) => shapes[at] ?? list);
    const records = tried.records.map((record, at) =>
      shapes[at] === missing && record.outcome === 'other' ? { ...record, asked: 'missing' as const } : record,
    );
    keep({ ...tried, records });
    const usable = others.filter((_, at) => records[at + shapes.length - others.length]?.outcome === 'accepted');
    session.reads = [...session.reads, ...usable];
    const operations = [list, ...usable].map(({ method, path }) => `${method} ${path ?? ''}`);
    session.trace = { ...session.trace, operations };
  }
  return session;
}

/** The path of `{base_url}` itself. */
const basePath = (subject: LimitSubject): string => new URL(subject.url).pathname.slice(0, -paths.units.length);

/** The other lists that the document declares and that need no parameter. */
async function otherReads(
  check: Check,
  subject: LimitSubject,
  headers: Readonly<Record<string, string>>,
  small: boolean,
): Promise<RequestShape[]> {
  const { contract } = await check.contract();
  return [paths.deals, paths.leads].flatMap((path) => {
    const operation = contract.operation('GET', path);
    if (operation === null || operation.parameters.some(({ required }) => required)) return [];
    const short = small && operation.parameters.some((one) => one.in === 'query' && one.name === 'limit');
    return [{ method: 'GET', path: `${basePath(subject)}${path}${short ? '?limit=1' : ''}`, headers }];
  });
}

/** Number of creates sent while a limit is spent: a service that counts them accepts none. */
const creates = 6;

/** Number of reads that spends every limit, in whole blocks. */
const spentCount = (limits: LimitSubject['limits']): number => blockSize * Math.ceil(burstCount(limits) / blockSize);

/** The reads and creates that show whether creates count. */
function writesStep(limits: LimitSubject['limits']): Step {
  return fast('probe', spentCount(limits) + blockSize * creates);
}

/** Bodies of leads for each plan, in JSON; none where nothing may be written, or no key is there to find a unit with. */
async function createBodies(check: Check): Promise<readonly string[]> {
  const { readOnly, keys } = check.target;
  if (readOnly || keys.API_KEY === undefined) return [];
  const bodies: string[] = [];
  while (bodies.length < creates) bodies.push(JSON.stringify(await plainLead(check)));
  return bodies;
}

/** The leads for a unit that the plan's own key lists, where it lists one: a plan may have a tenant of its own. */
async function forOwnUnit(
  check: Check,
  keyName: KeyName,
  tenant: string | null,
  bodies: readonly string[],
): Promise<readonly string[]> {
  const query = [['limit', '1']] as const;
  const exchange = await check.send({ path: paths.units, query, as: keyName, tenant, raw: true });
  const id = idOf(itemsIn(exchange)?.[0]);
  return id === null ? bodies : bodies.map((body) => JSON.stringify({ ...asObject(JSON.parse(body)), vehicleId: id }));
}

/** Spends the limits of a plan once more, and tries a few creates at random places among reads that are then refused. */
async function sendWrites(check: Check, session: PlanSession, bodies: readonly string[]): Promise<void> {
  const { subject } = session.trace;
  if (subject.keyName === null || bodies.length === 0) return;
  const spent = spentCount(subject.limits);
  const tenant = readAt(session, 0).headers['x-tenant'] ?? null;
  const leads = await forOwnUnit(check, subject.keyName, tenant, bodies);
  const required = await check.required({ method: 'POST', path: paths.leads });
  const query = new URLSearchParams(Object.fromEntries(required.query)).toString();
  const places = new Map(
    leads.map((body, at) => {
      const place = parseInt(uuidFor(String(check.run.seed), `create ${at}`).slice(0, 6), 16) % blockSize;
      return [spent + at * blockSize + place, { body, key: check.fresh('idempotency key') }] as const;
    }),
  );
  const conducted = await session.run([writesStep(subject.limits)], (index) => {
    const read = readAt(session, index);
    const create = places.get(index);
    if (create === undefined) return read;
    const { body, key } = create;
    const own = { ...Object.fromEntries(required.headers), 'content-type': 'application/json', 'idempotency-key': key };
    const path = `${basePath(subject)}${paths.leads}${query && `?${query}`}`;
    return { method: 'POST', path, headers: { ...read.headers, ...own }, body };
  });
  const records = conducted.records.map((record) =>
    places.has(record.index) ? { ...record, asked: 'create' as const } : record,
  );
  session.trace = { ...session.trace, writes: { ...conducted, records } };
}

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
  const extended = additions.filter(({ how }) => how === 'extended').map(({ why }) => why);
  const staysWithin = scenario === null || scenario === 'boundary';
  const why = extended.length === 0 && additions.length < mostRepeats ? repeatReason(verdict, staysWithin) : null;
  const again = repeatSteps(subject.limits, scenario);
  if (why !== null && passedSeconds + costOf(again).floorSeconds <= mostSeconds)
    return { how: 'repeated', why, steps: again };
  const extension = scenario === null ? extensionFor(verdict) : null;
  if (extension === null || beyondBounds(extension.steps) !== null) return null;
  // Once, and once more where that left only what servers look like.
  const isMore = extended.length === 0 || (extension.why === onlySpill && !extended.includes(onlySpill));
  return isMore ? { how: 'extended', ...extension } : null;
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
    going = going.flatMap(({ session }) => {
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
