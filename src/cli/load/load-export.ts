import { writeWhole } from '../../reports/write-reports.js';
import { readTarget } from '../../settings/read-target.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import type { Target } from '../../settings/target.js';
import { exportPrometheus } from '../../traffic/export/export-prometheus.js';
import { exportK6Limits, exportKubernetes, type ExportedLimits } from '../../traffic/export/export-limits.js';
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
import { keyedPlan, limitsToTry, mostParts, shownTarget, startOption } from './parts/load-part.js';
import { historyFolder, planOption, soakArguments } from './load-options.js';
import { numberOption } from '../options.js';
import { readSettings } from '../read-settings.js';
import { version } from '../../version.js';

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

/** What of the settings no export holds. */
function leftOutOf(target: Target, { baseUrl }: LoadTarget): string[] {
  return [
    ...(target.headers.length > 0 ? ['the headers of HEADERS'] : []),
    ...(target.network.tls === null ? [] : ['the client certificate and the authorities of CA']),
    ...(target.network.proxyFor(baseUrl) === null ? [] : ['the proxy']),
  ];
}

function exportedTarget(parsed: Arguments): Target {
  const raw = readSettings(parsed.settings);
  if (!raw.BASE_URL)
    throw new SettingsError('BASE_URL is not set: expected the root of the service that the other engine shall load.');
  return readTarget(raw);
}

const limitsOnly = ['kubernetes', 'parallelism', 'start-at'];

/** The test of a plan's limits, for k6. */
function limitsFor(parsed: Arguments): ExportedLimits {
  const other = ['scenario', 'artillery', 'prometheus'].find((flag) => parsed.options[flag] !== undefined);
  if (other !== undefined)
    throw new SettingsError(`--${other} is given for a test of limits, which is for k6: leave it out.`);
  const plan = keyedPlan(planOption(parsed), 'a test of limits');
  const parts = numberOption(parsed, 'parallelism', mostParts) ?? 0;
  if (parts === 0)
    throw new SettingsError(`--parallelism is missing: expected the number of instances, from 1 to ${mostParts}.`);
  const startMs = startOption(parsed);
  const target = exportedTarget(parsed);
  if (shownTarget(target) !== target.baseUrl)
    throw new SettingsError('BASE_URL holds a secret, which no file shall hold: expected an address without one.');
  const loadTarget = loadTargetOf(target, plan, false);
  const limits = limitsToTry(loadTarget, parts);
  return {
    run: { suite: version, target: target.baseUrl, plan, limits, startMs, parts },
    leftOut: leftOutOf(target, loadTarget),
  };
}

/** Writes the test of a plan's limits as a script, as a file for Kubernetes, or both. */
function writeLimits(parsed: Arguments): void {
  const exported = limitsFor(parsed);
  for (const one of exported.leftOut) process.stderr.write(`Left out: ${one}.\n`);
  const script = exportK6Limits(exported);
  const [k6, kubernetes] = [textOption(parsed, 'k6'), textOption(parsed, 'kubernetes')];
  if (k6 !== null) write(k6, script, 'k6');
  if (kubernetes !== null) write(kubernetes, exportKubernetes(exported, script), 'kubernetes');
}

function scenarioFor(parsed: Arguments): ExportedScenario {
  const target = exportedTarget(parsed);
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
    ...leftOutOf(target, loadTarget),
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

/** `load export`: the soak as a k6 or Artillery scenario, the test of a plan's limits for k6, or the last soak's summary as Prometheus text. Sends nothing. Throws SettingsError. */
export function exportLoad(parsed: Arguments): number {
  const givenFormats = formats.filter((format) => textOption(parsed, format) !== null);
  if (parsed.operands.length > 1)
    throw new SettingsError(`"${parsed.operands[1] ?? ''}" is not understood after load export: expected flags only.`);
  if (givenFormats.length === 0 && parsed.options['kubernetes'] === undefined)
    throw new SettingsError(
      'load export needs to know for whom: expected --k6 FILE, --kubernetes FILE, --artillery FILE or --prometheus FILE.',
    );
  if (limitsOnly.some((flag) => parsed.options[flag] !== undefined)) {
    writeLimits(parsed);
    return 0;
  }
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
