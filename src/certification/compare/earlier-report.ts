import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleNames } from '../bundle/bundle-names.js';
import { readRunFile } from '../bundle/read-run-file.js';
import { evidenceFiles, reportFiles } from '../../reports/index.js';

const previous = (out: string): string => join(out, 'previous');

/** The names of the report and evidence files of a run in `out`. */
function filesOf(out: string): string[] {
  return [
    ...[...reportFiles, bundleNames.page, bundleNames.badge].filter((name) => existsSync(join(out, name))),
    ...evidenceFiles(join(out, 'evidence')).map((name) => join('evidence', name)),
  ];
}

/** Removes an earlier run's reports and evidence. */
function clear(out: string): void {
  for (const name of filesOf(out)) rmSync(join(out, name));
}

function move(from: string, to: string): void {
  clear(to);
  for (const name of filesOf(from)) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    renameSync(join(from, name), join(to, name));
  }
}

/** The names of the pages of limits, which the report links to. */
function loadPagesIn(out: string): string[] {
  const folder = join(out, 'load');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.html')).map((name) => join('load', name));
}

function isComplete(out: string): boolean {
  const evidence = join(out, 'evidence');
  try {
    return filesOf(out).length > 0 && readRunFile(evidence).ended;
  } catch {
    return false;
  }
}

/** Makes room in `out`: keeps a complete earlier report in `previous`, and removes one that is not. A killed run leaves no other's report. */
export function setAside(out: string): void {
  if (!isComplete(out)) {
    clear(out);
    return;
  }
  move(out, previous(out));
  for (const name of loadPagesIn(out)) {
    mkdirSync(join(previous(out), 'load'), { recursive: true });
    copyFileSync(join(out, name), join(previous(out), name));
  }
}

/** Puts the earlier report back, as nothing was judged. */
export function putBack(out: string): void {
  clear(out);
  if (isComplete(previous(out))) move(previous(out), out);
  dropEarlier(out);
}

/** Removes the earlier report, which a complete one replaces. */
export function dropEarlier(out: string): void {
  const folder = previous(out);
  clear(folder);
  for (const name of loadPagesIn(folder)) rmSync(join(folder, name));
  for (const empty of [join(folder, 'load'), join(folder, 'evidence'), folder])
    if (existsSync(empty) && readdirSync(empty).length === 0) rmdirSync(empty);
}

/** The page of the earlier report that an interrupted run left, or null. */
export function earlierPage(out: string): string | null {
  return isComplete(previous(out)) ? join(previous(out), 'conformance.html') : null;
}
