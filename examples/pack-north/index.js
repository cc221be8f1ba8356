import { defineRequirement } from 'dealership-conformance';

/** The classes of the region's label, with the most grams of CO2 per km of each. */
const classes = { A: 95, B: 115, C: 135, D: 155, E: Infinity };
const classOf = (grams) => Object.keys(classes).find((name) => grams <= classes[name]);
const isEmissions = (value) => Number.isInteger(value) && value >= 0 && value <= 999;

/** A page of units. Blocked where there are none, as nothing could be said of them. */
async function readUnits(check) {
  const exchange = await check.ask({ path: '/api/v1/units', query: [['limit', '50']] });
  const units = JSON.parse(exchange.response.body.toString()).data?.items ?? [];
  if (units.length === 0) check.blocked('the first page of units holds none');
  return { exchange, units };
}

/** Every pack has ids and sources of its own; a level is optional. */
export default {
  name: 'north',
  version: '1.0.0',
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
              code: 'no-emissions',
              expected: 'co2GramsPerKm, a whole number from 0 to 999',
              actual: `${JSON.stringify(co2GramsPerKm) ?? 'nothing'} in unit ${id}`,
              exchanges: [exchange],
            });
      },
    }),
    defineRequirement({
      id: 'NORTH-02',
      level: 'SHOULD',
      source: 'Region North, label ordinance, annex',
      title: 'the emission class of a unit follows from its emissions',
      needs: ['API_KEY'],
      body: async ({ check }) => {
        const { exchange, units } = await readUnits(check);
        for (const { id, co2GramsPerKm, emissionClass } of units)
          if (isEmissions(co2GramsPerKm) && emissionClass !== classOf(co2GramsPerKm))
            check.warn({
              code: 'other-class',
              expected: `class ${classOf(co2GramsPerKm)} for ${co2GramsPerKm} g/km`,
              actual: `${JSON.stringify(emissionClass) ?? 'nothing'} in unit ${id}`,
              exchanges: [exchange],
            });
      },
    }),
  ],
};
