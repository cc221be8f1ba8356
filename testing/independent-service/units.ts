import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { integer, isObject, listOf, membersOf, objectOf, problemsOf, ref, text, type JsonObject } from './json.js';
import type { Broken } from './breaches.js';
import type { Flavour } from './flavours.js';
import { query, type Operation } from './operations.js';
import { crash, failure, invalid, success } from './replies.js';
import { tenantNamed, type Call, type Reply, type Stored, type Tenant, type World } from './world.js';

/** What a key sees of a unit. Personal data is for administrators of the flavours that hold any. */
const seenBy = ({ flavour, broken }: World, { key, tenant }: Call, unit: Stored): JsonObject => {
  const record: JsonObject = { ...unit.record };
  if (flavour.units.adminSeesPersonal && key?.scopes.includes('admin:*') === true)
    record['seller'] = { name: `Seller ${unit.seq}`, phone: `+3161000${String(1000 + unit.seq)}` };
  if (broken('pii-notes') && unit === [...tenant.units.values()][1])
    record['notes'] = 'Owner Ans de Vries wants a call back before noon: +31 6 2345 1001, ans.devries@example.org';
  const leads = [...tenant.leads.values()].map((lead) => lead.record);
  const { id, name, phone } = leads.findLast(({ vehicleId }) => vehicleId === record['id']) ?? {};
  if (id !== undefined && broken('pii-lead-echo'))
    record['lastInterest'] = { name: name ?? null, phone: phone ?? null };
  return record;
};

