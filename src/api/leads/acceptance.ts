import { isRefusal, isSuccess, mayMean } from '../../service/index.js';
import { isRefusedForSold } from './refused-leads.js';
import { BlockedSignal, type Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  boundariesOf,
  everyPlan,
  failureKind,
  isRecord,
  type Lead,
  type LeadCase,
  searchCounterexample,
  unknownVehicles,
  visibleJson,
} from '../../generators/index.js';
import { openLeadSession, type LeadSession } from './lead-session.js';

/** A lead that was sent, and what came of it. */
export interface LeadOutcome {
  readonly one: LeadCase;
  readonly lead: Lead;
  readonly exchange: Exchange;
}

/** The deterministic leads of a run with their answers. */
export interface Exercise {
  readonly plain: Exchange;
  readonly outcomes: readonly LeadOutcome[];
  /** Labels of the cases that the budget left out. */
  readonly untried: readonly string[];
  /** Why the target stopped answering meanwhile, or null. */
  readonly cut: string | null;
}

/** Requests kept back for random leads, as a share of the budget. */
const randomShare = { gate: 0.2, certify: 0.3 } as const;

/** How many requests a shrinking may cost. */
export const shrinkBudget = 40;

/** The requests of LEAD-03. */
export const acceptanceBudget = { gate: 76, certify: 380 };

/** Sends every boundary lead once in a run; LEAD-03 judges whether they were taken, LEAD-07 what was shown of them. */
export function exerciseLeads(check: Check): Promise<Exercise> {
  return check.once('lead boundaries', async () => {
    const session = await openLeadSession(check, acceptanceBudget);
    const plain = await session.plain();
    const cases = boundariesOf(session.form);
    const all = check.run.depth === 'certify' ? [...cases, ...everyPlan(session.form)] : [...cases];
    const [unknown, ...furtherIds] = unknownVehicles(session.form, check.fresh('unknown unit').slice(0, 8));
    const reserve = Math.floor(randomShare[check.run.depth] * (session.left + session.spent));
    const outcomes: LeadOutcome[] = [];
    if (!isSuccess(plain)) return { plain, outcomes, untried: all.map((one) => one.label), cut: null };
    if (unknown) {
      const lead = await session.withUniqueFields(unknown);
      const exchange = await session.post(lead);
      outcomes.push({ one: unknown, lead, exchange });
      // Only where unknown units are taken can a longer id be refused for nothing but its length.
      if (isSuccess(exchange)) all.unshift(...furtherIds);
    }
    const endedAt = (at: number, cut: string | null): Exercise => ({
      plain,
      outcomes,
      untried: all.slice(at).map((rest) => rest.label),
      cut,
    });
    for (const [at, one] of all.entries()) {
      if (session.left <= reserve) return endedAt(at, null);
      const lead = await session.withUniqueFields(one);
      try {
        outcomes.push({ one, lead, exchange: await session.post(lead) });
      } catch (error) {
        if (!(error instanceof BlockedSignal)) throw error;
        return endedAt(at, error.message);
      }
    }
    return endedAt(all.length, null);
  });
}

/** Whether a refusal breaks the specification: what is not demanded may be refused, but has to be answered below 500. */
export function isFault(one: LeadCase, exchange: Exchange): boolean {
  if (isSuccess(exchange)) return false;
  return one.strength === 'must' || !isRefusal(exchange);
}

type Confirmed = 'breach' | 'transient' | 'unwell';

/** Sends the lead twice again under new keys, then a plain one: a breach is only what repeats while plain leads are taken. */
async function confirm(check: Check, session: LeadSession, outcome: LeadOutcome): Promise<Confirmed> {
  if (mayMean(outcome.exchange, 409)) {
    // The unit may have as many leads as it takes.
    const { one } = outcome;
    const moved = { ...one, lead: { ...one.lead, vehicleId: session.form.base['vehicleId'] } };
    for (let tries = 1; tries <= 3; tries += 1)
      if (!isFault(one, await session.post(await session.withUniqueFields(moved)))) return 'transient';
  }
  for (let round = 1; round <= 2; round += 1) {
    const again = await session.post(await session.withUniqueFields(outcome.one));
    if (!isFault(outcome.one, again)) return 'transient';
    if (round === 1 && (await conflicts(check, session)).has(saidOf(again))) return 'transient';
  }
  if (await isRefusedForSold(check, outcome.exchange)) return 'transient';
  const plain = await session.plain();
  const broken = (exchange: Exchange): boolean => (exchange.response?.status ?? 500) >= 500;
  const { one } = outcome;
  const taken: unknown = isSuccess(plain) ? JSON.parse(plain.request.body?.toString() ?? 'null') : null;
  if (isRecord(taken) && one.field !== 'vehicleId' && isRefusal(outcome.exchange)) {
    // The vehicle may be the reason for a refusal: that of a lead which was just accepted is none.
    const moved = { ...(await session.withUniqueFields(one)), vehicleId: taken['vehicleId'] };
    if (!isFault(one, await session.post(moved))) return 'transient';
  }
  return isSuccess(plain) || (broken(outcome.exchange) && broken(plain)) ? 'breach' : 'unwell';
}

