import { reportBlames, triedLimits } from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';
import { flagOf } from '../src/target/setting-table.js';

test(
  'what exceeds the sustained limit is refused',
  requirement('LIMIT-03', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    const { verdicts } = await triedLimits(check);
    if (verdicts.every(({ trace }) => trace.subject.limits.length < 2))
      return check.notApplicable(
        `no plan with a sustained limit was tried: set API_KEY_INDEPENDENT (or ${flagOf('API_KEY_INDEPENDENT')}) or its like`,
      );
    await reportBlames(check, ['LIMIT-03']);
  },
);
