import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { SoakReport } from './run-soak.js';

/** One night: the service's soak, and the reference service's on the same machine in the same hour, where it was run. */
export interface Night {
  readonly format: 'dealership-night/1';
  readonly started: string;
  readonly target: string;
  readonly service: SoakReport;
  readonly control: SoakReport | null;
}

function isNight(value: unknown): value is Night {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 'dealership-night/1' && 'service' in value && 'started' in value;
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
    writeSync(file, `${JSON.stringify(night)}\n`);
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

/** The nights of one target, oldest first; what is torn or foreign is passed over. */
export function readNights(folder: string, target: string): readonly Night[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const parsed: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return isNight(parsed) && parsed.target === target ? [parsed] : [];
    } catch {
      return [];
    }
  });
}
