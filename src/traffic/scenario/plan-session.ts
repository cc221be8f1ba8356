import { acceptedTypes } from '../../http/index.js';
import { paths } from '../../service/index.js';
import type { Check } from '../../run/index.js';
import { tenantsOf } from '../../settings/index.js';
import { runSteps, type RequestTemplate, type Mutex } from './run-steps.js';
import type { ScenarioRun } from './scenario-runner.js';
import type { RequestShape } from '../engine/connection.js';
import type { LimitSubject, PlanTrace } from '../limit-traces.js';
import { beyondBounds } from './scenario.js';
import type { Step } from './steps.js';

/** For how long this run has sent nothing that the subject's limit may count: requests without a key count for the demo, whatever they asked for. */
async function idleBefore(check: Check, { keyName }: LimitSubject): Promise<number> {
  const valueOf = (name: string | null): string | null =>
    Object.entries(check.target.keys).find(([key]) => key === name)?.[1] ?? null;
  const own = (await check.run.exchanges()).filter(({ request }) => valueOf(request.credential) === valueOf(keyName));
  return performance.now() - own.reduce((last, { receivedAtMs }) => Math.max(last, receivedAtMs), 0);
}

/** The request of the load: the smallest limit, or the example of the specification where a service refuses so small a limit. */
function queriesOf(subject: LimitSubject, small: boolean, required: string): readonly [string, string] {
  const queries = small
    ? ['limit=1', 'limit=2']
    : subject.plan === 'demo'
      ? ['', '']
      : ['limit=50', 'status=available&limit=50'];
  const [one = '', two = ''] = queries.map((query) => [query, required].filter(Boolean).join('&'));
  return [one && `?${one}`, two && `?${two}`];
}

/** A limit counts a key's requests, whatever they ask for: stretches of fifty take turns between two queries and other operations. */
function templateOf(
  check: Check,
  subject: LimitSubject,
  headers: Readonly<Record<string, string>>,
  queries: readonly [string, string],
  others: readonly RequestShape[] = [],
): RequestTemplate {
  const { href, pathname } = new URL(subject.url);
  const [one, two] = queries.map((query) => ({ method: 'GET', path: pathname + query, headers }));
  const shape = (at: RequestShape | undefined): RequestShape => at ?? { method: 'GET', path: pathname, headers };
  const all = [one, two, ...others];
  const { calledOff: signal, activity, trace } = check.run;
  return {
    url: href,
    headers,
    network: check.target.network,
    trace,
    signal,
    activity,
    plan: subject.plan,
    shapeOf: (index) => shape(all[Math.floor(index / 50) % all.length]),
  };
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
      template: templateOf(check, subject, usualHeaders, ['', '']),
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
      return { small, headers: { ...usualHeaders, ...Object.fromEntries(parts.headers), ...own } };
    }),
  );
  let first: ScenarioRun = { records: [], steps: [] };
  let [asked, headers, small, template] = ['', usualHeaders, true, templateOf(check, subject, usualHeaders, ['', ''])];
  for (const one of tries) {
    const status = first.records.at(-1)?.status;
    if (status !== undefined && !(status !== null && mayMeanRequest.includes(status))) break;
    // Another limit changes nothing about who may ask.
    if (!one.small && status !== undefined && [401, 403, 404].includes(status ?? 0)) continue;
    const queries = queriesOf(subject, one.small, required);
    ({ headers, small } = one);
    [asked] = queries;
    template = templateOf(check, subject, headers, queries);
    first = joined(first, await runSteps([ping], template, mutex));
  }
  const answer = first.records.at(-1);
  if (answer?.outcome !== 'accepted' && answer?.outcome !== 'refused') {
    const why = answer?.status == null ? (first.steps.at(-1)?.drive.trouble ?? 'no answer') : `status ${answer.status}`;
    const doubt = subject.plan === 'sandbox' ? ': is SANDBOX_URL right?' : '';
    const unusable = `GET ${new URL(subject.url).pathname}${asked} was answered with ${why}${doubt}`;
    if (template.signal?.aborted !== true) template.activity?.say(`${subject.plan}: not tried: ${unusable}`);
    return { template, trace: { subject, conducted: first, idleBeforeMs, unusable } };
  }
  let operations: readonly string[] = [];
  if (subject.keyName !== null && answer.outcome === 'accepted') {
    const reads = await otherReads(check, subject, headers, small);
    const usual = template.shapeOf?.(0) ?? { method: 'GET', headers };
    const missing = { ...usual, path: `${basePath(subject)}${paths.unit(check.fresh('no unit'))}` };
    const shapes = [usual, missing, missing, usual, ...reads];
    const probe: Step = { ...ping, count: shapes.length };
    const tried = await runSteps([probe], { ...template, shapeOf: (at) => shapes[at] ?? usual }, mutex);
    const records = tried.records.map((record, at) =>
      shapes[at] === missing && record.outcome === 'other' ? { ...record, asked: 'missing' as const } : record,
    );
    first = joined(first, { ...tried, records });
    const usable = reads.filter((_, at) => records[at + shapes.length - reads.length]?.outcome === 'accepted');
    template = templateOf(check, subject, headers, queriesOf(subject, small, required), usable);
    operations = [usual, ...usable].map(({ method, path }) => `${method} ${path ?? ''}`);
  }
  const rest = await runSteps(steps, template, mutex, answer.sentMs);
  return { template, trace: { subject, conducted: joined(first, rest), idleBeforeMs, unusable: null, operations } };
}

/** The path of `{base_url}` itself. */
export const basePath = (subject: LimitSubject): string => new URL(subject.url).pathname.slice(0, -paths.units.length);

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
