import { reportBlames, triedLimits } from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';

test(
  'what exceeds the sustained limit is refused',
  requirement('LIMIT-03', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    const { plans, leftOut } = await triedLimits(check);
    if (plans.every(({ subject }) => subject.limits.length < 2))
      return check.notApplicable(
        `no plan with a sustained limit beside its burst limit was tried: ${leftOut.map(({ plan, why }) => `${why} for ${plan}`).join('; ')}`,
      );
    await reportBlames(check, ['LIMIT-03']);
  },
);
