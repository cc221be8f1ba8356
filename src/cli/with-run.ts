import { openTarget, type OpenTarget } from '../embedded/index.js';
import { SettingsError } from '../settings/index.js';
import type { Run } from '../run/index.js';
import type { Arguments } from './arguments.js';
import { cleanUp } from './clean-up.js';
import { type LiveLine, liveLine } from './live-line.js';
import { misspeltSettings, strayLines } from './misspelt-settings.js';
import { onInterrupt } from './on-interrupt.js';
import { readSettings, readSettingsFile, settingsText } from './read-settings.js';

/** The service that BASE_URL names, or the reference service where a flag asks for it. Throws SettingsError where nothing is asked for. */
export async function openNamed(parsed: Arguments): Promise<OpenTarget> {
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
      'BASE_URL is missing or empty: expected the root of the service under test; set it in .env in this folder, in the environment or with --base-url, or add --embedded to judge the embedded reference service.',
    );
  return openTarget(settings);
}

/** A run of a command while it lasts. */
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
}

/** How a run ended: its exit status, the run whose records are to be deleted, and what is done after that. */
export interface RunEnd {
  readonly status: number;
  readonly run?: Run;
  readonly last?: () => Promise<number>;
}

/** The life of a run against the target: opened, shown, ended early by an interrupt, cleaned up, closed. The exit status. Throws SettingsError. */
export async function withRun(parsed: Arguments, act: (life: Life) => Promise<RunEnd>): Promise<number> {
  const opened = await openNamed(parsed);
  const [started, quiet, off] = [new Date(), parsed.options.quiet === true, new AbortController()];
  const lines: LiveLine[] = [];
  const hide = (): void => lines.forEach((line) => line.end());
  const show = (): LiveLine => {
    hide();
    const line = liveLine(process.stderr, quiet);
    lines.push(line);
    return line;
  };
  const say = (line: string): void => {
    if (!quiet) process.stdout.write(`${line}\n`);
  };
  const endListening = onInterrupt((signal) => {
    off.abort(signal);
    hide();
    process.stderr.write('\nStopping; writing the report of the run so far. Ctrl-C again stops without a report.\n');
  });
  try {
    const end = await act({ opened, started, quiet, say, show, off: off.signal }).finally(() => {
      hide();
      // The same Ctrl-C may come a second time while what follows is done.
      if (!off.signal.aborted) endListening();
    });
    if (end.run !== undefined) await cleanUp(parsed, end.run, started);
    return (await end.last?.()) ?? end.status;
  } finally {
    hide();
    await opened.close();
  }
}
