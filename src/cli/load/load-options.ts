import { join } from 'node:path';
import { readInput, SettingsError } from '../../settings/index.js';
import { type MixOperation, parseMix, parseThresholds, type Threshold } from '../../traffic/index.js';
import type { FailOn, Options } from '../command-table.js';

/** The options of a soak on the command line; null if there are none. */
export interface SoakArguments {
  readonly ratePerSecond: number | null;
  readonly durationSeconds: number;
  readonly thresholds: readonly Threshold[];
  readonly mix: readonly MixOperation[] | null;
  readonly failOn: readonly FailOn[];
}

const usualSeconds = 600;
/** The thresholds of a soak unless the command line names others. */
const usualThresholds = 'errors<1%';

/** The folder of the soaks so far, in the folder for reports. */
export const historyIn = (out: string): string => join(out, 'history');

/** Reads the flags of a soak; throws SettingsError. */
export function soakArguments(options: Options): SoakArguments {
  const { rate = null, duration = usualSeconds, threshold = usualThresholds, mix, 'fail-on': failOn = [] } = options;
  const thresholds = parseThresholds(threshold);
  if (thresholds.length === 0)
    throw new SettingsError('--threshold is empty: expected one such as p95<200ms, or leave it out.');
  return {
    ratePerSecond: rate,
    durationSeconds: duration,
    thresholds,
    mix:
      mix === undefined
        ? null
        : parseMix(readInput({ file: mix, by: '--mix', expected: 'a JSON file' }).toString('utf8'), mix),
    failOn,
  };
}
