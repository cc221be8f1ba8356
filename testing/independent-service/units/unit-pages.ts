import { failure } from '../replies.js';
import type { Call, JsonObject, Reply, Tenant, UnitState } from '../types.js';
import type { World } from '../world.js';
import { randomUUID } from 'node:crypto';

/** What a key sees of a unit. Personal data is for administrators of the flavours that hold any. */
export const seenBy = (
  world: World,
  call: Call | null,
  tenant: Tenant,
  unit: UnitState,
  single: boolean,
): JsonObject => {
  const { flavour, broken } = world;
  const record: JsonObject = { ...unit.record };
  const id = String(record['id']);
  const admin = call?.key?.scopes.includes('admin:*') === true;
  if (flavour.adminSeesPersonal && admin)
    record['seller'] = { name: `Seller ${unit.seq}`, phone: `+3161000${String(1000 + unit.seq)}` };
  if (!call) return record;
  if (broken('pii-notes') && unit === [...tenant.units.values()][1])
    record['notes'] = 'Owner Ans de Vries wants a call back before noon: +31 6 2345 1001, ans.devries@example.org';
  if (broken('pii-lead-echo') || (broken('pii-lead-echo-hidden-list') && !single)) {
    const lead = [...tenant.leads.values()].filter((l) => l.vehicleId === id).at(-1);
    if (lead)
      record['lastInterest'] = broken('pii-lead-echo')
        ? { name: lead.name, phone: lead.phone }
        : `${lead.name} (lead ${lead.id})`;
  }
  return record;
};

export const encodeCursor = (world: World, tenant: Tenant, seq: number, id: string, status: string | null): string => {
  const { style } = world.flavour.cursor;
  let text: string;
  if (style === 'opaque') text = Buffer.from(JSON.stringify({ a: seq, s: status })).toString('base64url');
  else if (style === 'numeric') text = String(seq);
  else if (style === 'id') text = id;
  else if (style === 'padded') text = Buffer.from(`after:${seq}>?>`).toString('base64');
  else text = randomUUID().replaceAll('-', '');
  const uses = world.cursors.get(text)?.uses ?? 0;
  world.cursors.set(text, { tenant: tenant.name, seq, uses });
  return text;
};

const decodeCursor = (world: World, tenant: Tenant, text: string): number | null => {
  const { style } = world.flavour.cursor;
  if (style === 'opaque') {
    try {
      const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
      return typeof parsed === 'object' && parsed !== null && 'a' in parsed && typeof parsed.a === 'number'
        ? parsed.a
        : null;
    } catch {
      return null;
    }
  }
  if (style === 'numeric') return /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
  if (style === 'id') return tenant.units.get(text)?.seq ?? null;
  if (style === 'padded') {
    const found = /^after:([0-9]{1,9})>\?>$/.exec(Buffer.from(text, 'base64').toString('utf8'));
    return found ? Number(found[1]) : null;
  }
  return world.cursors.get(text)?.seq ?? null;
};

type Page = { readonly units: readonly UnitState[]; readonly nextCursor: string | null };

export const pageOf = (world: World, call: Call, demo: boolean): Page | Reply => {
  const { flavour, broken } = world;
  const { query } = call;
  const { tenant } = call;
  const bad = (field: string, reason: string): Reply =>
    failure(flavour, 'bad_request', `${field}: ${reason}`, [{ field, reason }]);

  // limit
  const rawLimit = query.get('limit');
  const top = broken('limit-50-refused') && !demo ? 25 : flavour.limit.max;
  let limit = Math.min(demo ? flavour.demo.standard : flavour.limit.standard, top);
  if (rawLimit !== null) {
    if (/^[0-9]{1,9}$/.test(rawLimit) && Number(rawLimit) >= 1) {
      limit = Number(rawLimit);
      if (limit > top) {
        if (flavour.limit.above === 'refuse' || broken('limit-50-refused')) return bad('limit', `at most ${top}`);
        limit = top;
      }
    } else if (flavour.limit.odd === 'refuse') return bad('limit', 'a whole number from 1');
  }

  // status
  const status = demo ? null : query.get('status');
  if (status !== null) {
    if (!flavour.units.statuses.includes(status) && flavour.unknownStatus === 'refuse') return bad('status', 'unknown');
    if (broken('filter-refused') && rawLimit !== null) return bad('status', 'not together with limit');
  }

  // cursor
  const rawCursor = demo ? null : query.get(flavour.cursor.param);
  let after: number | null = null;
  if (rawCursor !== null && rawCursor !== '') {
    if (broken('cursor-refused')) return bad(flavour.cursor.param, 'malformed');
    const issued = world.cursors.get(rawCursor);
    after = decodeCursor(world, tenant, rawCursor);
    if (after === null && flavour.cursor.invalid === 'refuse') return bad(flavour.cursor.param, 'malformed');
    if (broken('cursor-single-use') && issued) {
      issued.uses += 1;
      if (issued.uses > 1) return { units: [], nextCursor: null };
    }
    if (after !== null && broken('cursor-lost-limit')) limit = Math.max(limit + 1, flavour.limit.max);
  } else if (rawCursor === '' && flavour.cursor.invalid === 'refuse') return bad(flavour.cursor.param, 'empty');
  if (broken('demo-limit-ignored') && demo && rawLimit !== null) limit = flavour.limit.max;
  if (broken('demo-limit-plus-one') && demo) limit += rawLimit === null ? 0 : 1;

  let all = [...tenant.units.values()];
  if (broken('second-form-stale') && call.form === 'second')
    all = (world.frozen.get(tenant.name) ?? []).map((record, i) => ({ seq: i, record }));
  all.sort((a, b) => (flavour.newestFirst ? b.seq - a.seq : a.seq - b.seq));

  const matches = (u: UnitState): boolean =>
    status === null || broken('filter-ignored') || u.record['status'] === status;
  const late = broken('filter-after-limit') && status !== null;
  let rows = late ? all : all.filter(matches);
  if (broken('filter-drops-one') && status === 'available') rows = rows.slice(0, -1);
  if (after !== null) {
    const from = after;
    rows = rows.filter((u) => (flavour.newestFirst ? u.seq < from : u.seq > from));
  }
  let page = rows.slice(0, limit);
  const more =
    rows.length > page.length ||
    (flavour.cursor.lazy && page.length === limit && page.length > 0 && rows.length === limit);
  const lastOfPage = page.at(-1);
  let nextCursor: string | null = null;
  if (more && lastOfPage)
    nextCursor = encodeCursor(world, tenant, lastOfPage.seq, String(lastOfPage.record['id']), status);
  if (late) {
    page = page.filter(matches);
    if (page.length === 0) nextCursor = null;
  }
  return { units: page, nextCursor };
};
