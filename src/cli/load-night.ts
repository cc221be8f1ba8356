import { join } from 'node:path';
import { SettingsError } from '../target/settings-error.js';
import { writeSoakPage } from '../traffic/pages/write-load-pages.js';
import { compareNights } from '../traffic/soak/compare-nights.js';
import type { Comparison } from '../traffic/soak/compare-nights.js';
import { readNights } from '../traffic/soak/history.js';
import type { Night } from '../traffic/soak/history.js';
import { keepNight } from '../traffic/soak/keep-night.js';
import { soakSummary } from './load-progress.js';

/** Where a night is told: its output folder, a line that is always said, one that a quiet run leaves out, and one of what went wrong. */
export interface NightEnds {
  readonly out: string;
  readonly name: string;
  readonly plan: string;
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function keep(folder: string, night: Night): string {
  try {
    return keepNight(folder, night);
  } catch (error) {
    throw new SettingsError(
      `the run could not be kept in ${folder} (${firstLine(error)}): expected a folder with room.`,
    );
  }
}

/** A comparison that fails says so, and no more. */
function compare(night: Night, earlier: readonly Night[]): Comparison {
  try {
    return compareNights(night, earlier);
  } catch (error) {
    const reason = `the comparison itself failed (${firstLine(error)}), please report it`;
    return { verdict: 'cannot tell', effect: 0, probability: 1, nights: 0, reason };
  }
}

/**
 * Tells what a night came to, in the order of what must not be lost: its summary, its file in the history, the comparison with earlier
 * nights, and the page, without which a night is whole. Throws SettingsError where it cannot be kept.
 */
export function tellNight(night: Night, { out, name, plan, print, say, warn }: NightEnds): void {
  for (const line of soakSummary(night)) print(line);
  const folder = join(out, 'history');
  const kept = keep(folder, night);
  const passedOver = (path: string): void => warn(`${path} is no complete soak run, and is ignored.`);
  const earlier = readNights(folder, { target: night.target, except: kept, passedOver });
  const comparison = compare(night, earlier);
  print(`  Compared with earlier runs: ${comparison.verdict}: ${comparison.reason}.`);
  try {
    say(`\n${writeSoakPage(out, { name, plan, night, earlier, comparison })}`);
  } catch (error) {
    warn(`The page of the run could not be written (${firstLine(error)}); the run itself is kept.`);
  }
  say(kept);
}
