import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSoakRun } from './is-soak-run.js';
import type { SoakReport } from '../run-soak.js';

/** One soak run: the load on the service, and the same load on the reference service right after it (`control`), where it was run. */
export interface SoakRun {
  readonly format: 'dealership-soak-run/1';
  readonly started: string;
  readonly target: string;
  /** Two runs are comparable only where this is equal: plan and digest of the operations. */
  readonly conditions: string;
  readonly service: SoakReport;
  readonly control: SoakReport | null;
}

/** The number in a file name that tells apart runs that started in the same millisecond. */
function numberOf(name: string): number {
  return Number(/Z-(\d+)\.json$/.exec(name)?.[1] ?? 1);
}

function readSoakRun(path: string): SoakRun | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isSoakRun(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Which runs of a history to read, and a callback for files that hold none. */
export interface HistoryFilter {
  /** Runs against one target only. */
  readonly target?: string;
  /** A file to skip. */
  readonly except?: string;
  /** Called with each file that is incomplete or in another format. */
  readonly onSkipped?: (path: string) => void;
}

/** The soak runs of one target, or of all, oldest first; skips files that are incomplete or in another format. */
export function readSoakRuns(folder: string, filter: HistoryFilter = {}): readonly SoakRun[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const path = join(folder, name);
      if (path === filter.except) return [];
      const run = readSoakRun(path);
      if (run === null) filter.onSkipped?.(path);
      if (run === null || (filter.target !== undefined && run.target !== filter.target)) return [];
      return [{ run, started: run.started, number: numberOf(name) }];
    })
    .sort((a, b) => (a.started === b.started ? a.number - b.number : a.started < b.started ? -1 : 1))
    .map(({ run }) => run);
}
