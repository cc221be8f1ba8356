import { ApiFailure, crash } from './api-failure.js';
import type { Unit } from './data/records.js';
import { unitStatuses } from './data/records.js';
import { cursorField, cursorNumber, makeCursor, readPageWish, standsFor, unfoldCursor } from './paging.js';
import type { PageWish, Query } from './paging.js';
import { isVisible, showListedUnit, withOwner } from './show-records.js';
import type { Placed, TenantStore } from './tenant-store.js';
import type { World } from './world.js';

type Json = Record<string, unknown>;

function statusFilter(query: Query, world: World): string | null {
  const { has, dial } = world.behaviour;
  const given = query['status'];
  if (given === undefined) return null;
  const known = typeof given === 'string' && (unitStatuses as readonly string[]).includes(given);
  if (known) return given;
  if (has('crash-on-unknown-status')) throw crash();
  if (dial('unknown-status') === 'refuse' || typeof given !== 'string') {
    throw new ApiFailure(Number(dial('invalid-status')), 'invalid_status', 'There is no such status.');
  }
  return given;
}

/** The least model year that is asked for, where units are filtered by it. */
function yearFilter(query: Query, world: World): number | null {
  const { dial } = world.behaviour;
  const given = dial('unit-filters') === 'status-year' ? query['minYear'] : undefined;
  if (given === undefined) return null;
  if (typeof given === 'string' && /^\d{4}$/.test(given)) return Number(given);
  throw new ApiFailure(Number(dial('invalid-status')), 'invalid_year', 'minYear has to be a year.');
}

/** Which page of the walk this is, from 1; only faults ask. */
function pageNumber(wish: PageWish, matching: readonly Placed<Unit>[]): number {
  if (wish.after < 0) return 1;
  return Math.floor(matching.filter((one) => one.place <= wish.after).length / wish.limit) + 1;
}

function filtered(
  units: readonly Placed<Unit>[],
  status: string | null,
  wish: PageWish,
  world: World,
): readonly Placed<Unit>[] {
  const { has } = world.behaviour;
  if (status === null || has('filter-ignored') || has('filter-relabels')) return units;
  const holds = units.filter(({ record, place }) => {
    if (
      has('filter-lets-one-through') &&
      place === units.find((one) => one.record.status === 'reserved' && one.place > 60)?.place
    )
      return true;
    return has('filter-matches-prefix') ? record.status.startsWith(status) : record.status === status;
  });
  const page = pageNumber(wish, holds);
  const lost =
    (has('filter-lost-with-limit-twenty') && wish.limit === 20) ||
    (has('filter-lost-on-page-two') && page >= 2) ||
    (has('filter-lost-with-small-limit') && page >= 4);
  return lost ? units : holds;
}

function pageSize(wish: PageWish, status: string | null, query: Query, world: World): number {
  const { has } = world.behaviour;
  const given = query['limit'] !== undefined;
  if (has('limit-ignored') || (has('limit-lost-on-page-two') && wish.after >= 0)) return 50;
  if ((has('limit-lost-at-twenty') && wish.limit === 20) || (has('limit-lost-at-seven') && wish.limit === 7)) return 50;
  if (has('limit-at-least-ten')) return Math.max(10, wish.limit);
  if (given && has('limit-plus-one')) return wish.limit + 1;
  if (has('limit-lost-when-large') && Number(query['limit']) > 200) return 500;
  return given && status !== null && has('limit-plus-one-under-filter') ? wish.limit + 1 : wish.limit;
}

/** Where the page begins, as faults would have it. */
function startAfter(wish: PageWish, matching: readonly Placed<Unit>[], status: string | null, world: World): number {
  const { has } = world.behaviour;
  if (wish.after < 0) return -1;
  const index = matching.findIndex((one) => one.place > wish.after);
  const next = index < 0 ? matching.length : index;
  const repeats =
    has('paging-repeats-last') ||
    (has('paging-repeats-in-tens') && wish.limit === 10) ||
    (has('paging-repeats-under-filter') && status !== null);
  if (repeats) return wish.after - 1;
  const skips =
    (has('paging-skips-one') && next > 0 && next <= wish.limit * 2 && next > wish.limit) ||
    (has('paging-skips-at-hundred') && next === 100) ||
    (has('paging-skips-with-odd-limit') && wish.limit % 2 === 1 && wish.limit > 1);
  return skips ? (matching[next]?.place ?? wish.after) : wish.after;
}

