import { dataOf, isRefusal, isSuccess, mayMean } from '../../service/index.js';
import { vehiclesFor } from './lead-factory.js';
import { isRefusedForSold, refusedLead } from './refused-leads.js';
import { sentLead, wordFor } from './leads.js';
import { home } from '../places.js';
import { createUnit } from '../units/unit-creation.js';
import { failIfMissing } from './stored-leads.js';
import { BlockedSignal, type Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  areaCodes,
  boundariesOf,
  failureKind,
  fictionalPhones,
  isRecord,
  type Lead,
  type LeadCase,
  modestSources,
  sourcesOf,
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

/** A field as the specification has it is taken, also where the document asks for another form. */
async function acceptSpecified(check: Check, session: LeadSession): Promise<void> {
  const { phone, name } = session.form.base;
  const phones = (at: number): unknown => fictionalPhones(areaCodes[at] ?? '')[23];
  const names = (): unknown => `Conformance Test ${wordFor(check.fresh('name'))}`;
  for (const [field, what, make, isAsked] of [
    ['phone', 'phones with a leading plus', phones, typeof phone === 'string' && !phone.startsWith('+')],
    ['name', 'names that are strings', names, typeof name !== 'string'],
  ] as const) {
    if (!isAsked) continue;
    const answers: Exchange[] = [];
    for (const at of [0, 1]) answers.push(await session.post({ ...(await session.fresh()), [field]: make(at) }));
    if (answers.every((one) => mayMean(one, 400, 422)))
      check.fail({
        code: 'specified-refused',
        expected: `${what} to be taken, as the specification shows them`,
        actual: `${answers.map(describe).join(', ')}; others are taken`,
        exchanges: answers,
      });
  }
}

/** Why a refusal of an ordinary lead says nothing against the service, or null: which fields are required is not shown (§2). */
function whyRefused(check: Check, session: LeadSession, exchange: Exchange, isFirst: boolean): string | null {
  const { response, failure } = exchange;
  if (response === null) return `${describe(exchange)}: ${failure?.message ?? ''}`;
  if (response.status === 402) return `${describe(exchange)}: the account takes no more leads`;
  if (session.form.unitIds.length === 0) return 'the tenant has no units that a lead could be about: seed at least one';
  const isInvalid = mayMean(exchange, 400, 422) && isFirst && check.target.leadBody === null;
  return isInvalid ? `an ordinary lead is refused: ${refusedLead(check, exchange)}` : null;
}

/** The vehicle of a lead that was taken, for another lead: which units take leads is not shown. Null where it takes one lead only. */
async function vehicleTaken(check: Check, taken: Exchange): Promise<unknown> {
  const { exclusive } = await vehiclesFor(check);
  return isSuccess(taken) && !exclusive ? (sentLead(taken)?.['vehicleId'] ?? null) : null;
}

/** LEAD-01: the example lead of the specification is created, and the answer is a success envelope. */
export async function acceptPlainLead(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 4, certify: 4 });
  let vehicleId: unknown = null;
  const fields = Object.keys(session.form.base);
  if (fields.length > 3)
    check.observe(
      'Does a lead need more than name, phone and vehicleId?',
      `the document asks for ${fields.join(', ')}`,
    );
  for (const isFirst of [true, false]) {
    let exchange = await session.plain();
    if (exchange.response?.status === 409) {
      // Where leads are open for all of several vehicles, none is for a new one.
      const own = await createUnit(check);
      if (own === null && session.form.unitIds.length > 0)
        check.blocked(
          'each of several vehicles was refused with 409, as where leads are open for them: seed units that no lead is open for, or declare how to create them',
        );
      if (own !== null) exchange = await session.post({ ...(await session.fresh()), vehicleId: own });
    }
    if (vehicleId !== null && mayMean(exchange, 400, 422))
      exchange = await session.post({ ...(await session.fresh()), vehicleId });
    if (isSuccess(exchange) && dataOf(exchange) !== null) {
      await failIfMissing(check, 'the lead', [exchange]);
      if (isFirst) await acceptSpecified(check, session);
      vehicleId = await vehicleTaken(check, exchange);
      continue;
    }
    const reason = isSuccess(exchange) ? null : whyRefused(check, session, exchange, isFirst);
    if (reason !== null) check.blocked(reason);
    check.fail({
      code: 'no-success',
      expected: 'a success envelope for an ordinary lead',
      actual: `${describe(exchange)}: ${visibleJson(exchange.response?.json ?? exchange.response?.text, 200)}`,
      exchanges: [exchange],
    });
    return;
  }
}

