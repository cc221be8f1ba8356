import { writeWhole } from '../../reports/write-reports.js';
import { readTarget } from '../../settings/read-target.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { exportPrometheus } from '../../traffic/export/export-prometheus.js';
import {
  describeExported,
  exportArtillery,
  exportK6,
  type ExportedScenario,
} from '../../traffic/export/export-scenario.js';
import { readSoakRuns } from '../../traffic/soak/history/history.js';
import { parseThresholds } from '../../traffic/soak/thresholds.js';
import { textOption, type Arguments } from '../arguments.js';
import { loadTargetOf, rateOf, type LoadTarget } from './load-target.js';
import { assertTellsNoSecret, digestOfMix } from '../../traffic/soak/mix.js';
import { historyFolder, planOption, soakArguments } from './load-options.js';
import { numberOption } from '../options.js';
import { readSettings } from '../read-settings.js';

const formats = ['k6', 'artillery', 'prometheus'] as const;

function write(file: string, text: string, flag: string): void {
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  orSettingsError(
    () => writeWhole(file, text),
    (code) =>
      `--${flag} names "${file}", which cannot be written (${code}): expected a file in a folder that exists, or -.`,
  );
  process.stdout.write(`${file}\n`);
}

function lastRunMetrics(parsed: Arguments): string {
  const folder = historyFolder(parsed);
  const onSkipped = (path: string): void =>
    void process.stderr.write(`${path} is no complete soak run, and is ignored.\n`);
  const run = readSoakRuns(folder, { onSkipped }).at(-1);
  if (run === undefined)
    throw new SettingsError(
      `there is no soak run in ${folder}: run "npx dealership-conformance load --scenario soak" first, or name its folder by --history.`,
    );
  return exportPrometheus(run);
}

/** The flags of the last soak of the same service and plan, so that they need not be repeated. */
function earlierSoak(parsed: Arguments, { baseUrl, name }: LoadTarget) {
  const run = readSoakRuns(historyFolder(parsed), { target: baseUrl })
    .filter(({ conditions }) => conditions.startsWith(`${name}, `))
    .at(-1);
  if (run === undefined) return null;
  const { started, ratePerSecond, seconds, ended, thresholds } = run.service;
  return {
    started,
    ratePerSecond,
    durationSeconds: ended === 'complete' ? Math.round(seconds) : null,
    rampSeconds: Number(/ramp (\S+) s/.exec(run.conditions)?.[1] ?? 0),
    thresholds: thresholds.flatMap(({ text }) => parseThresholds(text)),
    digest: /operations (\w+)/.exec(run.conditions)?.[1],
  };
}

function scenarioFor(parsed: Arguments): ExportedScenario {
  const raw = readSettings(parsed.settings);
  if (!raw.BASE_URL)
    throw new SettingsError('BASE_URL is not set: expected the root of the service that the other engine shall load.');
  const target = readTarget(raw);
  const options = soakArguments(parsed);
  const loadTarget = loadTargetOf(target, planOption(parsed), false);
  const earlier = earlierSoak(parsed, loadTarget);
  const given = (flag: string): boolean => parsed.options[flag] !== undefined;
  const mix = options.mix ?? loadTarget.mix;
  if (options.mix !== null) assertTellsNoSecret(options.mix, target.secrets);
  const ratePerSecond = rateOf(loadTarget, target.limitModel, options.ratePerSecond ?? earlier?.ratePerSecond);
  const durationSeconds = given('duration')
    ? options.durationSeconds
    : (earlier?.durationSeconds ?? options.durationSeconds);
  const leftOut = [
    ...(target.headers.length > 0 ? ['the headers of HEADERS'] : []),
    ...(target.network.tls === null ? [] : ['the client certificate and the authorities of CA']),
    ...(target.network.proxyFor(loadTarget.baseUrl) === null ? [] : ['the proxy']),
    ...(earlier !== null && options.mix === null && earlier.digest !== digestOfMix(mix)
      ? ['the operations of that soak, which history does not hold: give --mix']
      : []),
  ];
  const generators = numberOption(parsed, 'generators', 1_000) ?? 1;
  if (generators < 1)
    throw new SettingsError('--generators is "0": expected the number of copies that run at the same time.');
  return {
    generators,
    ratePerSecond,
    durationSeconds,
    rampSeconds: Math.min(durationSeconds, given('ramp') ? options.rampSeconds : (earlier?.rampSeconds ?? 0)),
    thresholds: given('threshold') ? options.thresholds : (earlier?.thresholds ?? options.thresholds),
    origin: earlier === null ? 'the flags and their defaults' : `the flags and the soak of ${earlier.started}`,
    leftOut,
    baseUrl: loadTarget.baseUrl,
    mix,
    keyed: loadTarget.keyName !== null,
    tenant: loadTarget.keyName === null ? null : target.tenant,
  };
}

/** `load export`: the soak as a k6 or Artillery scenario, or the last soak's summary as Prometheus text. Sends nothing. Throws SettingsError. */
export function exportLoad(parsed: Arguments): number {
  const givenFormats = formats.filter((format) => textOption(parsed, format) !== null);
  if (parsed.operands.length > 1)
    throw new SettingsError(`"${parsed.operands[1] ?? ''}" is not understood after load export: expected flags only.`);
  if (givenFormats.length === 0)
    throw new SettingsError(
      'load export needs to know for whom: expected --k6 FILE, --artillery FILE or --prometheus FILE.',
    );
  const scenario = textOption(parsed, 'scenario');
  if (scenario !== null && scenario !== 'soak')
    throw new SettingsError(`--scenario is "${scenario}": expected soak after load export, as no other is exported.`);
  const artillery = textOption(parsed, 'artillery') ?? '';
  if (artillery.endsWith('.json'))
    throw new SettingsError(`--artillery names "${artillery}": expected a file that ends in .yml, as it holds YAML.`);
  const isScenario = givenFormats.some((format) => format !== 'prometheus');
  const exported = isScenario ? scenarioFor(parsed) : null;
  if (exported !== null) for (const line of describeExported(exported)) process.stderr.write(`${line}\n`);
  for (const format of givenFormats) {
    const text =
      format === 'prometheus' || exported === null
        ? lastRunMetrics(parsed)
        : (format === 'k6' ? exportK6 : exportArtillery)(exported);
    write(textOption(parsed, format) ?? '-', text, format);
  }
  return 0;
}
