import { parseArgs } from 'node:util';
import { SettingsError } from '../settings/settings-error.js';
import { flagOf, settingTable } from '../settings/setting-table.js';
import type { RawSettings } from '../settings/setting-table.js';

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

/** Asks for the embedded reference service: in any case, or where BASE_URL is not set. */
const embedded = { embedded: 'boolean', 'embedded-if-unset': 'boolean' } as const;

const perCommand: Readonly<Record<string, Readonly<Record<string, 'string' | 'boolean'>>>> = {
  certify: {
    ...embedded,
    keep: 'boolean',
    require: 'string',
    wait: 'string',
    'wait-ready': 'string',
    bundle: 'string',
    nonce: 'string',
    key: 'string',
    'allow-incomplete': 'boolean',
  },
  gate: { ...embedded, keep: 'boolean', require: 'string', wait: 'string', 'wait-ready': 'string', waivers: 'string' },
  serve: { port: 'string', webhook: 'string', fault: 'string', variant: 'string', list: 'boolean' },
  init: {},
  list: { json: 'boolean' },
  explain: {},
  har: {},
  load: {
    ...embedded,
    keep: 'boolean',
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
  rerun: { keep: 'boolean', wait: 'string', 'wait-ready': 'string' },
  sweep: { yes: 'boolean' },
  badge: {},
  waive: {
    reason: 'string',
    expires: 'string',
    owner: 'string',
    link: 'string',
    findings: 'boolean',
    waivers: 'string',
  },
  doctor: { ...embedded, 'wait-ready': 'string' },
};

/** The commands there are. */
export const commands: readonly string[] = Object.keys(perCommand);

/** The flags that only this command has, without settings and common flags. */
export function ownFlags(command: string): readonly string[] {
  return Object.keys(perCommand[command] ?? {});
}

/** Takes a command line apart; throws SettingsError in one sentence. */
export function readArguments(argv: readonly string[]): Arguments {
  const [first, ...others] = argv;
  const bare = first === undefined || first.startsWith('-');
  const command = bare ? '' : first;
  const known = perCommand[command];
  if (!bare && known === undefined) {
    throw new SettingsError(
      `"${command}" is no command: expected one of ${commands.join(', ')}; "npx dealership-conformance --help" explains them.`,
    );
  }
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {};
  for (const [name, type] of Object.entries({ ...common, ...known }))
    options[name] = ['threshold', 'require'].includes(name) ? { type, multiple: true } : { type };
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
    throw new SettingsError(
      `${said.replace(/\s+/g, ' ').replace(/[^ -~]/g, '?')}: expected the flags that "npx dealership-conformance --help" lists.`,
    );
  }
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