function endsHere(wish: PageWish, matching: readonly Placed<Unit>[], left: number, world: World): boolean {
  const { has } = world.behaviour;
  if (has('paging-loses-tail') && wish.limit <= 20 && wish.after >= 149 - wish.limit) return true;
  if (has('paging-ends-after-twenty-pages') && pageNumber(wish, matching) >= 20) return true;
  if (has('paging-forgets-single-last') && left === 1) return true;
  return has('paging-ends-on-full-page') && wish.limit === 7 && left <= 7;
}

/** `data` of a unit list, and for the demo its records. */
export function listUnits(
  asked: Query,
  tenant: TenantStore,
  world: World,
  fullAccess = false,
  copies?: ReadonlyMap<TenantStore, readonly Placed<Unit>[]>,
): { items: Json[]; data: Json } {
  const { behaviour } = world;
  const { has } = behaviour;
  const query = unfoldCursor(asked, 'units', behaviour);
  const wish = readPageWish(query, 'units', tenant.slug, behaviour);
  const shown = wish.cursorTenant === null ? tenant : (world.tenants.get(wish.cursorTenant) ?? tenant);
  const status = statusFilter(query, world);
  const hidden = has('created-unit-not-listed') ? 346 : Infinity;
  const year = yearFilter(query, world);
  const all = Array.from(copies?.get(shown) ?? shown.units.placed()).filter(
    (one) => one.place <= hidden && isVisible(one.record, behaviour) && (year === null || one.record.year >= year),
  );
  const lost = has('filter-lost-when-combined') && year !== null;
  const matching = lost ? all : filtered(all, status, wish, world);
  const after = startAfter(wish, matching, status, world);
  const rest = matching.filter((one) => one.place > after);
  const size = pageSize(wish, status, query, world);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const ended =
    rest.length <= page.length || last === undefined || endsHere(wish, matching, rest.length - page.length, world);
  const onward = has('paging-ends-in-empty-pages') ? (last?.place ?? wish.after + 1) : ended ? null : last.place;
  const next =
    onward !== null
      ? makeCursor('units', shown.slug, cursorNumber(onward, wish, behaviour), standsFor(query, behaviour))
      : has('paging-never-ends') && wish.after >= 0
        ? makeCursor('units', tenant.slug, 0)
        : null;
  const items = page.map((one) =>
    distortListed(withOwner(showListedUnit(one.record, behaviour), fullAccess, behaviour), one.place, all, world),
  );
  if (has('personal-data-under-filter') && status === 'reserved')
    for (const item of items) item['buyer'] = { firstName: 'Maria', lastName: 'Kowalska', phone: '+48501234567' };
  if (has('filter-relabels') && status !== null) for (const item of items) item['status'] = status;
  if (ended && has('foreign-unit-listed')) {
    const foreign = Array.from(world.tenants.values())
      .find((one) => one.slug !== tenant.slug)
      ?.units.placed()
      .next();
    if (foreign?.done === false) items.push(showListedUnit(foreign.value.record, behaviour));
  }
  return { items, data: wrap(items, next, ended, world) };
}

function distortListed(shown: Json, place: number, all: readonly Placed<Unit>[], world: World): Json {
  const { has } = world.behaviour;
  if (has('unit-id-number-on-page-three') && place === 117) return { ...shown, id: 117_117 };
  if (has('unit-id-twice') && place === 109) return { ...shown, id: all.find((one) => one.place === 12)?.record.id };
  return shown;
}

function wrap(items: Json[], next: string | null, ended: boolean, world: World): Json {
  const { has } = world.behaviour;
  const cursor = cursorField(next, world.behaviour);
  if (has('units-items-object'))
    return { items: Object.fromEntries(items.map((item) => [String(item['id']), item])), ...cursor };
  if (has('units-under-another-name')) return { units: items, ...cursor };
  if (has('units-items-of-one-is-unit') && items.length === 1) return { items: items[0], ...cursor };
  return { items: ended && has('units-items-null-on-last-page') ? null : items, ...cursor };
}
