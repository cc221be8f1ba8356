import { dataOf, idIn, isGone, isSuccess, mayMean, paths, patienceSeconds, settled } from '../../service/index.js';
import { wordFor } from './leads.js';
import { isRefusedForSold, refusedLead } from './refused-leads.js';
import { createUnit } from '../units/unit-creation.js';
import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { openLeadSession, type LeadSession } from './lead-session.js';
import { areaCodes, fictionalPhones, visibleJson } from '../../generators/index.js';

/** A lead that was created can be read by its id, where the document declares that. */
async function judgeKept(check: Check, created: Exchange): Promise<void> {
  const { contract } = await check.contract();
  const id = idIn(created);
  const path = `${paths.leads}/${percentEncode(id ?? '')}`;
  if (id === null || contract.operation('GET', path) === null) return;
  const read = await settled(
    check,
    () => check.send({ path }),
    (one) => !isGone(one),
  );
  if (isGone(read))
    check.fail({
      code: 'lead-missing',
      expected: `the lead ${visibleJson(id)}, at the latest ${patienceSeconds} s after it was created`,
      actual: describe(read),
      exchanges: [created, read],
    });
}

/** Vehicles that are tried before a refusal counts: others may have left leads open for the first ones. */
const mostVehicles = 6;

/** Leads, each with values of its own, that are refused before that counts. */
const mostRefusals = 3;

/** What the specification says of a field of a lead, and a value of that kind. */
const specified = [
  {
    field: 'phone',
    what: 'phones with a leading plus',
    isSo: (value: unknown) => typeof value !== 'string' || value.startsWith('+'),
    make: (_: Check, code: string) => fictionalPhones(code)[23],
  },
  {
    field: 'name',
    what: 'names that are strings',
    isSo: (value: unknown) => typeof value === 'string',
    make: (check: Check) => `Conformance Test ${wordFor(check.fresh('specified name'))}`,
  },
] as const;

/** A field as the specification has it is taken, also where the document asks for another form. */
async function judgeSpecified(check: Check, session: LeadSession): Promise<void> {
  for (const { field, what, isSo, make } of specified) {
    const refused: Exchange[] = [];
    for (const code of areaCodes.slice(0, 2)) {
      const lead = await session.fresh();
      if (isSo(lead[field])) break;
      const exchange = await session.post({ ...lead, [field]: make(check, code) });
      if (!mayMean(exchange, 400, 422)) break;
      refused.push(exchange);
    }
    if (refused.length === 2)
      check.fail({
        code: 'specified-refused',
        expected: `${what} to be taken, as the specification shows them`,
        actual: `${refused.map(describe).join(', ')}; others are taken`,
        exchanges: refused,
      });
  }
}

/**
 * LEAD-01: the example lead of the specification is created, and the answer is a success envelope. A service may allow one open lead per
 * vehicle, so after a conflict (409) the check tries other vehicles, and a new one where the document can create one.
 */
export async function judgeExampleLead(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 4, certify: 4 });
  const bare = Object.keys(session.form.base).length === 3;
  let created = 0;
  let refused = 0;
  for (let tries = 0; created < 2; tries += 1) {
    const isLast = tries - created >= mostVehicles;
    const own = isLast ? await createUnit(check) : null;
    const lead = { ...(await session.fresh()), ...(own === null ? {} : { vehicleId: own }) };
    const exchange = await session.post(lead);
    if (exchange.response === null) return check.blocked(`${describe(exchange)}: ${exchange.failure?.message ?? ''}`);
    if (isSuccess(exchange) && dataOf(exchange) !== null) {
      await judgeKept(check, exchange);
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
  if (created > 0) await judgeSpecified(check, session);
  if (!bare)
    check.observe(
      'Does a lead need more than name, phone and vehicleId?',
      `the document asks for ${Object.keys(session.form.base).join(', ')}`,
    );
}