/** LEAD-02: `source` may be left out, and may be given. Which values are allowed is only known where the document lists them. */
export async function acceptSources(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 10, certify: 24 });
  const { schema, base } = session.form;
  const { source: _, ...rest } = base;
  let vehicleId: unknown = null;
  // A service may refuse a phone that it knows or does not want, and a vehicle: only what is refused with three phones counts, and a vehicle that was taken.
  const post = async (lead: Lead): Promise<Exchange> => {
    for (let tries = 1; ; tries += 1) {
      const drawn = await session.withUniqueFields({ lead, field: 'source', label: 'source', strength: 'must' });
      const exchange = await session.post(tries === 3 && vehicleId !== null ? { ...drawn, vehicleId } : drawn);
      vehicleId ??= await vehicleTaken(check, exchange);
      if (isSuccess(exchange) || tries === 3) return exchange;
    }
  };
  const without = await post(rest);
  const { values, examples } = schema.field('source');
  const candidates = sourcesOf(session.form);
  const refused = new Map<string, Exchange>();
  let isTaken = false;
  for (const source of candidates.length === 0 ? modestSources : candidates) {
    if (session.left < 2 || (values === null && isTaken)) break;
    const exchange = await post({ ...base, source });
    if (isSuccess(exchange)) isTaken = true;
    else refused.set(source, exchange);
  }
  if (!isSuccess(without) && !isTaken)
    return check.blocked(`no lead is accepted, with or without a source (see LEAD-01): ${describe(without)}`);
  // A value that the document gives as an example is a valid source as long as a lead without it is still accepted.
  const isOpen = [...refused.keys()].some((one) => examples.includes(one)) && isSuccess(await post(rest));
  const required = [...refused].filter(
    ([source, { response }]) =>
      values !== null || (isOpen && examples.includes(source)) || (response?.status ?? 500) >= 500,
  );
  const failed: { what: string; lead: Lead; first: Exchange }[] = required.map(([source, first]) => {
    return { what: `the source ${visibleJson(source)}`, lead: { ...base, source }, first };
  });
  if (!isSuccess(without)) failed.push({ what: 'no source', lead: rest, first: without });
  for (const { what, lead, first } of failed) {
    const exchange = vehicleId === null ? first : await post(lead);
    if (!isSuccess(exchange))
      check.fail({
        code: 'source-refused',
        expected: `a lead with ${what} to be accepted`,
        actual: `${describe(exchange)}: ${visibleJson(exchange.response?.json, 160)}`,
        exchanges: [exchange],
      });
  }
  const last = [...refused.values()].at(-1);
  if (failed.length > 0 || values !== null || isTaken || last === undefined) return;
  // With no list declared, a service may have a list of its own that none of the usual words is on, or a pattern that none of them meets.
  const isDeclaredAway = candidates.length === 0 && !schema.properties.has('source');
  check[isDeclaredAway ? 'fail' : 'warn']({
    code: 'every-source-refused',
    expected: 'a lead with a source to be accepted',
    actual: `every one of ${[...refused.keys()].join(', ')} was refused${isDeclaredAway ? ', and the declared schema allows no source' : ''}`,
    exchanges: [last],
  });
}

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
    const rest = [
      ...boundariesOf(session.form, `Conformance-${check.fresh('unknown unit').slice(0, 8).toUpperCase()}`),
    ];
    const outcomes: LeadOutcome[] = [];
    let cut: string | null = null;
    while (isSuccess(plain) && session.left > reserve && cut === null) {
      const one = rest.shift();
      if (one === undefined) break;
      try {
        outcomes.push(await session.send(one));
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
  if (exercise !== null && !(await judgeRefused(check, session, exercise))) return;
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

/**
 * What a fault proves: `breach` where it comes again for leads with values of their own, but phones that end alike, and neither a vehicle nor what
 * another lead has explains it.
 */
async function proves(check: Check, session: LeadSession, { one, lead, exchange }: LeadOutcome): Promise<Proof> {
  const { exclusive } = await vehiclesFor(check);
  // The unit may have as many leads as it takes.
  const isConflict = mayMean(exchange, 409);
  const { vehicleId } = isConflict ? session.form.base : one.lead;
  const again = async (plain: Exchange): Promise<Exchange | null> => {
    const drawn = await session.withUniqueFields({ ...one, lead: { ...one.lead, vehicleId } }, home, lead);
    // The vehicle of a lead that was just accepted is no reason for a refusal, unless it takes one lead.
    const takesMore = isSuccess(plain) && one.field !== 'vehicleId' && !isConflict && !exclusive;
    const answer = await session.post(takesMore ? { ...drawn, vehicleId: sentLead(plain)?.['vehicleId'] } : drawn);
    return isFault(one, answer) && !(await conflicts(check, session)).has(saidOf(answer)) ? answer : null;
  };
  const proof = await confirm(exclusive || isConflict ? 4 : 2, session.plain, again);
  return proof === 'breach' && (await isRefusedForSold(check, exchange)) ? 'transient' : proof;
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

/** Breaches that are reported of one requirement. */
const mostReported = 6;

/** Judges which boundaries were refused; false where searching further is of no use. */
async function judgeRefused(check: Check, session: LeadSession, exercise: Exercise): Promise<boolean> {
  let failed = 0;
  const openly: LeadOutcome[] = [];
  const unusual: LeadOutcome[] = [];
  const shown = ({ one, exchange }: LeadOutcome): string => `${one.label} (${String(exchange.response?.status ?? 0)})`;
  for (const outcome of exercise.outcomes.filter(({ exchange }) => !isSuccess(exchange))) {
    const { one, exchange } = outcome;
    if (!isFault(one, exchange)) {
      if (one.strength !== 'should') openly.push(outcome);
      // Its vehicle may have been another's meanwhile.
      else if (session.left <= 0 || !isSuccess((await session.send(one)).exchange)) unusual.push(outcome);
    } else if (failed < mostReported) {
      const proof = await proves(check, session, outcome);
      if (proof === 'unwell') return check.blocked('the service stopped accepting plain leads during the test');
      if (proof === 'transient') continue;
      failed += 1;
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
  if (exercise.cut !== null && failed === 0) return check.blocked(exercise.cut);
  return failed === 0 && exercise.cut === null;
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
