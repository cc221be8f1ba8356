import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  blockedByReason,
  githubAnnotations,
  looks,
  outcomeLine,
  painter,
  renderJUnit,
  renderMarkdown,
  safe,
  sharedReasonLines,
  wantsColour,
} from '../../reports/index.js';
import { exitStatus, type Report } from '../../requirement/index.js';
import {
  keyedPlans,
  type PlanName,
  planNames,
  SettingsError,
  type Target,
  tenantsOf,
  writeWhole,
} from '../../settings/index.js';
import { loadPacks } from '../../packs.js';
import { modelLabels, quotaItems, type TraceOutcome } from '../../ratelimit/index.js';
import {
  assertAccess,
  composeReport,
  type Run,
  type RunOptions,
  runChecks,
  whenCalledOff,
  withRun,
} from '../../run/index.js';
import {
  allowedToLoad,
  describeLowered,
  drivenIn,
  foreignDoubt,
  limitSubjects,
  nameOf,
  type PlanVerdict,
  pushMetrics,
  tallyOf,
  writeLoadPages,
} from '../../traffic/index.js';
import type { Arguments } from '../arguments.js';
import { assertMayLoad, probeTenants } from './load-target.js';
import { writeStepSummary } from '../step-summary.js';
import { withTarget } from '../with-target.js';
import { openOut } from '../claim-folder.js';
import type { LimitScenario } from '../command-table.js';
import { telemetryEnvironment } from '../read-settings.js';

/** The same target with the numbers of one plan only, so that no other is driven. */
function onlyPlan(target: Target, plan: PlanName | null): Target {
  if (plan === null) return target;
  const limits = planNames.map((name) => [name, name === plan ? target.limits[name] : null]);
  return { ...target, limits: Object.fromEntries(limits) as Target['limits'] };
}

function assertDrivable(target: Target, plan: PlanName | null, scenario: LimitScenario | null): void {
  const { subjects, leftOut } = limitSubjects(target, scenario);
  if (subjects.length === 0) {
    const reasons = leftOut
      .filter((one) => plan === null || one.plan === plan)
      .map((one) => `${one.why} for ${one.plan}`);
    throw new SettingsError(`no limit can be tried: ${reasons.join('; ')}.`);
  }
  // Targets that must not get load are left out, as in a certification. If no target is left, that is an error.
  const [first] = subjects;
  if (first !== undefined && !subjects.some((subject) => allowedToLoad(subject.url, target.allowLoad)))
    assertMayLoad(first.url, target.allowLoad);
}

/** Asks whether a plan was given the key of another one, whose number every answer announces; null where none does. */
function otherPlanHint({ trace: { subject }, trace }: PlanVerdict, limits: Target['limits']): string | null {
  const announced = new Set(tallyOf(trace).limits.flatMap((limit) => quotaItems(limit)?.[0]?.count ?? []));
  const announces = (plan: PlanName): boolean =>
    announced.size > 0 && [...announced].every((count) => limits[plan]?.some((one) => one.count === count));
  const other = keyedPlans.find(announces);
  return other === undefined || subject.keyName === null || announces(subject.plan)
    ? null
    : `RateLimit-Limit is ${[...announced].join(' and ')}, as of the ${other} plan: is ${subject.keyName} a key of that plan?`;
}

