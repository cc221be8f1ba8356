import fc from 'fast-check';
import { type BodyForm, breakages } from '../lead-body.js';
import { type Command, inTurn, type PlannedCreate } from '../plan.js';
import type { Sender } from '../request-log.js';

/** Plans of two to seven steps, some with two or three creates at the same time; mostly of the first tenant. */
export function randomPlans(hasOther: boolean): fc.Arbitrary<Command[]> {
  const one: fc.Arbitrary<PlannedCreate> = fc.record({
    by: fc.constantFrom<Sender>(...(hasOther ? (['home', 'home', 'second tenant'] as const) : (['home'] as const))),
    key: fc.constantFrom(0, 0, 0, 1, 1, 2),
    body: fc.constantFrom<BodyForm>('own', 'own', 'own', 'own', 'other', 'other', 'common', ...breakages),
  });
  return fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.array(one, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
    ),
    { minLength: 2, maxLength: 7 },
  );
}

/** The plans that are tried before random ones. */
export function firstPlans(hasOther: boolean): Command[][] {
  const [x, y, z] = [{ key: 0 }, { key: 1 }, { key: 2 }];
  const rival = { key: 0, body: 'other' } as const;
  const broken = breakages.map((body) => inTurn({ key: 0, body }, x, x, { key: 1, body }, { key: 1, body }, z));
  const theirs = { key: 0, by: 'second tenant' } as const;
  const plans: Command[][] = [
    inTurn(x, x),
    inTurn(x, rival, x),
    [[x, x], [x]],
    inTurn(x, x, x, x, x),
    [[x, rival], [x], [rival]],
    ...broken,
    inTurn(x, y, x, y),
    ...(hasOther ? [inTurn(x, theirs, x, theirs), [[x, theirs], [x], [{ ...theirs, body: 'other' as const }]]] : []),
  ];
  // Only what has all fields can be shrunk.
  return plans.map((plan) => plan.map((step) => step.map((one) => ({ by: 'home', body: 'own', ...one }))));
}
