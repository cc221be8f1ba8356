import { dataOf, isSuccess, mayMean } from '../../service/index.js';
import { wordFor } from './leads.js';
import { refusedLead } from './refused-leads.js';
import { createUnit } from '../units/unit-creation.js';
import { missingLeads } from './lead-readers.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { openLeadSession, type LeadSession } from './lead-session.js';
import {
  areaCodes,
  fictionalPhones,
  type Lead,
  modestSources,
  sourcesOf,
  visibleJson,
} from '../../generators/index.js';

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
function whyRefused(
  check: Check,
  session: LeadSession,
  exchange: Exchange,
  { isFirst, isNewUnit }: { readonly isFirst: boolean; readonly isNewUnit: boolean },
): string | null {
  const { response, failure } = exchange;
  if (response === null) return `${describe(exchange)}: ${failure?.message ?? ''}`;
  if (response.status === 402) return `${describe(exchange)}: the account takes no more leads`;
  if (session.form.unitIds.length === 0) return 'the tenant has no units that a lead could be about: seed at least one';
  if (response.status === 409 && !isNewUnit)
    return 'each of several vehicles was refused with 409, as where leads are open for them: seed units that no lead is open for, or declare how to create them';
  const isInvalid = mayMean(exchange, 400, 422) && isFirst && check.target.leadBody === null;
  return isInvalid ? `an ordinary lead is refused: ${refusedLead(check, exchange)}` : null;
}

/** LEAD-01: the example lead of the specification is created, and the answer is a success envelope. */
export async function acceptPlainLead(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 4, certify: 4 });
  const fields = Object.keys(session.form.base);
  if (fields.length > 3)
    check.observe(
      'Does a lead need more than name, phone and vehicleId?',
      `the document asks for ${fields.join(', ')}`,
    );
  for (const isFirst of [true, false]) {
    let exchange = await session.plain();
    // Where leads are open for all of several vehicles, none is for a new one.
    const own = exchange.response?.status === 409 ? await createUnit(check) : null;
    if (own !== null) exchange = await session.post({ ...(await session.fresh()), vehicleId: own });
    if (isSuccess(exchange) && dataOf(exchange) !== null) {
      const breach = await missingLeads(check, 'the lead', [exchange]);
      if (breach !== null) check.fail(breach);
      if (isFirst) await acceptSpecified(check, session);
      continue;
    }
    const reason = isSuccess(exchange)
      ? null
      : whyRefused(check, session, exchange, { isFirst, isNewUnit: own !== null });
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
  // A service may refuse a phone that it knows or does not want: only what is refused with three of them counts.
  const post = async (lead: Lead): Promise<Exchange> => {
    for (let tries = 1; ; tries += 1) {
      const { exchange } = await session.send({ lead, field: 'source', label: 'source', strength: 'must' });
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
  const isOwed = ([source, exchange]: readonly [string, Exchange]): boolean =>
    values !== null || (isOpen && examples.includes(source)) || (exchange.response?.status ?? 500) >= 500;
  const owed = [...refused]
    .filter(isOwed)
    .map(([source, one]): [string, Exchange] => [`the source ${visibleJson(source)}`, one]);
  if (!isSuccess(without)) owed.push(['no source', without]);
  for (const [what, exchange] of owed)
    check.fail({
      code: 'source-refused',
      expected: `a lead with ${what} to be accepted`,
      actual: `${describe(exchange)}: ${visibleJson(exchange.response?.json, 160)}`,
      exchanges: [exchange],
    });
  const last = [...refused.values()].at(-1);
  if (owed.length > 0 || values !== null || isTaken || last === undefined) return;
  // With no list declared, a service may have a list of its own that none of the usual words is on, or a pattern that none of them meets.
  const isDeclaredAway = candidates.length === 0 && !schema.properties.has('source');
  check[isDeclaredAway ? 'fail' : 'warn']({
    code: 'every-source-refused',
    expected: 'a lead with a source to be accepted',
    actual: `every one of ${[...refused.keys()].join(', ')} was refused${isDeclaredAway ? ', and the declared schema allows no source' : ''}`,
    exchanges: [last],
  });
}
