import { openTarget, type OpenTarget } from '../embedded/index.js';
import { SettingsError } from '../settings/index.js';
import type { Run } from '../run/index.js';
import { UnjudgedSignal } from '../http/index.js';
import type { Arguments } from './arguments.js';
import { isCommand, optionsOf } from './command-table.js';
import { cleanUp } from './clean-up.js';
import { type LiveLine, liveLine } from './live-line.js';
import { misspeltSettings, strayLines } from './misspelt-settings.js';
import { onInterrupt } from './on-interrupt.js';
import { readSettings, readSettingsFile, settingsText } from './read-settings.js';

const hasEmbedded = (command: string): boolean =>
  isCommand(command) && optionsOf(command).some(({ name }) => name === 'embedded');

/** The service that BASE_URL names, or the reference service where a flag asks for it. Throws SettingsError where nothing is asked for. */
async function openNamed(parsed: Arguments): Promise<OpenTarget> {
  const settings = readSettings(parsed.settings);
  const doubts = [...strayLines(settingsText()), ...misspeltSettings(settings, readSettingsFile(), process.env)];
  for (const line of doubts) process.stderr.write(`${line}\n`);
  const isSet = settings.BASE_URL !== undefined;
  if (isSet && parsed.options.embedded)
    throw new SettingsError(
      '--embedded is given and BASE_URL is set: expected one of them; remove BASE_URL from .env, the environment and the flags, or leave out --embedded.',
    );
  if (!isSet && parsed.options['embedded-if-unset'])
    process.stdout.write(
      'BASE_URL is not set, so this judges the embedded reference service; set BASE_URL to judge yours.\n',
    );
  else if (!isSet && !parsed.options.embedded)
    throw new SettingsError(
      `BASE_URL is missing or empty: expected the root of the service under test; set it in .env in this folder, in the environment or with --base-url${hasEmbedded(parsed.command) ? ', or add --embedded to judge the embedded reference service' : ''}.`,
    );
  return openTarget(settings);
}

/** A command with a target while it lasts. */
export interface Life {
  readonly opened: OpenTarget;
  readonly started: Date;
  readonly quiet: boolean;
  /** Prints a line, unless `--quiet`. */
  readonly say: (line: string) => void;
  /** Shows a new live line, in place of the one before. */
  readonly show: () => LiveLine;
  /** Aborts at an interrupt, with the name of the signal as its reason. */
  readonly off: AbortSignal;
  /** Deletes what a run created, once nothing else is left to show or to stop. */
  readonly cleanUp: (run: Run) => Promise<void>;
}

/** What an interrupt of a command begins, which a second one cuts short; null where the first one ends the process at once. */
type Stopping = string | null;

/**
 * The life of a command with its target: opened, shown, ended early by an interrupt, closed. The exit status of `act`, or 3 where the target
 * could not be asked what it needs. Throws SettingsError.
 */
export async function withTarget(
  parsed: Arguments,
  act: (life: Life) => Promise<number>,
  stopping: Stopping = 'Stopping; writing the report of the run so far. Ctrl-C again stops without a report.',
): Promise<number> {
  const opened = await openNamed(parsed);
  const [started, quiet, off] = [new Date(), parsed.options.quiet === true, new AbortController()];
  let live = null as LiveLine | null;
  const show = (): LiveLine => {
    live?.end();
    return (live = liveLine(process.stderr, quiet));
  };
  const say = (line: string): void => {
    if (!quiet) process.stdout.write(`${line}\n`);
  };
  const stop = (signal: NodeJS.Signals): void => {
    off.abort(signal);
    live?.end();
    process.stderr.write(`\n${stopping ?? ''}\n`);
  };
  const endListening = stopping === null ? () => undefined : onInterrupt(stop);
  const settle = (): void => {
    live?.end();
    // The same Ctrl-C may come a second time while what follows is done.
    if (!off.signal.aborted) endListening();
  };
  const clean = (run: Run): Promise<void> => {
    settle();
    return cleanUp(parsed, run, started);
  };
  try {
    return await act({ opened, started, quiet, say, show, off: off.signal, cleanUp: clean });
  } catch (error) {
    if (!(error instanceof UnjudgedSignal)) throw error;
    live?.end();
    process.stderr.write(`${error.message}\n`);
    return 3;
  } finally {
    settle();
    await opened.close();
  }
}
