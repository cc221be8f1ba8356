import { version } from '../version.js';
import { type Arguments, assertFlags, assertOperands, noCommand, readArguments } from './arguments.js';
import { type CommandName, isCommand } from './command-table.js';
import { help } from './help.js';

/** Commands load what they need only when they are asked for. */
const commands: Readonly<Record<CommandName, (parsed: Arguments) => Promise<number>>> = {
  certify: async (parsed) => (await import('./commands/judge-target.js')).judgeTarget(parsed, 'certify'),
  gate: async (parsed) => (await import('./commands/judge-target.js')).judgeTarget(parsed, 'gate'),
  serve: async (parsed) => (await import('./commands/serve.js')).serve(parsed),
  init: async () => (await import('./commands/init.js')).init(),
  list: async (parsed) => (await import('./commands/list.js')).list(parsed),
  explain: async (parsed) => (await import('./commands/explain.js')).explain(parsed),
  load: async (parsed) => (await import('./commands/load.js')).load(parsed),
  har: async (parsed) => (await import('./commands/har.js')).har(parsed),
  rerun: async (parsed) => (await import('./commands/rerun.js')).rerun(parsed),
  compare: async (parsed) => (await import('./commands/compare.js')).compare(parsed),
  keygen: async (parsed) => (await import('./commands/keygen.js')).keygen(parsed),
  verify: async (parsed) => (await import('./commands/verify.js')).verify(parsed),
  registry: async (parsed) => (await import('./commands/registry.js')).registry(parsed),
  doctor: async (parsed) => (await import('./commands/doctor.js')).doctor(parsed),
  waive: async (parsed) => (await import('./commands/waive.js')).waive(parsed),
  sweep: async (parsed) => (await import('./commands/sweep.js')).sweep(parsed),
};

/** Runs what the arguments name; the exit status. Throws SettingsError where they cannot be used. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv);
  if (parsed.options.version) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (parsed.options.help) {
    process.stdout.write(help(parsed.command));
    return 0;
  }
  if (isCommand(parsed.command)) {
    assertOperands(parsed);
    assertFlags(parsed.command, parsed);
    return commands[parsed.command](parsed);
  }
  throw noCommand('');
}
