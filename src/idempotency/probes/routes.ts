import { dataOf, idIn, isGone, isSuccess, paths, quote, sameJson } from '../../service/index.js';
import { unitCreation } from '../../api/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { freshBody } from '../lead-body.js';
import { identityOf, searchable, showsBody } from '../lead-answer.js';
import type { RequestLog } from '../request-log.js';

/**
 * Uses one key to create a lead and a unit, where both operations take keys: neither may be answered with the other's record. The service
 * may refuse the second, because the specification does not define the scope of a key.
 */
export async function judgeRoutes(check: Check, log: RequestLog): Promise<void> {
  const creation = await unitCreation(check);
  if (creation === null || !creation.takesKey) return;
  const question = 'Is one key two keys on two routes?';
  const made = new Set<string>();
  const createUnit = async (key: string): Promise<Exchange> => {
    const exchange = await check.send({
      method: 'POST',
      path: paths.units,
      json: creation.body(check),
      headers: [['idempotency-key', key]],
    });
    const id = idIn(exchange);
    if (isSuccess(exchange) && id !== null) made.add(id);
    return exchange;
  };
  const control = await createUnit(check.fresh('unit control key'));
  if (!isSuccess(control)) {
    check.observe(question, `it could not be tried: ${describe(control)}`);
    return;
  }
  const first = check.fresh('key of a lead, then a unit');
  const body = await freshBody(check, 'the lead before the unit');
  const lead = await log.settle(first, body);
  const unit = await createUnit(first);
  if (isSuccess(lead) && isSuccess(unit)) {
    const foreign =
      showsBody(searchable(dataOf(unit)), body) ||
      copies(unit, lead, control) ||
      (await showsNoUnit(check, unit, control, identityOf(lead)));
    if (foreign)
      check.fail({
        code: 'lead-for-unit',
        expected: "the creation of a unit never to be answered with a lead, though it carries a lead's key",
        actual: `it shows ${quote(dataOf(unit))}`,
        exchanges: [lead, unit],
      });
  }
  const second = check.fresh('key of a unit, then a lead');
  const before = await createUnit(second);
  const own = await freshBody(check, 'the lead after the unit');
  const after = await log.settle(second, own);
  if (isSuccess(before) && isSuccess(after) && log.traits.echoes && !showsBody(searchable(dataOf(after)), own)) {
    check.fail({
      code: 'unit-for-lead',
      expected: "the creation of a lead never to be answered with a unit, though it carries a unit's key",
      actual: `it shows ${quote(dataOf(after))}`,
      exchanges: [before, after],
    });
  }
  check.observe(
    question,
    `a unit under a lead's key: ${describe(unit)}; a lead under a unit's key: ${describe(after)}`,
  );
  const { contract } = await check.contract();
  for (const id of made)
    if (contract.operation('DELETE', paths.unit(id)) !== null)
      await check.send({ method: 'DELETE', path: paths.unit(id) });
}

/** Whether the answer is the lead's, word for word, and lacks the id that a unit's creation shows. */
function copies(unit: Exchange, lead: Exchange, control: Exchange): boolean {
  return idIn(control) !== null && idIn(unit) === null && sameJson(dataOf(unit), dataOf(lead));
}

/** Whether the id shown is the lead's and no unit has it, while the control unit can be read. */
async function showsNoUnit(
  check: Check,
  unit: Exchange,
  control: Exchange,
  leadIdentity: string | null,
): Promise<boolean> {
  const [id, known] = [idIn(unit), idIn(control)];
  if (id === null || known === null || id !== leadIdentity) return false;
  const readable = await check.send({ path: paths.unit(known) });
  const read = await check.send({ path: paths.unit(id) });
  return isSuccess(readable) && isGone(read);
}