const numberIn = (pattern: RegExp, found: string): number | undefined => {
  const digits = pattern.exec(found)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

type CursorStyle = {
  readonly encode: (last: Stored, status: string | null) => string;
  readonly decode: (cursor: string, world: World, tenant: Tenant) => number | undefined;
};

const cursorStyles: Readonly<Record<Flavour['cursor']['style'], CursorStyle>> = {
  opaque: {
    encode: ({ seq }, status) => Buffer.from(JSON.stringify({ a: seq, s: status })).toString('base64url'),
    decode: (cursor) => numberIn(/^\{"a":([0-9]{1,9})[,}]/, Buffer.from(cursor, 'base64url').toString('utf8')),
  },
  numeric: { encode: ({ seq }) => String(seq), decode: (cursor) => numberIn(/^([0-9]{1,9})$/, cursor) },
  id: {
    encode: ({ record }) => String(record['id']),
    decode: (cursor, _world, tenant) => tenant.units.get(cursor)?.seq,
  },
  padded: {
    encode: ({ seq }) => Buffer.from(`after:${seq}>?>`).toString('base64'),
    decode: (cursor) => numberIn(/^after:([0-9]{1,9})>\?>$/, Buffer.from(cursor, 'base64').toString('utf8')),
  },
  token: { encode: () => randomUUID().replaceAll('-', ''), decode: (cursor, { cursors }) => cursors.get(cursor)?.seq },
};

type Page = { readonly units: readonly Stored[]; readonly nextCursor: string | null };

/** The most units of a page, or why `limit` is refused. */
const limitOf = ({ flavour }: World, raw: string | null, demo: boolean): number | string => {
  const { limit } = flavour;
  const usual = demo ? flavour.demo.standard : limit.standard;
  if (raw === null) return usual;
  if (!/^[0-9]{1,9}$/.test(raw) || Number(raw) < 1) return limit.odd === 'refuse' ? 'a whole number from 1' : usual;
  const isRefused = limit.above === 'refuse' && Number(raw) > limit.max;
  return isRefused ? `at most ${limit.max}` : Math.min(Number(raw), limit.max);
};

/** A page of the units of the tenant; the demo takes a limit only. */
const pageOf = (world: World, { query, tenant, form }: Call, demo: boolean): Page | Reply => {
  const { flavour, broken, cursors } = world;
  const { cursor: rule, units: rules } = flavour;
  const bad = (field: string, reason: string): Reply =>
    failure(flavour, 'bad_request', `${field}: ${reason}`, [{ field, reason }]);

  const rawLimit = query.get('limit');
  const limit = limitOf(world, rawLimit, demo);
  if (typeof limit === 'string') return bad('limit', limit);

  const status = demo ? null : query.get('status');
  if (status !== null && !rules.profile.statuses.includes(status) && rules.unknownStatus === 'refuse')
    return bad('status', 'unknown');
  if (status !== null && broken('filter-refused') && rawLimit !== null) return bad('status', 'not together with limit');

  const cursor = demo ? null : query.get(rule.param);
  const style = cursorStyles[rule.style];
  const after = cursor === null || cursor === '' ? undefined : style.decode(cursor, world, tenant);
  if (cursor !== null && after === undefined && rule.invalid === 'refuse') return bad(rule.param, 'malformed');
  if (cursor !== null && cursor !== '' && broken('cursor-refused')) return bad(rule.param, 'malformed');
  const issued = cursors.get(cursor ?? '');
  if (issued && broken('cursor-single-use')) {
    issued.uses += 1;
    if (issued.uses > 1) return { units: [], nextCursor: null };
  }

  const isStale = broken('second-form-stale') && form === 'second';
  const sign = rules.newestFirst ? -1 : 1;
  const kept = isStale ? (world.frozen.get(tenant.name) ?? []) : tenant.units.values();
  const all = [...kept].sort((a, b) => sign * (a.seq - b.seq));
  const matches = ({ record }: Stored): boolean =>
    status === null || broken('filter-ignored') || record['status'] === status;
  const isLate = broken('filter-after-limit') && status !== null;
  const filtered = isLate ? all : all.filter(matches);
  const shown = broken('filter-drops-one') && status === 'available' ? filtered.slice(0, -1) : filtered;
  const rows = after === undefined ? shown : shown.filter(({ seq }) => sign * (seq - after) > 0);
  const cut = rows.slice(0, limit);
  const page = isLate ? cut.filter(matches) : cut;
  const last = cut.at(-1);
  const isMore = rows.length > cut.length || (rule.lazy && rows.length === limit);
  if (!isMore || !last || page.length === 0) return { units: page, nextCursor: null };
  const nextCursor = style.encode(last, status);
  cursors.set(nextCursor, { seq: last.seq, uses: cursors.get(nextCursor)?.uses ?? 0 });
  return { units: page, nextCursor };
};

/** Breaches of single records of the list. */
const spoiled = (broken: Broken, record: JsonObject): JsonObject => ({
  ...record,
  ...(broken('own-unit-extra') ? { internalCost: 8123.4 } : {}),
  ...(broken('list-status-object') && record['status'] !== 'available' ? { status: { code: 'other' } } : {}),
});

const listUnits = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  if (broken('status-quote-crash') && /['"]/.test(call.query.get('status') ?? ''))
    return crash('error: unterminated quoted string at or near "\'"');
  const page = pageOf(world, call, false);
  if ('status' in page) return page;
  const items = page.units.map((unit) => spoiled(broken, seenBy(world, call, unit)));
  const ends = { null: { nextCursor: null }, empty: { nextCursor: '' }, absent: {} };
  const cursor = page.nextCursor === null ? ends[flavour.cursor.end] : { nextCursor: page.nextCursor };
  if (broken('env-cursor-outside')) return { status: 200, json: { ok: true, data: { items }, ...cursor } };
  return success(200, { items, ...cursor });
};

const unknownUnit = ({ flavour }: World, id: string): Reply => {
  const form = /^[0-9]+$/.test(flavour.ids.of('unit', 1)) ? /^[0-9]+$/ : /^[0-9a-f-]{36}$/i;
  return flavour.ids.unknownIsBadRequest && !form.test(id)
    ? failure(flavour, 'bad_request', 'malformed unit id', [{ field: 'id', reason: 'format' }])
    : failure(flavour, 'not_found', 'no such unit');
};

const getUnit = (world: World, call: Call): Reply => {
  const { broken } = world;
  const { units } = call.tenant;
  const id = call.rest[1] ?? '';
  const near = broken('single-prefix-match') ? [...units].find(([known]) => id.startsWith(known))?.[1] : undefined;
  const unit = units.get(id) ?? near;
  if (!unit) return unknownUnit(world, id);
  const record = seenBy(world, call, unit);
  return success(200, broken('single-id-differs') ? { ...record, id: `U-${String(record['id'])}` } : record);
};

/** What the input makes of a record. */
const applied = ({ units: { profile } }: Flavour, record: JsonObject, input: JsonObject): JsonObject => {
  const fields = Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(profile.input, name)));
  if (profile.within === null) return { ...record, ...fields };
  const { status = record['status'] ?? null, ...rest } = fields;
  return { ...record, status, [profile.within]: { ...membersOf(record[profile.within]), ...rest } };
};

