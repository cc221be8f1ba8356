import { join } from 'node:path';
import { githubAnnotations } from '../../reports/annotations.js';
import { renderMarkdown } from '../../reports/formats/markdown.js';
import { renderJUnit } from '../../reports/junit.js';
import { writeWhole } from '../../reports/write-reports.js';
import type { Report } from '../../requirement/types.js';
import { writeStepSummary } from '../step-summary.js';

/**
 * Writes `load/<name>.junit.xml` and `load/<name>.md`, which several scenarios in one folder do not replace, and hands back their paths; in
 * GitHub Actions also the annotations and the job summary.
 */
export function writeLoadReports(out: string, name: string, report: Report): string[] {
  const [junit, summary] = [join(out, 'load', `${name}.junit.xml`), join(out, 'load', `${name}.md`)];
  writeWhole(junit, renderJUnit(report));
  writeWhole(summary, renderMarkdown(report, null).replace(/^## /, `## Load, ${name}: `));
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary(summary);
  return [junit, summary];
}
