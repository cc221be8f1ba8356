import { parseArgs } from 'node:util';
import { SettingsError } from '../target/settings-error.js';
import { flagOf, settingTable } from '../target/setting-table.js';
import type { RawSettings } from '../target/setting-table.js';

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

const perCommand: Readonly<Record<string, Readonly<Record<string, 'string' | 'boolean'>>>> = {
  certify: { wait: 'string', bundle: 'string', nonce: 'string', key: 'string', 'allow-incomplete': 'boolean' },
  gate: { wait: 'string', waivers: 'string' },
  serve: { port: 'string', fault: 'string', variant: 'string', list: 'boolean' },
  list: { json: 'boolean' },
  explain: {},
  har: {},
  load: {
    scenario: 'string',
    plan: 'string',
    rate: 'string',
    duration: 'string',
    ramp: 'string',
    threshold: 'string',
    mix: 'string',
    k6: 'string',
    artillery: 'string',
    prometheus: 'string',
  },
  keygen: {},
  verify: { key: 'string', json: 'boolean' },
  compare: { json: 'boolean', html: 'string' },
  rerun: { wait: 'string' },
  badge: {},
};

/** The commands there are. */
export const commands: readonly string[] = Object.keys(perCommand);

/** Takes a command line apart; throws SettingsError in one sentence. */
export function readArguments(argv: readonly string[]): Arguments {
  const [first, ...others] = argv;
  const bare = first === undefined || first.startsWith('-');
  const command = bare ? '' : first;
  const known = perCommand[command];
  if (!bare && known === undefined) {
    throw new SettingsError(
      `"${command}" is no command: expected one of ${commands.join(', ')}; "dealership-conformance --help" explains them.`,
    );
  }
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {};
  for (const [name, type] of Object.entries({ ...common, ...known }))
    options[name] = name === 'threshold' ? { type, multiple: true } : { type };
  for (const { name } of settingTable)
    options[flagOf(name).slice(2)] = { type: name === 'READ_ONLY' ? 'boolean' : 'string' };
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
    }
    return { command, operands: positionals, settings, options: values as Arguments['options'] };
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('. ')[0] ?? '') : '';
    throw new SettingsError(
      `${said.replace(/\s+/g, ' ').replace(/[^ -~]/g, '?')}: expected the flags that "dealership-conformance --help" lists.`,
    );
  }
}

/** A text option, or null. */
export function textOption(parsed: Arguments, name: string): string | null {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : null;
}
