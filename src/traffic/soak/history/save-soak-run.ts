import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SoakRun } from './history.js';

function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Puts a whole file where none is; a file system without links gets a copy, which a crash can tear. */
function place(part: string, path: string): void {
  try {
    linkSync(part, path);
  } catch (error) {
    if (isAlreadyThere(error)) throw error;
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
      if (!isAlreadyThere(error)) throw error;
    }
  }
}

/** Adds one file to the history and hands back its path. What stands there is never changed; a crash leaves at most a `.part` file behind. */
export function saveSoakRun(folder: string, run: SoakRun): string {
  mkdirSync(folder, { recursive: true });
  const stem = run.started.replace(/[:.]/g, '-');
  const part = join(folder, `${stem}.${randomUUID()}.part`);
  const file = openSync(part, 'wx');
  try {
    writeFileSync(file, `${JSON.stringify(run)}\n`);
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