/** The behaviour of one plan's limiter, in a few lines. */
export function planLines(verdict: PlanVerdict, limits: Target['limits']): string[] {
  const { sent, others, ...tally } = tallyOf(verdict.trace);
  const count = (...outcomes: TraceOutcome[]): string => tally.count(...outcomes).toLocaleString('en');
  const lost = count('failed', 'timeout');
  const lowered = describeLowered(verdict);
  const explained = [...new Set(verdict.models.filter(({ admitted }) => admitted).map(({ name }) => name))];
  return [
    `${nameOf(verdict)}: sent ${sent.toLocaleString('en')} requests, ${count('accepted')} accepted, ${count('refused')} refused${others.length === 0 ? '' : `, ${count('other')} answered ${others.sort().join(', ')}`}${lost === '0' ? '' : `, ${lost} not answered`}`,
    explained.length > 0
      ? `  ways to count that fit: ${explained.map((name) => modelLabels[name]).join(', ')}`
      : '  no way to count the limit fits these answers',
    ...(explained.length > 0 && !explained.includes('sliding')
      ? [
          '  each of these may accept more than the limit within some window; LIMIT_MODEL=sliding demands that none is exceeded',
        ]
      : []),
    ...[otherPlanHint(verdict, limits)].flatMap((hint) => (hint === null ? [] : [`  ${hint}`])),
    ...verdict.violations.map((violation) => `  ${violation.id}: ${safe(violation.actual)}`),
    ...(verdict.foreign === null ? [] : [`  ${safe(verdict.foreign)}: ${foreignDoubt}`]),
    ...(lowered === null ? [] : [`  lowered: ${safe(lowered)}`]),
  ];
}

/** The ids of the requirements that a plan's answers break. */
function breachesOf({ violations, headers }: PlanVerdict): string[] {
  return [...violations, ...headers.filter(({ severity }) => severity === 'fail')].map(({ id }) => id);
}

/** The verdicts of a report, a line for each reason or requirement, and its outcome. */
export function resultLines(report: Report, quiet: boolean): string[] {
  const paint = painter(wantsColour(process.stdout));
  const shared = blockedByReason(report.requirements).filter(({ results }) => results.length > 1);
  const alone = report.requirements.filter((one) => !shared.some(({ results }) => results.includes(one)));
  return [
    ...shared.flatMap((group) => sharedReasonLines(group, paint)),
    ...alone
      .filter(({ verdict }) => !quiet || verdict !== 'pass')
      .map(({ id, verdict, title, reason }) => {
        const { sign, word, colour } = looks[verdict];
        return `${paint(colour, `${sign} ${id} ${word}`)}: ${safe(verdict === 'pass' ? title : reason)}`;
      }),
    ...(quiet ? [] : ['']),
    outcomeLine(report, paint, true),
  ];
}

/**
 * Writes `load/<name>.json`, `.junit.xml` and `.md`, which several scenarios in one folder do not replace, and hands back their paths; in
 * GitHub Actions also the annotations and the job summary.
 */
