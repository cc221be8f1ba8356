#!/usr/bin/env node
import { SettingsError } from '../target/settings-error.js';
import { version } from '../version.js';
import { readArguments } from './arguments.js';
import type { Arguments } from './arguments.js';
import { certify } from './certify.js';
import { goOnUnread } from './closed-output.js';
import { help } from './help.js';

/** Commands load what they need only when they are asked for. */
const commands: Readonly<Record<string, (parsed: Arguments) => Promise<number>>> = {
  certify: (parsed) => certify(parsed, 'certify'),
  gate: (parsed) => certify(parsed, 'gate'),
  serve: async (parsed) => (await import('./serve.js')).serve(parsed),
  init: async (parsed) => (await import('./init.js')).init(parsed),
  list: async (parsed) => (await import('./list.js')).list(parsed),
  explain: async (parsed) => (await import('./explain.js')).explain(parsed),
  load: async (parsed) => (await import('./load.js')).load(parsed),
  har: async (parsed) => (await import('./har.js')).har(parsed),
  rerun: async (parsed) => (await import('./rerun.js')).rerun(parsed),
  compare: async (parsed) => (await import('./compare.js')).compare(parsed),
  keygen: async (parsed) => (await import('./keygen.js')).keygen(parsed),
  verify: async (parsed) => (await import('./verify.js')).verify(parsed),
  doctor: async (parsed) => (await import('./doctor.js')).doctor(parsed),
  waive: async (parsed) => (await import('./waive.js')).waive(parsed),
  badge: async (parsed) => (await import('./badge.js')).badge(parsed),
};

async function main(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv);
  if (parsed.options['version'] === true) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (parsed.options['help'] === true) {
    process.stdout.write(help(parsed.command));
    return 0;
  }
  const command = commands[parsed.command];
  if (command === undefined) {
    throw new SettingsError(
      `no command is given: expected one of ${Object.keys(commands).join(', ')}; "dealership-conformance --help" explains them.`,
    );
  }
  return command(parsed);
}

goOnUnread([process.stdout, process.stderr]);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else {
    const said = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `The suite itself failed: ${said.split('\n')[0] ?? ''}. Set DEBUG=1 to see where, and please report it.\n`,
    );
    if (process.env['DEBUG']) process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : ''}\n`);
    process.exitCode = 4;
  }
}
