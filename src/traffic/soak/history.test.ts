import { expect, test } from '@playwright/test';
import { randomFrom } from '../../../testing/limiter-simulators/test-kit.js';
import { compareSoakRuns, type SoakRun } from './history.js';
import { soakRun, withErrors } from './soak-run.test-kit.js';

const nightsOf = (...levels: readonly number[]): SoakRun[] => levels.map((level) => soakRun(1, level, 5));
const usual = [100, 102, 98, 101, 99];
const compared = (nights: readonly SoakRun[]): ReturnType<typeof compareSoakRuns> =>
  compareSoakRuns(nights.at(-1) as SoakRun, nights.slice(0, -1));

test('slower is above the median by three median deviations and 5 %, tonight and the night before', () => {
  const verdicts = (...levels: number[]): string => compared(nightsOf(...levels)).verdict;
  expect(verdicts(...usual, 110, 110)).toBe('slower');
  expect(verdicts(...usual, 100, 110), 'one night').toBe('not slower');
  expect(verdicts(...usual, 110, 100), 'over again').toBe('not slower');
  expect(verdicts(...usual, 104, 104), 'less than 5 %').toBe('not slower');
  expect(verdicts(80, 120, 90, 110, 100, 125, 125), 'within the spread').toBe('not slower');
  expect(verdicts(...usual, 90, 90), 'faster').toBe('not slower');
  expect(verdicts(...usual.slice(1), 110), 'too few').toBe('cannot tell');
  expect(compared(nightsOf(...usual, 110, 111)).reason).toBe(
    'p95 111.0 ms, usually 100.5 ms, in this night and in the night before',
  );
});

test('errors rise likewise, by a tenth of a percentage point at least; with many of them latency is not compared', () => {
  const withShares = (...shares: number[]): SoakRun[] =>
    shares.map((share) => ({ ...soakRun(1, 100, 5), service: withErrors(soakRun(1, 100, 5).service, share) }));
  expect(compared(withShares(0, 0, 0, 0, 0, 0.01, 0.01)).moreErrors).toMatch(/^1\.00 % .* usually 0\.00 %/);
  expect(compared(withShares(0, 0, 0, 0, 0, 0.0005, 0.0005)).moreErrors).toBeNull();
  const broken = compared(withShares(0, 0, 0, 0, 0, 0.2, 0.2));
  expect(broken).toMatchObject({ verdict: 'cannot tell', nights: [{ name: 'errors', isRise: true }] });
});

test('a run under other conditions, or that ended early, is not compared', () => {
  const nights = nightsOf(...usual, 110, 110);
  const [first, ...rest] = nights as [SoakRun, ...SoakRun[]];
  for (const other of [{ conditions: 'others' }, { target: 'http://y' }])
    expect(compareSoakRuns({ ...first, ...other }, rest).verdict).toBe('cannot tell');
  const aborted = { ...first, service: { ...first.service, ended: 'aborted' as const } };
  expect(compareSoakRuns(aborted, rest).reason).toBe('this run was ended early');
  expect(compareSoakRuns(first, [aborted, aborted, ...rest.slice(3)]).verdict).toBe('cannot tell');
});

test('nights that differ by chance raise few alarms, and one that is 15 % slower stays no secret', () => {
  const random = randomFrom(5);
  const night = (level: number): SoakRun => {
    const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return soakRun(1, level * Math.exp(0.03 * spread), 5);
  };
  const alarms = (factor: number): number =>
    Array.from({ length: 500 }, () => {
      const before = Array.from({ length: 10 }, () => night(100));
      return compared([...before, night(100 * factor), night(100 * factor)]).verdict === 'slower';
    }).filter(Boolean).length;
  const [chance, slower] = [alarms(1), alarms(1.15)];
  test
    .info()
    .annotations.push({ type: 'alarms of 500', description: `${chance} by chance, ${slower} where 15 % slower` });
  expect(chance).toBeLessThanOrEqual(5);
  expect(slower).toBeGreaterThan(400);
});
