import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
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

function isSoak(value: unknown): value is SoakReport {
  return (
    typeof value === 'object' &&
    value !== null &&
    'total' in value &&
    typeof value.total === 'object' &&
    'windows' in value &&
    Array.isArray(value.windows) &&
    'ratePerSecond' in value
  );
}

function isNight(value: unknown): value is Night {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('format' in value) ||
    value.format !== 'dealership-night/1' ||
    !('conditions' in value)
  )
    return false;
  return (
    'started' in value &&
    typeof value.started === 'string' &&
    'service' in value &&
    isSoak(value.service) &&
    'control' in value &&
    (value.control === null || isSoak(value.control))
  );
}

/** Adds one file to the history and hands back its path. What stands there is never changed; a crash leaves at most a `.part` file behind. */
export function keepNight(folder: string, night: Night): string {
  mkdirSync(folder, { recursive: true });
  const taken = new Set(readdirSync(folder));
  const stem = night.started.replace(/[:.]/g, '-');
  let name = `${stem}.json`;
  for (let again = 2; taken.has(name); again += 1) name = `${stem}-${again}.json`;
  const part = join(folder, `${name}.${process.pid}.part`);
  const file = openSync(part, 'wx');
  try {
    writeFileSync(file, `${JSON.stringify(night)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, join(folder, name));
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return join(folder, name);
}

/** The nights of one target, or of all, oldest first; what is torn or foreign is passed over. */
export function readNights(folder: string, target?: string): readonly Night[] {
  let names: string[];
  try {
    names = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const parsed: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return isNight(parsed) && (target === undefined || parsed.target === target) ? [parsed] : [];
    } catch {
      return [];
    }
  });
}
