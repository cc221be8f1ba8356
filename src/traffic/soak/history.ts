import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
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

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Puts a whole file where none is; a file system without links gets a copy, which a crash can tear. */
function place(part: string, path: string): void {
  try {
    linkSync(part, path);
  } catch (error) {
    if (isTaken(error)) throw error;
    copyFileSync(part, path, constants.COPYFILE_EXCL);
  }
}

/** Puts a whole file under the first free name of its stem and hands back its path; several processes may do so at once. */
function placeFirstFree(part: string, folder: string, stem: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? `${stem}.json` : `${stem}-${number}.json`);
    try {
      place(part, path);
      return path;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

/** Adds one file to the history and hands back its path. What stands there is never changed; a crash leaves at most a `.part` file behind. */
export function keepNight(folder: string, night: Night): string {
  mkdirSync(folder, { recursive: true });
  const stem = night.started.replace(/[:.]/g, '-');
  const part = join(folder, `${stem}.${randomUUID()}.part`);
  const file = openSync(part, 'wx');
  try {
    writeFileSync(file, `${JSON.stringify(night)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const path = placeFirstFree(part, folder, stem);
  unlinkSync(part);
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return path;
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

/** The nights of one target, or of all, oldest first; what is torn or foreign is passed over. */
export function readNights(folder: string, target?: string): readonly Night[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const night = readNight(join(folder, name));
      const wanted = night !== null && (target === undefined || night.target === target);
      return wanted ? [{ night, started: night.started, number: numberOf(name) }] : [];
    })
    .sort((a, b) => (a.started === b.started ? a.number - b.number : a.started < b.started ? -1 : 1))
    .map(({ night }) => night);
}
