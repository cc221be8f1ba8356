import { shellWord } from '../http/index.js';
import {
  flagOf,
  type RawSettings,
  secretSettings,
  type SettingName,
  settingTable,
  shownUrl,
} from '../settings/index.js';

/** The command that judges one requirement of a run again. */
export interface Invocation {
  /** Its words, settings apart. */
  readonly command: (id: string, seed: number) => readonly string[];
  /** The settings that it finds neither in the environment, nor in `.env`, nor in the run's files. */
  readonly settings: RawSettings;
}

/** `rerun`, which reads target, options and seed from the report in `out`, and keys from the environment as the run did; `flags` are the run's own settings. */
export function rerunInvocation(
  out: string,
  {
    flags = {},
    embedded = false,
    more = [],
  }: { flags?: RawSettings; embedded?: boolean; more?: readonly string[] } = {},
): Invocation {
  // The files of a run hold no secrets, and of an embedded service only what that was started with.
  const given = settingTable.flatMap(({ name }) => {
    const value = flags[name];
    return value !== undefined && name !== 'SEED' && (embedded || isSecret(name, value)) ? [[name, value]] : [];
  });
  return {
    command: (id) => ['rerun', out, '--only', id, ...more],
    settings: Object.fromEntries(given) as RawSettings,
  };
}

function isSecret(name: SettingName, value: string): boolean {
  return secretSettings.includes(name) || shownUrl(name, value) !== value;
}

/** The command line of an invocation, each secret as the shell variable of its setting. */
export function replayLine(
  { command, settings }: Invocation,
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
    if (isSecret(name, value)) variables.push(`${name}="$${name}"`);
    else flags.push(...(name === 'READ_ONLY' ? [flagOf(name)] : [flagOf(name), shellWord(redact(value))]));
  }
  return [...variables, 'npx dealership-conformance', ...command(id, seed).map(shellWord), ...flags].join(' ');
}
