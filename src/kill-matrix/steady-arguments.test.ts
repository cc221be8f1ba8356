import { expect, test } from '@playwright/test';
import { readSteadyArguments } from './steady-arguments.js';

test('a steady run’s flags are read, and a wrong one is told of in one sentence', () => {
  expect(readSteadyArguments(['--times', '2', '--at-once', '4', '--real', '--match', '^fixed'])).toEqual({
    times: 2,
    atOnce: 4,
    burn: 2,
    minutes: 30,
    match: /^fixed/,
    faults: false,
    real: true,
  });
  for (const [wrong, said] of [
    [['--times', 'ten'], '--times is "ten": expected a whole number of 1 or more.'],
    [['--at-once', '0'], '--at-once is "0": expected a whole number of 1 or more.'],
    [['--match', '('], '--match is "(": expected a regular expression'],
    [['--help'], "Unknown option '--help': expected --times N"],
    [['--minutes'], 'argument missing: expected --times N'],
  ] as const)
    expect(() => readSteadyArguments(wrong)).toThrow(said);
});
