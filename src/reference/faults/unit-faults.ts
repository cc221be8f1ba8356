import { fault } from './fault.js';

const vacuous = { 'document-schemas': 'vacuous' } as const;
const anyStatus = { 'document-statuses': 'default' } as const;
const crash = { needs: anyStatus, also: { 'ENV-06': 'a 5xx is a breach wherever it is seen' } };
const sameRecord = { 'DEMO-03': 'demo records are the production records' };

/** Faults of the unit operations. */
export const unitFaults = [
  fault('units-items-object', 'UNIT-01', 'items is an object by id', {
    needs: vacuous,
    also: {
      'UNIT-02': 'no record can be read',
      'UNIT-03': 'nor filtered',
      'UNIT-04': 'nor counted',
      'UNIT-05': 'nor walked',
    },
  }),
  fault('units-under-another-name', 'UNIT-01', 'the records stand under data.units', {
    needs: vacuous,
    also: {
      'UNIT-02': 'no record can be read',
      'UNIT-03': 'nor filtered',
      'UNIT-04': 'nor counted',
      'UNIT-05': 'nor walked',
    },
  }),
  fault('units-items-of-one-is-unit', 'UNIT-01', 'where a page has one unit, items is that unit', {
    needs: vacuous,
    also: {
      'UNIT-03': 'a page of one available unit cannot be read',
      'UNIT-04': 'nor counted',
      'UNIT-05': 'nor walked',
      'DEMO-04': 'nor does a single unit stand in a list',
    },
  }),
  fault('units-items-null-on-last-page', 'UNIT-01', 'items is null on the last page', {
    needs: vacuous,
    also: { 'UNIT-05': 'the walk loses the last page', 'ENV-04': 'items is declared to be an array' },
  }),
  fault('unit-id-number', 'UNIT-02', 'ids are numbers', {
    needs: vacuous,
    also: {
      'HOOK-06': 'events show the number, too',
      ...sameRecord,
      'UNIT-06': 'a unit cannot be asked for by a string id',
    },
  }),
  fault('unit-id-number-on-page-three', 'UNIT-02', 'one id far down the list is a number', { needs: vacuous }),
  fault('unit-status-missing-on-page-three', 'UNIT-02', 'one unit far down the list has no status', { needs: vacuous }),
  fault('unit-status-null', 'UNIT-02', 'a sold unit has the status null', { needs: vacuous, also: sameRecord }),
  fault('created-unit-status-null', 'UNIT-02', 'the answer to the creation of a unit shows the status null', {
    needs: vacuous,
  }),
  fault('unit-id-twice', 'UNIT-02', 'two different units far apart in the list have one id', {
    also: { 'UNIT-05': 'the walk shows an id twice', 'UNIT-06': 'only one of them can be read' },
  }),
  fault('filter-ignored', 'UNIT-03', 'the status filter does nothing'),
  fault('filter-lost-on-page-two', 'UNIT-03', 'the status filter holds on the first page only', {
    also: { 'UNIT-05': 'a filtered walk with other page sizes shows other units' },
  }),
  fault('filter-lets-one-through', 'UNIT-03', 'one reserved unit far down is listed as available'),
  fault('filter-matches-prefix', 'UNIT-03', 'the filter compares beginnings, and one unit is available-soon'),
  fault('filter-relabels', 'UNIT-03', 'a filtered list shows every unit, each with the status asked for'),
  fault('filter-lost-with-limit-twenty', 'UNIT-03', 'the filter is lost where the limit is twenty'),
  fault('filter-lost-when-combined', 'UNIT-03', 'the status filter is lost beside the filter by year', {
    needs: { 'unit-filters': 'status-year' },
  }),
  fault('filter-lost-with-small-limit', 'UNIT-03', 'the filter is lost from page four on', {
    also: { 'UNIT-05': 'a filtered walk with other page sizes shows other units' },
  }),
  fault('limit-ignored', 'UNIT-04', 'limit does nothing', {
    also: { 'DEMO-04': 'the demo list is cut in the same place' },
  }),
  fault('limit-plus-one', 'UNIT-04', 'a page holds one unit more than asked for', {
    needs: { 'over-limit': 'clamp' },
    also: { 'DEMO-04': 'the demo list is cut in the same place' },
  }),
  fault('limit-lost-on-page-two', 'UNIT-04', 'limit holds on the first page only'),
  fault('limit-at-least-ten', 'UNIT-04', 'a limit below ten gives ten', {
    also: { 'DEMO-04': 'the demo list is cut in the same place' },
  }),
  fault('limit-lost-at-twenty', 'UNIT-04', 'a limit of twenty gives fifty', {
    also: { 'DEMO-04': 'the demo list is cut in the same place' },
  }),
  fault('limit-lost-at-seven', 'UNIT-04', 'a limit of seven gives fifty', { elsewhere: 'DEMO' }),
  fault('limit-lost-when-large', 'UNIT-04', 'a limit above 200 gives everything', { needs: { 'over-limit': 'clamp' } }),
  fault('limit-plus-one-under-filter', 'UNIT-04', 'a filtered page holds one unit more than asked for'),
  fault('paging-repeats-last', 'UNIT-05', 'each page begins with the last unit of the page before'),
  fault('paging-skips-one', 'UNIT-05', 'one unit is lost between two pages', {
    also: { 'UNIT-03': 'an available unit is missing from the filtered list' },
  }),
  fault('paging-skips-at-hundred', 'UNIT-05', 'the hundred-and-first unit is lost where a page begins with it', {
    also: { 'UNIT-03': 'an available unit is missing from the filtered list' },
  }),
  fault('paging-never-ends', 'UNIT-05', 'the last page leads back to the first'),
  fault('paging-handle-stands-still', 'UNIT-05', 'a cursor that names the walk leads to the second page for ever', {
    needs: { 'cursor-value': 'handle' },
  }),
  fault('paging-ends-after-twenty-pages', 'UNIT-05', 'the walk ends after twenty pages', { depth: 'certify' }),
  fault('paging-ends-in-empty-pages', 'UNIT-05', 'after the last unit come empty pages, each with a cursor to another'),
  fault('paging-loses-tail', 'UNIT-05', 'the walk ends after 150 units where pages are small'),
  fault('paging-skips-with-odd-limit', 'UNIT-05', 'a unit is lost between pages of an odd size'),
  fault('paging-repeats-in-tens', 'UNIT-05', 'pages of ten begin with the last unit of the page before'),
  fault('paging-repeats-under-filter', 'UNIT-05', 'a filtered walk repeats the last unit of each page'),
  fault('paging-ends-on-full-page', 'UNIT-05', 'a walk in pages of seven ends one page early'),
  fault('paging-forgets-single-last', 'UNIT-05', 'a unit that would be alone on the last page is never shown'),
  fault('unit-read-is-neighbour', 'UNIT-06', 'reading a unit gives the next one', {
    also: { 'UNIT-11': 'a created unit cannot be read back' },
  }),
  fault('unit-read-is-first', 'UNIT-06', 'reading any unit gives the first one', {
    also: { 'UNIT-11': 'a created unit cannot be read back' },
  }),
  fault('unit-read-price-differs', 'UNIT-06', 'a unit read by itself shows another price', {
    also: { 'UNIT-11': 'a created unit is read back with another price' },
  }),
  fault('unit-read-nested-differs', 'UNIT-06', 'a unit read by itself shows another latitude'),
  fault(
    'unit-read-mileage-differs-for-some',
    'UNIT-06',
    'every seventh unit shows another mileage when read by itself',
  ),
  fault('unit-read-status-differs', 'UNIT-06', 'a reserved unit reads as available by itself'),
  fault('one-unit-not-readable', 'UNIT-06', 'one unit of several hundred cannot be read by its id', {
    depth: 'certify',
  }),
  fault('unknown-unit-gives-first', 'UNIT-07', 'an unknown id gives the first unit'),
  fault('unknown-unit-empty-success', 'UNIT-07', 'an unknown id succeeds with empty data', { needs: vacuous }),
  fault('long-unit-id-gives-first', 'UNIT-07', 'an id of more than 2,000 characters gives the first unit', {
    needs: vacuous,
  }),
  fault('unknown-unit-403', 'UNIT-07', 'an unknown id answers 403 (warned of)', { warns: true }),
  fault('odd-unit-id-gives-first', 'UNIT-07', 'an unknown id with a quotation mark in it gives the first unit', {
    needs: vacuous,
  }),
  fault('crash-on-limit-text', 'UNIT-08', 'a limit in words answers 500', crash),
  fault('crash-on-negative-limit', 'UNIT-08', 'a negative limit answers 500', crash),
  fault('crash-on-zero-limit', 'UNIT-08', 'a limit of zero answers 500', crash),
  fault('crash-on-repeated-limit', 'UNIT-08', 'a repeated limit answers 500', crash),
  fault('crash-on-empty-limit', 'UNIT-08', 'an empty limit answers 500', crash),
  fault('crash-on-huge-limit', 'UNIT-08', 'a limit of a milliard answers 500', crash),
  fault('crash-on-garbage-cursor', 'UNIT-08', 'a cursor that was never given out answers 500', crash),
  fault('redirect-on-garbage-cursor', 'UNIT-08', 'a cursor that was never given out answers 302', { needs: anyStatus }),
  fault('crash-on-unknown-status', 'UNIT-08', 'an unknown status answers 500', crash),
  fault('bare-garbage-cursor', 'UNIT-08', 'a cursor that was never given out is refused without the envelope', {
    needs: vacuous,
    also: { 'ENV-03': 'a refusal is an envelope', 'ENV-01': 'there is no ok' },
  }),
  fault('tenant-header-required', 'UNIT-09', 'without X-Tenant units are refused'),
  fault('tenant-header-refused', 'UNIT-09', 'units are refused where X-Tenant names the own tenant', {
    also: {
      'VER-01': 'no list can be had with the header that a tenant is selected by',
      'UNIT-04': 'no list can be had with the header that a tenant is selected by',
      'UNIT-03': 'no list can be had with the header that a tenant is selected by',
      'UNIT-01': 'no list can be had with the header that a tenant is selected by',
      'AUTH-05': 'full access lists units with the header that a tenant is selected by',
    },
  }),
  fault('tenant-header-empties-list', 'UNIT-09', 'without X-Tenant no unit is listed'),
  fault('personal-data-plain', 'UNIT-10', 'every unit shows ownerName and ownerPhone'),
  fault('personal-data-nested', 'UNIT-10', 'every unit shows a buyer two levels down'),
  fault('personal-data-on-page-three', 'UNIT-10', 'one unit far down the list shows a customer'),
  fault('personal-data-in-list-of-people', 'UNIT-10', 'sold units show their contact persons in an array'),
  fault('personal-data-under-filter', 'UNIT-10', 'the list of reserved units shows their buyers'),
  fault('personal-data-when-read', 'UNIT-10', 'a unit read by itself shows who reserved it'),
  fault('second-form-list-shows-person', 'UNIT-10', 'one unit of the second address form shows a customer'),
  fault(
    'second-form-unit-shows-person',
    'UNIT-10',
    'a unit read by itself under the second address form shows a customer',
  ),
  fault('demo-shows-person', 'UNIT-10', 'one unit of the demo list shows a customer'),
  fault('unit-create-refused', 'UNIT-11', 'every unit is refused as invalid', {
    also: {
      'AUTH-02': 'a granted operation is refused',
      'AUTH-05': 'full access cannot create a unit',
      'IDEM-02': 'there is no unit to replay',
    },
    warns: true,
  }),
  fault('created-unit-not-readable', 'UNIT-11', 'a created unit cannot be read'),
  fault('created-unit-not-listed', 'UNIT-11', 'a created unit is not listed'),
  fault('created-unit-loses-field', 'UNIT-11', 'a created unit forgets its model', { needs: vacuous }),
  fault('created-unit-other-price', 'UNIT-11', 'a created unit is stored with its price rounded down to hundreds'),
  fault('unit-change-spills-over', 'UNIT-11', 'a change of a unit renames its model besides'),
  fault('created-unit-id-changes', 'UNIT-11', 'the answer shows another id than the one stored', {
    also: { 'IDEM-02': 'a replay shows another id as well' },
  }),
] as const;
