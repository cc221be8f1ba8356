import fc from 'fast-check';
import { isSuccess } from '../api/envelope.js';
import { seedFor } from '../run/random.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { curlFor } from '../report/curl.js';
import { audit, blockUnlessSeen } from './audit.js';
import { explain } from './explain.js';
import type { Trouble } from './history.js';
import { brokenBody, freshBody, likeBody } from './lead-body.js';
import type { LeadBody } from './lead-body.js';
import { away, home } from './ledger.js';
import type { Entry, Ledger, Party } from './ledger.js';
import { firstPlans, plans } from './plan.js';
import type { Command, PlannedCreate } from './plan.js';
import { openConnections } from './connections.js';
import { judgeRoutes } from './routes.js';
import { story } from './story.js';
import { openLedger } from './subject.js';
import { allowance } from './spending.js';

/** Thrown for a plan whose answers nothing explains; fast-check shrinks it. */
class Unexplained extends Error {
  override readonly name = 'Unexplained';
  readonly trouble: Trouble;
  constructor(trouble: Trouble) {
    super(trouble.reason);
    this.trouble = trouble;
  }
}

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
  let failed: { trouble: Trouble; entries: readonly Entry[]; requests: number } | null = null;
  let ended: { readonly by: unknown } | null = null;
  const attempt = async (plan: readonly Command[]): Promise<void> => {
    const spent = check.requests - start;
    if (ended !== null) return;
    if (failed === null ? spent >= modelRequests : spent - failed.requests >= shrinkRequests) {
      unsent += 1;
      return;
    }
    carriedOut += 1;
    const entries = await carryOut(ledger, plan, parties);
    const trouble = explain(ledger.history(entries), known);
    // Shrinking that drifts to another kind of failure would tell of another bug.
    if (trouble === null || (failed !== null && failed.trouble.kind !== trouble.kind)) return;
    if (trouble.kind === 'fresh-refused') {
      const refused = trouble.about.map((at) => entries[at]).findLast((entry) => entry?.body.plain);
      const party = refused?.party ?? home;
      const label = `a control lead, ${ledger.entries.length}`;
      const body = refused
        ? await likeBody(check, label, refused.body, party.wish)
        : await freshBody(check, label, party.wish);
      const control = await ledger.settle(check.fresh('control key'), body, party);
      if (!isSuccess(control)) check.blocked(`ordinary creates of ${party.name} do not work: ${describe(control)}`);
    }
    failed = { trouble, entries, requests: failed?.requests ?? check.requests - start };
    throw new Unexplained(trouble);
  };
  const property = fc.asyncProperty(plans(parties.length), async (plan) => {
    try {
      await attempt(plan);
    } catch (error) {
      // What ends the whole check is no failure to shrink.
      if (error instanceof Unexplained) throw error;
      ended = { by: error };
    }
  });
  const details = await fc.check(property, {
    seed: seedFor(check.run.seed, check.entry.id) | 0,
    numRuns: modelRuns,
    examples: firstPlans(parties.length).map((plan) => [plan.map((command) => [...command])]),
    ...(check.run.path === null ? {} : { path: check.run.path, endOnFailure: true }),
  });
  const seen = failed as { trouble: Trouble; entries: readonly Entry[] } | null;
  const broken = ended as { readonly by: unknown } | null;
  if (broken !== null && seen === null) throw broken.by;
  if (seen !== null) {
    const history = ledger.history(seen.entries);
    check.breach({
      expected:
        'some order of the overlapping creates that explains every answer: one key of one tenant makes at most one lead, which its replays show',
      actual: `${seen.trouble.reason}. The shortest sequence found: ${story(history)}`,
      exchanges: seen.entries.map((entry) => entry.exchange),
      ...(details.counterexamplePath === null ? {} : { path: details.counterexamplePath }),
    });
    check.observe(
      'How is the unexplained sequence repeated by hand?',
      seen.entries.map((entry, at) => `${at + 1}. ${curlFor(entry.exchange)}`).join('\n'),
    );
    return;
  }
  check.observe(
    'How many sequences were tried against the model?',
    `${carriedOut} with ${check.requests - start} requests${unsent > 0 ? `; the limit of ${modelRequests} requests was then reached, ${unsent} more were not tried` : ''}`,
  );
  if (check.run.path !== null) return;
  let counted = false;
  for (const party of parties) counted = (await audit(ledger, party)) || counted;
  await judgeRoutes(check, ledger);
  blockUnlessSeen(check, known, counted);
}
