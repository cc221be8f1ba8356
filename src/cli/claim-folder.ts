import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setAside } from '../certification/index.js';
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

/** The claims of this process, which go when it ends. */
const claims = new Set<string>();

function removeAtExit(file: string): void {
  if (claims.size === 0) process.once('exit', () => claims.forEach((claim) => rmSync(claim, { force: true })));
  claims.add(file);
}

/**
 * Claims a folder until this process ends, by a file that bears its number, so that nobody removes the claim of another living run. Throws
 * SettingsError where one has claimed it.
 */
export function claimFolder(out: string): void {
  const own = join(out, `.running-${process.pid}`);
  writeFileSync(own, '');
  removeAtExit(own);
  for (const name of readdirSync(out)) {
    const pid = Number(/^\.running-(\d+)$/.exec(name)?.[1] ?? process.pid);
    if (pid === process.pid) continue;
    if (isAlive(pid)) {
      rmSync(own);
      throw new SettingsError(
        `--out names "${out}", and another run (process ${pid}) writes there: wait until it ends, or name another folder; if no run is left, remove ${join(out, name)}.`,
      );
    }
    rmSync(join(out, name), { force: true });
  }
}

/**
 * The folder for output with `inner` inside, made where it is missing and claimed for this run; throws SettingsError where that cannot be
 * done. Where it is for evidence, an earlier run's report is set aside.
 */
export function openOut({ out = 'reports' }: Options, inner: 'evidence' | 'load'): string {
  writeOutput('--out', out, 'folder', () => {
    mkdirSync(join(out, inner), { recursive: true });
    claimFolder(out);
    if (inner === 'evidence') setAside(out);
  });
  return out;
}
