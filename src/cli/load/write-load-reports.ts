import { join } from 'node:path';
import { githubAnnotations, makeFolder, renderJUnit, renderMarkdown } from '../../reports/index.js';
import { writeWhole } from '../../settings/index.js';
import type { Report } from '../../requirement/index.js';
import { writeStepSummary } from '../step-summary.js';

/**
 * Writes `load/<name>.json`, `.junit.xml` and `.md`, which several scenarios in one folder do not replace, and hands back their paths; in
 * GitHub Actions also the annotations and the job summary.
 */
export function writeLoadReports(out: string, name: string, report: Report): string[] {
  makeFolder(join(out, 'load'));
  const files = ['json', 'junit.xml', 'md'].map((ending) => join(out, 'load', `${name}.${ending}`));
  const [json = '', junit = '', summary = ''] = files;
  writeWhole(json, `${JSON.stringify(report, null, 2)}\n`);
  writeWhole(junit, renderJUnit(report));
  writeWhole(summary, renderMarkdown(report, null).replace(/^## /, `## Load, ${name}: `));
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary({ file: summary });
  return files;
}
