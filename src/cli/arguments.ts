import { parseArgs } from 'node:util';
import { flagOf, type RawSettings, SettingsError, settingTable } from '../settings/index.js';
import {
  type CommandName,
  commandNames,
  commandTable,
  isCommand,
  type OptionName,
  type Options,
  optionsOf,
  optionTable,
} from './command-table.js';
import { nearest } from './misspelt-settings.js';

/** A command line, taken apart. */
export interface Arguments {
  readonly command: string;
  readonly operands: readonly string[];
  readonly settings: RawSettings;
  readonly options: Options;
}

type Flags = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;

/** The flags of a command, and those of the settings. */
function flagsOf(command: string): Flags {
  const own = isCommand(command) ? optionsOf(command) : [];
  const silent = ['help', 'version', ...(own.some(({ name }) => name === 'embedded') ? ['embedded-if-unset'] : [])];
  const flags: Flags = Object.fromEntries(silent.map((name) => [name, { type: 'boolean' }]));
  for (const { name, repeats } of own)
    flags[name] = { type: optionTable[name].form === '' ? 'boolean' : 'string', multiple: repeats };
  for (const { name } of settingTable)
    flags[flagOf(name).slice(2)] = {
      type: name === 'READ_ONLY' ? 'boolean' : 'string',
      multiple: name === 'HEADERS',
    };
  return flags;
}

/** ` (did you mean --base-url?)`, where a name is near one of these; else nothing. */
function meant(given: string, names: readonly string[], before = ''): string {
  const name = given === '' ? undefined : nearest(given, names);
  return name === undefined ? '' : ` (did you mean ${before}${name}?)`;
}

/** Parses the flags and operands of a command; throws SettingsError in one sentence. */
function parseFlags(command: string, args: string[], options: Flags) {
  const parsed = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const { name, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    // A flag where a value should be is a value that was forgotten.
    const isMissing = value === undefined || (!inlineValue && /^-./.test(value));
    const wrong =
      type === undefined
        ? `is no flag${meant(name, Object.keys(options), '--')}`
        : type === 'string' && isMissing
          ? 'has no value'
          : type === 'boolean' && value !== undefined
            ? 'takes no value'
            : null;
    if (wrong !== null)
      throw new SettingsError(
        `${token.rawName.replace(/[^ -~]/g, '?')} ${wrong}: expected the flags that "npx dealership-conformance${command === '' ? '' : ` ${command}`} --help" lists.`,
      );
  }
  return parsed;
}

/** The error about a command line that names no command, or one that is none. */
export function noCommand(given: string): SettingsError {
  const found = given === '' ? 'no command is given' : `"${given}" is no command${meant(given, commandNames)}`;
  return new SettingsError(
    `${found}: expected one of ${commandNames.join(', ')}; "npx dealership-conformance --help" explains them.`,
  );
}

/** Takes a command line apart; throws SettingsError in one sentence. */
export function readArguments(argv: readonly string[]): Arguments {
  const [first, ...others] = argv;
  const bare = first === undefined || first.startsWith('-');
  const command = bare ? '' : first;
  if (!bare && !isCommand(command)) throw noCommand(command);
  const options = flagsOf(command);
  const { values, positionals, tokens } = parseFlags(command, bare ? [...argv] : others, options);
  const single = tokens.flatMap((one) =>
    one.kind === 'option' && one.value !== undefined && options[one.name]?.multiple !== true ? [one.name] : [],
  );
  const twice = single.find((name, at) => single.indexOf(name) < at);
  if (twice !== undefined) throw new SettingsError(`--${twice} is given twice: expected it once.`);
  const settings: RawSettings = {};
  for (const { name } of settingTable) {
    const value = values[flagOf(name).slice(2)];
    if (typeof value === 'string') settings[name] = value;
    else if (value === true) settings[name] = '1';
    else if (Array.isArray(value)) settings[name] = value.join('\n');
  }
  return { command, operands: positionals, settings, options: readOptions(values) };
}

/** The values of flags; throws SettingsError. */
export function readOptions(values: Readonly<Record<string, unknown>>): Options {
  const read = (Object.keys(optionTable) as OptionName[]).flatMap((name) => {
    const given = values[name];
    if (given === undefined) return [];
    const texts = [given].flat().map(String);
    const value = optionTable[name].read(texts);
    if (value === undefined)
      throw new SettingsError(
        `--${name} is "${texts
          .join(',')
          .replace(/[^ -~]/g, '?')
          .slice(0, 140)}": expected ${optionTable[name].expected}.`,
      );
    return [[name, value]];
  });
  return Object.fromEntries(read) as Options;
}

/** Throws SettingsError where a command lacks a flag that it needs, or a flag what must stand beside it. */
export function assertFlags(
  command: CommandName,
  { options, operands }: Pick<Arguments, 'options' | 'operands'>,
): void {
  const { required = {}, beside = {} } = commandTable[command];
  const [form = ''] = operands;
  const named = form in required ? `${command} ${form}`.trimEnd() : command;
  const missing = (required[form] ?? required[''])?.find((name) => options[name] === undefined);
  if (missing !== undefined)
    throw new SettingsError(
      `${named} needs --${missing}: expected it with a value; "npx dealership-conformance ${command} --help" explains it.`,
    );
  for (const [name, what] of Object.entries(beside)) {
    const [flag = '', value] = what.split(' ');
    const found = options[flag.slice(2) as OptionName];
    const isThere = flag.startsWith('--') ? found !== undefined && (value ?? found) === found : form === flag;
    if (name in options && !isThere)
      throw new SettingsError(
        `--${name} belongs to ${flag.startsWith('--') ? what : `${command} ${what}`}: expected both, or neither.`,
      );
  }
}

/** Throws SettingsError where a command is given other operands than its usage names: `DIR` stands for a text, `FILE…` for several. */
export function assertOperands({ command, operands }: Arguments): void {
  const { usage = '' } = isCommand(command) ? commandTable[command] : {};
  const forms = usage.replace(/[[\]]/g, '').split(' | ');
  const fits = (form: string): boolean => {
    const words = form.split(' ').filter(Boolean);
    const isMany = form.endsWith('…') && operands.length > words.length;
    return (
      (isMany || operands.length === words.length) &&
      words.every((word, at) => /^[A-Z]/.test(word) || word === operands[at])
    );
  };
  if ((usage.startsWith('[') && operands.length === 0) || forms.some(fits)) return;
  const [operand] = operands;
  const given = operand === undefined ? 'Nothing is given' : `"${operands.join(' ')}" is not understood`;
  const named = operand !== undefined && /^[a-z]/i.test(operand);
  const hint = named
    ? `; to judge one requirement write --only ${operand}`
    : ' (--read-only, --quiet and --embedded take no value)';
  throw new SettingsError(
    usage === ''
      ? `${given} after ${command}: expected flags only${isCommand(command) && commandTable[command].settings ? hint : ''}.`
      : `${given} after ${command}: expected ${usage}; "npx dealership-conformance ${command} --help" explains it.`,
  );
}
