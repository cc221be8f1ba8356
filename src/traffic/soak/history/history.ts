import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject } from '../../../openapi/index.js';
import { writeWhole } from '../../../settings/index.js';
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

const dayMs = 86_400_000;

/** Whether a parsed file has what comparisons read, and did not begin in the future, apart from clock differences of up to a day. */
function isSoakRun(value: unknown): value is SoakRun {
  const run = asObject(value);
  const service = asObject(run?.['service']);
  const total = asObject(service?.['total']);
  const texts = [run?.['started'], run?.['target'], run?.['conditions'], service?.['ended']];
  const rates = [service?.['ratePerSecond'], service?.['windowSeconds']];
  const figures = ['due', 'errors', 'p50Ms', 'p95Ms', 'p99Ms'].map((name) => total?.[name]);
  return (
    run?.['format'] === 'dealership-soak-run/1' &&
    texts.every((one) => typeof one === 'string') &&
    [...rates, ...figures].every((one) => typeof one === 'number') &&
    Date.parse(String(run['started'])) < Date.now() + dayMs
  );
}

function readSoakRun(path: string): SoakRun | null {
  try {
    const run: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isSoakRun(run) ? run : null;
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
export function readSoakRuns(folder: string, { target, except, onSkipped }: HistoryFilter = {}): readonly SoakRun[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  const runs = names.flatMap((name): SoakRun[] => {
    const path = join(folder, name);
    if (path === except) return [];
    const run = readSoakRun(path);
    if (run === null) onSkipped?.(path);
    return run !== null && (target === undefined || run.target === target) ? [run] : [];
  });
  return runs.sort((a, b) => Date.parse(a.started) - Date.parse(b.started));
}

/** Adds one file to the history and hands back its path; no other run has that name, and a crash leaves at most a `.part` file behind. */
export function saveSoakRun(folder: string, run: SoakRun): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.started.replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}.json`);
  writeWhole(path, `${JSON.stringify(run)}\n`);
  return path;
}
