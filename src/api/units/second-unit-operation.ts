import { judgeRefusedUnitBodies } from '../../generators/unit-refusals.js';
import type { Exchange } from '../../http/exchange.js';
import { describe } from '../../run/check.js';
import type { Check } from '../../run/check.js';
import { dataOf, isRefusal, isSuccess } from '../envelope.js';
import { asObject, differences, quote, sameJson } from '../json.js';
import type { Difference } from '../json.js';
import { noDocument } from '../judge-contract.js';
import { listWithNewUnit, readNewUnit } from './new-unit.js';
import { paths } from '../paths.js';
import { patienceSeconds, settled } from '../settled.js';
import { createdUnitId, removeUnit, unitCreation } from './unit-creation.js';
import { visiblePatch } from './unit-patch.js';
import type { VisiblePatch } from './unit-patch.js';
import { recordIn, unitsIfReadable, wholeList } from './known-units.js';
import { idOf } from './units.js';

/** Numbers inside objects that were sent and are shown as other numbers. */
export function numbersWithin(sent: unknown, record: Record<string, unknown> | null): Difference[] {
  return differences(sent, record).filter(
    (one) => one.pointer.split('/').length > 2 && typeof one.left === 'number' && typeof one.right === 'number',
  );
}

/** Whether a number is shown as a decimal string, or the reverse: `1` and `"1.0000"`. */
export function isSameNumber(kept: unknown, sent: unknown): boolean {
  const texts = [kept, sent].map(String);
  return (
    typeof kept !== typeof sent && texts.every((text) => /^-?\d+(\.\d+)?$/.test(text)) && Number(kept) === Number(sent)
  );
}

/** Fields that were sent must be kept: a number or a flag as it is, a text but for case and blanks; `status` is the service's own to set. */
async function judgeCreatedFields(
  check: Check,
  sent: unknown,
  record: Record<string, unknown> | null,
  made: Exchange,
): Promise<void> {
  const others = (await unitsIfReadable(check)).map(asObject);
  const plain = (value: unknown): unknown =>
    typeof value === 'string' ? value.toLowerCase().replace(/[\s-]+/g, '') : value;
  const { contract } = await check.contract();
  // The suite invented fields that the document does not declare; the service need not keep them.
  const say = (name: string, breach: Parameters<Check['fail']>[0]): void => {
    check[contract.declaresField('POST', paths.units, name) ? 'fail' : 'warn'](breach);
  };
  for (const one of numbersWithin(sent, record)) {
    say(one.pointer.split('/')[1] ?? '', {
      expected: `the created unit to keep ${one.pointer}: ${quote(one.left)}`,
      actual: quote(one.right),
      exchanges: [made],
    });
  }
  for (const [name, value] of Object.entries(asObject(sent) ?? {})) {
    if (record === null || name === 'status' || name === 'id' || value === null || typeof value === 'object') continue;
    const kept = record[name];
    const everywhere = others.length >= 5 && others.every((unit) => unit?.[name] !== undefined && unit[name] !== null);
    const lost = kept === undefined || kept === null;
    if (lost ? !everywhere : plain(kept) === plain(value) || isSameNumber(kept, value) || typeof kept === 'object')
      continue;
    say(name, {
      expected: `the created unit to keep ${name}: ${quote(value)}`,
      actual: lost ? `${name} is not shown, as it is in every other unit` : quote(kept),
      exchanges: [made],
    });
  }
}

/** A unit that the answer to its creation shows is a unit as any other: its status is a text. */
export async function judgeCreatedStatus(check: Check): Promise<void> {
  const creation = check.target.readOnly ? null : await unitCreation(check);
  const body = creation === null ? null : asObject(creation.body(check));
  if (creation === null || body === null) return;
  const made = await creation.attempt(check, { json: body });
  const id = isSuccess(made) ? createdUnitId(made) : null;
  if (id === null) return;
  const shown = recordIn(dataOf(made), id);
  // A receipt may have an id and a status of its own; what shows the fields that were sent is the unit.
  const isUnit = Object.keys(body).some((name) => !['id', 'status'].includes(name) && shown?.[name] !== undefined);
  if (isUnit && shown !== null && 'status' in shown && typeof shown['status'] !== 'string')
    check.fail({
      expected: 'a unit with a string status in the answer to its creation',
      actual: `${describe(made)} shows the status ${quote(shown['status'])}`,
      exchanges: [made],
    });
  await removeUnit(check, id);
}

