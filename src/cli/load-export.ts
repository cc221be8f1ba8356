import { join } from 'node:path';
import { writeWhole } from '../report/write-reports.js';
import { readTarget } from '../target/read-target.js';
import { SettingsError } from '../target/settings-error.js';
import { exportPrometheus } from '../traffic/soak/export-prometheus.js';
import { exportArtillery, exportK6 } from '../traffic/soak/export-scenario.js';
import { readNights } from '../traffic/soak/history.js';
import { soakRate } from '../traffic/soak/soak-rate.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { faceOf } from './load-face.js';
import { assertTellsNoSecret } from '../traffic/soak/mix.js';
import { planOption, soakWishes } from './load-options.js';
import { readSettings } from './read-settings.js';

const formats = ['k6', 'artillery', 'prometheus'] as const;

function write(file: string, text: string, flag: string): void {
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  try {
    writeWhole(file, text);
  } catch (error) {
    throw new SettingsError(
      `--${flag} names "${file}", which cannot be written (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): expected a file in a folder that exists, or -.`,
    );
  }
  process.stdout.write(`${file}\n`);
}

function lastNight(parsed: Arguments): string {
  const folder = join(textOption(parsed, 'out') ?? 'reports', 'history');
  const passedOver = (path: string): void =>
    void process.stderr.write(`${path} is no complete soak run, and is ignored.\n`);
  const night = readNights(folder, { passedOver }).at(-1);
  if (night === undefined)
    throw new SettingsError(
      `there is no soak run in ${folder}: run "dealership-conformance load --scenario soak" first, or name its folder by --out.`,
    );
  return exportPrometheus(night);
}

function scenarioFor(parsed: Arguments): Parameters<typeof exportK6>[0] {
  const raw = readSettings(parsed.settings);
  if (!raw.BASE_URL)
    throw new SettingsError('BASE_URL is not set: expected the root of the service that the other engine shall load.');
  const target = readTarget(raw);
  const wishes = soakWishes(parsed);
  const face = faceOf(target, planOption(parsed), false);
  const mix = wishes.mix ?? face.mix;
  if (wishes.mix !== null) assertTellsNoSecret(wishes.mix, target.secrets);
  const ratePerSecond =
    wishes.ratePerSecond ?? (face.limits === null ? null : soakRate(face.limits, target.limitModel));
  if (ratePerSecond === null)
    throw new SettingsError(
      `the ${face.plan} plan has no numbers to take a rate from: set LIMITS_${face.plan.toUpperCase()}, or give --rate.`,
    );
  return { ...wishes, ratePerSecond, baseUrl: face.baseUrl, mix, keyed: face.keyName !== null };
}

/** `load export`: the soak as a k6 or Artillery scenario, or the last soak's summary as Prometheus text. Sends nothing. Throws SettingsError. */
export function exportLoad(parsed: Arguments): number {
  const asked = formats.filter((format) => textOption(parsed, format) !== null);
  if (parsed.operands.length > 1)
    throw new SettingsError(`"${parsed.operands[1] ?? ''}" is not understood after load export: expected flags only.`);
  if (asked.length === 0)
    throw new SettingsError(
      'load export needs to know for whom: expected --k6 FILE, --artillery FILE or --prometheus FILE.',
    );
  for (const format of asked) {
    const text =
      format === 'prometheus' ? lastNight(parsed) : (format === 'k6' ? exportK6 : exportArtillery)(scenarioFor(parsed));
    write(textOption(parsed, format) ?? '-', text, format);
  }
  return 0;
}
