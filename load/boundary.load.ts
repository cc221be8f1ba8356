import {
  blamesOf,
  blockWhereWeak,
  foreignNumber,
  nameOf,
  reportBlames,
  triedLimits,
} from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';

test(
  'nothing within the limits is refused',
  requirement('LIMIT-01', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    await reportBlames(check, ['LIMIT-01']);
  },
);

test(
  'each key has the numbers of its own plan, and demo and sandbox have theirs',
  requirement('LIMIT-08', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const [first] = blamesOf(verdict);
      if (first !== undefined)
        check.breach({ expected: `${nameOf(verdict)} to be what applies`, actual: first.actual });
      const number = foreignNumber(verdict);
      if (number !== null) check.breach({ expected: `${nameOf(verdict)} to be what is advertised`, actual: number });
    }
    for (const { plan, why } of found.leftOut) check.observe(`Does the ${plan} limit hold?`, `not tried: ${why}`);
    blockWhereWeak(check, found, ['alone', 'within', 'beyond', 'scope']);
  },
);
