import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNight } from './is-night.js';
import type { SoakReport } from './run-soak.js';

/** One night: the service's soak, and the reference service's on the same machine in the same hour, where it was run. */
export interface Night {
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

function readNight(path: string): Night | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isNight(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Which nights are wanted of a history, and who is told of what is none. */
export interface Wanted {
  /** Nights of one target only. */
  readonly target?: string;
  /** A file that is left alone. */
  readonly except?: string;
  /** Told of each file that is torn or foreign. */
  readonly passedOver?: (path: string) => void;
}

/** The nights of one target, or of all, oldest first; what is torn or foreign is passed over. */
export function readNights(folder: string, wanted: Wanted = {}): readonly Night[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const path = join(folder, name);
      if (path === wanted.except) return [];
      const night = readNight(path);
      if (night === null) wanted.passedOver?.(path);
      if (night === null || (wanted.target !== undefined && night.target !== wanted.target)) return [];
      return [{ night, started: night.started, number: numberOf(name) }];
    })
    .sort((a, b) => (a.started === b.started ? a.number - b.number : a.started < b.started ? -1 : 1))
    .map(({ night }) => night);
}
