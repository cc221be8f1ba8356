import { acceptedTypes } from '../../http/index.js';
import { asObject, idOf, itemsIn, paths } from '../../service/index.js';
import { type Check, uuidFor } from '../../run/index.js';
import { type KeyName, tenantsOf } from '../../settings/index.js';
import { type Mutex, type RequestTemplate, runSteps, type ScenarioRun } from './run-steps.js';
import type { RequestShape } from '../engine/connections.js';
import type { LimitSubject, PlanTrace } from '../limit-traces.js';
import { beyondBounds, burstCount, type Step } from './scenario.js';
import { plainLead } from '../../api/index.js';
import { blockSize } from '../../ratelimit/index.js';

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

/** A limit counts a key's requests, whatever they ask for: stretches of fifty take turns. */
function templateOf(
  check: Check,
  { url, plan }: LimitSubject,
  headers: RequestShape['headers'],
  shapes: readonly RequestShape[],
): RequestTemplate {
  const { calledOff: signal, activity, trace } = check.run;
  const shapeOf = (index: number): RequestShape =>
    shapes[Math.floor(index / 50) % shapes.length] ?? { method: 'GET', headers };
  return { url, headers, network: check.target.network, trace, signal, activity, plan, shapeOf };
}

/** One after the other, as though they had been conducted in one go. */
export function joined(first: ScenarioRun, then: ScenarioRun): ScenarioRun {
  const from = first.records.length;
  return {
    records: [...first.records, ...then.records.map((record) => ({ ...record, index: record.index + from }))],
    steps: [...first.steps, ...then.steps.map((step) => ({ ...step, firstIndex: step.firstIndex + from }))],
  };
}

/** Statuses that may speak of the limit that was asked for, or of the tenant. */
const mayMeanRequest: readonly number[] = [400, 401, 403, 404, 422];

/** One subject on its way: what it did so far, and how its requests are made. */
export interface PlanSession {
  trace: PlanTrace;
  readonly template: RequestTemplate;
}

/** The most requests that `begin` sends beside the steps and the first one: it may ask again, and tries every operation. */
export const mostTried = 7;

/**
 * Sends one request, with another query where the service refuses the first one; runs all steps if the answer is a success or a refusal by
 * the limiter.
 */
