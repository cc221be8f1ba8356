import { isSuccess } from '../../api/envelope.js';
import { blockRefusedKey } from '../../api/access/other-admin.js';
import { isRefusedForItself } from '../../api/leads/refused-leads.js';
import { searchCounterexample } from '../../generators/search-counterexample.js';
import { describe } from '../../run/check.js';
import type { Check } from '../../run/check.js';
import { curlFor } from '../../reports/curl.js';
import { audit, blockUnlessSeen } from '../audit.js';
import { explain } from './explain.js';
import type { Trouble } from './history.js';
import { brokenBody, freshBody, likeBody } from '../lead-body.js';
import type { LeadBody } from '../lead-body.js';
import { away, home } from '../ledger.js';
import type { Entry, Ledger, Party } from '../ledger.js';
import { firstPlans, plans } from './plan.js';
import type { Command, PlannedCreate } from './plan.js';
import { openConnections } from '../connections.js';
import { judgeRoutes } from '../probes/routes.js';
import { story } from './story.js';
import { openLedger } from '../subject.js';
import { allowance } from './spending.js';

/** Carries out one plan with fresh keys and bodies; the entries it added. */
async function carryOut(ledger: Ledger, plan: readonly Command[], parties: readonly Party[]): Promise<Entry[]> {
  const { check } = ledger;
  const start = ledger.entries.length;
  const keys = [0, 1, 2].map(() => check.fresh('planned key'));
  const bodies = new Map<string, LeadBody>();
  const bodyFor = async (step: PlannedCreate): Promise<LeadBody> => {
    const name = step.body === 'common' ? `${step.tenant} common` : `${step.tenant} ${step.key} ${step.body}`;
    const label = `body ${'AB'[step.tenant] ?? ''}${step.body === 'common' ? ' of all keys' : `${step.key + 1}${typeof step.body === 'number' ? ('xy'[step.body] ?? '') : ` (${step.body})`}`} #${start + 1}`;
    const known =
      bodies.get(name) ??
      (typeof step.body === 'number' || step.body === 'common'
        ? await freshBody(check, label, parties[step.tenant]?.wish)
        : await brokenBody(check, label, step.body, parties[step.tenant]?.wish));
    bodies.set(name, known);
    return known;
  };
  for (const command of plan) {
    const ready: { key: string; body: LeadBody; party: Party }[] = [];
    for (const step of command)
      ready.push({ key: keys[step.key] ?? '', body: await bodyFor(step), party: parties[step.tenant] ?? home });
    const [only] = ready;
    if (ready.length > 1) await Promise.all(ready.map(({ key, body, party }) => ledger.post(key, body, party)));
    else if (only !== undefined && expectsSuccess(ledger.entries.slice(start), only))
      await ledger.settle(only.key, only.body, only.party);
    else if (only !== undefined) await ledger.post(only.key, only.body, only.party);
  }
  return ledger.entries.slice(start);
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

/** Random plans against the model, shrunk where one cannot be explained, within the allowance of requests. */
export async function judgeByModel(check: Check): Promise<void> {
  const { ledger, known } = await openLedger(check);
  const other = away(check);
  const parties = other === null ? [home] : [home, other];
  const { modelRequests, modelRuns, shrinkRequests } = allowance(check);
  await openConnections(check, 3);
  const start = check.requests;
  let unsent = 0;
  let carriedOut = 0;
  type Failure = { readonly kind: string; readonly trouble: Trouble; readonly entries: readonly Entry[] };
  const judge = async (plan: readonly Command[], kind: string | null): Promise<Failure | null> => {
    if (kind === null && check.requests - start >= modelRequests) {
      unsent += 1;
      return null;
    }
    carriedOut += 1;
    const entries = await carryOut(ledger, plan, parties);
    const trouble = explain(ledger.history(entries), known);
    if (trouble === null || (kind !== null && trouble.kind !== kind)) return null;
    if (trouble.kind === 'fresh-refused') {
      const refused = trouble.about.map((at) => entries[at]).findLast((entry) => entry?.body.plain);
      if (refused && (await isRefusedForItself(check, refused.exchange))) return null;
      const party = refused?.party ?? home;
      const label = `a control lead, ${ledger.entries.length}`;
      const body = refused
        ? await likeBody(check, label, refused.body, party.wish)
        : await freshBody(check, label, party.wish);
      const control = await ledger.settle(check.fresh('control key'), body, party);
      if (!isSuccess(control)) {
        if (party.wish.as === 'OTHER_API_KEY') blockRefusedKey(check, control);
        check.blocked(`ordinary creates of ${party.name} do not work: ${describe(control)}`);
      }
    }
    return { kind: trouble.kind, trouble, entries };
  };
  const found = await searchCounterexample(check, plans(parties.length), judge, {
    runs: modelRuns,
    shrinkRequests,
    examples: firstPlans(parties.length).map((plan) => plan.map((command) => [...command])),
  });
  if (found !== null) {
    const { failure: seen, path } = found;
    const history = ledger.history(seen.entries);
    check.fail({
      expected:
        'some order of the overlapping creates that explains every answer: one key of one tenant makes at most one lead, which its replays show',
      actual: `${seen.trouble.reason}. The shortest sequence found: ${story(history)}`,
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
    'How many sequences were tried against the model?',
    `${carriedOut} sequences with ${check.requests - start} requests${unsent > 0 ? `; the limit of ${modelRequests} requests was then reached, ${unsent} more were not tried` : ''}`,
  );
  if (check.run.path !== null) return;
  for (const { name } of parties) {
    const plain = ledger.entries.filter((entry) => entry.party.name === name && entry.body.plain);
    if (plain.length > 0 && !plain.some((entry) => isSuccess(entry.exchange)))
      check.blocked(`none of ${plain.length} ordinary creates of ${name} succeeded`);
  }
  let counted = false;
  for (const party of parties) counted = (await audit(ledger, party)) || counted;
  await judgeRoutes(check, ledger);
  blockUnlessSeen(check, known, counted);
}
