import { dataOf, isRefusal, isSuccess, mayMean } from '../../service/index.js';
import { vehiclesFor } from './lead-factory.js';
import { isRefusedForSold, refusedLead } from './refused-leads.js';
import { postLead, sentLead, wordFor } from './leads.js';
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
  judgeLeads,
  observeUntried,
  openLeadSession,
} from './lead-session.js';

/** A field as the specification has it is taken, also where the document asks for another form. */
async function acceptSpecified(check: Check, session: LeadSession): Promise<void> {
  const { phone, name } = session.form.base;
  const codes = [...areaCodes];
  for (const [field, what, make, isAsked] of [
    [
      'phone',
      'phones with a leading plus',
      () => fictionalPhones(codes.shift() ?? '')[23],
      typeof phone === 'string' && !phone.startsWith('+'),
    ],
    [
      'name',
      'names that are strings',
      () => `Conformance Test ${wordFor(check.fresh('name'))}`,
      typeof name !== 'string',
    ],
  ] as const) {
    if (!isAsked) continue;
    const send = async (): Promise<Exchange> => session.post({ ...(await session.fresh()), [field]: make() });
    const refused = await session.repeated(send, (answer) => mayMean(answer, 400, 422));
    if (refused !== null)
      check.fail({
        code: 'specified-refused',
        expected: `${what} to be taken, as the specification shows them`,
        actual: `${describe(refused)}, twice; others are taken`,
        exchanges: [refused],
        part: 'status',
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
      part: 'status',
    });
    return;
  }
}

/** LEAD-02: `source` may be left out, and may be given. Which values are allowed is only known where the document lists them. */
export async function acceptSources(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 10, certify: 24 });
  const { schema, base } = session.form;
  const { source: _, ...rest } = base;
  const { values, examples } = schema.field('source');
  const without = await session.sendPatiently({ lead: rest, field: 'source', label: 'no source', strength: 'must' });
  const isOptional = isSuccess(without.exchange);
  const candidates = sourcesOf(session.form);
  const given: LeadOutcome[] = [];
  for (const source of candidates.length === 0 ? modestSources : candidates) {
    if (session.left < 2 || (values === null && given.some(isTaken))) break;
    // A value that the document gives as an example is a valid source as long as a lead without it is accepted.
    const isDemanded = values !== null || (isOptional && examples.includes(source));
    const lead = { ...base, source };
    const label = `the source ${visibleJson(source)}`;
    given.push(await session.send({ lead, field: 'source', label, strength: isDemanded ? 'must' : 'open' }));
  }
  const taken = [without, ...given].find(isTaken);
  if (taken === undefined)
    return check.blocked(`no lead is accepted, with or without a source (see LEAD-01): ${describe(without.exchange)}`);
  const control = async (): Promise<Exchange> => (await session.sendPatiently(taken.one)).exchange;
  let holds = true;
  for (const outcome of [without, ...given]) {
    const fault = await faultOf(check, session, outcome, control);
    if (fault !== null) holds = check.fail({ ...fault.breach, code: 'source-refused' });
  }
  const last = given.at(-1);
  if (!holds || values !== null || given.some(isTaken) || last === undefined) return;
  // With no list declared, a service may have a list of its own that none of the usual words is on, or a pattern that none of them meets.
  const isDeclaredAway = candidates.length === 0 && !schema.properties.has('source');
  check[isDeclaredAway ? 'fail' : 'warn']({
    code: 'every-source-refused',
    expected: 'a lead with a source to be accepted',
    actual: `every one of ${given.map(({ one }) => one.label).join(', ')} was refused${isDeclaredAway ? ', and the declared schema allows no source' : ''}`,
    exchanges: [last.exchange],
  });
}

const isTaken = ({ exchange }: LeadOutcome): boolean => isSuccess(exchange);

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
  const { outcomes = [], untried = [], cut = null } = exercise ?? {};
  if (exercise !== null) await noteRefused(check, session, outcomes);
  await nameCharset(check, session);
  observeUntried(check, 'values at the edge of what is allowed', untried);
  let tried = 0;
  const { holds } = await judgeLeads(check, session, {
    cases: outcomes,
    reserve: Number.NEGATIVE_INFINITY,
    draw: arbitraryOf(session.form),
    runs: () => (cut === null ? Math.max(8, Math.min(session.left - outcomes.length, 140)) : 0),
    of: async (one) => {
      tried += 1;
      return [await session.send(one)];
    },
    judge: async (outcome, kind) => {
      if (kind === null || !isFault(outcome)) return faultOf(check, session, outcome, session.plain);
      // A smaller lead may be refused for another reason, such as the phone that it was given.
      return isFault(await session.send(outcome.one)) ? findingOf(outcome) : null;
    },
  });
  if (holds && cut !== null) return check.blocked(cut);
  if (holds) check.observe('How many random leads were accepted?', String(tried), { detail: `seed ${check.run.seed}` });
}

