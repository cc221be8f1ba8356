import { acceptedTypes } from '../../http/index.js';
import { asObject, idOf, itemsIn, paths } from '../../service/index.js';
import { type Check, uuidFor } from '../../run/index.js';
import { type KeyName, tenantsOf } from '../../settings/index.js';
import { joined, type Mutex, runSteps, type ScenarioRun } from './run-steps.js';
import type { RequestShape } from '../engine/connections.js';
import type { LimitSubject, PlanTrace } from '../limit-traces.js';
import { beyondBounds, burstCount, fast, type Step } from './scenario.js';
import { plainLead } from '../../api/index.js';
import { blockSize, type TraceRecord } from '../../ratelimit/index.js';

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
export interface PlanSession {
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
export const mostTried = 7;

/** The headers of every request that is counted against a key, but for the tenant. */
export function loadHeaders(key: string | undefined, userAgent: string): Record<string, string> {
  const usual = { accept: acceptedTypes, 'user-agent': userAgent };
  return key === undefined ? usual : { ...usual, authorization: `Bearer ${key}` };
}

/** The read of a session at one place of its steps. */
export function readAt({ reads }: Pick<PlanSession, 'reads'>, index: number): RequestShape {
  return reads[Math.floor(index / 50) % reads.length] ?? { method: 'GET', headers: {} };
}

/**
 * Sends one request, with another query where the service refuses the first one, and tries every operation; the subject is unusable where no
 * answer is a success or a refusal by the limiter.
 */
export async function startSession(
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
    const why = status === null ? (conducted.steps.at(-1)?.drive.trouble ?? 'no answer') : `status ${status}`;
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
export function writesStep(limits: LimitSubject['limits']): Step {
  return fast('probe', spentCount(limits) + blockSize * creates);
}

/** Bodies of leads for each plan, in JSON; none where nothing may be written, or no key is there to find a unit with. */
export async function createBodies(check: Check): Promise<readonly string[]> {
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
export async function sendWrites(check: Check, session: PlanSession, bodies: readonly string[]): Promise<void> {
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
