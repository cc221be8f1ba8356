import { load } from './commands/load.js';
import { assertFlags, readOptions } from './arguments.js';
import type { Options } from './command-table.js';
import type { RawSettings } from '../settings/index.js';
import { SettingsError } from '../settings/settings-error.js';
import { scratch } from '../folder.test-kit.js';
import { runCommand } from './run-command.js';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a process of its own ended, and what it wrote. */
export interface EndedProcess {
  readonly status: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** How a command in this process ended. */
export interface Ended extends EndedProcess {
  readonly status: number;
}

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Starts the compiled command line as a process of its own, in this folder and with this environment only. */
export function startProcess(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<EndedProcess>((resolve) =>
    child.on('close', (code, by) => resolve({ status: code ?? by, ...said })),
  );
  return { child, ended };
}

/** Runs the compiled command line to its end. */
export function runProcess(args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): Promise<EndedProcess> {
  return startProcess(args, cwd, env).ended;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, which takes a third of the time of a process of its own, with this environment only and in this
 * folder, or in an empty one. Runs of one file follow each other, as they share the process.
 */
export function runInProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}, at?: string): Promise<Ended> {
  const run = last.then(() => runNow(args, env, at));
  last = run.catch(() => undefined);
  return run;
}

async function runNow(args: readonly string[], env: NodeJS.ProcessEnv, at: string | undefined): Promise<Ended> {
  using empty = at === undefined ? scratch() : undefined;
  const [before, variables] = [process.cwd(), process.env];
  const writes = [process.stdout.write, process.stderr.write] as const;
  const [out, err]: [string[], string[]] = [[], []];
  const keep = (said: string[]) => (chunk: string | Uint8Array) => said.push(Buffer.from(chunk).toString()) > 0;
  process.stdout.write = keep(out);
  process.stderr.write = keep(err);
  process.chdir(at ?? empty?.folder ?? before);
  process.env = { PATH: variables['PATH'], NO_COLOR: '1', ...env };
  let status: number;
  try {
    status = await runCommand(args);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    status = 2;
    err.push(`${error.message}\n`);
  } finally {
    process.chdir(before);
    process.env = variables;
    [process.stdout.write, process.stderr.write] = writes;
  }
  return { status, out: out.join(''), err: err.join('') };
}

/** The options that a command line gives with these texts; a flag that is false is not there. */
export const optionsOf = (texts: Record<string, string | boolean | readonly string[] | undefined>): Options =>
  readOptions(
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, value]) =>
        value === undefined || value === false ? [] : [[name, value === true ? value : [value].flat()]],
      ),
    ),
  );

/** `load` as it is run with the texts of its flags. */
export const loadWith = async (
  texts: Parameters<typeof optionsOf>[0],
  settings: RawSettings,
  operands: readonly string[] = [],
): Promise<number> => {
  const parsed = { command: 'load', operands, settings, options: optionsOf(texts) };
  assertFlags('load', parsed);
  return load(parsed);
};
