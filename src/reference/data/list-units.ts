import { invalidInput } from '../api-failure.js';
import { unitStatuses } from './records.js';
import type { Json, Listing, Query, World } from '../instance.js';
import { cursorField, cursorNumber, makeCursor, readPageRequest, queryInCursor, unfoldCursor } from './paging.js';
import { isVisible, showListedUnit, withOwner } from './show-records.js';
import type { TenantStore } from './tenant-store.js';

function statusFilter(query: Query, world: World): string | null {
  const given = query['status'];
  if (given === undefined) return null;
  const known = typeof given === 'string' && (unitStatuses as readonly string[]).includes(given);
  if (!known && (world.option('unknown-status') === 'refuse' || typeof given !== 'string'))
    throw invalidInput(world, 'invalid_status', 'There is no such status.');
  return given;
}

/** The least model year that is asked for, where units are filtered by it. */
function yearFilter(query: Query, world: World): number {
  const given = world.option('unit-filters') === 'status-year' ? query['minYear'] : undefined;
  if (given === undefined) return -Infinity;
  if (typeof given === 'string' && /^\d{4}$/.test(given)) return Number(given);
  throw invalidInput(world, 'invalid_year', 'minYear has to be a year.');
}

/** `data` of a unit list, and for the demo its records. */
export function listUnits(
  sent: Query,
  tenant: TenantStore,
  world: World,
  fullAccess = false,
): { items: Json[]; data: Json } {
  const { apply } = world;
  const query = unfoldCursor(sent, 'units', world);
  const page = readPageRequest(query, 'units', tenant.slug, world);
  const status = statusFilter(query, world);
  const year = yearFilter(query, world);
  const all = tenant.units.placed().filter(({ record }) => isVisible(record, world) && record.year >= year);
  const filtered = status === null ? all : all.filter(({ record }) => record.status === status);
  const listing: Listing = { query, page, status, all, matching: filtered };
  const matching = apply('matchingUnits', filtered, listing);
  const after = apply('pageStart', page.after, { ...listing, matching });
  const { option } = world;
  const isSparse =
    option('filtered-pages') === 'sparse' && option('cursor-value') === 'place' && option('last-cursor') !== 'never';
  const rest = (isSparse ? all : matching).filter((one) => one.place > after);
  const passed = rest.slice(0, page.limit);
  const shown = isSparse ? passed.filter((one) => matching.includes(one)) : passed;
  const left = rest.length - passed.length;
  const last = passed.at(-1)?.place;
  const ends = apply('pageEnds', left <= 0 || last === undefined, { ...listing, matching }, left);
  const next = apply('nextPlace', ends ? null : (last ?? null), listing, last);
  const cursor =
    next === null
      ? null
      : makeCursor('units', tenant.slug, cursorNumber(next, page, world), queryInCursor(query, world));
  const items = shown.map(({ record }) => withOwner(showListedUnit(record, world), fullAccess, world));
  return { items, data: { items, ...cursorField(cursor, world) } };
}
