import { expect, test } from '@playwright/test';
import { all, fixedAnchored, fixedByClock, slidingLog } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { longProofs, randomFrom } from '../limiter-simulators/test-kit.js';
import type { Limit } from '../../src/settings/limits.js';
import type { LimitModel } from '../../src/settings/target.js';
import { judgePlan } from '../../src/traffic/limit-verdicts.js';
import { simulateDrive, reportedOf } from './simulated-drive.test-kit.js';

/** A mechanism, the model that is pinned for it, and the share of its faults that a drive must tell. */
interface Kind {
  readonly model: LimitModel;
  readonly make: (limit: Limit, random: () => number) => ReturnType<typeof fixedAnchored>;
  readonly leastShare: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  'windows from the first hit': { model: 'fixed', make: fixedAnchored, leastShare: 1 },
  // Where one ends is known from a few refusals only; a trace that shows too few of them stays open.
  'windows by the clock': {
    model: 'fixed',
    make: (limit, random) => fixedByClock(limit, random() * limit.windowSeconds * 1000),
    leastShare: 0.95,
  },
  'sliding logs': { model: 'sliding', make: slidingLog, leastShare: 1 },
};

const burst: Limit = { count: 600, windowSeconds: 60 };
const sustained: Limit = { count: 100, windowSeconds: 1 };
const single: Limit = { count: 100, windowSeconds: 60 };

/** What is kept of a number in its place, and whether that is too much. */
const changes: Readonly<Record<string, readonly [change: (limit: Limit) => Limit, tooMuch: boolean]>> = {
  '- 1': [(limit) => ({ ...limit, count: limit.count - 1 }), false],
  '+ 1': [(limit) => ({ ...limit, count: limit.count + 1 }), true],
  '- 10 %': [(limit) => ({ ...limit, count: 0.9 * limit.count }), false],
  '+ 10 %': [(limit) => ({ ...limit, count: 1.1 * limit.count }), true],
  '- 20 %': [(limit) => ({ ...limit, count: 0.8 * limit.count }), false],
  '+ 20 %': [(limit) => ({ ...limit, count: 1.2 * limit.count }), true],
  'with one and a half times the window': [(limit) => ({ ...limit, windowSeconds: 1.5 * limit.windowSeconds }), false],
  'with half the window': [(limit) => ({ ...limit, windowSeconds: limit.windowSeconds / 2 }), true],
};

type Fault = readonly [name: string, sold: readonly Limit[], kept: readonly Limit[], ids: string];

const faults: readonly Fault[] = [
  ...Object.entries(changes).flatMap(([name, [change, tooMuch]]): Fault[] => [
    [`the burst limit ${name}`, [burst, sustained], [change(burst), sustained], tooMuch ? 'LIMIT-02' : 'LIMIT-01'],
    [`the sustained limit ${name}`, [burst, sustained], [burst, change(sustained)], tooMuch ? 'LIMIT-03' : 'LIMIT-01'],
    [`a single number ${name}`, [single], [change(single)], tooMuch ? 'LIMIT-02' : 'LIMIT-01'],
  ]),
  ...[burst, single].flatMap((limit): Fault[] => {
    const others = limit === burst ? [sustained] : [];
    const lasting = (factor: number): Limit[] => [{ ...limit, windowSeconds: factor * limit.windowSeconds }, ...others];
    return [
      [`${limit.count} with four fifths of the window`, [limit, ...others], lasting(0.8), 'LIMIT-02'],
      [`${limit.count} with a quarter more of a window`, [limit, ...others], lasting(1.25), 'LIMIT-01'],
    ];
  }),
  ['no sustained limit', [burst, sustained], [burst], 'LIMIT-03'],
  ['no burst limit', [burst, sustained], [sustained], 'LIMIT-02'],
  ['no limit', [burst, sustained], [], 'LIMIT-02,LIMIT-03'],
];

for (const [name, { model, make, leastShare }] of Object.entries(kinds)) {
  test(`${name}: under the pinned model other numbers turn their own requirement red and no other`, () => {
    test.setTimeout(900_000);
    const drives = longProofs ? 10 : 1;
    for (const jitterMs of longProofs ? [5, 50] : [5]) {
      // Where answers come in another order, one request more or less may stay hidden.
      const shown = faults.filter(([fault]) => jitterMs === 5 || !/ 1$/.test(fault));
      let found = 0;
      for (const [fault, sold, kept, expected] of shown) {
        for (let round = 0; round < drives; round += 1) {
          const random = randomFrom(round);
          const decide = all(
            kept.map((limit) => make(limit, random)),
            round % 2 === 1,
          );
          const { ids } = reportedOf(sold, { decide, jitterMs, random }, model);
          if (ids.length > 0)
            expect.soft(ids, `${fault}, round ${round}, jitter ${jitterMs}`).toEqual(expected.split(','));
          found += ids.length > 0 ? 1 : 0;
        }
      }
      const least = leastShare * drives * shown.length;
      expect(found, `drives that detected their fault, jitter ${jitterMs}`).toBeGreaterThanOrEqual(least);
    }
  });
}

test('a number that is too small does not hide that the other one is too large', () => {
  const times =
    (share: number) =>
    (limit: Limit): Limit => ({ ...limit, count: share * limit.count });
  const both = [
    [times(1.2), times(0.9), ['LIMIT-01', 'LIMIT-02']],
    [times(0.9), times(1.2), ['LIMIT-01', 'LIMIT-03']],
  ] as const;
  for (const name of ['windows from the first hit', 'sliding logs'])
    for (const [ofBurst, ofSustained, ids] of both) {
      const { model, make } = kinds[name] ?? {};
      if (model === undefined || make === undefined) throw new Error(`no kind is called ${name}`);
      const random = randomFrom(1);
      const kept = [ofBurst(burst), ofSustained(sustained)];
      const decide = all(kept.map((limit) => make(limit, random)));
      const drive = simulateDrive([burst, sustained], { decide, jitterMs: 5, random });
      expect(
        judgePlan({ ...drive, idleBeforeMs: 2_000 }, model).violations.map(({ id }) => id),
        name,
      ).toEqual(ids);
    }
});