const addUnit = (world: World, { tenant }: Call, input: JsonObject): JsonObject => {
  const { flavour, broken } = world;
  const seq = world.next('unit');
  const id = flavour.ids.of('unit', seq);
  const { make } = flavour.units.profile;
  const record = applied(flavour, make(id, seq, String(input['status'] ?? 'available')), input);
  const other = tenantNamed(world, tenant.name === 'other' ? 'main' : 'other');
  (broken('second-op-other-tenant') ? other : tenant).units.set(id, { seq, record });
  return record;
};

const changeUnit = ({ flavour }: World, unit: Stored, input: JsonObject): JsonObject =>
  (unit.record = applied(flavour, unit.record, input));

/** The answer to a write on the list. */
const written = ({ flavour }: World, records: readonly JsonObject[]): Reply => {
  const { form, reply, status } = flavour.writes;
  const [record = {}] = records;
  const one = { id: { id: record['id'] ?? null }, wrapped: { unit: record }, unit: record }[reply];
  const ids = { ids: records.map(({ id = null }) => id), count: records.length };
  return success(status, !form.endsWith('bulk') ? one : reply === 'id' ? ids : { units: [...records] });
};

const createUnit = async (world: World, call: Call, input: JsonObject): Promise<Reply> => {
  await sleep(world.flavour.bodies.writeMs);
  const record = addUnit(world, call, input);
  world.emit(call.tenant, 'unit.created');
  return written(world, [record]);
};

/** Adds the units without an id and changes those with one, or does nothing. */
const putUnits = async (world: World, call: Call, { units }: JsonObject): Promise<Reply> => {
  const { flavour } = world;
  const entries = (Array.isArray(units) ? units : []).filter(isObject).map((entry) => {
    const { id, ...input } = entry;
    const isKnown = id !== undefined && flavour.writes.form === 'put-bulk';
    return { isKnown, unit: isKnown ? call.tenant.units.get(String(id)) : undefined, input };
  });
  if (entries.some(({ isKnown, unit }) => isKnown && !unit)) return failure(flavour, 'not_found', 'no such unit');
  const added = entries.filter(({ unit }) => !unit);
  const problems = added.flatMap(({ input }) => problemsOf(world.inputs['UnitInput'] ?? {}, input, world.inputs));
  if (problems.length > 0) return invalid(world, problems);
  await sleep(flavour.bodies.writeMs);
  const make = ({ unit, input }: (typeof entries)[number]): JsonObject =>
    unit ? changeUnit(world, unit, input) : addUnit(world, call, input);
  return written(world, entries.map(make));
};

const patchUnits = (world: World, call: Call, { id, ...input }: JsonObject): Reply => {
  const unit = call.tenant.units.get(String(id));
  if (!unit) return failure(world.flavour, 'not_found', 'no such unit');
  return written(world, [changeUnit(world, unit, input)]);
};

const changeOne = (world: World, call: Call, input: JsonObject): Reply => {
  const id = call.rest[1] ?? '';
  const unit = call.tenant.units.get(id);
  if (!unit) return unknownUnit(world, id);
  changeUnit(world, unit, input);
  return success(200, seenBy(world, call, unit));
};

const removeUnit = (world: World, { tenant, rest: [, id = ''] }: Call): Reply => {
  if (!tenant.units.delete(id)) return unknownUnit(world, id);
  return world.broken('unit-delete-empty') ? { status: 204 } : success(200, { id, deleted: true });
};

/** The record with other numbers. */
const stale = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? value + 1000 : value]),
  );

const demoUnits = (world: World, call: Call): Reply => {
  const { flavour, broken } = world;
  if (call.method !== 'GET' && call.method !== 'HEAD') return failure(flavour, 'method', 'the demo is read-only');
  const page = pageOf(world, call, true);
  if ('status' in page) return page;
  const items = page.units.map(({ record }): JsonObject => ({
    ...(broken('demo-stale') ? stale(record) : record),
    ...(broken('demo-personal') ? { sellerPhone: '+31623451001' } : {}),
  }));
  const { shape } = flavour.demo;
  const spoiled = shape === 'array' ? 'items' : 'array';
  const bodies = { array: items, items: { items }, page: { items, nextCursor: null } };
  return { status: 200, json: bodies[broken('own-demo-shape') ? spoiled : shape] };
};

/** Failures of the demo are not production failures: some flavours leave the envelope out. */
const bare = (reply: Reply): Reply =>
  isObject(reply.json) && 'error' in reply.json ? { ...reply, json: reply.json['error'] ?? null } : reply;

