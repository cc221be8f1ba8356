import { createRedactor } from '../../http/index.js';
import { keyedPlans, readTarget, SettingsError, type Target, writeOutput, writeWhole } from '../../settings/index.js';
import {
  beyondBounds,
  type ExportedLimits,
  exportK6Limits,
  exportKubernetes,
  k6Schedule,
} from '../../traffic/index.js';
import { version } from '../../version.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

function write(file: string, text: string, flag: string): void {
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  writeOutput(`--${flag}`, file, 'file', () => writeWhole(file, text));
  process.stdout.write(`${file}\n`);
}

/** What of the settings no export holds. */
function leftOutOf(target: Target): string[] {
  return [
    ...(target.headers.length > 0 ? ['the headers of HEADERS'] : []),
    ...(target.network.tls === null ? [] : ['the client certificate and the authorities of CA']),
    ...(target.network.proxyFor(target.baseUrl) === null ? [] : ['the proxy']),
  ];
}

/** The test of a plan's limits, for k6. */
function limitsFor(parsed: Arguments): ExportedLimits {
  if (parsed.options.scenario !== undefined)
    throw new SettingsError('--scenario is given with load export, which writes a test of limits: leave it out.');
  // A limit without a key may count by address, and every instance has another.
  const { parallelism: instances = 1 } = parsed.options;
  const plan = keyedPlans.find((one) => one === parsed.options.plan);
  if (plan === undefined)
    throw new SettingsError(
      `a test of limits needs --plan with one of ${keyedPlans.join(', ')}: limits without a key may be counted by address.`,
    );
  const raw = readSettings(parsed.settings);
  if (!raw.BASE_URL)
    throw new SettingsError('BASE_URL is not set: expected the root of the service that the other engine shall load.');
  const target = readTarget(raw);
  if (createRedactor(target.secrets).text(target.baseUrl) !== target.baseUrl)
    throw new SettingsError('BASE_URL holds a secret, which no file shall hold: expected an address without one.');
  const limits = target.limits[plan];
  if (limits === null) throw new SettingsError(`the ${plan} plan has no numbers: set LIMITS_${plan.toUpperCase()}.`);
  const beyond = beyondBounds(k6Schedule(limits, instances).map(({ step }) => step));
  if (beyond !== null) throw new SettingsError(`the ${plan} plan cannot be tried: ${beyond}.`);
  return { run: { suite: version, target: target.baseUrl, plan, limits, instances }, leftOut: leftOutOf(target) };
}

/** `load export`: the test of a plan's limits as a script for k6, as a file for Kubernetes, or both. Sends nothing. Throws SettingsError. */
export function exportLoad(parsed: Arguments): number {
  const { k6, kubernetes } = parsed.options;
  if (k6 === undefined && kubernetes === undefined)
    throw new SettingsError('load export needs to know what to write: expected --k6 FILE or --kubernetes FILE.');
  const exported = limitsFor(parsed);
  for (const one of exported.leftOut) process.stderr.write(`Left out: ${one}.\n`);
  const script = exportK6Limits(exported);
  if (k6 !== undefined) write(k6, script, 'k6');
  if (kubernetes !== undefined) write(kubernetes, exportKubernetes(exported, script), 'kubernetes');
  return 0;
}
