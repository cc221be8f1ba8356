import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../http/index.js';
import type { Breach, Check } from '../../run/index.js';
import { asArray, asObject, idIn, isSuccess, paths, quote, recordIn, sameJson, settled } from '../../service/index.js';
import { judgeSentFields } from './created-fields.js';
import { unitsIfReadable } from './known-units.js';
import { readNewUnit } from './new-unit.js';
import { removeUnit, type UnitCreation } from './unit-creation.js';
import { inputSchemas, visiblePatch, type VisiblePatch } from './unit-patch.js';

type Json = Record<string, unknown>;

/** A unit that was created with values of its own, as it is shown. */
interface VariedUnit {
  readonly id: string;
  readonly body: Json;
  readonly record: Json;
  readonly exchange: Exchange;
}

/** Units created: one for each kind of value that the usual document declares for one field. */
const most = 4;
/** What a service does in the background after a change shows by then. */
const laterMs = 1_500;

/** Values of the kind that a field is declared with, the least usual first. Fractions only where the service knows fractions of the field. */
function valuesOf(name: string, schema: Json | null, usual: unknown, listed: readonly unknown[]): readonly unknown[] {
  const members = asArray(schema?.['enum']);
  if (members !== null) return members.filter((member) => member !== null).toReversed();
  if (typeof usual === 'number') {
    const isFraction = (value: unknown): boolean => typeof value === 'number' && !Number.isInteger(value);
    const hasFractions =
      [schema?.['type']].flat().includes('number') &&
      (/price|amount|cost|msrp|fee|total/i.test(name) ||
        /^(double|float|decimal)$/.test(String(schema?.['format'])) ||
        [schema?.['multipleOf'], ...listed.map((unit) => asObject(unit)?.[name])].some(isFraction));
    const isNegative = typeof schema?.['minimum'] === 'number' && schema['minimum'] < 0;
    return [...(hasFractions ? [Math.floor(usual) + 0.25] : []), 0, ...(isNegative ? [-1] : [])];
  }
  const isFree = schema?.['pattern'] === undefined && schema?.['format'] === undefined;
  if (typeof usual !== 'string' || !isFree || /^(id|vin|currency|.*(Id|Url|Code|Number))$/.test(name)) return [];
  const limit = schema?.['maxLength'];
  return [`${usual} Žluťoučký 車`, usual.padEnd(Math.min(typeof limit === 'number' ? limit : 60, 200), ' long text')];
}

/** A body in which the fields that `varies` admits have the values of their kind at this place. */
async function variedBody(
  check: Check,
  usual: Json,
  place: number,
  varies: (value: unknown) => boolean,
): Promise<Json> {
  const { contract } = await check.contract();
  const listed = await unitsIfReadable(check);
  let body = usual;
  for (const [name, schema] of await inputSchemas(check, 'POST', paths.units)) {
    const values = valuesOf(name, schema, usual[name] ?? null, listed);
    const changed = { ...body, [name]: values[place % Math.max(1, values.length)] };
    if (
      values.length > 0 &&
      varies(changed[name]) &&
      contract.validateRequest('POST', paths.units, changed).length === 0
    )
      body = changed;
  }
  return body;
}

/** Creates units that hold between them every kind of value that the document declares; each keeps what was sent. */
async function createVariedUnits(check: Check, creation: UnitCreation): Promise<readonly VariedUnit[]> {
  const units: VariedUnit[] = [];
  for (let place = 0; place < most; place += 1) {
    const usual = asObject(creation.body(check));
    if (usual === null) return units;
    // A service may have a list of its own for a text; then numbers and members of enumerations vary alone.
    for (const varies of [() => true, (value: unknown) => typeof value !== 'string' || value.length < 20]) {
      const body = await variedBody(check, usual, place, varies);
      const exchange = await creation.attempt(check, { json: body });
      const id = isSuccess(exchange) ? idIn(exchange) : null;
      const record = id === null ? null : recordIn(await readNewUnit(check, id), id);
      if (id === null || record === null) continue;
      await judgeSentFields(check, 'created', body, record, exchange);
      units.push({ id, body, record, exchange });
      break;
    }
  }
  return units;
}

