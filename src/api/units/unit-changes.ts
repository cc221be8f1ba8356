import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  asObject,
  byIds,
  differences,
  idOf,
  isGone,
  isSuccess,
  paths,
  patienceSeconds,
  quote,
  recordIn,
  sameJson,
  settled,
  type Walk,
} from '../../service/index.js';
import { judgeSentFields } from './created-fields.js';
import { readNewUnit } from './new-unit.js';
import { createUnit, removeUnit, unitCreation } from './unit-creation.js';
import { judgeLeftAlone, textChanges, visiblePatch, type VisiblePatch } from './unit-patch.js';
import { wholeList } from './known-units.js';

/** A unit to change. */
interface Changed {
  readonly id: string;
  /** What was sent of it so far. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** The whole list before any change, where it was read. */
  readonly before: readonly unknown[] | null;
  /** Whether the declared PATCH has to be there. */
  readonly isOwed?: boolean;
}

/**
 * A change that was answered with a success can be seen afterwards, and leaves alone what it does not name. Hands back the change, of
 * another field than `taken`; null where none was made.
 */
export async function judgeChange(check: Check, unit: Changed, taken?: string): Promise<VisiblePatch | null> {
  const { id, sent } = unit;
  const path = paths.unit(id);
  const before = recordIn(await check.send({ path }), id);
  const patch = before === null ? null : await visiblePatch(check, id, before, taken);
  if (patch === null) return null;
  const changed = await check.send({ method: 'PATCH', path, json: patch.body });
  if (unit.isOwed === true) await judgeMissingChange(check, id, patch, changed);
  if (!isSuccess(changed) || changed.response?.status === 202) return null;
  const isOld = (record: Record<string, unknown> | null): boolean =>
    record !== null && sameJson(record[patch.field], before?.[patch.field]);
  const after = await settled(
    check,
    () => check.send({ path }),
    (one) => !isOld(recordIn(one, id)),
  );
  const now = recordIn(after, id);
  if (now !== null && isOld(now)) {
    check.fail({
      expected: `${patch.field} ${quote(patch.value)}, at the latest ${patienceSeconds} s after PATCH was answered with a success`,
      actual: quote(now[patch.field]),
      exchanges: [changed, after],
    });
  }
  if (now !== null && !isOld(now)) await judgeListedChange(check, unit, patch, before?.[patch.field], changed);
  judgeLeftAlone(check, patch, { sent, before, now }, [changed, after]);
  return patch;
}

/** Whether the answer says that there is no such operation, or nothing to do it to. */
export function isMissing({ response }: Exchange): boolean {
  return [404, 405, 501].includes(response?.status ?? 0);
}

/** Reports, where that lasts, that a unit that can be read cannot be changed there. */
async function judgeMissingChange(check: Check, id: string, patch: VisiblePatch, changed: Exchange): Promise<void> {
  if (!isMissing(changed)) return;
  // One of two machines may not know the unit yet.
  const again = await settled(
    check,
    () => check.send({ method: 'PATCH', path: paths.unit(id), json: patch.body }),
    (one) => !isMissing(one),
  );
  if (isMissing(again) && recordIn(await check.send({ path: paths.unit(id) }), id) !== null)
    check.fail({
      expected: 'the operation that changes a unit to be there',
      actual: describe(again),
      exchanges: [changed, again],
    });
}

/**
 * A change of the texts that were sent to create a unit, all at once, can be seen afterwards. Where that is refused, each is changed by itself: a
 * service may have a list of its own for one of them.
 */
export async function judgeTextChanges(
  check: Check,
  id: string,
  sent: Readonly<Record<string, unknown>>,
): Promise<void> {
  const path = paths.unit(id);
  const before = recordIn(await check.send({ path }), id);
  const names = Object.keys(sent).filter(
    (name) =>
      typeof sent[name] === 'string' &&
      before?.[name] === sent[name] &&
      !/^(id|vin|status|currency|country|language|type|kind|.*(At|Id|Url|Code))$/i.test(name),
  );
  for (const body of before === null ? [] : await textChanges(check, id, before, names)) {
    const changes = Object.keys(body);
    const changed = await check.send({ method: 'PATCH', path, json: body });
    if (!isSuccess(changed)) continue;
    if (changed.response?.status === 202) return;
    const after = await settled(
      check,
      () => check.send({ path }),
      (one) => changes.every((name) => !sameJson(recordIn(one, id)?.[name], before?.[name])),
    );
    await judgeSentFields(check, 'changed', body, recordIn(after, id), changed);
    if (changes.length > 1) return;
  }
}