/** A media type is the same with a charset, which has no effect on JSON (RFC 8259 §11). */
async function nameCharset(check: Check, session: LeadSession): Promise<void> {
  const headers = [['content-type', 'application/json; charset=utf-8']] as const;
  const send = async (): Promise<Exchange> => {
    const lead = await session.fresh();
    return postLead(check, lead, { body: Buffer.from(JSON.stringify(lead)), headers });
  };
  const refused = session.left <= 0 ? null : await session.repeated(send, (answer) => !isSuccess(answer));
  if (refused !== null)
    check.warn({
      code: 'charset-refused',
      expected: 'a lead to be taken as application/json; charset=utf-8 as well, as many clients send it',
      actual: `${describe(refused)}, twice; it is taken as application/json`,
      exchanges: [refused],
      part: 'status',
    });
}

/** Whether a refusal breaks the specification: what is not demanded may be refused, but has to be answered below 500. */
function isFault({ one, exchange }: Pick<LeadOutcome, 'one' | 'exchange'>): boolean {
  if (isSuccess(exchange)) return false;
  return one.strength === 'must' || !isRefusal(exchange);
}

/**
 * The breach of a lead that was not answered as it has to be, where that comes again for leads with values of their own, but phones that end alike,
 * and neither a vehicle nor what another lead has explains it; null otherwise. Blocks where no control is taken.
 */
async function faultOf(
  check: Check,
  session: LeadSession,
  outcome: LeadOutcome,
  control: () => Promise<Exchange>,
): Promise<Finding | null> {
  if (!isFault(outcome)) return null;
  const { one, lead, exchange } = outcome;
  const { exclusive } = await vehiclesFor(check);
  // The unit may have as many leads as it takes.
  const isConflict = mayMean(exchange, 409);
  const { vehicleId } = isConflict ? session.form.base : one.lead;
  const again = async (taken: Exchange): Promise<Exchange | null> => {
    const drawn = await session.withUniqueFields({ ...one, lead: { ...one.lead, vehicleId } }, home, lead);
    // The vehicle of a lead that was just accepted is no reason for a refusal, unless it takes one lead.
    const takesMore = isSuccess(taken) && one.field !== 'vehicleId' && !isConflict && !exclusive;
    const answer = await session.post(takesMore ? { ...drawn, vehicleId: sentLead(taken)?.['vehicleId'] } : drawn);
    return isFault({ one, exchange: answer }) && !(await conflicts(check, session)).has(saidOf(answer)) ? answer : null;
  };
  const proof = await confirm(exclusive || isConflict ? 4 : 2, control, again);
  if (proof === 'unwell') return check.blocked('the service stopped accepting plain leads during the test');
  return proof === 'transient' || (await isRefusedForSold(check, exchange)) ? null : findingOf(outcome);
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

/** Tells which leads were refused that need not be taken. */
async function noteRefused(check: Check, session: LeadSession, outcomes: readonly LeadOutcome[]): Promise<void> {
  const openly: LeadOutcome[] = [];
  const unusual: LeadOutcome[] = [];
  const shown = ({ one, exchange }: LeadOutcome): string => `${one.label} (${String(exchange.response?.status ?? 0)})`;
  for (const outcome of outcomes.filter((one) => !isTaken(one) && !isFault(one))) {
    if (outcome.one.strength !== 'should') openly.push(outcome);
    // Its vehicle may have been another's meanwhile.
    else if (session.left <= 0 || !isTaken(await session.send(outcome.one))) unusual.push(outcome);
  }
  const { problem } = session.form.schema;
  if (problem !== null) check.observe('Can the declared schema of a lead be used?', problem);
  if (unusual.length > 0)
    check.warn({
      code: 'rare-lead-refused',
      expected: 'leads that the document allows to be accepted, even with rare names or phones',
      actual: `refused: ${unusual.map(shown).join('; ')}`,
      exchanges: unusual.slice(0, 3).map(({ exchange }) => exchange),
      part: 'status',
    });
  if (openly.length > 0)
    check.observe('Which unusual leads that nothing forbids are refused?', openly.map(shown).join('; '));
}

/** The breach of a lead that was not answered as it has to be. */
function findingOf({ one, lead, exchange }: LeadOutcome): Finding {
  const { response, failure } = exchange;
  const said = response === null ? (failure?.message ?? '') : visibleJson(response.json, 160);
  const isDemanded = one.strength === 'must';
  const breach = {
    code: isDemanded ? 'lead-refused' : 'server-error',
    field: one.label,
    expected: `${isDemanded ? 'this lead to be accepted' : 'an answer below 500'} (${one.label})`,
    actual: `${describe(exchange)} for ${visibleJson(lead)}: ${said}`,
    exchanges: [exchange],
    part: 'status' as const,
  };
  return { kind: failureKind(exchange), breach };
}
