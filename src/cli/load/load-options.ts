import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orSettingsError, SettingsError } from '../../settings/index.js';
import { type MixOperation, parseMix, parseThresholds, type Threshold } from '../../traffic/index.js';
import type { FailOn, LimitScenario, Options } from '../command-table.js';

/** The options of a soak on the command line; null if there are none. */
export interface SoakArguments {
  readonly ratePerSecond: number | null;
  readonly durationSeconds: number;
  readonly thresholds: readonly Threshold[];
  readonly mix: readonly MixOperation[] | null;
  readonly failOn: readonly FailOn[];
}

const soakOnly = ['rate', 'duration', 'threshold', 'mix', 'fail-on'] as const;
const usualSeconds = 600;
/** The thresholds of a soak unless the command line names others. */
const usualThresholds = 'errors<1%';

/** The value of `--scenario`, or null for all that judge limits; throws SettingsError where a flag of a soak stands beside it. */
export function scenarioOf(options: Options): LimitScenario | 'soak' | null {
  const { scenario = null } = options;
  const stray = scenario === 'soak' ? undefined : soakOnly.find((name) => options[name] !== undefined);
  if (stray !== undefined)
    throw new SettingsError(
      `--${stray} belongs to --scenario soak: ${scenario ?? 'every other scenario'} takes its numbers from the plans' limits.`,
    );
  return scenario;
}

function readMix(file: string): readonly MixOperation[] {
  const text = orSettingsError(
    () => readFileSync(file, 'utf8'),
    (code) => `--mix names "${file}", which cannot be read (${code}): expected a JSON file.`,
  );
  return parseMix(text, file);
}

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
    mix: mix === undefined ? null : readMix(mix),
    failOn,
  };
}