export function writeLoadReports(out: string, name: string, report: Report): string[] {
  mkdirSync(join(out, 'load'), { recursive: true });
  const files = ['json', 'junit.xml', 'md'].map((ending) => join(out, 'load', `${name}.${ending}`));
  const [json = '', junit = '', summary = ''] = files;
  writeWhole(json, `${JSON.stringify(report, null, 2)}\n`);
  writeWhole(junit, renderJUnit(report));
  writeWhole(summary, renderMarkdown(report, null).replace(/^## /, `## Load, ${name}: `));
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary({ file: summary });
  return files;
}

/** Throws SettingsError where BASE_URL leads nowhere, or the service refuses API_KEY or the key of a plan. */
async function assertPlanAccess(run: Run, scenario: LimitScenario | null): Promise<void> {
  await assertAccess(run);
  if ((await run.targetState()).unreachable !== null) return;
  for (const { plan, keyName } of limitSubjects(run.target, scenario).subjects) {
    if (keyName === null) continue;
    const { baseUrl } = run.target;
    const { refused } = await probeTenants(run, { keyName, baseUrl, tenants: tenantsOf(run.target, plan) });
    if (refused !== null) throw new SettingsError(run.redactor.text(refused));
  }
}

/** `load`, of one scenario or of all: drives the plans side by side and judges the checks of what was driven; the exit status. Throws SettingsError. */
export async function loadLimits(
  parsed: Arguments,
  scenario: LimitScenario | null,
  plan: PlanName | null,
): Promise<number> {
  return withTarget(parsed, async ({ opened, started, quiet, say, show, off, cleanUp }) => {
    const target = onlyPlan(opened.target, plan);
    assertDrivable(target, plan, scenario);
    const out = openOut(parsed.options, 'load');
    const { requirements: catalogue, sections } = await loadPacks(opened.settings.PACKS);
    const { scenarioFiles } = await import('../../suite-pack.js');
    const all = Object.values(scenarioFiles).flatMap((file) => Object.values(file));
    const own = scenario === null ? all : Object.values(scenarioFiles[scenario]);
    const name = scenario ?? 'all';
    const live = show();
    await using metrics = await pushMetrics(telemetryEnvironment(), (line) => void process.stderr.write(`${line}\n`));
    live.activity.onLoadRequest = metrics.record;
    const options: RunOptions = {
      depth: 'certify',
      signal: off,
      scenario,
      activity: live.activity,
      invocation: {
        command: (id, seed) => [
          'load',
          ...(target.embedded ? ['--embedded'] : []),
          ...(scenario === null ? [] : ['--scenario', scenario]),
          ...(plan === null ? [] : ['--plan', plan]),
          ...['--seed', String(seed), '--out', join(out, `replay-${id}`)],
        ],
        settings: parsed.settings,
      },
    };
    const judgeIn = async (run: Run): Promise<number> => {
      await Promise.race([assertPlanAccess(run, scenario), whenCalledOff(run)]);
      const isBrief = run.calledOff.aborted || (await run.targetState()).unreachable !== null;
      const introduce = (text: string): void => (isBrief ? undefined : say(text));
      introduce(
        `${target.embedded ? 'The embedded reference service' : run.redactor.text(target.baseUrl)}, ${scenario === null ? 'every scenario' : `scenario ${scenario}`}: ${own.map((check) => check.id).join(', ')}`,
      );
      introduce(
        scenario === null
          ? ''
          : `Each plan is judged by the traffic of ${scenario} alone; without --scenario it is judged by all.\n`,
      );
      const starting = (check: { readonly id: string; readonly title: string }): void =>
        live.begin(check.id, check.title);
      const ownResults = await runChecks({ stages: [own] }, run, { starting });
      const judged = drivenIn(run);
      // A breach that the traffic of one scenario shows counts, whichever requirement it breaks.
      const broken = new Set((judged?.verdicts ?? []).flatMap(breachesOf));
      const others = all.filter((check) => broken.has(check.id) && !own.includes(check));
      metrics.end();
      const results = [...ownResults, ...(await runChecks({ stages: [others] }, run, { starting }))];
      live.end();
      const checks = [...own, ...others];
      for (const line of judged?.verdicts.flatMap((verdict) => planLines(verdict, opened.target.limits)) ?? [])
        say(run.redactor.text(line));
      say('');
      const report = composeReport({
        baseUrl: run.redactor.text(target.baseUrl),
        embedded: target.embedded,
        document: null,
        traceId: run.trace.traceId,
        seed: run.seed,
        observations: run.observations,
        catalogue,
        sections,
        selected: checks,
        results,
        started,
        requests: run.activity.requests,
        ...(run.calledOff.aborted ? { why: 'the run was interrupted' } : {}),
      });
      process.stdout.write(`${resultLines(report, quiet).join('\n')}\n`);
      say(
        `\n${report.requests.toLocaleString('en')} requests in ${report.seconds.toFixed(1)} s, the preparation included; trace ${run.trace.traceId}`,
      );
      // The report of an interrupted run replaces no other.
      const place = run.calledOff.aborted ? join(out, 'interrupted') : out;
      const about = {
        target: report.target.baseUrl,
        model: target.limitModel,
        redact: (text: string): string => run.redactor.text(text),
        isAlone: scenario !== null,
      };
      const pages = writeLoadPages(place, judged?.verdicts ?? [], about);
      say(`\n${[...writeLoadReports(place, name, report), ...pages].join('\n')}`);
      await cleanUp(run);
      return exitStatus(report);
    };
    return await withRun(target, options, judgeIn);
  });
}
