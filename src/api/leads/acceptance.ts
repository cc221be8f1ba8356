import { isRefusal, isSuccess, mayMean } from '../../service/index.js';
import { vehiclesFor } from './lead-factory.js';
import { isRefusedForSold } from './refused-leads.js';
import { uniquePhone } from './phone-book.js';
import { sentLead } from './leads.js';
import { BlockedSignal, type Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  boundariesOf,
  everyPlan,
  failureKind,
  isRecord,
  type LeadCase,
  unknownVehicles,
  visibleJson,
} from '../../generators/index.js';
import {
  blockUnlessTaken,
  confirm,
  type Finding,
  type LeadOutcome,
  type LeadSession,
  observeUntried,
  openLeadSession,
  type Proof,
  searchBreach,
} from './lead-session.js';

/** The deterministic leads of a run with their answers. */
interface Exercise {
  readonly plain: Exchange;
  readonly outcomes: readonly LeadOutcome[];
  /** Labels of the cases that the budget left out. */
  readonly untried: readonly string[];
  /** Why the target stopped answering meanwhile, or null. */
  readonly cut: string | null;
}

/** Requests kept back for random leads, as a share of the budget. */
const randomShare = { gate: 0.2, certify: 0.3 } as const;

const budget = { gate: 76, certify: 380 };

/** Sends every boundary lead once in a run; LEAD-03 judges whether they were taken, LEAD-07 what was shown of them. */
export function exerciseLeads(check: Check): Promise<Exercise> {
  return check.once('lead boundaries', async () => {
    const session = await openLeadSession(check, budget);
    const reserve = Math.floor(randomShare[check.run.depth] * session.left);
    const plain = await session.plain();
    const [unknown, ...furtherIds] = unknownVehicles(session.form, check.fresh('unknown unit').slice(0, 8));
    const rest = [
      ...(unknown === undefined ? [] : [unknown]),
      ...boundariesOf(session.form),
      ...(check.run.depth === 'certify' ? everyPlan(session.form) : []),
    ];
    const outcomes: LeadOutcome[] = [];
    let cut: string | null = null;
    while (isSuccess(plain) && session.left > reserve && cut === null) {
      const [one] = rest;
      if (one === undefined) break;
      try {
        const outcome = await session.send(one);
        outcomes.push(outcome);
        // Only where unknown units are taken can a longer id be refused for nothing but its length.
        rest.splice(0, 1, ...(one === unknown && isSuccess(outcome.exchange) ? furtherIds : []));
      } catch (error) {
        if (!(error instanceof BlockedSignal)) throw error;
        cut = error.message;
      }
    }
    return { plain, outcomes, untried: rest.map(({ label }) => label), cut };
  });
}

/** LEAD-03: every lead that the specification and the declared schema allow is taken: those at the edge of what is allowed, then random ones. */
export async function acceptLeads(check: Check): Promise<void> {
  const exercise = check.run.path === null ? await exerciseLeads(check) : null;
  const session = await openLeadSession(check, budget);
  blockUnlessTaken(check, exercise?.plain ?? (await session.plain()));
  if (exercise !== null) {
    const goesOn = await judgeRefused(check, session, exercise);
    await refuseNoDigit(check, session);
    if (!goesOn) return;
  }
  const used = exercise?.outcomes.length ?? 0;
  let tried = 0;
  const holds = async (one: LeadCase, kind: string | null): Promise<Finding | null> => {
    tried += 1;
    const outcome = await session.send(one);
    if (!isFault(one, outcome.exchange)) return null;
    // A smaller lead may be refused for another reason, such as the phone that it was given.
    const isSo =
      kind === null
        ? (await proves(check, session, outcome)) === 'breach'
        : isFault(one, (await session.send(one)).exchange);
    return isSo ? findingOf(outcome) : null;
  };
  const runs = Math.max(8, Math.min(session.left - used, 140));
  if (await searchBreach(check, arbitraryOf(session.form), runs, holds))
    check.observe('How many random leads were accepted?', String(tried), { detail: `seed ${check.run.seed}` });
}

