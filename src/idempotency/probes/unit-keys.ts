import { idIn, isSuccess, quote } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { openConnections } from '../connections.js';
import { showsUnit, unitMaker, type UnitBody } from '../unit-maker.js';

/** Another body under a used key of a unit: no second unit, and nothing of it in the first. */
export async function judgeUnitConflict(check: Check): Promise<void> {
  const maker = await unitMaker(check);
  if (maker?.tells !== true) return;
  const key = check.fresh('contested unit key');
  const [own, other] = [maker.body(), maker.body()];
  const first = await maker.post(key, own);
  const id = isSuccess(first) ? idIn(first) : null;
  if (id === null) return;
  const conflict = await maker.post(key, other);
  const second = isSuccess(conflict) ? idIn(conflict) : null;
  const stored = await maker.read(id);
  const listed = await maker.listed(other);
  const tell = (actual: string, shown: readonly Exchange[] = []): false =>
    check.fail({
      code: 'other-body',
      expected: 'another body under the key of a unit to make no unit and to change none',
      actual,
      exchanges: [first, conflict, ...shown],
    });
  if (second !== null && second !== id) tell(`unit ${quote(id)}, then unit ${quote(second)}`);
  else if (stored !== null && showsUnit(stored.record, other))
    tell(`unit ${quote(id)} has what was sent later`, [stored.exchange]);
  else if (listed.ids.length > 0)
    tell(`the list shows ${listed.ids.map(quote).join(', ')}, made of the other body`, listed.exchanges);
  await maker.clear();
}

/** Creations of one unit with one key at the same time make one unit, which every success shows. */
export async function judgeUnitRace(check: Check): Promise<void> {
  const maker = await unitMaker(check);
  if (maker?.tells !== true) return;
  const rounds = check.run.depth === 'gate' ? 3 : 8;
  let last: { readonly body: UnitBody; readonly answers: readonly Exchange[] } | null = null;
  const tell = (actual: string, exchanges: readonly Exchange[]): false =>
    check.fail({
      code: 'several-units',
      expected: 'several creations of a unit with one key at the same time to make one unit',
      actual,
      exchanges,
    });
  await openConnections(check, 4);
  for (let round = 0; round < rounds; round += 1) {
    const key = check.fresh('raced unit key');
    const body = maker.body();
    const answers = await Promise.all([0, 1, 2, 3].map(() => maker.post(key, body)));
    if (!answers.some(isSuccess)) break;
    const ids = answers.filter(isSuccess).map(idIn);
    const units = [...new Set(ids.filter((id) => id !== null))];
    last = { body, answers };
    if (units.length <= 1) continue;
    tell(`they show units ${units.map(quote).join(', ')}`, answers);
    last = null;
    break;
  }
  if (last !== null) {
    const { ids, exchanges } = await maker.listed(last.body);
    if (ids.length > 1)
      tell(`the list shows units ${ids.map(quote).join(', ')} of one body`, [...last.answers, ...exchanges]);
  }
  await maker.clear();
}
