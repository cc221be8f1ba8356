import { judgeRefusedUnitBodies } from './unit-refusals.js';
import type { Exchange, HeaderLine } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  asObject,
  differences,
  idIn,
  isFromCache,
  isRefusal,
  isSuccess,
  paths,
  patienceSeconds,
  quote,
  recordIn,
} from '../../service/index.js';
import { inOtherWays } from '../other-ways.js';
import { judgeSentFields } from './created-fields.js';
import { judgeInFilter, judgeStatusChange, listWithNewUnit, readNewUnit } from './new-unit.js';
import { unitCreation, type UnitCreation } from './unit-creation.js';
import { isMissing, judgeChange, judgeDeletion, judgeTextChanges } from './unit-changes.js';
import { judgeVariedUnits } from './varied-units.js';

/** Exercises what the document declares beside GET on the unit collection. */
export async function exerciseSecondUnitOperation(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const second = contract.operations.filter((one) => one.role === 'units' && one.method !== 'GET');
  if (second.length === 0) check.notApplicable('the document declares no second operation on units (see DOC-04)');
  const creation = await unitCreation(check);
  if (creation === null) {
    check.notApplicable(
      `only ${second.map((one) => one.method).join(', ')} is declared beside GET; the document does not say what the operation does`,
    );
  }
  const drawn = creation.body(check);
  const forSale = { ...asObject(drawn), status: 'available' };
  const isAllowed = asObject(drawn) !== null && contract.validateRequest('POST', paths.units, forSale).length === 0;
  // An available unit shows in the filtered list as well.
  const body = isAllowed && contract.declaresField('POST', paths.units, 'status') ? forSale : drawn;
  if (body === undefined || body === null)
    check.notApplicable('no request body could be built from the declared schema for creating a unit');
  const headers = keyHeaders(check, creation);
  const made = await check.ask({ method: 'POST', path: paths.units, json: body, headers });
  if (!isSuccess(made)) {
    // A refusal may have a reason that no schema can state; a status that says "no such operation" or "my fault" has none.
    const mayBeRight = isRefusal(made) && ![401, 403, 404, 405].includes(made.response.status);
    check[mayBeRight ? 'warn' : 'fail']({
      expected: 'a body that the declaration allows to create a unit',
      actual: `${describe(made)}: ${quote(made.response.json)}${mayBeRight && check.target.unitBody === null ? '; name a file with a body that it accepts in UNIT_BODY' : ''}`,
      exchanges: [made],
    });
    return;
  }
  const id = idIn(made);
  if (id === null) {
    check.observe('Does creating a unit show its id?', `no: ${quote(made.response.json)}`);
    return;
  }
  // Each way changes units of its own, with values that no other has.
  await check.each(['usual', 'second form', 'second tenant', 'writing key'] as const, async (way) => {
    if (way !== 'usual')
      return inOtherWays(check, [way], () =>
        exerciseAgain(check, creation, way === 'second form' ? 'owed' : undefined),
      );
    const judgeLater = await judgeVariedUnits(check, creation);
    await judgeInFilter(check, id, 'it was created');
    await judgeMadeUnit(check, { id, body, headers, made });
    await judgeOddBodies(check, id);
    await judgeRefusedUnitBodies(check, id);
    await judgeStatusChange(check, id);
    await judgeDeletion(check, id);
    await judgeLater();
  });
}

/**
 * Makes, changes and deletes one more unit, where that is possible: whether a key may do so is judged elsewhere. `owed`: the operation has to
 * be there.
 */
async function exerciseAgain(check: Check, creation: UnitCreation, owed?: 'owed'): Promise<void> {
  const [body, headers] = [creation.body(check), keyHeaders(check, creation)];
  const made = await check.ask({ method: 'POST', path: paths.units, json: body, headers });
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null) {
    if (owed !== undefined) await judgeMissingOperation(check, creation, made);
    return;
  }
  await judgeMadeUnit(check, { id, body, headers, made, isOwed: owed !== undefined });
  await judgeDeletion(check, id);
}

/** Reports, where two tries say so, that the operation is not there. */
async function judgeMissingOperation(check: Check, creation: UnitCreation, made: Exchange): Promise<void> {
  if (!isMissing(made)) return;
  const again = await creation.attempt(check, {});
  if (isMissing(again))
    check.fail({
      expected: 'the operation that creates a unit to be there',
      actual: describe(again),
      exchanges: [made, again],
    });
}

const keyHeaders = (check: Check, { takesKey }: UnitCreation): HeaderLine[] =>
  takesKey ? [['idempotency-key', check.fresh('unit key')]] : [];

