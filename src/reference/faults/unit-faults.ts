import type { Unit } from '../data/records.js';
import { showListedUnit } from '../data/show-records.js';
import { freshId, type PlacedRecord } from '../data/tenant-store.js';
import type { Exchange, FaultHooks, Json, Listing } from '../instance.js';
import { between, randomFrom } from '../random.js';
import {
  afterwards,
  anyStatus,
  bare,
  before,
  crashes,
  declares,
  isPaged,
  items,
  listKeepsOld,
  numberOf,
  ownTenant,
  person,
  records,
  refusal,
  refuses,
  seededUnit,
  status,
  success,
  takes,
  takesLimit,
  vacuous,
  failing,
} from './change.js';
import { fault, type Fault } from './fault.js';
import { record as event } from './webhook-faults.js';

/** Writes the records of a list otherwise. */
const listAs = (change: (items: Json[], data: Json) => Json): FaultHooks =>
  success('listUnits', (answer) => {
    const { data: whole } = answer.body as { data: { items: Json[] } };
    const { items: list, ...cursor } = whole;
    (answer.body as Json)['data'] = { ...change(list, whole), ...cursor };
  });
/** Filters units otherwise, where a status is asked for. */
const filtered = (change: (listing: Listing) => readonly PlacedRecord<Unit>[]): FaultHooks => ({
  matchingUnits: (matching, listing) => (listing.status === null ? matching : change(listing)),
});
/** The page of the walk, from 1. */
const pageNumber = ({ page: { after, limit }, matching }: Listing): number =>
  after < 0 ? 1 : Math.floor(matching.filter(({ place }) => place <= after).length / limit) + 1;
/** Filters units by nothing on some pages. */
const unfiltered = (when: (listing: Listing) => boolean): FaultHooks =>
  filtered((listing) => (when(listing) ? listing.all : listing.matching));
const start = (change: (next: number, listing: Listing) => number): FaultHooks => ({
  pageStart: (after, listing) => {
    if (after < 0) return after;
    const index = listing.matching.findIndex(({ place }) => place > after);
    return change(index < 0 ? listing.matching.length : index, listing);
  },
});
const repeats = (when: (listing: Listing) => boolean): FaultHooks =>
  start((_, listing) => listing.page.after - (when(listing) ? 1 : 0));
const skips = (when: (next: number, limit: number) => boolean): FaultHooks =>
  start((next, { page, matching }) => (when(next, page.limit) ? (matching[next]?.place ?? page.after) : page.after));
const ends = (when: (listing: Listing, left: number) => boolean): FaultHooks => ({
  pageEnds: (usual, listing, left) => usual || when(listing, left),
});

/** Reads another unit, or null for none, by an id. */
const read = (
  instead: (unit: Unit | null, units: readonly Unit[], id: string) => Unit | null | undefined,
): FaultHooks =>
  before('getUnit', (exchange) => {
    const tenant = ownTenant(exchange);
    exchange.id = instead(tenant.units.get(exchange.id) ?? null, tenant.units.all(), exchange.id)?.id ?? '';
  });
/** Reads the first unit by some ids. */
const readsFirst = (when: (id: string, unit: Unit | null) => boolean): FaultHooks =>
  read((unit, [first], id) => (when(id, unit) ? first : unit));
/** Adds to a unit that is read by itself. */
const shown = (more: (unit: Unit) => Json): FaultHooks => records('getUnit', (unit) => more(unit as unknown as Unit));
const limitFails = (when: (limit: string) => boolean): FaultHooks =>
  crashes('invalid_limit', ({ query: { limit } }) => typeof limit === 'string' && when(limit));
const isNumber = (limit: string): boolean => /^[+-]?\d{1,15}$/.test(limit);
/** Stores a new unit otherwise; what it gives is added. */
const created = (more: (unit: Unit) => Partial<Unit>): FaultHooks => ({
  storedUnit: (unit, old) => (old === null ? { ...unit, ...more(unit) } : unit),
});
/** Stores a changed unit otherwise. */
const changed = (more: (unit: Unit, old: Unit) => Partial<Unit>): FaultHooks => ({
  storedUnit: (unit, old) => (old === null ? unit : { ...unit, ...more(unit, old) }),
});