/** The list shows a change that the unit by itself shows, and no other unit has taken it. */
async function judgeListedChange(
  check: Check,
  unit: Changed,
  patch: VisiblePatch,
  old: unknown,
  changed: Exchange,
): Promise<void> {
  const { field, value } = patch;
  const look = async (): Promise<{ readonly found: Walk; readonly isOld: boolean }> => {
    const found = await wholeList(check);
    const listed = asObject(found.items.find((item) => idOf(item) === unit.id));
    return { found, isOld: listed !== null && sameJson(listed[field], old) };
  };
  const { found, isOld } = await settled(check, look, (one) => !one.isOld);
  const exchanges = [changed, ...found.pages.map(({ exchange }) => exchange)];
  if (isOld && old !== undefined && old !== null)
    check.fail({
      expected: `${field} ${quote(value)} in the unit list, at the latest ${patienceSeconds} s after PATCH was answered with a success`,
      actual: `unit ${quote(unit.id)} is listed with ${quote(old)}`,
      exchanges,
    });
  // What every new unit is given marks none.
  const usual = asObject((await unitCreation(check))?.body(check)) ?? {};
  const own = Object.fromEntries(Object.entries(unit.sent).filter(([name, sent]) => sent !== usual[name]));
  const other = otherUnitChanged({ ...unit, sent: own }, patch, found.items);
  if (other !== null)
    check.fail({ expected: `PATCH of unit ${quote(unit.id)} to change no other unit`, actual: other, exchanges });
}

/** What a change of one unit did to another, in words; null for nothing. Somebody else may write at the same time, but not the same values. */
function otherUnitChanged(
  { id, sent, before }: Changed,
  { field, value, isDrawn }: VisiblePatch,
  after: readonly unknown[],
): string | null {
  if (before === null) return null;
  const known = byIds(before);
  const isNobodys = (text: unknown): boolean =>
    (typeof text === 'string' ? text.length >= 12 : typeof text === 'number' && Math.abs(text) >= 1_000) &&
    !before.some((unit) => idOf(unit) !== id && Object.values(asObject(unit) ?? {}).includes(text));
  const marksChange = isDrawn && isNobodys(value);
  const marks = Object.entries(sent).filter(([, text]) => typeof text === 'string' && isNobodys(text));
  for (const [other, record] of byIds(after)) {
    const [was, is] = [asObject(known.get(other)), asObject(record)];
    if (other === id || is === null) continue;
    if (was !== null && marksChange && sameJson(is[field], value))
      return `${field} of unit ${quote(other)} was ${quote(was[field])} and is ${quote(value)}, too`;
    const copied = marks.find(([name, text]) => is[name] === text);
    if (was === null && copied !== undefined)
      return `there is a new unit ${quote(other)} with the same ${copied[0]}, ${quote(copied[1])}`;
  }
  return null;
}

/** A unit whose deletion was answered with a success is gone, or at least marked. */
export async function judgeDeletion(check: Check, id: string): Promise<void> {
  const path = paths.unit(id);
  const { contract } = await check.contract();
  if (contract.operation('DELETE', path) === null) return;
  const before = recordIn(await check.send({ path }), id);
  const other = await createUnit(check);
  const isOther = (exchange: Exchange): boolean => other !== null && recordIn(exchange, other) !== null;
  const otherBefore = other === null ? null : await readNewUnit(check, other);
  const deleted = await check.send({ method: 'DELETE', path });
  // 202 says that it is taken on, not that it is done.
  if (!isSuccess(deleted) || deleted.response?.status === 202 || before === null) {
    if (other !== null) await removeUnit(check, other);
    return;
  }
  const look = async (): Promise<{
    readonly after: Exchange;
    readonly still: boolean;
    readonly unchanged: boolean;
  }> => {
    const after = await check.send({ path });
    const still = recordIn(after, id);
    const left = still ?? asObject((await wholeList(check)).items.find((item) => idOf(item) === id));
    return { after, still: still !== null, unchanged: left !== null && differences(before, left).length === 0 };
  };
  const { after, still, unchanged } = await settled(check, look, (one) => !one.unchanged);
  // How it is answered once more is judged with all answers.
  await check.send({ method: 'DELETE', path });
  if (other !== null && otherBefore !== null && isOther(otherBefore)) {
    const left = await settled(check, () => check.send({ path: paths.unit(other) }), isOther);
    const exchanges = [otherBefore, deleted, left];
    if (isGone(left))
      check.fail({
        expected: `DELETE of unit ${quote(id)} to delete no other unit`,
        actual: describe(left),
        exchanges,
      });
    else await removeUnit(check, other);
  }
  if (unchanged) {
    check.fail({
      expected: `unit ${quote(id)} gone, or marked as deleted, at the latest ${patienceSeconds} s after DELETE was answered with a success`,
      actual: `it is ${still ? 'still there' : 'still listed'}, unchanged`,
      exchanges: [deleted, after],
    });
  }
}
