import { judgeService } from './judge-service.js';
import { conformingCases, faultyCases } from './steady-cases.js';
import type { SteadyOutcome } from './steady-table.js';

/**
 * Judges the cases that its parent names, one message each (`{name, real, round}`), and answers each with its outcome; ends with its
 * parent.
 */
const cases = new Map([...conformingCases(), ...faultyCases()].map((one) => [one.name, one]));

process.on('message', (asked: { readonly name: string; readonly real: boolean; readonly round: number }) => {
  const one = cases.get(asked.name);
  if (one === undefined) throw new RangeError(asked.name);
  const judged = one
    .start(asked.real)
    .then((service) => judgeService(service, { seed: asked.round, depth: 'certify', sections: ['LIMIT'] }));
  void judged.then(({ results, seconds }) => {
    const outcome: SteadyOutcome = {
      name: one.name,
      requirement: one.requirement,
      collateral: one.collateral,
      seconds,
      verdicts: results.map(({ id, verdict, reason }) => ({ id, verdict, reason })),
    };
    process.send?.(outcome);
  });
});
process.on('disconnect', () => process.exit(0));
