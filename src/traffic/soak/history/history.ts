import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSoakRun } from './is-soak-run.js';
import type { SoakReport } from '../run-soak.js';

/** One night: the service's soak, and the reference service's on the same machine in the same hour, where it was run. */
export interface SoakRun {
  readonly format: 'dealership-night/1';
  readonly started: string;
  readonly target: string;
  /** What else must be alike for two nights to be compared: plan, operations, and the engine's options. */
  readonly conditions: string;
  readonly service: SoakReport;
  readonly control: SoakReport | null;
}

/** Which of the nights that started in the same instant a file holds. */
function numberOf(name: string): number {
  return Number(/Z-(\d+)\.json$/.exec(name)?.[1] ?? 1);
}

function readNight(path: string): SoakRun | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isSoakRun(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Which runs of a history to read, and a callback for files that hold none. */
export interface HistoryFilter {
  /** Nights of one target only. */
  readonly target?: string;
  /** A file that is left alone. */
  readonly except?: string;
  /** Called with each file that is torn or foreign. */
  readonly onSkipped?: (path: string) => void;
}

/** The nights of one target, or of all, oldest first; what is torn or foreign is passed over. */
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
      const night = readNight(path);
      if (night === null) filter.onSkipped?.(path);
      if (night === null || (filter.target !== undefined && night.target !== filter.target)) return [];
      return [{ night, started: night.started, number: numberOf(name) }];
    })
    .sort((a, b) => (a.started === b.started ? a.number - b.number : a.started < b.started ? -1 : 1))
    .map(({ night }) => night);
}
