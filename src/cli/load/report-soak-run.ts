import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../../settings/settings-error.js';
import { renderNightsPage } from '../../traffic/pages/nights-page.js';
import { renderSoakPage } from '../../traffic/pages/soak-page.js';
import { writePage } from '../../traffic/pages/write-load-pages.js';
import { compareSoakRuns, type SoakComparison } from '../../traffic/soak/history/compare-soak-runs.js';
import { readSoakRuns, type SoakRun } from '../../traffic/soak/history/history.js';
import { nightBands, type NightBands } from '../../traffic/soak/history/night-bands.js';
import { missingNight } from '../../traffic/soak/history/missing-night.js';
import { saveSoakRun } from '../../traffic/soak/history/save-soak-run.js';
import { soakSummary } from './load-progress.js';
import type { SoakNight } from './soak-report.js';

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

/** A comparison that throws becomes the verdict "cannot tell", so that the run is still reported. */
function compare(run: SoakRun, earlier: readonly SoakRun[]): SoakComparison {
  try {
    return compareSoakRuns(run, earlier);
  } catch (error) {
    const reason = `the comparison itself failed (${firstLine(error)}), please report it`;
    return { verdict: 'cannot tell', reason, compared: false, errorsCompared: false, moreErrors: null };
  }
}

/** Writes the page over all nights, and that of each night that it shows; its path. The history has all that they need. */
function writeNights(run: SoakRun, earlier: readonly SoakRun[], about: Pick<SoakRunOutput, 'out' | 'name' | 'plan'>) {
  const { out, name, plan } = about;
  const nights = nightBands(run, earlier);
  rmSync(join(out, 'load', 'nights'), { recursive: true, force: true });
  mkdirSync(join(out, 'load', 'nights'), { recursive: true });
  const pageOf = (night: NightBands): string =>
    night.run === run ? 'soak.html' : `nights/${night.run.started.replace(/[:.]/g, '-')}.html`;
  for (const night of nights) {
    if (night.run === run) continue;
    const before = earlier.slice(0, earlier.indexOf(night.run));
    const page = renderSoakPage({ name, plan, run: night.run, earlier: before, comparison: night.comparison });
    writePage(out, pageOf(night).replace('.html', ''), page);
  }
  return writePage(out, 'nights', renderNightsPage({ name, plan, nights, pageOf }));
}

type Comparisons = Pick<SoakNight, 'comparison' | 'missing'>;

/**
 * Reports a soak run, most important part first: the summary, the file in the history, the comparison with earlier runs, the page. A page
 * that fails is only a warning. Throws SettingsError where the run cannot be kept.
 */
export function reportSoakRun(
  run: SoakRun,
  { out, history, name, plan, print, say, warn }: SoakRunOutput,
): Comparisons {
  for (const line of soakSummary(run)) print(line);
  const kept = keep(history, run);
  const onSkipped = (path: string): void => warn(`${path} is no complete soak run, and is ignored.`);
  const earlier = readSoakRuns(history, { target: run.target, except: kept, onSkipped });
  const comparison = compare(run, earlier);
  const missing = missingNight(run, earlier);
  print(`  Compared with earlier runs: ${comparison.verdict}: ${comparison.reason}.`);
  if (comparison.moreErrors !== null) print(`  More errors than in earlier runs: ${comparison.moreErrors}.`);
  if (missing !== null) print(`  A night is missing: ${missing}.`);
  try {
    say(`\n${writePage(out, 'soak', renderSoakPage({ name, plan, run, earlier, comparison }))}`);
    say(writeNights(run, earlier, { out, name, plan }));
  } catch (error) {
    warn(`The page of the run could not be written (${firstLine(error)}); the run itself is kept.`);
  }
  say(kept);
  return { comparison, missing };
}
