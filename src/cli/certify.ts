import { join } from 'node:path';
import { applyWaivers } from '../certification/apply-waivers.js';
import { userAgentWith } from '../certification/nonce.js';
import { requiredEntries } from '../certification/levels.js';
import { readWaivers } from '../certification/read-waivers.js';
import type { Waiver } from '../certification/read-waivers.js';
import { writePlaywrightReport } from '../report/playwright/write-playwright-report.js';
import { githubAnnotations } from '../report/annotations.js';
import { outcomeText } from '../report/console-format.js';
import { consoleReporter } from '../report/console-reporter.js';
import { blockedTexts, judgedText, remedyTexts } from '../report/judged.js';
import { openEvidence } from '../report/evidence-writer.js';
import type { Evidence } from '../report/evidence-writer.js';
import { exitStatus } from '../report/outcome.js';
import { clearReports, writeRecorded, writeReports } from '../report/write-reports.js';
import { loadChecks } from '../requirement/load-checks.js';
import type { CollectedCheck } from '../requirement/collector.js';
import { select } from '../requirement/select.js';
import type { Report, RequirementResult } from '../requirement/types.js';
import { catalogueDigest, composeReport, documentDigest } from '../run/compose-report.js';
import type { ReportParts } from '../run/compose-report.js';
import { readPinned } from '../run/load-contract.js';
import { openRun } from '../run/open-run.js';
import { inOrder, runChecks, whenCalledOff } from '../run/run-checks.js';
import { publicSettings, writeRunFile } from '../run/run-file.js';
import type { RunFile } from '../run/run-file.js';
import type { Depth, Run } from '../run/run.js';
import { assertAddress } from '../run/target-state.js';
import { SettingsError } from '../target/settings-error.js';
import { drivenIn } from '../traffic/limit-verdicts.js';
import { writeLoadPages } from '../traffic/pages/write-load-pages.js';
import { version } from '../version.js';
import { listOption, textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { bundleWish, finishBundle, nonceOption, refuseEarly } from './bundle-wish.js';
import { showArrivals } from './show-arrivals.js';
import { liveLine } from './live-line.js';
import type { LiveLine } from './live-line.js';
import { onInterrupt } from './on-interrupt.js';
import { numberOption, openOut, repeated } from './options.js';
import { openNamed } from './open-named.js';
import { readSettings } from './read-settings.js';

/** `certify` and `gate`: judges the target and writes the reports; the process's exit status. */
export async function certify(parsed: Arguments, depth: Depth): Promise<number> {
  const [operand] = parsed.operands;
  if (operand !== undefined && parsed.command !== 'rerun') {
    throw new SettingsError(
      `"${operand}" is not understood here: expected flags only; to judge one requirement write --only ${operand}.`,
    );
  }
  const catalogue = await loadChecks();
  const selected = select(catalogue, textOption(parsed, 'only'));
  const required = requiredEntries(listOption(parsed, 'require'), catalogue);
  const waivers =
    depth === 'gate'
      ? readWaivers(
          textOption(parsed, 'waivers'),
          catalogue.map((entry) => entry.id),
        )
      : [];
  const wish = bundleWish(parsed);
  if (wish !== null && required.length > 0)
    throw new SettingsError(
      '--require and --bundle are both given: expected one; each level of a certificate asks for all of its requirements anyway.',
    );
  const nonce = nonceOption(parsed);
  const requestBudget = numberOption(parsed, 'requests', 1_000_000) ?? null;
  const waitSeconds = numberOption(parsed, 'wait', 86_400) ?? 0;
  const waitReadySeconds = numberOption(parsed, 'wait-ready', 86_400) ?? 0;
  const opened = await openNamed(parsed);
  try {
    await readPinned(opened.target);
    const known = {
      depth,
      requestBudget,
      only: textOption(parsed, 'only'),
      embedded: opened.target.embedded,
      settings: publicSettings(opened.settings),
    };
    refuseEarly(wish, known);
    const out = openOut(parsed, 'evidence');
    const evidence = openEvidence(join(out, 'evidence'));
    const live = liveLine(process.stderr, parsed.options['quiet'] === true);
    const run = openRun(opened.target, {
      depth,
      invocation: {
        command: (id) => [
          depth,
          ...(opened.target.embedded ? ['--embedded'] : []),
          ...['--only', id],
          ...repeated(parsed, ['requests', 'wait']),
        ],
        settings: readSettings(parsed.settings),
        out,
      },
      path: textOption(parsed, 'path'),
      activity: live.activity,
      userAgent: userAgentWith(nonce),
      waitReadySeconds,
      ...(requestBudget === null ? {} : { requestBudget }),
      hooks: {
        register: opened.register,
        waitSeconds,
        ...(waitSeconds > 0 && parsed.options['quiet'] !== true ? { onArrival: showArrivals() } : {}),
      },
      keep: (name, encoded) => writeRecorded(join(out, 'evidence'), name, encoded),
      record: (exchange) => evidence.record(exchange),
    });
    const report = await judge({
      parsed,
      run,
      evidence,
      out,
      catalogue,
      selected,
      required,
      waivers,
      known,
      live,
    }).finally(live.end);
    const status = conclude(parsed, report, out);
    if (run.calledOff.aborted) return status;
    // The gate is asked for in seconds; Playwright takes some of its own.
    if (depth === 'certify' && !(await writePlaywrightReport(out)))
      process.stderr.write("Playwright's own report could not be written; every other report is complete.\n");
    await finishBundle(wish, { out, nonce, settings: opened.settings });
    return status;
  } finally {
    await opened.close();
  }
}

interface Judging {
  readonly parsed: Arguments;
  readonly run: Run;
  readonly evidence: Evidence;
  readonly out: string;
  readonly catalogue: readonly CollectedCheck[];
  readonly selected: readonly CollectedCheck[];
  readonly required: readonly CollectedCheck[];
  readonly waivers: readonly Waiver[];
  readonly known: Pick<RunFile, 'depth' | 'requestBudget' | 'only' | 'embedded' | 'settings'>;
  readonly live: LiveLine;
}

/** Runs the checks and writes what came of them. A report that says "incomplete" stands from the start, so that a killed run leaves no other. */
async function judge({
  parsed,
  run,
  evidence,
  out,
  catalogue,
  selected,
  required,
  waivers,
  known,
  live,
}: Judging): Promise<Report> {
  const started = new Date();
  const results: RequirementResult[] = [];
  const parts = (document: string | null): ReportParts => ({
    baseUrl: run.redactor.text(run.target.baseUrl),
    embedded: run.target.embedded,
    document,
    seed: run.seed,
    observations: run.observations,
    catalogue,
    selected,
    required,
    results,
    started,
    requests: run.activity.requests,
  });
  const runFile: RunFile = {
    format: 'dealership-conformance-run/1',
    suite: { version, catalogue: catalogueDigest(catalogue) },
    started: started.toISOString(),
    seed: run.seed,
    nonce: run.nonce,
    ...known,
    order: inOrder(selected).map((entry) => entry.id),
    ended: false,
  };
  const folder = join(out, 'evidence');
  writeRunFile(folder, runFile);
  await writeReports(out, composeReport({ ...parts(null), why: 'the run has not ended' }));
  const endListening = onInterrupt(() => {
    run.callOff();
    live.end();
    process.stderr.write('\nEnding; the report of what there is is being written. Ctrl-C again gives it up.\n');
  });
  await Promise.race([assertAddress(run), whenCalledOff(run)]).catch(async (error: unknown) => {
    await Promise.all([run.close(), evidence.close()]);
    clearReports(out);
    throw error;
  });
  const quiet = parsed.options['quiet'] === true;
  const reporter = consoleReporter({ stream: quiet ? { write: () => true } : process.stdout });
  if (!quiet)
    process.stdout.write(
      `${run.target.embedded ? 'The embedded reference service' : run.redactor.text(run.target.baseUrl)}, ${selected.length} requirements, seed ${run.seed}\n\n`,
    );
  reporter.begin(selected.map((entry) => entry.id));
  try {
    await runChecks(selected, run, {
      starting: (check) => {
        live.begin(`${results.length}/${selected.length} ${check.id}`, check.title);
        reporter.started(check.id, check.title);
      },
      done: (result) => {
        results.push(result);
        reporter.settled(result);
      },
    });
  } finally {
    // The same Ctrl-C may come a second time while the report is being written.
    if (!run.calledOff.aborted) endListening();
  }
  drawLoadPages(run, out);
  const cut = run.calledOff.aborted;
  const document = cut ? null : await documentDigest(run);
  await run.close();
  await evidence.close();
  const report = applyWaivers(
    composeReport({ ...parts(document), ...(cut ? { why: 'the run was interrupted' } : {}) }),
    waivers,
    new Date().toISOString().slice(0, 10),
  );
  writeRunFile(folder, { ...runFile, ended: !cut });
  await writeReports(out, report);
  reporter.end(report);
  return report;
}

/** A page for each plan that was driven; none where nothing was. */
function drawLoadPages(run: Run, out: string): void {
  const driven = drivenIn(run);
  if (driven === null) return;
  const redact = (text: string): string => run.redactor.text(text);
  writeLoadPages(out, driven, {
    target: redact(run.target.baseUrl),
    model: run.target.limitModel,
    verdicts: driven.verdicts,
    redact,
    hasReport: true,
  });
}

/** Says where the report is. */
function conclude(parsed: Arguments, report: Report, out: string): number {
  const page = join(out, 'conformance.html');
  const name = report.target.embedded ? 'the embedded reference service' : report.target.baseUrl;
  const { requirements, counts } = report;
  process.stdout.write(
    parsed.options['quiet'] === true
      ? `${outcomeText(report).toLowerCase()}: ${[`${name}, ${judgedText(requirements)}, ${counts.fail} failed`, ...(report.outdatedWaivers ?? []), ...blockedTexts(requirements), ...remedyTexts(requirements)].join('; ')}; see ${page}\n`
      : `\nReport: ${page}\n`,
  );
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  return exitStatus(report);
}
