import { isRefusal, isSuccess } from '../../service/index.js';
import { blockRefusedKey, isRefusedForItself } from '../../api/index.js';
import { searchCounterexample } from '../../generators/index.js';
import { type Check, describe } from '../../run/index.js';
import { curlFor } from '../../http/index.js';
import { countLeads, blockUnlessSeen } from '../count-leads.js';
import { findAnomaly } from './linearizability.js';
import type { Anomaly } from './history.js';
import { brokenBody, freshBody, likeBody, type LeadBody } from '../lead-body.js';
import { away, home, type Entry, type RequestLog, type Party } from '../request-log.js';
import { firstPlans, randomPlans, type Command, type PlannedCreate } from './random-plans.js';
import { openConnections } from '../connections.js';
import { judgeRoutes } from '../probes/routes.js';
import { formatHistory } from './format-history.js';
import { openRequestLog } from '../probe-traits.js';
import { requestBudget } from './request-budget.js';

/** Carries out one plan with fresh keys and bodies; the entries it added. */
async function carryOut(log: RequestLog, plan: readonly Command[], parties: readonly Party[]): Promise<Entry[]> {
  const { check } = log;
  const start = log.entries.length;
  const keys = [0, 1, 2].map(() => check.fresh('planned key'));
  const bodies = new Map<string, LeadBody>();
  const bodyFor = async (step: PlannedCreate): Promise<LeadBody> => {
    const name = step.body === 'common' ? `${step.tenant} common` : `${step.tenant} ${step.key} ${step.body}`;
    const label = `body ${'AB'[step.tenant] ?? ''}${step.body === 'common' ? ' of all keys' : `${step.key + 1}${typeof step.body === 'number' ? ('xy'[step.body] ?? '') : ` (${step.body})`}`} #${start + 1}`;
    const known =
      bodies.get(name) ??
      (typeof step.body === 'number' || step.body === 'common'
        ? await freshBody(check, label, parties[step.tenant]?.options)
        : await brokenBody(check, label, step.body, parties[step.tenant]?.options));
    bodies.set(name, known);
    return known;
  };
  for (const command of plan) {
    const ready: { key: string; body: LeadBody; party: Party }[] = [];
    for (const step of command)
      ready.push({ key: keys[step.key] ?? '', body: await bodyFor(step), party: parties[step.tenant] ?? home });
    const [only] = ready;
    if (ready.length > 1) await Promise.all(ready.map(({ key, body, party }) => log.post(key, body, party)));
    else if (only !== undefined && expectsSuccess(log.entries.slice(start), only))
      await log.settle(only.key, only.body, only.party);
    else if (only !== undefined) await log.post(only.key, only.body, only.party);
  }
  return log.entries.slice(start);
}

/** Whether the create is a first one or a replay, so that a "busy" answer is worth a second try. */
function expectsSuccess(
  entries: readonly Entry[],
  next: { readonly key: string; readonly body: LeadBody; readonly party: Party },
): boolean {
  if (!next.body.plain) return false;
  const made = entries.find(
    (entry) => entry.key === next.key && entry.party.name === next.party.name && isSuccess(entry.exchange),
  );
  return made === undefined || made.body.label === next.body.label;
}

/** The second tenant where an ordinary lead can be created in it: one without a unit says nothing against the first. */
async function awayWithLeads(log: RequestLog): Promise<Party | null> {
  const { check } = log;
  const other = away(check);
  if (other === null) return null;
  const body = await freshBody(check, `a first lead of ${other.name}`, other.options);
  const control = await log.settle(check.fresh('control key'), body, other);
  if (isSuccess(control)) return other;
  blockRefusedKey(check, control);
  if (!isRefusal(control)) check.blocked(`ordinary creates of ${other.name} do not work: ${describe(control)}`);
  check.observe('Was the second tenant part of the sequences?', `no: its ordinary lead got ${describe(control)}`);
  return null;
}

/** Random plans against the model, shrunk where one cannot be explained, within the budget of requests. */
export async function judgeByModel(check: Check): Promise<void> {
  const { log, known } = await openRequestLog(check);
  const other = await awayWithLeads(log);
  const parties = other === null ? [home] : [home, other];
  const { modelRequests, modelRuns, shrinkRequests } = requestBudget(check);
  await openConnections(check, 3);
  const start = check.requests;
  let unsent = 0;
  let carriedOut = 0;
  type Failure = { readonly kind: string; readonly anomaly: Anomaly; readonly entries: readonly Entry[] };
  const judge = async (plan: readonly Command[], kind: string | null): Promise<Failure | null> => {
    if (kind === null && check.requests - start >= modelRequests) {
      unsent += 1;
      return null;
    }
    carriedOut += 1;
    const entries = await carryOut(log, plan, parties);
    const anomaly = findAnomaly(log.history(entries), known);
    if (anomaly === null || (kind !== null && anomaly.kind !== kind)) return null;
    if (anomaly.kind === 'fresh-refused') {
      // The last one that was refused: another body may have made a lead under the same key since.
      const refused = anomaly.about
        .map((at) => entries[at])
        .findLast((entry) => entry !== undefined && entry.body.plain && isRefusal(entry.exchange));
      if (refused && (await isRefusedForItself(check, refused.exchange))) return null;
      const party = refused?.party ?? home;
      const label = `a control lead, ${log.entries.length}`;
      const body = refused
        ? await likeBody(check, label, refused.body, party.options)
        : await freshBody(check, label, party.options);
      const control = await log.settle(check.fresh('control key'), body, party);
      if (!isSuccess(control)) {
        if (party.options.as === 'OTHER_API_KEY') blockRefusedKey(check, control);
        check.blocked(`ordinary creates of ${party.name} do not work: ${describe(control)}`);
      }
    }
    return { kind: anomaly.kind, anomaly, entries };
  };
  const found = await searchCounterexample(check, randomPlans(parties.length), judge, {
    runs: modelRuns,
    shrinkRequests,
    examples: firstPlans(parties.length).map((plan) => plan.map((command) => [...command])),
  });
  if (found !== null) {
    const { failure: seen, path } = found;
    const history = log.history(seen.entries);
    check.fail({
      code: 'unexplained',
      expected:
        'some order of the overlapping creates that explains every answer: one key of one tenant makes at most one lead, which every success shows',
      actual: `${seen.anomaly.reason}. The shortest sequence found: ${formatHistory(history)}`,
      exchanges: seen.entries.map((entry) => entry.exchange),
      ...(path === undefined ? {} : { path }),
    });
    check.observe(
      'How is the unexplained sequence repeated by hand?',
      seen.entries.map((entry, at) => `${at + 1}. ${curlFor(entry.exchange)}`).join('\n'),
    );
    return;
  }
  check.observe(
    'How many random sequences of creates were tried?',
    unsent > 0 ? `those that ${modelRequests} requests allow` : 'all',
    { detail: `${carriedOut} sequences with ${check.requests - start} requests, ${unsent} more were not tried` },
  );
  if (check.run.path !== null) return;
  for (const { name } of parties) {
    const plain = log.entries.filter((entry) => entry.party.name === name && entry.body.plain);
    if (plain.length > 0 && !plain.some((entry) => isSuccess(entry.exchange)))
      check.blocked(`none of ${plain.length} ordinary creates of ${name} succeeded`);
  }
  let counted = false;
  for (const party of parties) counted = (await countLeads(log, party)) || counted;
  await judgeRoutes(check, log);
  blockUnlessSeen(check, known, counted);
}
