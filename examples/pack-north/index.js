import { defineRequirement } from 'dealership-conformance';

/** The classes of the region's label, with the most grams of CO2 per km of each; G is everything above. */
const classes = [
  ['A', 95],
  ['B', 115],
  ['C', 135],
  ['D', 155],
  ['E', 175],
  ['F', 195],
  ['G', Infinity],
];

/** The class of emissions in grams per km. */
export const classOf = (grams) => classes.find(([, most]) => grams <= most)[0];

const isEmissions = (value) => Number.isInteger(value) && value >= 0 && value <= 999;

/** What a path answers under `data`, and the exchange that shows it. Blocked where there is no such answer. */
async function read(check, path, query = []) {
  const exchange = await check.ask({ path, query });
  try {
    return { exchange, data: JSON.parse(exchange.response.body.toString()).data };
  } catch {
    return check.blocked(`${path} was answered with ${exchange.response.status} and no JSON`);
  }
}

/** A page of units. Blocked where there are none: nothing could be said of them. */
async function readUnits(check) {
  const { exchange, data } = await read(check, '/api/v1/units', [['limit', '50']]);
  if (!Array.isArray(data?.items) || data.items.length === 0) check.blocked('the first page of units holds none');
  return { exchange, units: data.items };
}

/** Every pack has ids, sources and a level of its own. The source is the region's rule: the platform's specification demands none of this. */
export default {
  name: 'north',
  sections: [{ id: 'NORTH', title: 'Region North: emissions of vehicles', level: 'Region North' }],
  requirements: [
    defineRequirement({
      id: 'NORTH-01',
      level: 'MUST',
      source: 'Region North, label ordinance, article 2',
      title: 'every unit in the list shows its CO2 emissions in grams per km, a whole number',
      needs: ['API_KEY'],
      body: async ({ check }) => {
        const { exchange, units } = await readUnits(check);
        for (const { id, co2GramsPerKm } of units)
          if (!isEmissions(co2GramsPerKm))
            check.fail({
              expected: 'co2GramsPerKm, a whole number from 0 to 999',
              actual: `${JSON.stringify(co2GramsPerKm) ?? 'nothing'} in unit ${id}`,
              exchanges: [exchange],
            });
      },
    }),
    defineRequirement({
      id: 'NORTH-02',
      level: 'MUST',
      source: 'Region North, label ordinance, article 3',
      title: 'a unit read by its id shows the same emissions and class as in the list',
      needs: ['API_KEY'],
      body: async ({ check }) => {
        const { exchange, units } = await readUnits(check);
        const [listed] = units;
        const single = await read(check, `/api/v1/units/${encodeURIComponent(listed.id)}`);
        // A service may put the record below `unit`.
        const unit = single.data?.unit ?? single.data;
        const shown = (one) => `${one?.co2GramsPerKm} g/km, class ${one?.emissionClass}`;
        if (shown(unit) !== shown(listed))
          check.fail({
            expected: `${shown(listed)}, as in the list`,
            actual: shown(unit),
            exchanges: [exchange, single.exchange],
          });
      },
    }),
    defineRequirement({
      id: 'NORTH-03',
      level: 'SHOULD',
      source: 'Region North, label ordinance, annex',
      title: 'the emission class of a unit follows from its emissions',
      needs: ['API_KEY'],
      body: async ({ check }) => {
        const { exchange, units } = await readUnits(check);
        const judged = units.filter(({ co2GramsPerKm }) => isEmissions(co2GramsPerKm));
        if (judged.length === 0) check.blocked('no unit shows its emissions');
        for (const { id, co2GramsPerKm, emissionClass } of judged)
          if (emissionClass !== classOf(co2GramsPerKm))
            check.fail({
              expected: `class ${classOf(co2GramsPerKm)} for ${co2GramsPerKm} g/km`,
              actual: `${JSON.stringify(emissionClass) ?? 'nothing'} in unit ${id}`,
              exchanges: [exchange],
            });
      },
    }),
  ],
};
