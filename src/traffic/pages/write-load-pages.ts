import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../reports/write-reports.js';
import type { LimitTraces } from '../limit-traces.js';
import { judgePlan } from '../limit-verdicts.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import type { ScenarioName } from '../scenario/scenario.js';
import { renderLimitPage } from './limit-page.js';
import type { LimitPageOptions } from './limit-page.js';
import { renderScenarioPage } from './scenario-page.js';

/** How the pages of limit traces are written; verdicts that are there already are not computed again. */
export interface LoadPagesOptions extends Partial<LimitPageOptions> {
  readonly verdicts?: readonly PlanVerdict[];
}

/** Writes `load/<name>.html` and hands back its path. */
export function writePage(out: string, name: string, source: string): string {
  mkdirSync(join(out, 'load'), { recursive: true });
  const file = join(out, 'load', `${name}.html`);
  writeWhole(file, source);
  return file;
}

/** Writes `load/<plan>.html` for each plan that was driven, and hands back their paths. */
export function writeLoadPages(out: string, traces: LimitTraces, options: LoadPagesOptions = {}): string[] {
  const model = options.model ?? 'auto';
  return traces.plans
    .filter((plan) => plan.unusable === null)
    .map((plan) => {
      const verdict =
        options.verdicts?.find((one) => one.trace.subject.plan === plan.subject.plan) ?? judgePlan(plan, model);
      const target = options.target ?? new URL(plan.subject.url).origin;
      return writePage(out, plan.subject.plan, renderLimitPage(verdict, { ...options, target, model }));
    });
}

/** Writes `load/<scenario>.html` on the plans that were driven, and hands back its path. */
export function writeScenarioPage(
  out: string,
  scenario: ScenarioName,
  verdicts: readonly PlanVerdict[],
  options: Parameters<typeof renderScenarioPage>[2],
): string {
  return writePage(out, scenario, renderScenarioPage(scenario, verdicts, options));
}
