import { classOf } from './index.js';

/** The units in an answer: of a list, or the one that was read, created or changed. */
function unitsIn({ body }, { path }) {
  if (!/\/units(?:\/|$)/.test(path)) return [];
  const found = body?.data ?? body;
  const all = Array.isArray(found) ? found : (found?.items ?? [found?.unit ?? found]);
  return all.filter((one) => typeof one?.vin === 'string');
}

const change = (alter) => (answer, request) => unitsIn(answer, request).forEach((unit) => alter(unit, request));
const isSingle = ({ path }) => /\/units\/./.test(path);

/** What a service of the region adds to the reference service. */
export const asInNorth = change((unit) => {
  // From 0 to 220 in steps of 5, so that limits between two classes are among them.
  const sum = Array.from(unit.vin).reduce((total, letter) => total + letter.charCodeAt(0), 0);
  unit.co2GramsPerKm = (sum % 45) * 5;
  unit.emissionClass = classOf(unit.co2GramsPerKm);
});

export const faults = [
  {
    id: 'emissions-as-text',
    requirement: 'NORTH-01',
    description: 'shows the emissions as a text',
    change: change((unit) => (unit.co2GramsPerKm = `${unit.co2GramsPerKm}`)),
    also: ['NORTH-03'],
  },
  {
    id: 'electric-without-emissions',
    requirement: 'NORTH-01',
    description: 'leaves the emissions out where they are zero',
    change: change((unit) => unit.co2GramsPerKm === 0 && delete unit.co2GramsPerKm),
  },
  {
    id: 'emissions-only-in-list',
    requirement: 'NORTH-02',
    description: 'leaves the emissions out of a unit that is read by its id',
    change: change((unit, request) => isSingle(request) && delete unit.co2GramsPerKm),
  },
  {
    id: 'class-below-limit',
    requirement: 'NORTH-03',
    description: 'puts emissions that are exactly the most of a class into the next class',
    change: change((unit) => (unit.emissionClass = classOf(unit.co2GramsPerKm + 1))),
  },
];