const maria = { firstName: 'Maria', lastName: 'Kowalska' };
const buyer = { name: 'Maria Kowalska', phone: '+48221234567', email: 'maria.kowalska@example.net' };

const isBare = ({ headers, caller }: Exchange): boolean => caller?.key !== null && headers['x-tenant'] === undefined;
/** Declares a maximum of the year that the service does not keep. */
const declaresMaximum = (name: 'UnitCreate' | 'UnitPatch'): FaultHooks =>
  declares(name, ({ properties }) => (properties['year'] = { ...properties['year'], maximum: 2027 }));

/** Faults of the unit operations, and of who sees units. */
// prettier-ignore
export const unitFaults: readonly Fault[] = [
  fault('units-items-object', 'UNIT-01', 'items is an object by id', listAs((list) => ({ items: Object.fromEntries(list.map((item) => [String(item['id']), item])) })), vacuous),
  fault('units-under-another-name', 'UNIT-01', 'the records stand under data.units', listAs((list) => ({ units: list })), vacuous),
  fault('units-items-of-one-is-unit', 'UNIT-01', 'where a page has one unit, items is that unit', listAs((list) => ({ items: list.length === 1 ? list[0] : list })), vacuous),
  fault('units-items-null-on-last-page', 'UNIT-01', 'items is null on the last page', listAs((list, { nextCursor }) => ({ items: nextCursor ? list : null })), vacuous),
  fault('unit-cursor-is-true', 'UNIT-01', 'nextCursor is true where more units follow',
    items('listUnits', (_, __, data) => data['nextCursor'] && (data['nextCursor'] = true)), vacuous),
  fault('unit-id-number', 'UNIT-02', 'ids are numbers',
    { ...records(/Units?$/, ({ id }) => ({ id: numberOf(String(id)) })), ...event('unit.', ({ id }) => ({ id: numberOf(String(id)) })) }, vacuous),
  fault('unit-id-number-on-page-three', 'UNIT-02', 'one id far down the list is a number',
    records('listUnits', ({ stockNumber }) => (stockNumber === 'S10117' ? { id: 117_117 } : {})), vacuous),
  fault('unit-status-missing-on-page-three', 'UNIT-02', 'one unit far down the list has no status', seededUnit((_, at) => (at === 121 ? { status: undefined } : {})), vacuous),
  fault('unit-status-null', 'UNIT-02', 'a sold unit has the status null', seededUnit(({ status }) => (status === 'sold' ? { status: null } : {})), vacuous),
  fault('created-unit-status-null', 'UNIT-02', 'the answer to the creation of a unit shows the status null', records('createUnit', () => ({ status: null })), vacuous),
  fault('unit-id-twice', 'UNIT-02', 'two different units far apart in the list have one id',
    records('listUnits', ({ stockNumber }, exchange) => (stockNumber === 'S10109' ? { id: ownTenant(exchange).units.all()[12]?.id } : {}))),
  fault('unit-twice-on-a-page', 'UNIT-02', 'the second unit of a page is the first one again', items('listUnits', (list) => list.length > 2 && list.splice(1, 1, list[0] ?? {}))),
  fault('declared-limit-refused', 'UNIT-04', 'a limit at its declared maximum is refused', refuses('listUnits', failing(422, 'invalid_limit'), ({ query, world }) =>
  Number(query['limit']) > Number(world.option('max-limit')) - between(randomFrom(world.seed), 1, 40))),
  fault('limit-ignored', 'UNIT-04', 'limit does nothing', takesLimit(/Units$/, () => 50)),
  fault('limit-plus-one', 'UNIT-04', 'a page holds one unit more than asked for', takesLimit(/Units$/, (limit) => limit + 1), { needs: { 'over-limit': 'clamp' } }),
  fault('limit-lost-on-page-two', 'UNIT-04', 'limit holds on the first page only', takesLimit('listUnits', (limit, exchange) => (isPaged(exchange) ? 50 : limit))),
  fault('limit-at-least-ten', 'UNIT-04', 'a limit below ten gives ten', takesLimit(/Units$/, (limit) => Math.max(10, limit))),
  fault('limit-lost-at-twenty', 'UNIT-04', 'a limit of twenty gives fifty', takesLimit(/Units$/, (limit) => (limit === 20 ? 50 : limit))),
  fault('limit-lost-at-seven', 'UNIT-04', 'a limit of seven gives fifty', takesLimit(/Units$/, (limit) => (limit === 7 ? 50 : limit)), { elsewhere: 'DEMO' }),
  fault('limit-lost-when-large', 'UNIT-04', 'a limit above 200 gives everything', items('listUnits', (list, exchange, data) => {
    if (!(Number(exchange.query['limit']) > 200) || isPaged(exchange)) return;
    const rest = ownTenant(exchange).units.all().slice(list.length);
    list.push(...rest.map((unit) => showListedUnit(unit, exchange.world)));
    data['nextCursor'] = null;
  }), { needs: { 'over-limit': 'clamp' } }),
  fault('limit-plus-one-under-filter', 'UNIT-04', 'a filtered page holds one unit more than asked for',
    takesLimit('listUnits', (limit, { query }) => limit + (query['status'] === undefined ? 0 : 1))),
  fault('larger-limits-ignored', 'UNIT-04', 'a limit between 51 and 99 is taken for 100', takesLimit('listUnits', (limit) => (limit > 50 && limit < 100 ? 100 : limit))),
  fault('filter-ignored', 'UNIT-03', 'the status filter does nothing', filtered(({ all }) => all)),
  fault('filter-lets-one-through', 'UNIT-03', 'one reserved unit far down is listed as available', filtered(({ all, status }) => {
    const one = all.find(({ place, record }) => record.status === 'reserved' && place > 60);
    return all.filter((unit) => unit === one || unit.record.status === status);
  })),
  fault('filter-matches-prefix', 'UNIT-03', 'the filter compares beginnings, and one unit is available-soon',
    { ...seededUnit((_, at) => (at === 31 ? { status: 'available-soon' } : {})), ...filtered(({ all, status }) => all.filter(({ record }) => record.status.startsWith(String(status)))) }),
  fault('filter-relabels', 'UNIT-03', 'a filtered list shows every unit, each with the status asked for',
    { ...filtered(({ all }) => all), ...records('listUnits', ({ status: own }, { query }) => ({ status: query['status'] ?? own })) }),
  fault('filter-lost-below-a-limit', 'UNIT-03', 'the filter is lost where the limit is below two, three or four (drawn from the seed)',
    { handle: ({ operation, query, world }) => { if (operation === 'listUnits' && Number(query['limit']) < 2 + (world.seed % 3)) delete query['status']; } }),
  fault('filter-takes-one-status-only', 'UNIT-03', 'the filter by another status than available does nothing (warned of)',
    filtered(({ all, matching, status }) => (status === 'available' ? matching : all)), { elsewhere: 'UNIT-10', warns: true }),
  fault('filter-lost-on-page-two', 'UNIT-03', 'the status filter holds on the first page only', unfiltered((listing) => pageNumber(listing) >= 2)),
  fault('filter-lost-with-limit-twenty', 'UNIT-03', 'the filter is lost where the limit is twenty', unfiltered(({ page }) => page.limit === 20)),
  fault('filter-lost-when-combined', 'UNIT-03', 'the status filter is lost beside the filter by year',
    unfiltered(({ query }) => query['minYear'] !== undefined), { needs: { 'unit-filters': 'status-year' } }),
  fault('filter-lost-with-small-limit', 'UNIT-03', 'the filter is lost from page four on', unfiltered((listing) => pageNumber(listing) >= 4)),
  fault('paging-repeats-last', 'UNIT-05', 'each page begins with the last unit of the page before', repeats(() => true)),
  fault('paging-repeats-without-limit', 'UNIT-05', 'each page begins with the last unit of the page before where no limit is sent',
    repeats(({ query }) => query['limit'] === undefined)),
  fault('paging-repeats-by-object', 'UNIT-05', 'each page to which a cursor in several parts leads begins with the last unit before it',
    repeats(() => true), { needs: { 'cursor-type': 'deep-object' } }),
  fault('paging-repeats-in-tens', 'UNIT-05', 'pages of ten begin with the last unit of the page before', repeats(({ page }) => page.limit === 10)),
  fault('paging-repeats-under-filter', 'UNIT-05', 'a filtered walk repeats the last unit of each page', repeats((listing) => listing.status !== null)),
  fault('paging-skips-one', 'UNIT-05', 'one unit is lost between two pages', skips((next, limit) => next > limit && next <= limit * 2)),
  fault('paging-skips-at-hundred', 'UNIT-05', 'the hundred-and-first unit is lost where a page begins with it', skips((next) => next === 100)),
  fault('paging-skips-with-odd-limit', 'UNIT-05', 'a unit is lost between pages of an odd size', skips((_, limit) => limit % 2 === 1 && limit > 1)),
  fault('paging-never-ends', 'UNIT-05', 'the last page leads back to the first', { nextPlace: (place, { page }) => place ?? (page.after >= 0 ? 0 : null) }),
  fault('paging-handle-stands-still', 'UNIT-05', 'a cursor that names the walk leads to the second page for ever',
    { pageStart: (after, { page }) => (page.walk === undefined ? after : 0) }, { needs: { 'cursor-value': 'handle' } }),
  fault('paging-ends-in-empty-pages', 'UNIT-05', 'after the last unit come empty pages, each with a cursor to another',
    { nextPlace: (_, { page }, last) => last ?? page.after + 1 }),
  fault('paging-never-leads-on', 'UNIT-05', 'no page has a cursor, though more units follow and the document names the parameter', ends(() => true)),
  fault('paging-offers-no-cursor', 'UNIT-05', 'a list of forty units is cut by a limit, and neither a page nor the document has a cursor (warned of)',
    { seededUnits: (units) => units.slice(0, 40) }, { needs: { 'last-cursor': 'never' }, warns: true }),
  fault('paging-ends-after-twenty-pages', 'UNIT-05', 'the walk ends after twenty pages', ends((listing) => pageNumber(listing) >= 20), { depth: 'certify' }),
  fault('paging-loses-tail', 'UNIT-05', 'the walk ends after 150 units where pages are small', ends(({ page: { limit, after } }) => limit <= 20 && after >= 149 - limit)),
  fault('paging-ends-on-full-page', 'UNIT-05', 'a walk in pages of seven ends one page early', ends(({ page }, left) => page.limit === 7 && left <= 7)),
  fault('paging-forgets-single-last', 'UNIT-05', 'a unit that would be alone on the last page is never shown', ends((_, left) => left === 1)),
  fault('paging-loses-full-last-page', 'UNIT-05', 'the last page is lost where it would be full', ends(({ page }, left) => left === page.limit)),
  fault('unit-read-is-neighbour', 'UNIT-06', 'reading a unit gives the next one', read((unit, units) => unit && units[(units.indexOf(unit) + 1) % units.length])),
  fault('unit-read-is-first', 'UNIT-06', 'reading any unit gives the first one', read((unit, units) => unit && units[0])),
  fault('one-unit-not-readable', 'UNIT-06', 'one unit of several hundred cannot be read by its id',
    read((unit, units) => (unit && units.indexOf(unit) === 211 ? null : unit)), { depth: 'certify' }),
  fault('undescribed-unit-read-differs', 'UNIT-06', 'a unit read by itself, which the document does not describe, shows another price',
    { ...shown(({ priceCents }) => ({ priceCents: priceCents + 1 })), document: ({ paths }) => { delete paths['/api/v1/units/{id}']?.['get']; } }),
  fault('unit-read-rounds', 'UNIT-06', 'a unit read by itself shows its serial number as a double has it', { answer: (answer, { operation }) => {
    if (typeof answer.body !== 'object') return;
    const serial = `"serial":${operation === 'getUnit' ? '9007199254740992' : '9007199254740993'}`;
    answer.body = JSON.stringify(answer.body).replace(/"mileageKm":\d+/g, `$&,${serial}`);
  } }, vacuous),
  fault('unit-read-nested-differs', 'UNIT-06', 'a unit read by itself shows another latitude',
    shown(({ location }) => ({ location: { ...location, geo: { ...location.geo, lat: location.geo.lat + 0.001 } } }))),
  fault('unit-read-mileage-differs-for-some', 'UNIT-06', 'every seventh unit shows another mileage when read by itself', records('getUnit', (unit, exchange) => {
    const index = ownTenant(exchange).units.all().findIndex(({ id }) => id === unit['id']);
    return index % 7 === 3 ? { mileageKm: Number(unit['mileageKm']) + 1 } : {};
  })),
  fault('unit-read-status-differs', 'UNIT-06', 'a reserved unit reads as available by itself', shown(({ status }) => (status === 'reserved' ? { status: 'available' } : {}))),
  fault('unknown-unit-empty-success', 'UNIT-07', 'an unknown id succeeds with empty data',
    refusal('unit_not_found', (answer, _, { operation }) => { if (operation === 'getUnit') Object.assign(answer, { status: 200, body: { ok: true, data: {} } }); }), vacuous),
  fault('long-unit-id-gives-first', 'UNIT-07', 'an id of more than 2,000 characters gives the first unit', readsFirst((id) => id.length > 2_000), vacuous),
  fault('unknown-unit-403', 'UNIT-07', 'an unknown id answers 403 (warned of)', status('unit_not_found', 403), { warns: true }),
  fault('odd-unit-id-gives-first', 'UNIT-07', 'an unknown id with a quotation mark in it gives the first unit', readsFirst((id) => /['"]/.test(id)), vacuous),
  fault('crash-on-limit-text', 'UNIT-08', 'a limit in words answers 500', limitFails((limit) => limit !== '' && !isNumber(limit)), anyStatus),
  fault('crash-on-negative-limit', 'UNIT-08', 'a negative limit answers 500', limitFails((limit) => isNumber(limit) && Number(limit) < 0), anyStatus),
  fault('crash-on-zero-limit', 'UNIT-08', 'a limit of zero answers 500', limitFails((limit) => isNumber(limit) && Number(limit) === 0), anyStatus),
  fault('crash-on-empty-limit', 'UNIT-08', 'an empty limit answers 500', limitFails((limit) => limit === ''), anyStatus),
  fault('crash-on-huge-limit', 'UNIT-08', 'a limit of a billion answers 500', limitFails((limit) => isNumber(limit) && Number(limit) >= 1e6), anyStatus),
  fault('crash-on-repeated-limit', 'UNIT-08', 'a repeated limit answers 500', crashes('invalid_limit', ({ query }) => Array.isArray(query['limit'])), anyStatus),
  fault('crash-on-garbage-cursor', 'UNIT-08', 'a cursor that was never given out answers 500', crashes('invalid_cursor'), anyStatus),
  fault('redirect-on-garbage-cursor', 'UNIT-08', 'a cursor that was never given out answers 302', status('invalid_cursor', 302), anyStatus),
  fault('crash-on-unknown-status', 'UNIT-08', 'an unknown status answers 500', crashes('invalid_status'), anyStatus),
  fault('bare-garbage-cursor', 'UNIT-08', 'a cursor that was never given out is refused without the envelope', bare('invalid_cursor'), vacuous),
  fault('tenant-header-required', 'UNIT-09', 'without X-Tenant units are refused', refuses('listUnits', failing(400, 'tenant_missing'), isBare)),
  fault('tenant-header-refused', 'UNIT-09', 'units are refused where X-Tenant names the own tenant',
    refuses('listUnits', failing(403, 'tenant_forbidden'), ({ headers, caller }) => headers['x-tenant'] === caller?.key?.tenant)),
  fault('reading-key-needs-tenant', 'UNIT-09', 'a key for reading units alone has to name its tenant',
    refuses('listUnits', failing(400, 'tenant_missing'), (exchange) => isBare(exchange) && exchange.caller?.scopes.join() === 'read:inventory')),
  fault('tenant-header-empties-list', 'UNIT-09', 'without X-Tenant no unit is listed', items('listUnits', (list, exchange) => isBare(exchange) && list.splice(0))),
  fault('personal-data-plain', 'UNIT-10', 'every unit shows ownerName and ownerPhone', seededUnit(() => ({ ownerName: buyer.name, ownerPhone: buyer.phone }))),
  fault('personal-data-nested', 'UNIT-10', 'every unit shows a buyer two levels down',
    seededUnit(() => ({ history: { lastSale: { buyer: { name: buyer.name, email: buyer.email } } } }))),
  fault('personal-data-of-a-driver', 'UNIT-10', 'every unit shows who drove it last', seededUnit(() => ({ lastTestDrive: { driver: buyer.name, minutes: 25 } })), { warns: true }),
  fault('personal-data-on-page-three', 'UNIT-10', 'one unit far down the list shows a customer', seededUnit((_, at) => (at === 113 ? { reservation: { customer: buyer } } : {}))),
  fault('personal-data-in-list-of-people', 'UNIT-10', 'sold units show their contact persons in an array', seededUnit(({ status }) => {
    const contact = { role: 'buyer', contactPerson: buyer.name, mobile: buyer.phone, birthDate: '1987-04-12' };
    return status === 'sold' ? { contacts: [contact] } : {};
  })),
  fault('personal-data-under-filter', 'UNIT-10', 'the list of reserved units shows their buyers',
    records('listUnits', (_, { query }) => (query['status'] === 'reserved' ? { buyer: { ...maria, phone: '+48501234567' } } : {}))),
  fault('personal-data-when-read', 'UNIT-10', 'a unit read by itself shows who reserved it', shown(() => ({ reservation: { reservedBy: { ...maria, email: buyer.email } } }))),
  fault('demo-shows-person', 'UNIT-10', 'one unit of the demo list shows a customer',
    records('demoUnits', (_, { world }, at) => (at === world.seed % 5 ? { customer: person(world) } : {}))),
  fault('unit-create-refused', 'UNIT-11', 'every unit is refused as invalid', refuses('createUnit', failing(422, 'invalid_unit')), { warns: true }),
  fault('created-unit-not-readable', 'UNIT-11', 'a created unit cannot be read', read((unit) => (unit?.stockNumber.startsWith('S') ? unit : null))),
  fault('created-unit-not-listed', 'UNIT-11', 'a created unit is not listed', { matchingUnits: (matching) => matching.filter(({ place }) => place <= 346) }),
  fault('unit-change-resets-later', 'UNIT-11', 'a change of a unit resets a text of it a moment later', () => {
    const dueMs = new Map<string, number>();
    return {
      ...success('updateUnit', (_, { id }) => dueMs.set(id, Date.now() + 300)),
      handle: ({ caller, world }) => {
        const name = (['make', 'trim', 'condition'] as const)[world.seed % 3] ?? 'make';
        for (const [id, atMs] of dueMs) {
          const unit = caller?.tenant.units.get(id);
          if (unit === undefined || Date.now() < atMs) continue;
          dueMs.delete(id);
          caller?.tenant.units.replace({ ...unit, [name]: name === 'condition' ? 'used' : 'unknown' });
        }
      },
    };
  }),
  fault('unit-list-keeps-old', 'UNIT-11', 'the list shows every unit as it was before any change', () => listKeepsOld()),
  fault('unit-year-unchecked', 'UNIT-11', 'a unit is created with a year above the declared maximum', declaresMaximum('UnitCreate')),
  fault('unit-change-unchecked', 'UNIT-11', 'a unit is changed to a year above the declared maximum', declaresMaximum('UnitPatch')),
  fault('created-unit-id-changes', 'UNIT-11', 'the answer shows another id than the one stored', records('createUnit', () => ({ id: freshId('unit') }))),
  fault('empty-change-taken', 'UNIT-11', 'a change of nothing is a success, which the document does not allow',
    takes('updateUnit', (fields, exchange) => Object.keys(fields).length > 0 ? null : { mileageKm: ownTenant(exchange).units.get(exchange.id)?.mileageKm })),
  fault('new-units-not-filtered', 'UNIT-11', 'the list filtered by status lacks units that were made since the start',
    { matchingUnits: (units, { status }) => status === null ? units : units.filter(({ record: { stockNumber } }) => stockNumber.startsWith('S')) }),
  fault('new-units-unfiltered', 'UNIT-11', 'the list filtered by status shows units that were made since the start, whatever their status',
    { matchingUnits: (units, { status, all }) => status === null ? units : all.filter((one) => units.includes(one) || !one.record.stockNumber.startsWith('S')) }),
  fault('changed-status-not-filtered', 'UNIT-11', 'the list filtered by status goes by the status before any change', () => {
    const first = new Map<string, string>();
    return {
      storedUnit: ({ id }, old) => { if (old !== null && !first.has(id)) first.set(id, old.status); },
      matchingUnits: (units, { status, all }) => status === null ? units : all.filter(({ record }) => (first.get(record.id) ?? record.status) === status),
    };
  }),
  fault('second-form-creation-other-id', 'UNIT-11', 'the creation of a unit under the second address form shows an id that no unit has',
    records('createUnit', ({ id }, { second }) => (second ? { id: `${String(id)}-2` } : {}))),
  fault('unit-change-hits-first', 'UNIT-11', 'a change of a unit gives its price and mileage to the first unit, too', afterwards('updateUnit', (_, { id }, __, exchange) => {
    const { units } = ownTenant(exchange);
    const [first, changedUnit] = [ownTenant(exchange).units.all().find((unit) => unit.id !== id), units.get(id)];
    if (first && changedUnit) units.replace({ ...first, priceCents: changedUnit.priceCents, mileageKm: changedUnit.mileageKm });
  })),
  fault('unit-deletion-takes-latest', 'UNIT-11', 'a deletion of a unit deletes the latest of the other units, too',
    afterwards('deleteUnit', (shelf, _, __, exchange) => void shelf.remove(ownTenant(exchange).units.all().at(-1)?.id ?? ''))),
  fault('created-unit-loses-field', 'UNIT-11', 'a created unit forgets its model', created(() => ({ model: '' })), vacuous),
  fault('created-unit-other-price', 'UNIT-11', 'a created unit is stored with its price rounded down to hundreds',
    created(({ priceCents }) => ({ priceCents: Math.floor(priceCents / 100) * 100 - 100 }))),
  fault('created-unit-zero-replaced', 'UNIT-11', 'a created unit with a mileage of 0 is stored with one of 10',
    created(({ mileageKm }) => (mileageKm === 0 ? { mileageKm: 10 } : {}))),
  fault('created-unit-ignores-status', 'UNIT-11', 'a created unit is available, whatever status was sent', created(() => ({ status: 'available' }))),
  fault('created-unit-loses-fraction', 'UNIT-11', 'a created unit is stored with its litres as a whole number',
    created(({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) }))),
  fault('created-unit-cuts-texts', 'UNIT-11', 'a created unit is stored with 40 characters of its model', created(({ model }) => ({ model: model.slice(0, 40) }))),
  fault('created-unit-cuts-hundredths', 'UNIT-11', 'a created unit is stored with its litres times a hundred, as an integer',
    created(({ engineLitres }) => ({ engineLitres: engineLitres === null ? null : Math.trunc(engineLitres * 100) / 100 }))),
  fault('unit-replay-restores', 'UNIT-11', 'the replay of the creation of a unit stores it as it was then', {
    replay: (_, { outcome }, same, { route, tenant, exchange }) => {
      if (same && outcome !== null && route === 'units') exchange.world.tenantOf(tenant).units.replace(outcome.record as Unit);
      return null;
    },
  }),
  fault('created-unit-cuts-lists', 'UNIT-11', 'a created unit is stored with the first feature, or the first two, of several',
    created(({ id, features }) => ({ features: features.slice(0, 1 + (numberOf(id) % 2)) }))),
  fault('unit-change-loses-fraction', 'UNIT-11', 'a change of the litres of a unit is stored as a whole number',
    changed(({ engineLitres }) => ({ engineLitres: Math.floor(engineLitres ?? 0) }))),
  fault('unit-change-makes-available', 'UNIT-11', 'a change of a unit that does not name its status makes it available',
    changed(({ status }, old) => (status === old.status ? { status: 'available' } : {}))),
  fault('unit-change-spills-over', 'UNIT-11', 'a change of a unit renames its model besides', changed((_, { model }) => ({ model: `${model} II` }))),
  fault('unit-change-resets-mileage', 'UNIT-11', 'a change of a unit that does not name its mileage sets it to 0',
    changed(({ mileageKm }, old) => (mileageKm === old.mileageKm ? { mileageKm: 0 } : {}))),
  fault('change-ignores-a-text', 'UNIT-11', 'a change of a unit leaves its make or its model as it was',
    changed(({ id }, { make, model }) => (numberOf(id) % 2 === 0 ? { make } : { model }))),
  fault('change-loses-letters', 'UNIT-11', 'letters beyond ASCII become question marks where a unit is changed',
    changed(({ model }) => ({ model: model.replace(/[^\x00-\x7f]/g, '?') }))),
  fault('unit-change-ignores-null', 'UNIT-11', 'a change of the trim of a unit to null leaves it as it was',
    changed(({ trim }, old) => (trim === null ? { trim: old.trim } : {})), { warns: true }),
];
