import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../settings/index.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { renderLimitPage, type LimitPageOptions } from './limit-page.js';

/** Writes `load/<name>.html` and hands back its path. */
export function writePage(out: string, name: string, source: string): string {
  mkdirSync(join(out, 'load'), { recursive: true });
  const file = join(out, 'load', `${name}.html`);
  writeWhole(file, source);
  return file;
}

/** Writes `load/<plan>.html` for each plan that was judged, and hands back their paths. */
export function writeLoadPages(out: string, verdicts: readonly PlanVerdict[], options: LimitPageOptions): string[] {
  return verdicts.map((verdict) => writePage(out, verdict.trace.subject.plan, renderLimitPage(verdict, options)));
}
