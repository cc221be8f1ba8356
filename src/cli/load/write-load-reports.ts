import { join } from 'node:path';
import { githubAnnotations, renderJUnit, renderMarkdown } from '../../reports/index.js';
import { writeWhole } from '../../settings/index.js';
import type { Report } from '../../requirement/index.js';
import { writeStepSummary } from '../step-summary.js';
import { soakReport, type SoakNight } from './soak-report.js';

/**
 * Writes `load/<name>.junit.xml` and `load/<name>.md`, which several scenarios in one folder do not replace, and hands back their paths; in
 * GitHub Actions also the annotations and the job summary.
 */
export function writeLoadReports(out: string, name: string, report: Report): string[] {
  const [junit, summary] = [join(out, 'load', `${name}.junit.xml`), join(out, 'load', `${name}.md`)];
  writeWhole(junit, renderJUnit(report));
  writeWhole(summary, renderMarkdown(report, null).replace(/^## /, `## Load, ${name}: `));
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary({ file: summary });
  return [junit, summary];
}

/** Writes the reports of a soak, and hands back their paths. */
export function writeSoakReports(out: string, night: SoakNight, name: string): string[] {
  const report = soakReport(night, name);
  const file = join(out, 'load', 'soak.json');
  writeWhole(file, `${JSON.stringify(report, null, 2)}\n`);
  return [file, ...writeLoadReports(out, 'soak', report)];
}