/** The status and the error of an answer, without what changes from request to request. */
function saidOf({ response }: Exchange): string {
  const error = isRecord(response?.json) ? response.json['error'] : null;
  return `${String(response?.status)} ${JSON.stringify(error ?? null).replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi, '…')}`;
}

/** How a lead is refused that has its phone or its name in common with an earlier one: a short phone may be that of an earlier lead. */
function conflicts(check: Check, session: LeadSession): Promise<ReadonlySet<string>> {
  return check.once('refusals of a phone or a name that another lead has', async () => {
    const lead = await session.fresh();
    const said = new Set<string>();
    if (!isSuccess(await session.post(lead))) return said;
    for (const field of ['phone', 'name']) {
      const other = await session.post({ ...(await session.fresh()), [field]: lead[field] });
      if (!isSuccess(other)) said.add(saidOf(other));
    }
    return said;
  });
}

/** Whether a lead that was refused is taken now: its vehicle may have been another's meanwhile. */
async function isTaken(session: LeadSession, one: LeadCase): Promise<boolean> {
  return session.left > 0 && isSuccess(await session.post(await session.withUniqueFields(one)));
}

/** Judges the boundaries; false where searching further is of no use. */
export async function judgeOutcomes(check: Check, session: LeadSession, exercise: Exercise): Promise<boolean> {
  const kinds = new Map<string, number>();
  const openly: string[] = [];
  const unusual: LeadOutcome[] = [];
  for (const outcome of exercise.outcomes) {
    const { one, exchange } = outcome;
    if (isSuccess(exchange)) continue;
    if (!isFault(one, exchange)) {
      if (one.strength === 'should') {
        if (!(await isTaken(session, one))) unusual.push(outcome);
      } else openly.push(`${one.label} (${String(exchange.response?.status ?? 0)})`);
      continue;
    }
    const kind = failureKind(exchange);
    const known = kinds.get(kind) ?? 0;
    if (known >= 6) continue;
    const confirmed = await confirm(check, session, outcome);
    if (confirmed === 'unwell') return check.blocked('the service stopped accepting plain leads during the test');
    if (confirmed === 'transient') {
      check.observe('Was a lead refused once and accepted the second time?', `${one.label}: ${describe(exchange)}`);
      continue;
    }
    kinds.set(kind, known + 1);
    tell(check, outcome, [exchange]);
  }
  const { problem } = session.form.schema;
  if (problem !== null) check.observe('Can the declared schema of a lead be used?', problem);
  if (unusual.length > 0) {
    check.warn({
      code: 'rare-lead-refused',
      expected: 'leads that the document allows to be accepted, even with rare names or phones',
      actual: `refused: ${unusual.map(({ one, exchange }) => `${one.label} (${String(exchange.response?.status ?? 0)})`).join('; ')}`,
      exchanges: unusual.slice(0, 3).map(({ exchange }) => exchange),
    });
  }
  if (openly.length > 0) check.observe('Which unusual leads that nothing forbids are refused?', openly.join('; '));
  if (exercise.untried.length > 0) {
    check.observe(
      'Which values at the edge of what is allowed were not tried within the limit on requests?',
      `${String(exercise.untried.length)}: ${exercise.untried.slice(0, 12).join('; ')}`,
    );
  }
  if (exercise.cut !== null && kinds.size === 0) return check.blocked(exercise.cut);
  return kinds.size === 0 && exercise.cut === null;
}

function tell(check: Check, { one, lead, exchange }: LeadOutcome, exchanges: readonly Exchange[], path?: string): void {
  const said =
    exchange.response === null ? (exchange.failure?.message ?? '') : visibleJson(exchange.response.json, 160);
  check.fail({
    code: one.strength === 'must' ? 'lead-refused' : 'server-error',
    field: one.label,
    expected:
      one.strength === 'must' ? `this lead to be accepted (${one.label})` : `an answer below 500 (${one.label})`,
    actual: `${describe(exchange)} for ${visibleJson(lead)}: ${said}`,
    exchanges,
    ...(path === undefined ? {} : { path }),
  });
}

/** Random leads, at most `runs`. */
export async function searchRefusals(check: Check, session: LeadSession, runs: number): Promise<void> {
  let tried = 0;
  const judge = async (
    one: LeadCase,
    known: string | null,
  ): Promise<(LeadOutcome & { readonly kind: string }) | null> => {
    tried += 1;
    const lead = await session.withUniqueFields(one);
    const exchange = await session.post(lead);
    if (!isFault(one, exchange)) return null;
    const outcome = { one, lead, exchange, kind: failureKind(exchange) };
    if (known === null) return (await confirm(check, session, outcome)) === 'breach' ? outcome : null;
    // A smaller lead may be refused for another reason, such as the phone that it was given.
    return isFault(one, await session.post(await session.withUniqueFields(one))) ? outcome : null;
  };
  const found = await searchCounterexample(check, arbitraryOf(session.form), judge, {
    runs,
    shrinkRequests: shrinkBudget,
  });
  if (found !== null) tell(check, found.failure, [found.failure.exchange], found.path);
  else check.observe('How many random leads were accepted?', `${String(tried)} (seed ${String(check.run.seed)})`);
}