/** Whether a refusal breaks the specification: what is not demanded may be refused, but has to be answered below 500. */
function isFault(one: LeadCase, exchange: Exchange): boolean {
  if (isSuccess(exchange)) return false;
  return one.strength === 'must' || !isRefusal(exchange);
}

/** What a fault proves: `breach` where it comes twice again for leads with values of their own, and neither a vehicle nor what another lead has explains it. */
async function proves(check: Check, session: LeadSession, { one, exchange }: LeadOutcome): Promise<Proof> {
  const moved = { ...one, lead: { ...one.lead, vehicleId: session.form.base['vehicleId'] } };
  // The unit may have as many leads as it takes.
  for (let tries = 1; mayMean(exchange, 409) && tries <= 3; tries += 1)
    if (!isFault(one, (await session.send(moved)).exchange)) return 'transient';
  const again = async (): Promise<Exchange | null> => {
    let answer = exchange;
    for (let round = 1; round <= 2; round += 1) {
      answer = (await session.send(one)).exchange;
      if (!isFault(one, answer) || (await conflicts(check, session)).has(saidOf(answer))) return null;
    }
    return answer;
  };
  let plain = exchange;
  const { exclusive } = await vehiclesFor(check);
  const proof = await confirm(exclusive ? 3 : 1, again, async () => (plain = await session.plain()));
  if (proof === 'transient' || (await isRefusedForSold(check, exchange))) return 'transient';
  if (isSuccess(plain) && one.field !== 'vehicleId' && isRefusal(exchange) && !exclusive) {
    // The vehicle may be the reason for a refusal: that of a lead which was just accepted is none, unless it takes one lead.
    const lead = { ...(await session.withUniqueFields(one)), vehicleId: sentLead(plain)?.['vehicleId'] };
    if (!isFault(one, await session.post(lead))) return 'transient';
  }
  return proof;
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

/** Judges which boundaries were refused; false where searching further is of no use. */
async function judgeRefused(check: Check, session: LeadSession, exercise: Exercise): Promise<boolean> {
  const kinds = new Map<string, number>();
  const openly: LeadOutcome[] = [];
  const unusual: LeadOutcome[] = [];
  const shown = ({ one, exchange }: LeadOutcome): string => `${one.label} (${String(exchange.response?.status ?? 0)})`;
  for (const outcome of exercise.outcomes.filter(({ exchange }) => !isSuccess(exchange))) {
    const { one, exchange } = outcome;
    const kind = failureKind(exchange);
    const reported = kinds.get(kind) ?? 0;
    if (!isFault(one, exchange)) {
      if (one.strength !== 'should') openly.push(outcome);
      // Its vehicle may have been another's meanwhile.
      else if (session.left <= 0 || !isSuccess((await session.send(one)).exchange)) unusual.push(outcome);
    } else if (reported < 6) {
      const proof = await proves(check, session, outcome);
      if (proof === 'unwell') return check.blocked('the service stopped accepting plain leads during the test');
      if (proof === 'transient') continue;
      kinds.set(kind, reported + 1);
      check.fail(findingOf(outcome));
    }
  }
  const { problem } = session.form.schema;
  if (problem !== null) check.observe('Can the declared schema of a lead be used?', problem);
  if (unusual.length > 0)
    check.warn({
      code: 'rare-lead-refused',
      expected: 'leads that the document allows to be accepted, even with rare names or phones',
      actual: `refused: ${unusual.map(shown).join('; ')}`,
      exchanges: unusual.slice(0, 3).map(({ exchange }) => exchange),
    });
  if (openly.length > 0)
    check.observe('Which unusual leads that nothing forbids are refused?', openly.map(shown).join('; '));
  observeUntried(check, 'values at the edge of what is allowed', exercise.untried);
  if (exercise.cut !== null && kinds.size === 0) return check.blocked(exercise.cut);
  return kinds.size === 0 && exercise.cut === null;
}

/** The breach of a lead that was not answered as it has to be. */
function findingOf({ one, lead, exchange }: LeadOutcome): Finding {
  const { response, failure } = exchange;
  const said = response === null ? (failure?.message ?? '') : visibleJson(response.json, 160);
  const isDemanded = one.strength === 'must';
  return {
    kind: failureKind(exchange),
    code: isDemanded ? 'lead-refused' : 'server-error',
    field: one.label,
    expected: `${isDemanded ? 'this lead to be accepted' : 'an answer below 500'} (${one.label})`,
    actual: `${describe(exchange)} for ${visibleJson(lead)}: ${said}`,
    exchanges: [exchange],
  };
}

/** Accepted phones of the same plan, without the digit, that a suspicion needs, and refused ones with it. */
const fewest = { accepted: 10, refused: 2 };

/** Fresh leads with the digit, and without it, that confirm a suspicion, and draws until a phone has it, or lacks it. */
const [confirmations, mostDraws] = [4, 2_000];

/** What phones of one plan have in common. */
const planOf = (phone: string): string => `${String(phone.length)} ${phone.slice(0, 2)}`;

/**
 * No phone is refused because of one of its last two digits, which do not decide which exchange or area a number belongs to. A service may refuse some
 * phones, such as those in a register: only where refused phones of this run have a digit that no accepted one of the same plan has, and several fresh
 * leads with it are all refused while leads without it are accepted in between, the digit is the cause.
 */
async function refuseNoDigit(check: Check, session: LeadSession): Promise<void> {
  const all = await check.run.exchanges();
  const [accepted = [], refused = []] = [isSuccess, isRefusal].map((is) =>
    all.filter(is).flatMap((one) => /^\+\d{7,15}$/.exec(String(sentLead(one)?.['phone']))?.[0] ?? []),
  );
  const tried = new Set<string>();
  const ends = [...new Set(refused)].flatMap((phone) => [[phone, 1] as const, [phone, 2] as const]);
  for (const [like, fromEnd] of ends) {
    const isLike = (phone: string): boolean => planOf(phone) === planOf(like);
    const has = (phone: string): boolean => isLike(phone) && phone.at(-fromEnd) === like.at(-fromEnd);
    const suspicion = `${planOf(like)} ${String(fromEnd)} ${like.at(-fromEnd) ?? ''}`;
    const isFounded = new Set(accepted.filter(isLike)).size >= fewest.accepted && !accepted.some(has);
    if (!isFounded || new Set(refused.filter(has)).size < fewest.refused || tried.has(suspicion)) continue;
    tried.add(suspicion);
    const exchanges: Exchange[] = [];
    const post = async (isWith: boolean): Promise<Exchange> => {
      const lead = await session.fresh();
      let phone = String(lead['phone']);
      for (let draws = 0; draws < mostDraws && !(isLike(phone) && has(phone) === isWith); draws += 1)
        phone = await uniquePhone(check, session.form);
      const exchange = await session.post({ ...lead, phone });
      exchanges.push(exchange);
      return exchange;
    };
    const again = async (): Promise<Exchange | null> => {
      const exchange = await post(true);
      return isRefusal(exchange) ? exchange : null;
    };
    if (tried.size > 4 || (await confirm(confirmations, again, () => post(false))) !== 'breach') continue;
    return void check.fail({
      code: 'digit-refused',
      expected: 'phones of one numbering plan and length to be accepted whatever their last digits are',
      actual: `each of ${String(confirmations)} leads with ${like.at(-fromEnd) ?? ''} as the ${fromEnd === 1 ? 'last' : 'last but one'} digit of the phone was refused, and each of ${String(confirmations)} others was accepted in between`,
      exchanges,
    });
  }
}
