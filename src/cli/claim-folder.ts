import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setAside } from '../certification/index.js';
import { makeFolder } from '../reports/index.js';
import { errorCode, SettingsError, writeOutput } from '../settings/index.js';
import type { Options } from './command-table.js';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be sent signals, and is there.
    return errorCode(error) === 'EPERM';
  }
}

/** The text of a claim; null where there is none. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The run that a claim names; null where it has ended, was killed, or is this process. */
function holderOf(text: string | null): number | null {
  const pid = Number(text);
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid) ? pid : null;
}

/** The claims of this process, which go when it ends. */
const claims = new Set<string>();

function removeAtExit(file: string): void {
  if (claims.size === 0) process.once('exit', () => claims.forEach((claim) => rmSync(claim, { force: true })));
  claims.add(file);
}

/** Claims a folder until this process ends. Throws SettingsError where another run has claimed it. */
export function claimFolder(out: string): void {
  const file = join(out, '.running');
  const refuse = (pid: number): never => {
    throw new SettingsError(
      `--out names "${out}", and another run (process ${pid}) writes there: wait until it ends, or name another folder; if no run is left, remove ${file}.`,
    );
  };
  const left = textOf(file);
  const holder = holderOf(left);
  if (holder !== null) refuse(holder);
  if (left !== null) moveAway(file, left);
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    // Another run was quicker by an instant.
    if (errorCode(error) === 'EEXIST') refuse(holderOf(textOf(file)) ?? 0);
    throw error;
  }
  removeAtExit(file);
}

/** Removes a claim that an ended run left with this text; one that another run has put there since stays. */
export function moveAway(file: string, left: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    // Another run has moved it.
    return;
  }
  if (textOf(aside) !== left) linkSync(aside, file);
  rmSync(aside);
}

/**
 * The folder for output with `inner` inside, made where it is missing and claimed for this run; throws SettingsError where that cannot be
 * done. Where it is for evidence, an earlier run's report is set aside.
 */
export function openOut({ out = 'reports' }: Options, inner: 'evidence' | 'load'): string {
  writeOutput('--out', out, 'folder', () => {
    makeFolder(out);
    claimFolder(out);
    makeFolder(join(out, inner));
    if (inner === 'evidence') setAside(out);
  });
  return out;
}
