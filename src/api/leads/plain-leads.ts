import { dataOf, isSuccess, mayMean } from '../../service/index.js';
import { wordFor } from './leads.js';
import { isRefusedForSold, refusedLead } from './refused-leads.js';
import { missing, missingLead } from './kept-leads.js';
import { createUnit } from '../units/unit-creation.js';
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

/** Vehicles that are tried before a refusal counts: others may have left leads open for the first ones. */
const mostVehicles = 6;

/** Leads, each with values of its own, that are refused before that counts. */
const mostRefusals = 3;

/** A field as the specification has it is taken, also where the document asks for another form. */
async function acceptSpecified(check: Check, session: LeadSession): Promise<void> {
  const { phone, name } = session.form.base;
  const asksFor = [
    ...(typeof phone === 'string' && !phone.startsWith('+')
      ? [['phone', 'phones with a leading plus', (at: number) => fictionalPhones(areaCodes[at] ?? '')[23]] as const]
      : []),
    ...(typeof name === 'string'
      ? []
      : [['name', 'names that are strings', () => `Conformance Test ${wordFor(check.fresh('name'))}`] as const]),
  ];
  for (const [field, what, make] of asksFor) {
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

/**
 * LEAD-01: the example lead of the specification is created, and the answer is a success envelope. A service may allow one open lead per
 * vehicle, so after a conflict (409) the check tries other vehicles, and a new one where the document can create one.
 */
export async function acceptPlainLead(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 4, certify: 4 });
  const fields = Object.keys(session.form.base);
  let created = 0;
  let refused = 0;
  for (let tries = 0; created < 2; tries += 1) {
    const isLast = tries - created >= mostVehicles;
    const own = isLast ? await createUnit(check) : null;
    const lead = { ...(await session.fresh()), ...(own === null ? {} : { vehicleId: own }) };
    const exchange = await session.post(lead);
    if (exchange.response === null) return check.blocked(`${describe(exchange)}: ${exchange.failure?.message ?? ''}`);
    if (isSuccess(exchange) && dataOf(exchange) !== null) {
      const answers = await missing(check, [exchange]);
      if (answers !== null) check.fail(missingLead('the lead', [exchange, ...answers]));
      created += 1;
      continue;
    }
    if (exchange.response.status === 402)
      return check.blocked(`${describe(exchange)}: the account takes no more leads`);
    if (session.form.unitIds.length === 0 && !isSuccess(exchange))
      return check.blocked('the tenant has no units that a lead could be about: seed at least one');
    if (mayMean(exchange, 409) && !isLast) continue;
    if (mayMean(exchange, 409) && own === null)
      return check.blocked(
        `each of ${String(tries)} vehicles was refused with 409, as where leads are open for them: seed units that no lead is open for, or declare how to create them`,
      );
    // Its vehicle may have been sold meanwhile, or its phone be one that the service does not want.
    refused += 1;
    if (mayMean(exchange, 400, 404, 410, 422) && refused < mostRefusals) {
      await isRefusedForSold(check, exchange);
      continue;
    }
    // Which fields are required is not shown (§2), and a service may ask for more than its document says.
    if (mayMean(exchange, 400, 422) && created === 0 && check.target.leadBody === null)
      return check.blocked(`an ordinary lead is refused: ${refusedLead(check, exchange)}`);
    check.fail({
      code: 'no-success',
      expected: `a success envelope for ${visibleJson(lead)}`,
      actual: `${describe(exchange)}: ${visibleJson(exchange.response.json ?? exchange.response.text, 200)}`,
      exchanges: [exchange],
    });
    break;
  }
  if (created > 0) await acceptSpecified(check, session);
  if (fields.length > 3)
    check.observe(
      'Does a lead need more than name, phone and vehicleId?',
      `the document asks for ${fields.join(', ')}`,
    );
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
      if (isSuccess(exchange) || tries === mostRefusals) return exchange;
    }
  };
  const without = await post(rest);
  const { values, examples } = schema.field('source');
  const candidates = sourcesOf(session.form);
  const refused = new Map<string, Exchange>();
  let taken = 0;
  for (const source of candidates.length === 0 ? modestSources : candidates) {
    if (session.left < 2 || refused.size + taken >= 40) break;
    const exchange = await post({ ...base, source });
    if (!isSuccess(exchange)) refused.set(source, exchange);
    else taken += 1;
    if (values === null && taken > 0) break;
  }
  if (!isSuccess(without) && taken === 0)
    return check.blocked(`no lead is accepted, with or without a source (see LEAD-01): ${describe(without)}`);
  const tell = (code: string, expected: string, exchange: Exchange): false =>
    check.fail({
      code,
      expected: `${expected} to be accepted`,
      actual: `${describe(exchange)}: ${visibleJson(exchange.response?.json, 160)}`,
      exchanges: [exchange],
    });
  // A value that the document gives as an example is a valid source as long as a lead without it is still accepted.
  const isOpen = [...refused.keys()].some((one) => examples.includes(one)) && isSuccess(await post(rest));
  let holds = isSuccess(without) || tell('no-source-refused', 'a lead without source', without);
  for (const [source, exchange] of refused) {
    const isNamed = values !== null || (isOpen && examples.includes(source));
    if (isNamed) holds = tell('declared-source-refused', `the declared source ${visibleJson(source)}`, exchange);
    else if ((exchange.response?.status ?? 500) >= 500)
      holds = tell('source-broken', `the source ${visibleJson(source)}, or refused with 4xx,`, exchange);
  }
  const last = [...refused.values()].at(-1);
  if (!holds || values !== null || taken > 0 || last === undefined) return;
  // With no list declared, a service may have a list of its own that none of the usual words is on.
  // A declared source may follow a pattern that none of the usual words meets: that they are refused proves nothing.
  const isDeclaredAway = candidates.length === 0 && !schema.properties.has('source');
  check[isDeclaredAway ? 'fail' : 'warn']({
    code: 'every-source-refused',
    expected: 'a lead with a source to be accepted',
    actual: `every one of ${[...refused.keys()].join(', ')} was refused${isDeclaredAway ? ', and the declared schema allows no source' : ''}`,
    exchanges: [last],
  });
}