/** Whatever status was sent, every unit has the same. A service may refuse a status for a new unit, or map some of them. */
async function judgeSentStatus(check: Check, units: readonly VariedUnit[]): Promise<void> {
  const { contract } = await check.contract();
  const [sent, shown] = (['body', 'record'] as const).map((one) => new Set(units.map((unit) => unit[one]['status'])));
  if (sent === undefined || sent.size < 2 || sent.has(undefined) || shown?.size !== 1) return;
  check[contract.declaresField('POST', paths.units, 'status') ? 'fail' : 'warn']({
    expected: `units created with the statuses ${[...sent].map(quote).join(', ')} to show them`,
    actual: `each of them shows ${[...shown].map(quote).join('')}`,
    exchanges: units.map(({ exchange }) => exchange),
  });
}

/** Fields that clients write and that a change did not name, as they were and as they are. */
function unnamedChanges(before: Json, now: Json | null, written: Iterable<string>, named: string): string[] {
  return [...written].filter(
    (name) =>
      name !== named &&
      !/^(id|version|revision|etag|.*At)$/i.test(name) &&
      before[name] !== undefined &&
      now?.[name] !== undefined &&
      !sameJson(before[name], now[name]),
  );
}

/**
 * Changes units of every status in one field: the others stay as they were, once the change shows and later. Another client may change a unit
 * meanwhile, and a workflow may move one on: only what happens to two of the units counts. Creates the units, and hands back the later look.
 */
export async function judgeVariedUnits(check: Check, creation: UnitCreation): Promise<() => Promise<void>> {
  const units = await createVariedUnits(check, creation);
  await judgeSentStatus(check, units);
  const written = new Set([
    ...(await inputSchemas(check, 'PATCH', paths.unit('x'))).keys(),
    ...(await inputSchemas(check, 'POST', paths.units)).keys(),
  ]);
  const unnamed = (unit: VariedUnit, now: Json | null, { field }: VisiblePatch): string[] =>
    unnamedChanges(unit.record, now, written, field);
  const look = (id: string): Promise<Exchange> => check.send({ path: paths.unit(id) });
  const changes: { readonly unit: VariedUnit; readonly patch: VisiblePatch; readonly exchange: Exchange }[] = [];
  for (const unit of units) {
    const patch = await visiblePatch(check, unit.id, unit.record);
    if (patch === null) continue;
    const exchange = await check.send({ method: 'PATCH', path: paths.unit(unit.id), json: patch.body });
    if (isSuccess(exchange) && exchange.response?.status !== 202) changes.push({ unit, patch, exchange });
  }
  const changedAtMs = performance.now();
  const judge = async (when: string, read: (one: (typeof changes)[number]) => Promise<Exchange>): Promise<boolean> => {
    const found: (Breach & { readonly name: string })[] = [];
    for (const one of changes) {
      const exchange = await read(one);
      const now = recordIn(exchange, one.unit.id);
      const { field, value } = one.patch;
      const say = (name: string, expected: string): number =>
        found.push({ name, expected, actual: quote(now?.[name]), exchanges: [one.exchange, exchange] });
      if (typeof value === 'number' && typeof now?.[field] === 'number' && now[field] !== value)
        say(field, `${field} ${quote(value)} ${when} a change to it`);
      for (const name of unnamed(one.unit, now, one.patch))
        say(name, `${name} to stay ${quote(one.unit.record[name])} ${when} a change that does not name it`);
    }
    const twice = found.find(({ name }, at) => found.some((other, place) => place > at && other.name === name));
    if (twice === undefined) return true;
    return check.fail({
      ...twice,
      exchanges: found.filter(({ name }) => name === twice.name).flatMap(({ exchanges = [] }) => exchanges),
    });
  };
  const holds = await judge('after', ({ unit, patch: { field } }) =>
    settled(
      check,
      () => look(unit.id),
      (one) => !sameJson(recordIn(one, unit.id)?.[field], unit.record[field]),
    ),
  );
  return async () => {
    if (changes.length > 0 && holds) {
      await sleep(Math.max(0, laterMs * check.run.patience - (performance.now() - changedAtMs)));
      // One of two machines may be behind.
      await judge('a while after', ({ unit, patch }) =>
        settled(
          check,
          () => look(unit.id),
          (one) => {
            const now = recordIn(one, unit.id);
            return now === null || (sameJson(now[patch.field], patch.value) && unnamed(unit, now, patch).length === 0);
          },
        ),
      );
    }
    for (const { id } of units) await removeUnit(check, id);
  };
}
