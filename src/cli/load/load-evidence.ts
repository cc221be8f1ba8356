import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from '../../certification/bundle/manifest.js';
import { writeWhole } from '../../reports/write-reports.js';
import type { Report } from '../../requirement/types.js';
import type { JudgePartsOptions } from '../../traffic/parts/judge-parts.js';
import type { PartHeader } from '../../traffic/parts/part-trace.js';
import type { PlanSummary } from '../../traffic/plan-summary.js';
import { limitScenarios, type FailOn } from './load-options.js';

/** The reports of loads, `load/<name>.json`; the evidence of each is in `load/evidence/<name>/`. */
export const loadReportNames = ['all', ...limitScenarios, 'judge', 'soak'] as const;

/** The name of such a report. */
export type LoadReportName = (typeof loadReportNames)[number];

/** `load/<name>.json`. */
export interface LoadReport extends Report {
  /** What was seen of each plan; a soak has none. */
  readonly plans?: readonly PlanSummary[];
  /** How the traces of several generators were judged. */
  readonly judged?: JudgePartsOptions;
  readonly generators?: readonly (Pick<PartHeader, 'part' | 'requests' | 'clock'> & { readonly name: string })[];
  /** What decided the verdicts of a soak beside its figures. */
  readonly soak?: { readonly failOn: readonly FailOn[]; readonly terminated: boolean };
  /** Digests of the files of its evidence; absent from reports of earlier versions. */
  readonly evidence?: Readonly<Record<string, string>>;
}

/** The files of a report's evidence. */
export function evidenceOf(loadFolder: string, name: LoadReportName): Map<string, Buffer> {
  const folder = join(loadFolder, 'evidence', name);
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
}

/** Opens an empty folder for the evidence of one report. `keep` puts it beside the report, where that of the last one was; `drop` forgets it. */
export function openLoadEvidence(out: string, name: LoadReportName) {
  const folder = join(out, 'load', 'evidence', `${name}.new`);
  const drop = (): void => rmSync(folder, { recursive: true, force: true });
  drop();
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    drop,
    keep(report: LoadReport, place = out): string {
      const kept = join(place, 'load', 'evidence', name);
      rmSync(kept, { recursive: true, force: true });
      mkdirSync(dirname(kept), { recursive: true });
      renameSync(folder, kept);
      const files = [...evidenceOf(join(place, 'load'), name)].sort();
      const evidence = Object.fromEntries(files.map(([file, bytes]) => [file, digestOf(bytes)]));
      const file = join(place, 'load', `${name}.json`);
      writeWhole(file, `${JSON.stringify({ ...report, evidence }, null, 2)}\n`);
      return file;
    },
  };
}
