import { reportBlames } from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';

test(
  'what exceeds the sustained limit is refused',
  requirement('LIMIT-03', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    await reportBlames(check, ['LIMIT-03']);
  },
);
