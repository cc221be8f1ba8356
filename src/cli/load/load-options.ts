import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orSettingsError, type PlanName, planNames, SettingsError } from '../../settings/index.js';
import {
  type MixOperation,
  parseMix,
  parseThresholds,
  type SoakSchedule,
  type Threshold,
} from '../../traffic/index.js';
import { textOption, type Arguments } from '../arguments.js';

/** Scenarios whose checks judge limits, one file each in `load/`. */
export const limitScenarios = ['burst', 'sustained', 'boundary', 'recovery', 'probe'] as const;

/** A scenario that judges limits. */
export type LimitScenario = (typeof limitScenarios)[number];

/** The options of a soak on the command line; null if there are none. */
export interface SoakArguments extends Omit<SoakSchedule, 'ratePerSecond'> {
  readonly ratePerSecond: number | null;
  readonly thresholds: readonly Threshold[];
  readonly mix: readonly MixOperation[] | null;
  readonly failOn: readonly FailOn[];
}

const soakOnly = ['rate', 'duration', 'threshold', 'mix', 'fail-on'] as const;
const failOns = ['slower', 'errors'] as const;

/** A difference from earlier nights that `--fail-on` makes a failure. */
export type FailOn = (typeof failOns)[number];

const longestSeconds = 86_400;
const usualSeconds = 600;
/** The thresholds of a soak unless the command line names others. */
const usualThresholds = 'errors<1%';
const secondsPer = { ms: 0.001, s: 1, m: 60, h: 3_600 } as const;

/** The value of `--plan`, or null; throws SettingsError. */
export function planOption(parsed: Arguments): PlanName | null {
  const text = textOption(parsed, 'plan');
  if (text === null) return null;
  const plan = planNames.find((one) => one === text);
  if (plan === undefined) throw new SettingsError(`--plan is "${text}": expected one of ${planNames.join(', ')}.`);
  return plan;
}

/** The value of `--scenario`, or null for all that judge limits; throws SettingsError. */
export function scenarioOption(parsed: Arguments): LimitScenario | 'soak' | null {
  const text = textOption(parsed, 'scenario');
  const all = [...limitScenarios, 'soak'] as const;
  const scenario = text === null ? null : all.find((one) => one === text);
  if (scenario === undefined)
    throw new SettingsError(
      `--scenario is "${text ?? ''}": expected one of ${all.join(', ')}, or no --scenario for all but soak.`,
    );
  if (scenario !== 'soak') {
    const stray = soakOnly.find((name) => parsed.options[name] !== undefined);
    if (stray !== undefined)
      throw new SettingsError(
        `--${stray} belongs to --scenario soak: ${scenario ?? 'every other scenario'} takes its numbers from the plans' limits.`,
      );
  }
  return scenario;
}

/** `90s`, `10m`, `1h30m` or bare seconds; throws SettingsError. */
export function parseSeconds(flag: string, text: string): number {
  const wrong = (): SettingsError =>
    new SettingsError(`--${flag} is "${text}": expected a length of time such as 60s, 10m or 1h30m, of at most 24 h.`);
  if (!/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.test(text)) throw wrong();
  let seconds = 0;
  for (const [, number, unit = 's'] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g)) {
    seconds += Number(number) * secondsPer[unit as keyof typeof secondsPer];
  }
  if (!(seconds <= longestSeconds)) throw wrong();
  return seconds;
}

function rateOption(parsed: Arguments): number | null {
  const text = textOption(parsed, 'rate');
  if (text === null) return null;
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (!(rate >= 0.1 && rate <= 20_000))
    throw new SettingsError(`--rate is "${text}": expected requests a second from 0.1 to 20000.`);
  return rate;
}

function thresholdOption(parsed: Arguments): readonly Threshold[] {
  const thresholds = parseThresholds(textOption(parsed, 'threshold') ?? usualThresholds);
  if (thresholds.length === 0)
    throw new SettingsError('--threshold is empty: expected one such as p95<200ms, or leave it out.');
  return thresholds;
}

function mixOption(parsed: Arguments): readonly MixOperation[] | null {
  const file = textOption(parsed, 'mix');
  if (file === null) return null;
  const text = orSettingsError(
    () => readFileSync(file, 'utf8'),
    (code) => `--mix names "${file}", which cannot be read (${code}): expected a JSON file.`,
  );
  return parseMix(text, file);
}

export function failOnOption(parsed: Arguments): readonly FailOn[] {
  const text = textOption(parsed, 'fail-on');
  if (text === null) return [];
  return text.split(',').map((part) => {
    const found = failOns.find((one) => one === part.trim());
    if (found === undefined)
      throw new SettingsError(`--fail-on is "${text}": expected one or more of ${failOns.join(', ')}, with commas.`);
    return found;
  });
}

/** The folder of the soaks so far, in the folder for reports. */
export const historyIn = (out: string): string => join(out, 'history');

/** Reads the flags of a soak; throws SettingsError. */
export function soakArguments(parsed: Arguments): SoakArguments {
  const duration = textOption(parsed, 'duration');
  const durationSeconds = duration === null ? usualSeconds : parseSeconds('duration', duration);
  if (durationSeconds < 1) throw new SettingsError(`--duration is "${duration ?? ''}": expected at least 1s.`);
  return {
    ratePerSecond: rateOption(parsed),
    durationSeconds,
    thresholds: thresholdOption(parsed),
    mix: mixOption(parsed),
    failOn: failOnOption(parsed),
  };
}
