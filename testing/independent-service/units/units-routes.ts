import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, isObject } from '../body-reader.js';
import { withIdempotency } from '../idempotency.js';
import { crash, failure, success } from '../replies.js';
import type { Call, FieldProblem, Json, JsonObject, Reply, Tenant, UnitState } from '../types.js';
import { pageOf, seenBy } from './unit-pages.js';
import type { Courier } from '../webhooks.js';
import { tenantNamed, type World } from '../world.js';

const otherOf = (world: World, tenant: Tenant): Tenant =>
  tenantNamed(world, tenant.name === 'other' ? 'main' : 'other');

/** Spoils a record against the flavour's own document, when such a breach is asked for. */
const spoil = (world: World, record: JsonObject, index: number): JsonObject => {
  const { broken } = world;
  if (broken('own-unit-enum') && index === 1) record['status'] = 'Available';
  if (broken('own-unit-extra')) record['internalCost'] = 8123.4;
  if (broken('list-status-object') && record['status'] !== 'available')
    record['status'] = { code: String(record['status']) };
  return record;
};

export const listUnits = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  if (broken('status-quote-crash') && /['"]/.test(call.query.get('status') ?? ''))
    return crash('error: unterminated quoted string at or near "\'"');
  if (broken('status-repeat-crash') && call.query.getAll('status').length > 1)
    return crash('TypeError: status.trim is not a function');
  const page = pageOf(world, call, false);
  if ('status' in page) return page;
  const records: Json[] = page.units.map((u, i) => spoil(world, seenBy(world, call, call.tenant, u, false), i));
  const items: Json = records;
  if (broken('env-flat-list')) return success(200, items);
  const { end } = flavour.cursor;
  const cursorField: JsonObject =
    page.nextCursor !== null
      ? { nextCursor: page.nextCursor }
      : end === 'null'
        ? { nextCursor: null }
        : end === 'empty'
          ? { nextCursor: '' }
          : {};
  if (broken('env-cursor-outside')) return { status: 200, json: { ok: true, data: { items }, ...cursorField } };
  const reply = success(200, { items, ...cursorField });
  if (broken('own-content-type')) reply.type = 'text/html; charset=utf-8';
  return reply;
};

const unknownUnit = (world: World, id: string): Reply => {
  const { flavour, broken } = world;
  if (broken('own-undeclared-status'))
    return { status: 418, json: failure(flavour, 'not_found', 'no such unit').json ?? null };
  const wellFormed = /^[0-9]+$/.test(flavour.id('unit', 1)) ? /^[0-9]+$/.test(id) : /^[0-9a-f-]{36}$/i.test(id);
  if (flavour.unknownIdIsBadRequest && !wellFormed)
    return failure(flavour, 'bad_request', 'malformed unit id', [{ field: 'id', reason: 'format' }]);
  return failure(flavour, 'not_found', 'no such unit');
};

const findUnit = (world: World, call: Call, id: string): UnitState | null => {
  const { broken } = world;
  const units = call.tenant.units;
  const exact = units.get(id);
  if (exact) {
    if (broken('single-not-found') && exact === [...units.values()].at(-1)) return null;
    return exact;
  }
  if (broken('single-prefix-match')) for (const [known, unit] of units) if (id.startsWith(known)) return unit;
  return null;
};

export const getUnit = (world: World, call: Call, id: string): Reply => {
  const { broken } = world;
  if (broken('single-long-id-crash') && id.length > 64)
    return crash('error: value too long for type character varying(64)');
  const unit = findUnit(world, call, id);
  if (!unit) return unknownUnit(world, id);
  const record = seenBy(world, call, call.tenant, unit, true);
  if (broken('single-status-missing')) delete record['status'];
  if (broken('single-id-differs')) record['id'] = `U-${String(record['id'])}`;
  return success(200, record);
};

const typeFits = (type: string, value: Json | undefined): boolean => {
  if (type === 'string') return typeof value === 'string' && value.length > 0 && value.length <= 300;
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  return type === 'number' || Number.isInteger(value);
};

const checkInput = (
  world: World,
  input: JsonObject,
  partial: boolean,
): { fields: JsonObject; problems: FieldProblem[] } => {
  const { units, leadRules } = world.flavour;
  const fields: JsonObject = {};
  const problems: FieldProblem[] = [];
  for (const [name, value] of Object.entries(input)) {
    const type = Object.hasOwn(units.input, name) ? units.input[name] : undefined;
    if (type === undefined) {
      if (leadRules.extra === 'refuse') problems.push({ field: name, reason: 'unknown property' });
    } else if (!typeFits(type, value)) problems.push({ field: name, reason: `must be ${type}` });
    else if (name === 'status' && !units.statuses.includes(String(value)))
      problems.push({ field: name, reason: 'unknown status' });
    else fields[name] = value ?? null;
  }
  if (!partial)
    for (const name of units.inputRequired)
      if (!Object.hasOwn(input, name)) problems.push({ field: name, reason: 'required' });
  return { fields, problems };
};

const addUnit = (world: World, tenant: Tenant, fields: JsonObject): JsonObject => {
  const { flavour, broken } = world;
  const n = world.next('unit');
  const id = flavour.id('unit', n);
  const record = flavour.units.apply(flavour.units.make(id, n, String(fields['status'] ?? 'available')), fields);
  (broken('second-op-other-tenant') ? otherOf(world, tenant) : tenant).units.set(id, { seq: n, record });
  return record;
};

const shaped = (world: World, records: readonly JsonObject[], bulk: boolean): JsonObject => {
  const { unitsWriteReply } = world.flavour;
  if (bulk) {
    if (unitsWriteReply === 'id') return { ids: records.map((r) => r['id'] ?? null), count: records.length };
    return { units: records.map((r) => r) };
  }
  const record = records[0] ?? {};
  if (unitsWriteReply === 'id') return { id: record['id'] ?? null };
  return unitsWriteReply === 'wrapped' ? { unit: record } : record;
};

export const bulkLimit = 50;

/** The flavour's second operation on the unit collection. */
export const writeUnits = async (world: World, call: Call, courier: Courier): Promise<Reply> => {
  const { flavour, broken } = world;
  const read = readJson(flavour, call);
  if ('refusal' in read) return read.refusal;
  const body = read.value;
  if (broken('second-op-null-crash') && body === null) return crash('TypeError: Cannot destructure property of null');
  if (!isObject(body)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  const mode = flavour.unitsWrite;
  const status = broken('second-op-status') ? (flavour.unitsWriteStatus === 203 ? 200 : 203) : flavour.unitsWriteStatus;
  const done = (records: readonly JsonObject[], bulk: boolean): Reply => success(status, shaped(world, records, bulk));
  const invalid = (problems: readonly FieldProblem[]): Reply =>
    failure(flavour, 'invalid_fields', 'some fields are not acceptable', problems);

  if (mode === 'post') {
    return withIdempotency(world, call, 'unit', read.raw, body, async () => {
      const { fields, problems } = checkInput(world, body, false);
      if (problems.length > 0) return invalid(problems);
      await sleep(flavour.writeMs);
      const record = addUnit(world, call.tenant, fields);
      courier.emit(call.tenant, 'unit.created');
      return done([record], false);
    });
  }
  if (mode === 'patch') {
    const { id, ...rest } = body;
    if (typeof id !== 'string') return invalid([{ field: 'id', reason: 'required' }]);
    const unit = call.tenant.units.get(id);
    if (!unit) return failure(flavour, 'not_found', 'no such unit');
    const { fields, problems } = checkInput(world, rest, true);
    if (problems.length > 0) return invalid(problems);
    const changed = flavour.units.apply(unit.record, fields);
    unit.record = changed;
    return done([changed], false);
  }
  // Both bulk forms take { units: [...] }; PUT also changes known units.
  const list = body['units'];
  if (!Array.isArray(list) || list.length === 0 || list.length > bulkLimit)
    return invalid([{ field: 'units', reason: `1 to ${bulkLimit} units` }]);
  const extra = Object.keys(body).filter((k) => k !== 'units');
  if (extra.length > 0 && flavour.leadRules.extra === 'refuse')
    return invalid(extra.map((field) => ({ field, reason: 'unknown property' })));
  const work = async (): Promise<Reply> => {
    const plans: { known: UnitState | null; fields: JsonObject }[] = [];
    for (const entry of list as Json[]) {
      if (!isObject(entry)) return invalid([{ field: 'units', reason: 'objects only' }]);
      const { id, ...rest } = entry;
      let known: UnitState | null = null;
      if (id !== undefined) {
        if (mode === 'post-bulk') {
          if (flavour.leadRules.extra === 'refuse') return invalid([{ field: 'id', reason: 'unknown property' }]);
        } else {
          known = typeof id === 'string' ? (call.tenant.units.get(id) ?? null) : null;
          if (!known) return failure(flavour, 'not_found', 'no such unit');
        }
      }
      const { fields, problems } = checkInput(world, rest, known !== null);
      if (problems.length > 0) return invalid(problems);
      plans.push({ known, fields });
    }
    await sleep(flavour.writeMs);
    const records = plans.map(({ known, fields }) => {
      if (!known) return addUnit(world, call.tenant, fields);
      const changed = flavour.units.apply(known.record, fields);
      known.record = changed;
      return changed;
    });
    return done(records, true);
  };
  return mode === 'post-bulk' ? withIdempotency(world, call, 'unit', read.raw, body, work) : work();
};

export const changeUnit = (world: World, call: Call, id: string): Reply => {
  const { flavour, broken } = world;
  const unit = call.tenant.units.get(id);
  if (!unit) return unknownUnit(world, id);
  const read = readJson(flavour, call);
  if ('refusal' in read) return read.refusal;
  if (!isObject(read.value)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  const { fields, problems } = checkInput(world, read.value, call.method === 'PATCH');
  if (problems.length > 0) return failure(flavour, 'invalid_fields', 'some fields are not acceptable', problems);
  const changed = flavour.units.apply(unit.record, fields);
  if (!broken('unit-change-not-kept')) unit.record = changed;
  return success(200, seenBy(world, call, call.tenant, { ...unit, record: changed }, true));
};

export const removeUnit = (world: World, call: Call, id: string): Reply => {
  const { broken } = world;
  const home = call.tenant;
  if (!home.units.has(id)) return unknownUnit(world, id);
  if (!broken('unit-delete-kept')) home.units.delete(id);
  return broken('unit-delete-empty') ? { status: 204 } : success(200, { id, deleted: true });
};
