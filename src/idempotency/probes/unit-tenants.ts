import { dataOf, idIn, isGone, isSuccess, quote } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { home, type Party } from '../request-log.js';
import { showsUnit, unitMaker, type UnitMaker } from '../unit-maker.js';

interface Found {
  readonly actual: string;
  readonly exchanges: readonly Exchange[];
}

/** The error when `two` creates a unit with the key that `one` used; null if there is none, or if ordinary units cannot be created. */
async function tryKey(check: Check, maker: UnitMaker, one: Party, two: Party): Promise<Found | null> {
  const key = check.fresh('unit key of both tenants');
  const [before, own] = [maker.body(), maker.body()];
  const first = await maker.post(key, before, one);
  if (!isSuccess(first)) return null;
  const answer = await maker.post(key, own, two);
  // Made later: where this one works and can be read, the other had its time.
  const control = await maker.post(check.fresh('unit control key'), maker.body(), two);
  const [id, other] = [idIn(answer), idIn(control)];
  if (!isSuccess(control) || answer.response === null) return null;
  if (!isSuccess(answer)) {
    // The unit itself may be refused, whatever its key.
    const same = await maker.post(check.fresh('another unit key'), own, two);
    if (!isSuccess(same)) return null;
    return { actual: `${describe(answer)}, while another key is taken`, exchanges: [first, answer, same] };
  }
  const data = dataOf(answer);
  if ([data, ...Object.values(data ?? {})].some((record) => showsUnit(record, before)))
    return { actual: `it shows ${quote(data)}`, exchanges: [first, answer] };
  if (id === null || other === null) return null;
  const [stored, readable] = [await maker.read(id, two), await maker.read(other, two)];
  if (stored === null || readable?.record == null || showsUnit(stored.record, own)) return null;
  const exchanges = [first, answer, control, stored.exchange, readable.exchange];
  if (stored.record !== null && showsUnit(stored.record, before))
    return { actual: `unit ${quote(id)} is the one of ${one.name}`, exchanges };
  if (!isGone(stored.exchange)) return null;
  return { actual: `unit ${quote(id)}, which it shows, is not there, as a later one is`, exchanges };
}

/** A key that one tenant used for a unit makes the other tenant a unit of its own. */
export async function judgeUnitTenants(check: Check, other: Party): Promise<void> {
  const maker = await unitMaker(check);
  if (maker?.tells !== true) return;
  for (const [one, two] of [
    [home, other],
    [other, home],
  ] as const) {
    // A refusal may come of a passing failure, and somebody may delete a unit: only what happens twice is reported.
    const found = (await tryKey(check, maker, one, two)) && (await tryKey(check, maker, one, two));
    if (found === null) continue;
    check.fail({
      code: 'unit-key-shared',
      expected: `a key that ${one.name} used for a unit to make ${two.name} its own unit`,
      ...found,
    });
    break;
  }
  await maker.clear();
}
