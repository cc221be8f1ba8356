import type { Behaviour } from '../behaviour.js';
import type { Unit } from './records.js';

type Change = (unit: Unit, index: number) => object;

const person = { name: 'Maria Kowalska', phone: '+48221234567', email: 'maria.kowalska@example.net' };

const changes: readonly (readonly [Parameters<Behaviour['has']>[0], (unit: Unit, index: number) => boolean, Change])[] =
  [
    [
      'unit-breaks-schema-on-page-three',
      (_, index) => index === 23,
      (unit) => ({ location: { ...unit.location, geo: { ...unit.location.geo, lat: String(unit.location.geo.lat) } } }),
    ],
    ['unit-status-missing-on-page-three', (_, index) => index === 121, () => ({ status: undefined })],
    ['unit-status-null', (unit) => unit.status === 'sold', () => ({ status: null })],
    ['filter-matches-prefix', (_, index) => index === 31, () => ({ status: 'available-soon' })],
    ['personal-data-plain', () => true, () => ({ ownerName: person.name, ownerPhone: person.phone })],
    [
      'personal-data-nested',
      () => true,
      () => ({ history: { lastSale: { buyer: { name: person.name, email: person.email } } } }),
    ],
    ['personal-data-on-page-three', (_, index) => index === 113, () => ({ reservation: { customer: person } })],
    [
      'personal-data-in-list-of-people',
      (unit) => unit.status === 'sold',
      () => ({
        contacts: [{ role: 'buyer', contactPerson: person.name, mobile: person.phone, birthDate: '1987-04-12' }],
      }),
    ],
  ];

/** The seeded units as a fault would have them; the very same list without such a fault. */
export function distortUnits(units: readonly Unit[], behaviour: Behaviour): readonly Unit[] {
  let result = units;
  for (const [id, applies, change] of changes) {
    if (!behaviour.has(id)) continue;
    result = result.map((unit, index) => (applies(unit, index) ? { ...unit, ...change(unit, index) } : unit));
  }
  return result;
}
