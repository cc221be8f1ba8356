import { join } from 'node:path';
import { shellWord } from '../report/shell.js';
import { shownUrl } from '../target/secrets-in.js';
import { flagOf, secretSettings, settingTable } from '../target/setting-table.js';
import type { RawSettings } from '../target/setting-table.js';

/** How a run was started, as far as a replay of one of its checks has to repeat it. */
export interface Invocation {
  /** The command with its flags, settings apart, that judges one requirement. */
  readonly command: (id: string) => readonly string[];
  /** The settings as given, without those of an embedded service. */
  readonly settings: RawSettings;
  /** The folder of the run's reports. */
  readonly out: string;
}

/**
 * The command line that judges one requirement of a run again: the same target and options, each secret as the shell variable of its
 * setting, and a folder of its own, so that the run's report stays.
 */
export function replayLine(
  { command, settings, out }: Invocation,
  seed: number,
  id: string,
  redact: (text: string) => string = (text) => text,
): string {
  const variables: string[] = [];
  const flags: string[] = [];
  for (const { name } of settingTable) {
    const value = settings[name];
    if (value === undefined || name === 'SEED') continue;
    if (name === 'READ_ONLY' && /^(0|false)$/i.test(value)) continue;
    const isSecret = secretSettings.includes(name) || shownUrl(name, value) !== value;
    if (isSecret) variables.push(`${name}="$${name}"`);
    else flags.push(...(name === 'READ_ONLY' ? [flagOf(name)] : [flagOf(name), shellWord(redact(value))]));
  }
  const words = command(id).map(shellWord);
  const folder = shellWord(join(out, `replay-${id}`));
  return [...variables, 'npx dealership-conformance', ...words, ...flags, `--seed ${seed} --out ${folder}`].join(' ');
}
