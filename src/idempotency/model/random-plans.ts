import fc from 'fast-check';
import { breakages } from '../lead-body.js';

/** One create of a plan: which tenant, which of its keys, which of that key's bodies. */
export interface PlannedCreate {
  readonly tenant: 0 | 1;
  readonly key: 0 | 1 | 2;
  /** Bodies 0 and 1 belong to the key, `common` to all keys of the tenant; the others are broken. */
  readonly body: 0 | 1 | 'common' | (typeof breakages)[number];
}

/** A step: one create, or several sent at the same time. */
export type Command = readonly PlannedCreate[];

const create = (tenants: number): fc.Arbitrary<PlannedCreate> =>
  fc.record({
    tenant: fc.constantFrom<0 | 1>(...(tenants > 1 ? ([0, 0, 1] as const) : ([0] as const))),
    key: fc.constantFrom<0 | 1 | 2>(0, 0, 0, 1, 1, 2),
    body: fc.constantFrom<PlannedCreate['body']>(0, 0, 0, 0, 1, 1, 'common', ...breakages),
  });

/** Plans of two to seven steps, some with two or three creates at the same time. */
export function randomPlans(tenants: number): fc.Arbitrary<Command[]> {
  const one = create(tenants);
  return fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.array(one, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
    ),
    { minLength: 2, maxLength: 7 },
  );
}

const a = (key: 0 | 1 | 2, body: PlannedCreate['body']): PlannedCreate => ({ tenant: 0, key, body });
const b = (key: 0 | 1 | 2, body: PlannedCreate['body']): PlannedCreate => ({ tenant: 1, key, body });

/** The plans that are tried before random ones. */
export function firstPlans(tenants: number): Command[][] {
  const broken = breakages.map((breakage): Command[] => [
    [a(0, breakage)],
    [a(0, 0)],
    [a(0, 0)],
    [a(1, breakage)],
    [a(1, breakage)],
    [a(2, 0)],
  ]);
  return [
    [[a(0, 0)], [a(0, 0)]],
    [[a(0, 0)], [a(0, 1)], [a(0, 0)]],
    [[a(0, 0), a(0, 0)], [a(0, 0)]],
    [[a(0, 0)], [a(0, 0)], [a(0, 0)], [a(0, 0)], [a(0, 0)]],
    [[a(0, 0), a(0, 1)], [a(0, 0)], [a(0, 1)]],
    ...broken,
    [[a(0, 0)], [a(1, 0)], [a(0, 0)], [a(1, 0)]],
    ...(tenants > 1
      ? [
          [[a(0, 0)], [b(0, 0)], [a(0, 0)], [b(0, 0)]],
          [[a(0, 0), b(0, 0)], [a(0, 0)], [b(0, 1)]],
        ]
      : []),
  ];
}
