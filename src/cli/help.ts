import { flagOf, settingTable } from '../settings/index.js';
import { type CommandName, commandNames, commandTable, isCommand, optionsOf } from './command-table.js';

const width = 80;

/** Wraps a text into lines of 80 characters minus the indent. */
function wrap(text: string, indent = 0): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const joined = `${lines[last] ?? ''} ${word}`.trimStart();
    if (indent + joined.length > width && lines[last] !== '') lines.push(word);
    else lines[last] = joined;
  }
  return lines;
}

/** A term and its text in two columns. */
function row(term: string, text: string, indent = 28): string[] {
  const [first = '', ...others] = wrap(text, indent);
  const start = `  ${term}`.padEnd(indent);
  const head =
    start.length > indent || !start.endsWith(' ') ? [start, `${' '.repeat(indent)}${first}`] : [`${start}${first}`];
  return [...head, ...others.map((line) => `${' '.repeat(indent)}${line}`)];
}

const statuses = [
  'Exit status: 0 conformant, 1 not conformant, 2 wrong settings or usage,',
  '             3 incomplete, 4 the suite itself failed.',
];

/** The text of `--help`: for one command, or for all where none is named. */
export function help(command: string): string {
  return `${(isCommand(command) ? commandHelp(command) : overview()).join('\n')}\n`;
}

const overview = (): string[] => [
  'dealership-conformance: judges whether a service conforms to the dealership',
  'platform public API.',
  '',
  'Commands ("npx dealership-conformance COMMAND --help" lists the flags of one)',
  ...commandNames.flatMap((name) => row(`${name} ${commandTable[name].usage ?? ''}`, commandTable[name].about, 20)),
  '',
  'Settings: flags, environment variables (BASE_URL) and .env; flags win',
  ...settingTable.flatMap(({ name, about }) => row(flagOf(name), about)),
  '',
  ...statuses,
];

function commandHelp(name: CommandName): string[] {
  const { usage = '', about, settings } = commandTable[name];
  const rows = optionsOf(name).flatMap(({ form, about: what, repeats }) =>
    row(form, repeats ? `${what} Repeatable.` : what),
  );
  return [
    `Usage: npx dealership-conformance ${name} ${usage}`.trimEnd(),
    '',
    ...wrap(about),
    ...(rows.length > 0 ? ['', 'Flags', ...rows] : []),
    ...(settings === true
      ? [
          '',
          'Settings such as BASE_URL and API_KEY are read from .env, the environment and',
          'flags (--base-url); "npx dealership-conformance --help" lists them.',
        ]
      : []),
    ...(settings === true || name === 'compare' ? ['', ...statuses] : []),
  ];
}
