import { parseArgs } from 'node:util';
import { SettingsError } from '../settings/settings-error.js';
import { flagOf, settingTable, type RawSettings } from '../settings/setting-table.js';
import { commandHelp } from './help.js';
import { nearest } from './misspelt-settings.js';

/** A command line, taken apart. */
export interface Arguments {
  readonly command: string;
  readonly operands: readonly string[];
  readonly settings: RawSettings;
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

const common = {
  only: 'string',
  out: 'string',
  quiet: 'boolean',
  help: 'boolean',
  version: 'boolean',
  path: 'string',
  requests: 'string',
} as const;

/** The flags of a command, as its help lists them: those with a value are texts. */
function flagsOf(command: string): Record<string, 'string' | 'boolean'> {
  const flags: Record<string, 'string' | 'boolean'> = {};
  for (const [flag] of commandHelp[command]?.flags ?? [])
    flags[flag.slice(2).replace(/ .*/, '')] = flag.includes(' ') ? 'string' : 'boolean';
  // For npm scripts: asks for the embedded reference service where BASE_URL is not set.
  return 'embedded' in flags ? { ...flags, 'embedded-if-unset': 'boolean' } : flags;
}

/** ` (did you mean --base-url?)`, where a name is near one of these; else nothing. */
function meant(given: string, names: readonly string[], before = ''): string {
  const name = given === '' ? undefined : nearest(given, names);
  return name === undefined ? '' : ` (did you mean ${before}${name}?)`;
}

/** Takes a command line apart; throws SettingsError in one sentence. */
export function readArguments(argv: readonly string[]): Arguments {
  const [first, ...others] = argv;
  const bare = first === undefined || first.startsWith('-');
  const command = bare ? '' : first;
  if (!bare && commandHelp[command] === undefined) {
    throw new SettingsError(
      `"${command}" is no command${meant(command, Object.keys(commandHelp))}: expected one of ${Object.keys(commandHelp).join(', ')}; "npx dealership-conformance --help" explains them.`,
    );
  }
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {};
  for (const [name, type] of Object.entries({ ...common, ...flagsOf(command) })) options[name] = { type };
  for (const [flag, about] of commandHelp[command]?.flags ?? [])
    if (/repeatable/i.test(about)) options[flag.slice(2).replace(/ .*/, '')] = { type: 'string', multiple: true };
  for (const { name } of settingTable)
    options[flagOf(name).slice(2)] = {
      type: name === 'READ_ONLY' ? 'boolean' : 'string',
      multiple: name === 'HEADERS',
    };
  try {
    const { values, positionals } = parseArgs({
      args: bare ? [...argv] : others,
      options,
      allowPositionals: true,
      strict: true,
    });
    const settings: RawSettings = {};
    for (const { name } of settingTable) {
      const value = values[flagOf(name).slice(2)];
      if (typeof value === 'string') settings[name] = value;
      else if (value === true) settings[name] = '1';
      else if (Array.isArray(value)) settings[name] = value.join('\n');
    }
    return { command, operands: positionals, settings, options: values as Arguments['options'] };
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('. ')[0] ?? '') : '';
    const unknown = /^Unknown option '--([\w-]+)'/.exec(said)?.[1] ?? '';
    throw new SettingsError(
      `${said.replace(/\s+/g, ' ').replace(/[^ -~]/g, '?')}${meant(unknown, Object.keys(options), '--')}: expected the flags that "npx dealership-conformance${command === '' ? '' : ` ${command}`} --help" lists.`,
    );
  }
}

/** The one operand of a command; throws SettingsError with this sentence where there is none, or another. */
export function onlyOperand({ operands }: Arguments, sentence: string): string {
  const [operand, ...more] = operands;
  if (operand === undefined || more.length > 0) throw new SettingsError(sentence);
  return operand;
}

/** A text option, or null. */
export function textOption(parsed: Arguments, name: string): string | null {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : null;
}

/** Every value of a flag that may be given more than once. */
export function listOption(parsed: Arguments, name: string): readonly string[] {
  const value: unknown = parsed.options[name];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' ? [value] : [];
}