/** Exercises what the document declares beside GET on the unit collection. */
export async function exerciseSecondUnitOperation(check: Check): Promise<void> {
  check.need('API_KEY');
  const { contract, present, problem } = await check.contract();
  if (!present) check.blocked(noDocument(problem));
  const second = contract.operations.filter((one) => one.role === 'units' && one.method !== 'GET');
  if (second.length === 0) check.notApplicable('the document declares no second operation on units (see DOC-04)');
  const creation = await unitCreation(check);
  if (creation === null) {
    check.notApplicable(
      `only ${second.map((one) => one.method).join(', ')} is declared beside GET; the document does not say what the operation does`,
    );
  }
  const body = creation.body(check);
  if (body === undefined || body === null)
    check.notApplicable('no request body could be built from the declared schema for creating a unit');
  const key = check.fresh('unit key');
  const headers = creation.takesKey ? ([['idempotency-key', key]] as const) : [];
  const made = await check.ask({ method: 'POST', path: paths.units, json: body, headers });
  if (!isSuccess(made)) {
    // A refusal may have a reason that no schema can state; a status that says "no such operation" or "my fault" has none.
    const mayBeRight = isRefusal(made) && ![401, 403, 404, 405].includes(made.response.status);
    check[mayBeRight ? 'warn' : 'fail']({
      expected: 'a body that the declaration allows to create a unit',
      actual: `${describe(made)}: ${quote(made.response.json)}`,
      exchanges: [made],
    });
    return;
  }
  const id = createdUnitId(made);
  if (id === null) {
    check.observe('Does creating a unit show its id?', `no: ${quote(made.response.json)}`);
    return;
  }
  const path = paths.unit(id);
  const shown = recordIn(dataOf(made), id);
  if (contract.operation('GET', path) !== null) {
    const got = await readNewUnit(check, id);
    const record = recordIn(dataOf(got), id);
    // With 202 a unit is yet to be made, or the id is that of a job.
    if (record === null && made.response.status === 202)
      check.observe('When can a unit be read whose creation was answered with 202?', `not within ${patienceSeconds} s`);
    else if (record === null)
      check.fail({
        expected: `the unit ${quote(id)} that was just created`,
        actual: describe(got),
        exchanges: [made, got],
      });
    else {
      // A field that changes from one reading to the next (a view counter, a time stamp of the reading) says nothing.
      const later = recordIn(dataOf(await check.send({ path })), id) ?? record;
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
  await judgeCreatedFields(check, body, recordIn(dataOf(await check.send({ path })), id) ?? shown, made);
  const { found, last } = await listWithNewUnit(check, id);
  if (last.complete && !found) {
    const still = await check.send({ path });
    if (recordIn(dataOf(still), id) !== null) {
      check.fail({
        expected: `the unit ${quote(id)} in the unit list, at the latest ${patienceSeconds} s after it was created`,
        actual: `${last.items.length} units, without it`,
        exchanges: [made, ...last.pages.map((page) => page.exchange)],
      });
    }
  }
  if (creation.takesKey) {
    const replay = await check.ask({ method: 'POST', path: paths.units, json: body, headers });
    const second = createdUnitId(replay);
    if (isSuccess(replay) && second !== null && second !== id) {
      check.fail({
        expected: 'the same key and body to show the same unit',
        actual: `${quote(id)}, then ${quote(second)}`,
        exchanges: [made, replay],
      });
    }
  }
  await judgeOddBodies(check);
  // The second change is of another field: one that only the first named must stay as well.
  const first = await judgeChange(check, id, asObject(body) ?? {});
  if (first !== null) await judgeChange(check, id, { ...asObject(body), ...first.body }, first.field);
  await judgeRefusedUnitBodies(check, id);
  await judgeDeletion(check, id);
}

/** Bodies that are JSON and no unit: whatever the answer is, it is no 5xx. */
async function judgeOddBodies(check: Check): Promise<void> {
  for (const body of ['null', '[]', '7', '"unit"', '{"id":']) {
    const exchange = await check.send({
      method: 'POST',
      path: paths.units,
      body: Buffer.from(body),
      headers: [
        ['content-type', 'application/json'],
        ['idempotency-key', check.fresh('odd body')],
      ],
    });
    if ((exchange.response?.status ?? 0) >= 500)
      check.fail({
        expected: `an answer below 500 for the body ${body}`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  }
}

/**
 * A change that was answered with a success can be seen afterwards, and leaves alone what it does not name. Hands back the change, of
 * another field than `taken`; null where none was made.
 */
async function judgeChange(
  check: Check,
  id: string,
  sent: Readonly<Record<string, unknown>>,
  taken?: string,
): Promise<VisiblePatch | null> {
  const path = paths.unit(id);
  const before = recordIn(dataOf(await check.send({ path })), id);
  const patch = before === null ? null : await visiblePatch(check, id, before, taken);
  if (patch === null) return null;
  const changed = await check.send({ method: 'PATCH', path, json: patch.body });
  if (!isSuccess(changed) || changed.response?.status === 202) return null;
  const isOld = (record: Record<string, unknown> | null): boolean =>
    record !== null && sameJson(record[patch.field], before?.[patch.field]);
  const after = await settled(
    check,
    () => check.send({ path }),
    (one) => !isOld(recordIn(dataOf(one), id)),
  );
  const now = recordIn(dataOf(after), id);
  if (now !== null && isOld(now)) {
    check.fail({
      expected: `${patch.field} ${quote(patch.value)}, at the latest ${patienceSeconds} s after PATCH was answered with a success`,
      actual: quote(now[patch.field]),
      exchanges: [changed, after],
    });
  }
  if (now !== null && !isOld(now)) await judgeListedChange(check, id, patch, before?.[patch.field], changed);
  for (const [name, value] of Object.entries(sent)) {
    const [old, left] = [before?.[name], now?.[name]];
    if (name === patch.field || !/^(string|number|boolean)$/.test(typeof value) || !sameJson(old, value)) continue;
    if (name === 'status' || left === undefined || sameJson(old, left)) continue;
    check.fail({
      expected: `${name} to stay ${quote(old)}, as the change named ${patch.field} only`,
      actual: quote(left),
      exchanges: [changed, after],
    });
  }
  return patch;
}

/** The list shows a change that the unit by itself shows. */
async function judgeListedChange(
  check: Check,
  id: string,
  { field, value }: VisiblePatch,
  old: unknown,
  changed: Exchange,
): Promise<void> {
  const look = async (): Promise<{ readonly pages: readonly Exchange[]; readonly isOld: boolean }> => {
    const { items, pages } = await wholeList(check);
    const listed = asObject(items.find((item) => idOf(item) === id));
    return { pages: pages.map(({ exchange }) => exchange), isOld: listed !== null && sameJson(listed[field], old) };
  };
  const { pages, isOld } = await settled(check, look, (one) => !one.isOld);
  if (!isOld || old === undefined || old === null) return;
  check.fail({
    expected: `${field} ${quote(value)} in the unit list, at the latest ${patienceSeconds} s after PATCH was answered with a success`,
    actual: `unit ${quote(id)} is listed with ${quote(old)}`,
    exchanges: [changed, ...pages],
  });
}

/** A unit whose deletion was answered with a success is gone, or at least marked. */
async function judgeDeletion(check: Check, id: string): Promise<void> {
  const path = paths.unit(id);
  const { contract } = await check.contract();
  if (contract.operation('DELETE', path) === null) return;
  const before = recordIn(dataOf(await check.send({ path })), id);
  const deleted = await check.send({ method: 'DELETE', path });
  // 202 says that it is taken on, not that it is done.
  if (!isSuccess(deleted) || deleted.response?.status === 202 || before === null) return;
  const look = async (): Promise<{
    readonly after: Exchange;
    readonly still: boolean;
    readonly unchanged: boolean;
  }> => {
    const after = await check.send({ path });
    const still = recordIn(dataOf(after), id);
    const left = still ?? asObject((await wholeList(check)).items.find((item) => idOf(item) === id));
    return { after, still: still !== null, unchanged: left !== null && differences(before, left).length === 0 };
  };
  const { after, still, unchanged } = await settled(check, look, (one) => !one.unchanged);
  if (unchanged) {
    check.fail({
      expected: `unit ${quote(id)} gone, or marked as deleted, at the latest ${patienceSeconds} s after DELETE was answered with a success`,
      actual: `it is ${still ? 'still there' : 'still listed'}, unchanged`,
      exchanges: [deleted, after],
    });
  }
}