export async function startSession(
  check: Check,
  subject: LimitSubject,
  steps: readonly Step[],
  mutex: Mutex,
): Promise<PlanSession> {
  const usualHeaders: Record<string, string> = {
    ...Object.fromEntries(check.target.headers),
    accept: acceptedTypes,
    'user-agent': check.run.userAgent,
  };
  if (subject.keyName !== null) usualHeaders['authorization'] = `Bearer ${check.target.keys[subject.keyName] ?? ''}`;
  const idleBeforeMs = await idleBefore(check, subject);
  const beyond = beyondBounds(steps);
  if (beyond !== null) {
    const conducted: ScenarioRun = { records: [], steps: [] };
    return {
      template: templateOf(check, subject, usualHeaders, []),
      trace: { subject, conducted, idleBeforeMs, unusable: beyond },
    };
  }
  const ping: Step = { kind: 'fast', scenario: 'burst', count: 1, connections: 1 };
  const parts = await check.required(
    subject.plan === 'demo' ? { path: paths.demoUnits, surface: 'demo' } : { path: paths.units },
  );
  const required = new URLSearchParams(Object.fromEntries(parts.query)).toString();
  // A service may refuse so small a limit, and a plan's key may be of another tenant.
  const tries = tenantsOf(check.target, subject.plan).flatMap((tenant) =>
    [true, false].map((small) => {
      const own = tenant === null ? {} : { 'x-tenant': tenant };
      const headers = { ...usualHeaders, ...Object.fromEntries(parts.headers), ...own };
      return { small, headers, lists: listsOf(subject, small, required, headers) };
    }),
  );
  let first: ScenarioRun = { records: [], steps: [] };
  let [headers, small, lists]: [RequestShape['headers'], boolean, RequestShape[]] = [usualHeaders, true, []];
  for (const one of tries) {
    const status = first.records.at(-1)?.status;
    if (status !== undefined && !(status !== null && mayMeanRequest.includes(status))) break;
    // Another limit changes nothing about who may ask.
    if (!one.small && status !== undefined && [401, 403, 404].includes(status ?? 0)) continue;
    ({ headers, small, lists } = one);
    first = joined(first, await runSteps([ping], templateOf(check, subject, headers, lists), mutex));
  }
  let template = templateOf(check, subject, headers, lists);
  const answer = first.records.at(-1);
  if (answer?.outcome !== 'accepted' && answer?.outcome !== 'refused') {
    const why = answer?.status == null ? (first.steps.at(-1)?.drive.trouble ?? 'no answer') : `status ${answer.status}`;
    const doubt = subject.plan === 'sandbox' ? ': is SANDBOX_URL right?' : '';
    const unusable = `GET ${lists[0]?.path ?? ''} was answered with ${why}${doubt}`;
    if (template.signal?.aborted !== true) template.activity?.say(`${subject.plan}: not tried: ${unusable}`);
    return { template, trace: { subject, conducted: first, idleBeforeMs, unusable } };
  }
  let operations: readonly string[] = [];
  if (subject.keyName !== null && answer.outcome === 'accepted') {
    const reads = await otherReads(check, subject, headers, small);
    const [usual = { method: 'GET', headers }] = lists;
    const missing = { ...usual, path: `${basePath(subject)}${paths.unit(check.fresh('no unit'))}` };
    const shapes = [usual, missing, missing, usual, ...reads];
    const probe: Step = { ...ping, count: shapes.length };
    const tried = await runSteps([probe], { ...template, shapeOf: (at) => shapes[at] ?? usual }, mutex);
    const records = tried.records.map((record, at) =>
      shapes[at] === missing && record.outcome === 'other' ? { ...record, asked: 'missing' as const } : record,
    );
    first = joined(first, { ...tried, records });
    const usable = reads.filter((_, at) => records[at + shapes.length - reads.length]?.outcome === 'accepted');
    template = templateOf(check, subject, headers, [...lists, ...usable]);
    operations = [usual, ...usable].map(({ method, path }) => `${method} ${path ?? ''}`);
  }
  const rest = await runSteps(steps, template, mutex, answer.sentMs);
  return { template, trace: { subject, conducted: joined(first, rest), idleBeforeMs, unusable: null, operations } };
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
  const count = spentCount(limits) + blockSize * creates;
  return { kind: 'fast', scenario: 'probe', count, connections: Math.min(64, count) };
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
export async function sendWrites(
  check: Check,
  session: PlanSession,
  bodies: readonly string[],
  mutex: Mutex,
): Promise<void> {
  const { trace, template } = session;
  const { subject } = trace;
  if (subject.keyName === null || bodies.length === 0) return;
  const spent = spentCount(subject.limits);
  const tenant = template.shapeOf?.(0).headers['x-tenant'] ?? null;
  const leads = await forOwnUnit(check, subject.keyName, tenant, bodies);
  const required = await check.required({ method: 'POST', path: paths.leads });
  const places = new Map(
    leads.map((body, at) => {
      const place = parseInt(uuidFor(String(check.run.seed), `create ${at}`).slice(0, 6), 16) % blockSize;
      return [spent + at * blockSize + place, body] as const;
    }),
  );
  const keys = new Map([...places.keys()].map((place) => [place, check.fresh('idempotency key')]));
  const shapeOf = (index: number): RequestShape => {
    const read = template.shapeOf?.(index) ?? { method: 'GET', headers: template.headers };
    const body = places.get(index);
    if (body === undefined) return read;
    const headers = {
      ...read.headers,
      ...Object.fromEntries(required.headers),
      'content-type': 'application/json',
      'idempotency-key': keys.get(index) ?? '',
    };
    const query = new URLSearchParams(Object.fromEntries(required.query)).toString();
    return { method: 'POST', path: `${basePath(subject)}${paths.leads}${query && `?${query}`}`, headers, body };
  };
  const conducted = await runSteps([writesStep(subject.limits)], { ...template, shapeOf }, mutex);
  const records = conducted.records.map((record) =>
    places.has(record.index) ? { ...record, asked: 'create' as const } : record,
  );
  session.trace = { ...trace, writes: { ...conducted, records } };
}
