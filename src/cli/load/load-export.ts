import { createRedactor } from '../../http/index.js';
import {
  keyedPlans,
  orSettingsError,
  readTarget,
  SettingsError,
  type Target,
  writeWhole,
} from '../../settings/index.js';
import {
  assertTellsNoSecret,
  beyondBounds,
  conditionsOf,
  describeExported,
  type ExportedLimits,
  type ExportedScenario,
  exportK6,
  exportK6Limits,
  exportKubernetes,
  k6Schedule,
  parseThresholds,
  readSoakRuns,
} from '../../traffic/index.js';
import { version } from '../../version.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';
import { loadTargetOf, rateOf, type LoadTarget } from './load-target.js';
import { historyIn, soakArguments } from './load-options.js';

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

/** The flags of the last soak of the same service and plan, so that they need not be repeated. */
function earlierSoak(parsed: Arguments, { baseUrl, name }: LoadTarget) {
  const run = readSoakRuns(historyIn(parsed.options.out ?? 'reports'), { target: baseUrl })
    .filter(({ conditions }) => conditions.startsWith(`${name}, `))
    .at(-1);
  if (run === undefined) return null;
  const { started, ratePerSecond, seconds, ended, thresholds } = run.service;
  return {
    started,
    conditions: run.conditions,
    ratePerSecond,
    durationSeconds: ended === 'complete' ? Math.round(seconds) : null,
    thresholds: thresholds.flatMap(({ text }) => parseThresholds(text)),
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

function assertHoldsNoSecret({ baseUrl, secrets }: Target): void {
  const redactor = createRedactor();
  for (const [name, value] of secrets) redactor.add(name, value);
  if (redactor.text(baseUrl) !== baseUrl)
    throw new SettingsError('BASE_URL holds a secret, which no file shall hold: expected an address without one.');
}

/** The test of a plan's limits, for k6. */
function limitsFor(parsed: Arguments): ExportedLimits {
  if (parsed.options.scenario !== undefined)
    throw new SettingsError('--scenario is given with --parallelism, which is for a test of limits: leave it out.');
  const plan = keyedPlans.find((one) => one === parsed.options.plan);
  // A limit without a key may count by address, and every instance has another.
  if (plan === undefined)
    throw new SettingsError(
      `a test of limits needs --plan with one of ${keyedPlans.join(', ')}: limits without a key may be counted by address.`,
    );
  const { parallelism: instances } = parsed.options;
  if (instances === undefined)
    throw new SettingsError('--parallelism is missing: expected the number of instances, such as 3.');
  const target = exportedTarget(parsed);
  assertHoldsNoSecret(target);
  const loadTarget = loadTargetOf(target, plan, false);
  const { limits } = loadTarget;
  if (limits === null) throw new SettingsError(`the ${plan} plan has no numbers: set LIMITS_${plan.toUpperCase()}.`);
  const beyond = beyondBounds(k6Schedule(limits, instances).map(({ step }) => step));
  if (beyond !== null) throw new SettingsError(`the ${plan} plan cannot be tried: ${beyond}.`);
  return {
    run: { suite: version, target: target.baseUrl, plan, limits, instances },
    leftOut: leftOutOf(target, loadTarget),
  };
}

/** Writes the test of a plan's limits as a script, as a file for Kubernetes, or both. */
function writeLimits(parsed: Arguments): void {
  const exported = limitsFor(parsed);
  for (const one of exported.leftOut) process.stderr.write(`Left out: ${one}.\n`);
  const script = exportK6Limits(exported);
  const { k6, kubernetes } = parsed.options;
  if (k6 !== undefined) write(k6, script, 'k6');
  if (kubernetes !== undefined) write(kubernetes, exportKubernetes(exported, script), 'kubernetes');
}

function scenarioFor(parsed: Arguments): ExportedScenario {
  const target = exportedTarget(parsed);
  const options = soakArguments(parsed.options);
  const loadTarget = loadTargetOf(target, parsed.options.plan ?? null, false);
  const earlier = earlierSoak(parsed, loadTarget);
  const mix = options.mix ?? loadTarget.mix;
  if (options.mix !== null) assertTellsNoSecret(options.mix, target.secrets);
  const ratePerSecond = rateOf(loadTarget, target.limitModel, options.ratePerSecond ?? earlier?.ratePerSecond);
  const durationSeconds =
    parsed.options.duration !== undefined
      ? options.durationSeconds
      : (earlier?.durationSeconds ?? options.durationSeconds);
  const leftOut = [
    ...leftOutOf(target, loadTarget),
    ...(earlier !== null && options.mix === null && earlier.conditions !== conditionsOf(loadTarget.name, mix)
      ? ['the operations of that soak, which history does not hold: give --mix']
      : []),
  ];
  return {
    ratePerSecond,
    durationSeconds,
    thresholds:
      parsed.options.threshold !== undefined ? options.thresholds : (earlier?.thresholds ?? options.thresholds),
    origin: earlier === null ? 'the flags and their defaults' : `the flags and the soak of ${earlier.started}`,
    leftOut,
    baseUrl: loadTarget.baseUrl,
    mix,
    tenant: loadTarget.keyName === null ? null : target.tenant,
  };
}

/** `load export`: the soak, or the test of a plan's limits, for k6. Sends nothing. Throws SettingsError. */
export function exportLoad(parsed: Arguments): number {
  const [, stray] = parsed.operands;
  if (stray !== undefined)
    throw new SettingsError(`"${stray}" is not understood after load export: expected flags only.`);
  const { k6, kubernetes, parallelism, scenario = null } = parsed.options;
  if (k6 === undefined && kubernetes === undefined)
    throw new SettingsError('load export needs to know what to write: expected --k6 FILE or --kubernetes FILE.');
  if (k6 === undefined || kubernetes !== undefined || parallelism !== undefined) {
    writeLimits(parsed);
    return 0;
  }
  if (scenario !== null && scenario !== 'soak')
    throw new SettingsError(`--scenario is "${scenario}": expected soak after load export, as no other is exported.`);
  const exported = scenarioFor(parsed);
  for (const line of describeExported(exported)) process.stderr.write(`${line}\n`);
  write(k6, exportK6(exported), 'k6');
  return 0;
}
