import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareReports, loadReport, renderComparison, renderTable } from '../../certification/index.js';
import { writeOutput, writeWhole } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';

/** `compare A B`: what differs between two reports or bundles; 1 where B is worse. */
export function compare(parsed: Arguments): number {
  const [first = '', second = ''] = parsed.operands;
  const { out, json } = parsed.options;
  const [a, b] = [loadReport(first), loadReport(second)];
  const comparison = compareReports({ name: first, report: a.report }, { name: second, report: b.report });
  if (out !== undefined)
    writeOutput('--out', out, 'folder', () => {
      mkdirSync(out, { recursive: true });
      writeWhole(join(out, 'compare.html'), renderComparison(comparison));
    });
  process.stdout.write(json ? `${JSON.stringify(comparison, null, 2)}\n` : renderTable(comparison));
  return comparison.worse ? 1 : 0;
}
