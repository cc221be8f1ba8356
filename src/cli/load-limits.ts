import { join } from 'node:path';
import { openTarget } from '../embedded/open-target.js';
import { looks, painter, safe } from '../report/console-format.js';
import { wantsColour } from '../report/console-reporter.js';
import { exitStatus } from '../report/outcome.js';
import { writeWhole } from '../report/write-reports.js';
import type { RequirementResult } from '../requirement/types.js';
import { composeReport } from '../run/compose-report.js';
import { openRun } from '../run/open-run.js';
import { runChecks } from '../run/run-checks.js';
import { SettingsError } from '../target/settings-error.js';
import type { PlanName, Target } from '../target/target.js';
import { limitSubjects } from '../traffic/limit-traces.js';
import { allowedToLoad } from '../traffic/load-guard.js';
import { drivenIn } from '../traffic/limit-verdicts.js';
import type { PlanVerdict } from '../traffic/limit-verdicts.js';
import { writeLoadPages, writeScenarioPage } from '../traffic/pages/write-load-pages.js';
import { blamesOf, describeScope, nameOf } from '../traffic/report-limits.js';
import type { Arguments } from './arguments.js';
import { checksOf } from './load-collect.js';
import { assertMayLoad } from './load-face.js';
import type { LimitScenario } from './load-options.js';
import { onInterrupt } from './on-interrupt.js';
import { readSettings } from './read-settings.js';

/** The same target with the numbers of one plan only, so that no other is driven. */
function onlyPlan(target: Target, plan: PlanName | null): Target {
  if (plan === null) return target;
  const none = { independent: null, franchise: null, enterprise: null, demo: null, sandbox: null };
  return { ...target, limits: { ...none, [plan]: target.limits[plan] } };
}

function assertDrivable(target: Target, plan: PlanName | null): void {
  const { subjects, leftOut } = limitSubjects(target);
  if (subjects.length === 0) {
    const reasons = leftOut
      .filter((one) => plan === null || one.plan === plan)
      .map((one) => `${one.why} for ${one.plan}`);
    throw new SettingsError(`no limit can be tried: ${reasons.join('; ')}.`);
  }
  // What may not be loaded is left out, as in a certification; where that is everything, it is a mistake.
  const [first] = subjects;
  if (first !== undefined && !subjects.some((subject) => allowedToLoad(subject.url, target.allowLoad)))
    assertMayLoad(first.url, target.allowLoad);
}

/** What one plan's limiter did, in a line or two. */
function planLines(verdict: PlanVerdict): string[] {
  const { records } = verdict.trace.conducted;
  const count = (...outcomes: string[]): string =>
    records.filter((record) => outcomes.includes(record.outcome)).length.toLocaleString('en');
  const scope = describeScope(verdict);
  const explained = [...new Set(verdict.readings.filter((reading) => reading.admitted).map((reading) => reading.name))];
  return [
    `${nameOf(verdict)}: ${records.length.toLocaleString('en')} requests, ${count('accepted')} accepted, ${count('refused')} refused, ${count('other', 'failed', 'timeout', 'unsent')} neither`,
    explained.length > 0 ? `  explained by ${explained.join(', ')}` : '  explained by no reading of its numbers',
    ...blamesOf(verdict).map((blame) => `  ${blame.id}: ${safe(blame.actual)}`),
    ...(scope === null ? [] : [`  by key or by tenant: ${safe(scope)}`]),
    ...(verdict.foreign === null ? [] : [`  ${safe(verdict.foreign.sentence)}`]),
  ];
}

function resultLine(result: RequirementResult, colour: boolean): string {
  const { sign, word, colour: tone } = looks[result.verdict];
  return `${painter(colour)(tone, `${sign} ${result.id} ${word}`)}: ${safe(result.verdict === 'pass' ? result.title : result.reason)}`;
}

/** `load --scenario burst` and its like: drives the plans side by side and judges the checks of that scenario; the exit status. Throws SettingsError. */
export async function loadLimits(
  parsed: Arguments,
  scenario: LimitScenario,
  plan: PlanName | null,
  openOut: (parsed: Arguments) => string,
): Promise<number> {
  const opened = await openTarget(readSettings(parsed.settings));
  try {
    const target = onlyPlan(opened.target, plan);
    assertDrivable(target, plan);
    const out = openOut(parsed);
    const checks = await checksOf(scenario);
    const quiet = parsed.options['quiet'] === true;
    const say = (text: string): boolean => quiet || process.stdout.write(`${text}\n`);
    const started = new Date();
    const run = openRun(target, { depth: 'certify' });
    const stop = new AbortController();
    const endListening = onInterrupt(() => {
      stop.abort();
      process.stderr.write('Ending once what is being driven is through; Ctrl-C again stops at once.\n');
    });
    try {
      say(
        `${target.embedded ? 'The embedded reference service' : run.redactor.text(target.baseUrl)}, scenario ${scenario}: ${checks.map((check) => check.id).join(', ')}`,
      );
      say('Every plan is driven once through all of its steps, as each scenario needs what the others showed.\n');
      const results = await runChecks(checks, run, { signal: stop.signal });
      const judged = await drivenIn(run);
      for (const line of judged?.verdicts.flatMap(planLines) ?? []) say(run.redactor.text(line));
      say('');
      const report = composeReport({
        baseUrl: run.redactor.text(target.baseUrl),
        embedded: target.embedded,
        document: null,
        seed: run.seed,
        observations: run.observations,
        catalogue: checks,
        selected: checks,
        results,
        started,
        requests: results.reduce((sum, result) => sum + result.requests, 0),
        ...(stop.signal.aborted ? { why: 'the run was interrupted' } : {}),
      });
      for (const result of report.requirements)
        process.stdout.write(`${resultLine(result, wantsColour(process.stdout))}\n`);
      writeWhole(join(out, 'load', `${scenario}.json`), `${JSON.stringify(report, null, 2)}\n`);
      const about = {
        target: report.target.baseUrl,
        model: target.limitModel,
        redact: (text: string): string => run.redactor.text(text),
      };
      const pages =
        judged === null
          ? []
          : [
              writeScenarioPage(out, scenario, judged.verdicts, about),
              ...writeLoadPages(out, judged, { ...about, verdicts: judged.verdicts }),
            ];
      say(`\n${[join(out, 'load', `${scenario}.json`), ...pages].join('\n')}`);
      return exitStatus(report);
    } finally {
      endListening();
      await run.close();
    }
  } finally {
    await opened.close();
  }
}