/** A unit that was just made, and how. */
interface MadeUnit {
  readonly id: string;
  readonly body: unknown;
  readonly headers: readonly HeaderLine[];
  readonly made: Exchange;
  readonly isOwed?: boolean;
}

/** A unit that was made can be read and is listed as it was sent, a replay shows it, and it can be changed. */
async function judgeMadeUnit(check: Check, { id, body, headers, made, isOwed = false }: MadeUnit): Promise<void> {
  const path = paths.unit(id);
  const { contract } = await check.contract();
  const shown = recordIn(made, id);
  if (contract.operation('GET', path) !== null) {
    const got = await readNewUnit(check, id);
    const record = recordIn(got, id);
    // With 202 a unit is yet to be made, or the id is that of a job.
    if (record === null && made.response?.status === 202)
      check.observe('When can a unit be read whose creation was answered with 202?', `not within ${patienceSeconds} s`);
    else if (record === null)
      check.fail({
        expected: `the unit ${quote(id)} that was just created`,
        actual: describe(got),
        exchanges: [made, got],
      });
    else {
      // A field that changes from one reading to the next (a view counter, a time stamp of the reading) says nothing.
      const later = recordIn(await check.send({ path }), id) ?? record;
      const moving = new Set(differences(record, later).map((one) => one.pointer));
      for (const one of differences(shown, record)
        .filter((other) => !moving.has(other.pointer))
        .slice(0, 2)) {
        check.warn({
          expected: `${one.pointer} as the creation showed it`,
          actual: `${quote(one.left)}, then ${quote(one.right)}`,
          exchanges: [made, got],
        });
      }
    }
  }
  await judgeSentFields(check, 'created', body, recordIn(await check.send({ path }), id) ?? shown, made);
  const { found, last } = await listWithNewUnit(check, id);
  if (last.complete && !found) {
    const still = recordIn(await check.send({ path }), id);
    // A unit in a state that no listed unit has, such as a draft, may not be in stock yet.
    const isListedState = last.items.some((item) => asObject(item)?.['status'] === still?.['status']);
    if (still !== null)
      check[isListedState && !isFromCache(last) ? 'fail' : 'warn']({
        expected: `the unit ${quote(id)} in the unit list, at the latest ${patienceSeconds} s after it was created`,
        actual: `${last.items.length} units, without it`,
        exchanges: [made, ...last.pages.map((page) => page.exchange)],
      });
  }
  if (headers.length > 0) {
    const replay = await check.ask({ method: 'POST', path: paths.units, json: body, headers });
    const second = idIn(replay);
    if (isSuccess(replay) && second !== null && second !== id) {
      check.fail({
        expected: 'the same key and body to show the same unit',
        actual: `${quote(id)}, then ${quote(second)}`,
        exchanges: [made, replay],
      });
    }
  }
  // The second change is of another field: one that only the first named must stay as well.
  const before = last.complete ? last.items : null;
  const first = await judgeChange(check, { id, before, isOwed, sent: asObject(body) ?? {} });
  if (first !== null) await judgeChange(check, { id, before, sent: { ...asObject(body), ...first.body } }, first.field);
  await judgeTextChanges(check, id, asObject(body) ?? {});
}

/** Bodies that are JSON and no unit, and a change of nothing: whatever the answer is, it is no 5xx. */
async function judgeOddBodies(check: Check, id: string): Promise<void> {
  const { contract, pinned } = await check.contract();
  const isChangeable = contract.operation('PATCH', paths.unit(id)) !== null;
  for (const [method, path, bodies] of [
    ['POST', paths.units, ['null', '[]', '7', '"unit"', '{"id":']],
    ['PATCH', paths.unit(id), isChangeable ? ['{}', 'null', '[]'] : []],
  ] as const)
    for (const [at, body] of bodies.entries()) {
      const key = check.fresh('odd body');
      const exchange = await check.send({
        method,
        path,
        body: Buffer.from(body),
        headers: [
          ['content-type', 'application/json'],
          // A key need not be a UUID to be answered.
          ['idempotency-key', at % 2 === 0 ? key : `no uuid ${key}`],
        ],
      });
      if ((exchange.response?.status ?? 0) >= 500)
        check.fail({
          expected: `an answer below 500 for ${method} with the body ${body}`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
      // A service may take more than a pinned document says.
      const isNothing = method === 'PATCH' && body === '{}' && pinned === null;
      const problems = isNothing ? contract.validateRequest(method, path, {}) : [];
      if (problems.length > 0 && isSuccess(exchange) && exchange.response?.status !== 202)
        check.fail({
          expected: `4xx for a change of nothing, which the document does not allow: ${problems[0] ?? ''}`,
          actual: describe(exchange),
          exchanges: [exchange],
        });
    }
}