/** Lists units within the limit of a client. */
export const answerDemo = (world: World, call: Call, isWithinLimit: boolean): Reply => {
  const { flavour } = world;
  const reply = isWithinLimit ? demoUnits(world, call) : failure(flavour, 'rate', 'too many requests');
  return flavour.demo.errors === 'bare' ? bare(reply) : reply;
};

/** The schema of what a client sends of a unit; `partial` for a change. */
export const unitInput = ({ units: { profile }, bodies }: Flavour, partial: boolean, withId = false): JsonObject => {
  const status = { type: 'string', enum: [...profile.statuses] };
  const members = Object.entries(profile.input).map(([name, type]): [string, JsonObject] => {
    const schema = type === 'string' ? { type, minLength: 1, maxLength: 300 } : { type };
    return [name, name === 'status' ? status : schema];
  });
  return {
    type: 'object',
    properties: { ...(withId ? { id: text } : {}), ...Object.fromEntries(members) },
    ...(!partial && profile.inputRequired.length > 0 ? { required: [...profile.inputRequired] } : {}),
    ...(bodies.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

export const limitParameter = ({ limit }: Flavour, broken: Broken): JsonObject => {
  const most = limit.above === 'refuse' ? { maximum: limit.max } : {};
  return query('limit', broken('doc-limit-string') ? { type: 'boolean' } : { ...integer, minimum: 1, ...most });
};

/** The flavour's second operation on the list. */
const writeOperation = (flavour: Flavour): Operation => {
  const { form, reply, status } = flavour.writes;
  const unit = ref('Unit');
  const one = { id: objectOf({ id: text }), wrapped: objectOf({ unit }), unit }[reply];
  const many = reply === 'id' ? objectOf({ ids: listOf(text), count: integer }) : objectOf({ units: listOf(unit) });
  const bulk = (entry: JsonObject): JsonObject => ({
    ...objectOf({ units: { ...listOf(entry), minItems: 1, maxItems: 50 } }),
    ...(flavour.bodies.extra === 'refuse' ? { additionalProperties: false } : {}),
  });
  const withId = unitInput(flavour, true, true);
  const [body, named] = [ref('UnitInput'), { ...withId, required: ['id'] }];
  const post = { at: 'POST /units', creates: 'unit', status } as const;
  const writes: Record<Flavour['writes']['form'], Operation> = {
    post: { ...post, id: 'createUnit', body, data: one, run: createUnit },
    'post-bulk': { ...post, id: 'createUnits', body: bulk(body), data: many, run: putUnits },
    'put-bulk': { at: 'PUT /units', id: 'putUnits', body: bulk(withId), status, data: many, run: putUnits },
    patch: { at: 'PATCH /units', id: 'changeUnitById', body: named, status, data: one, run: patchUnits },
  };
  return writes[form];
};

export const unitOperations = (flavour: Flavour, broken: Broken): Operation[] => {
  const { units, cursor, writes } = flavour;
  const [unit, body] = [ref('Unit'), ref('UnitInput')];
  const nextCursor: JsonObject = cursor.end === 'null' ? { type: ['string', 'null'] } : text;
  const status: JsonObject =
    units.unknownStatus === 'refuse' ? { type: 'string', enum: [...units.profile.statuses] } : text;
  const page = objectOf({ items: listOf(unit), [cursor.end === 'absent' ? 'nextCursor?' : 'nextCursor']: nextCursor });
  const cursorParameter = { ...query(cursor.param, text), description: 'nextCursor of the page before' };
  const parameters = [query('status', status), limitParameter(flavour, broken), cursorParameter];
  const deleted = objectOf({ id: text, deleted: { const: true } });
  const changes: Readonly<Record<string, Operation>> = {
    PATCH: { at: 'PATCH /units/{id}', id: 'patchUnit', body: unitInput(flavour, true), data: unit, run: changeOne },
    PUT: { at: 'PUT /units/{id}', id: 'putUnit', body, data: unit, run: changeOne },
    DELETE: { at: 'DELETE /units/{id}', id: 'deleteUnit', data: deleted, run: removeUnit },
  };
  return [
    { at: 'GET /units', id: 'listUnits', parameters, data: page, run: listUnits },
    writeOperation(flavour),
    { at: 'GET /units/{id}', id: 'getUnit', data: unit, run: getUnit },
    ...writes.one.flatMap((method) => changes[method] ?? []),
  ];
};
