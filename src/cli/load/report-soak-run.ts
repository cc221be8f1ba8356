import { SettingsError } from '../../settings/index.js';
import {
  compareSoakRuns,
  readSoakRuns,
  renderSoakPage,
  saveSoakRun,
  type SoakComparison,
  type SoakRun,
  writePage,
} from '../../traffic/index.js';
import { soakSummary } from './load-progress.js';

/** The outputs of a soak run: the folders, and functions that print a line, a line that `--quiet` leaves out, and a warning. */
export interface SoakRunOutput {
  readonly out: string;
  readonly history: string;
  readonly name: string;
  readonly plan: string;
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function keep(folder: string, run: SoakRun): string {
  try {
    return saveSoakRun(folder, run);
  } catch (error) {
    throw new SettingsError(
      `the run could not be kept in ${folder} (${firstLine(error)}): expected a folder with room.`,
    );
  }
}

/**
 * Reports a soak run, most important part first: the summary, the file in the history, the comparison with earlier runs, the page. A page
 * that fails is only a warning. Throws SettingsError where the run cannot be kept.
 */
export function reportSoakRun(
  run: SoakRun,
  { out, history, name, plan, print, say, warn }: SoakRunOutput,
): { readonly comparison: SoakComparison } {
  for (const line of soakSummary(run)) print(line);
  const kept = keep(history, run);
  const onSkipped = (path: string): void => warn(`${path} is no complete soak run, and is ignored.`);
  const earlier = readSoakRuns(history, { target: run.target, except: kept, onSkipped });
  const comparison = compareSoakRuns(run, earlier);
  print(`  Compared with earlier runs: ${comparison.verdict}: ${comparison.reason}.`);
  if (comparison.moreErrors !== null) print(`  More errors than in earlier runs: ${comparison.moreErrors}.`);
  try {
    say(`\n${writePage(out, 'soak', renderSoakPage({ name, plan, run, comparison }))}`);
  } catch (error) {
    warn(`The page of the run could not be written (${firstLine(error)}); the run itself is kept.`);
  }
  say(kept);
  return { comparison };
}
