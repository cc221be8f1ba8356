import { provePack } from 'dealership-conformance';
import { asInNorth, faults } from './faults.js';
import pack from './index.js';

// `node prove.js DEMO UNIT-01` judges only these of the suite beside the pack.
const only = process.argv.slice(2);
const conforming = {
  'a service of the region': { change: asInNorth },
  'one that shows a single unit below data.unit': { change: asInNorth, variant: { 'unit-place': 'nested' } },
};
for await (const { name, problems } of provePack({ pack, faults, conforming, ...(only.length > 0 ? { only } : {}) })) {
  console.log([`${problems.length > 0 ? 'not as it must be' : 'ok'}: ${name}`, ...problems].join('\n  '));
  if (problems.length > 0) process.exitCode = 1;
}
